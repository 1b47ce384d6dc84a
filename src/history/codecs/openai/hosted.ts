// Tools the provider runs in OpenAI's two flat formats: one item holds the call and, once it has one, its result.

import { type Item, item } from '../message.ts';
import { argumentsOf, type Native } from '../native.ts';
import { jsonText } from '../value-text.ts';
import type { ChangeAt, Draft, Segment } from './codec.ts';
import { mediaOf } from './part.ts';

/** What such an item holds. */
export interface Hosted {
  readonly toolName: string | null;
  /** The field of the arguments: JSON text in `arguments`, code in `code`, else a value. */
  readonly args: string;
  readonly links?: readonly string[];
  /** Characters besides the arguments and the result. */
  readonly weight?: number;
  readonly result: readonly Item[];
  /** Absent for a result that is as it is: the item goes with it. */
  readonly writeResult?: (draft: Draft, change: ChangeAt) => void;
}

/** The segments of a provider-run tool: with the call goes the item. */
export function hosted(message: Native, callId: string | null, told: Hosted): readonly Segment[] {
  const value = message[told.args];
  const facts: Partial<Item> = {
    callId,
    toolName: told.toolName,
    text: jsonText(value ?? undefined),
    args: told.args === 'code' ? null : argumentsOf(value),
    providerExecuted: true,
    links: told.links ?? [],
    weight: told.weight ?? 0,
  };
  const called: Segment = {
    items: [item('call', facts)],
    write: (draft, change) => {
      const args = change(0)?.args ?? null;
      if (args && told.args === 'arguments') draft[told.args] = JSON.stringify(args);
      else if (args && facts.args) draft[told.args] = args;
      return !change(0)?.removed;
    },
  };
  if (told.result.length === 0) return [called];
  const answered: Segment = {
    items: told.result,
    write: (draft, change) => {
      told.writeResult?.(draft, change);
      return told.writeResult !== undefined || !told.result.some((_, index) => change(index)?.removed);
    },
  };
  return [called, answered];
}

/** A picture the provider made: it goes back as it is. */
export function pictureResult(callId: string | null, base64: unknown): readonly Item[] {
  const media = typeof base64 === 'string' ? mediaOf({ type: 'image', image: base64 }) : null;
  if (!media) return [];
  const facts = { callId, providerExecuted: true, sealed: true } as const;
  return [
    item('result', { ...facts, toolName: 'image_generation_call' }),
    item('media', { ...facts, media }),
  ];
}
