// Tools the provider runs, in OpenAI's two flat formats: one item holds the call and, once available, its result.

import { type Item, item } from '../message.ts';
import { argumentsOf, type Native } from '../native.ts';
import { jsonText } from '../value-text.ts';
import type { ChangeAt, Draft, Segment } from './codec.ts';
import { mediaOf } from './part.ts';

/** Contents of such an item. */
export interface Hosted {
  readonly toolName: string | null;
  /** The field of the arguments: JSON text in `arguments`, code in `code`, otherwise a value. */
  readonly args: string;
  readonly links?: readonly string[];
  /** Characters besides the arguments and the result. */
  readonly weight?: number;
  readonly result: readonly Item[];
  /** Absent if the result cannot be changed; the item is then removed with it. */
  readonly writeResult?: (draft: Draft, change: ChangeAt) => void;
}

/** The segments of a provider-run tool. Removing the call removes the item. */
export function hosted(message: Native, callId: string | null, content: Hosted): readonly Segment[] {
  const value = message[content.args];
  const facts: Partial<Item> = {
    callId,
    toolName: content.toolName,
    text: jsonText(value ?? undefined),
    args: content.args === 'code' ? null : argumentsOf(value),
    providerExecuted: true,
    links: content.links ?? [],
    weight: content.weight ?? 0,
  };
  const called: Segment = {
    items: [item('call', facts)],
    write: (draft, change) => {
      const args = change(0)?.args ?? null;
      if (args && content.args === 'arguments') draft[content.args] = JSON.stringify(args);
      else if (args && facts.args) draft[content.args] = args;
      return !change(0)?.removed;
    },
  };
  if (content.result.length === 0) return [called];
  const answered: Segment = {
    items: content.result,
    write: (draft, change) => {
      content.writeResult?.(draft, change);
      return content.writeResult !== undefined || !content.result.some((_, index) => change(index)?.removed);
    },
  };
  return [called, answered];
}

/** An image the provider generated; sent back unchanged. */
export function pictureResult(callId: string | null, base64: unknown): readonly Item[] {
  const media = typeof base64 === 'string' ? mediaOf({ type: 'image', image: base64 }) : null;
  if (!media) return [];
  const facts = { callId, providerExecuted: true, sealed: true } as const;
  return [
    item('result', { ...facts, toolName: 'image_generation_call' }),
    item('media', { ...facts, media }),
  ];
}
