// Tier 4: removes written file content from call arguments. The path stays, and a line states how much was removed.
// Whether the write succeeded is stated by the call's result.

import { createHash } from 'node:crypto';
import { safeCut } from '../../../contract/index.ts';
import { argument, isPlaceholder } from '../../archive/placeholder.ts';
import type { ProviderRules } from '../../codecs/codec.ts';
import type { ItemPosition } from '../../ledger/groups.ts';
import type { Pointer } from '../change.ts';
import type { Draft } from '../draft.ts';
import { hasFailed } from '../outcome.ts';
import type { ToolRoles } from '../tool-roles.ts';
import { isMaskable, maskResult } from './mask.ts';

/** Minimum characters of an argument that is replaced with a line. */
const LEAST_CHARACTERS = 400;
/** Hex digits of the hash shown; enough to distinguish versions of a file. */
const SHOWN_HASH = 12;

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return typeof value === 'object' && value !== null ? (JSON.stringify(value)?.length ?? 0) : 0;
}

/**
 * Arguments of a write with content replaced by a line and `preview` characters; null if there is too little content.
 */
function pointed(
  args: Readonly<Record<string, unknown>>,
  contents: readonly string[],
  pointer: Pointer,
  preview: number,
): Record<string, unknown> | null {
  let changed = false;
  const next = Object.fromEntries(
    Object.entries(args).map(([name, value]): [string, unknown] => {
      const text = typeof value === 'string' ? value : '';
      if (!contents.includes(name) || sizeOf(value) < LEAST_CHARACTERS || isPlaceholder(text))
        return [name, value];
      changed = true;
      const whole = typeof value === 'string' ? value : JSON.stringify(value);
      const hash = createHash('sha256').update(whole).digest('hex').slice(0, SHOWN_HASH);
      const start = whole.slice(0, safeCut(whole, preview));
      const line = argument(name, whole.length, hash, pointer);
      return [name, start === '' ? line : `${line}\n${start}...`];
    }),
  );
  return changed ? next : null;
}

/** A write call and its result. */
interface Write {
  readonly call: ItemPosition;
  readonly result: ItemPosition;
}

/** How content is replaced. */
export interface Pointing {
  /** Characters of content to keep. */
  readonly preview?: number;
  /** Results with more characters are replaced with a line; 0 for none. */
  readonly results?: number;
  /** Also replaces the content of failed and newest writes. */
  readonly isLastResort?: boolean;
}

/** Successful writes, or all, without sealed content next to them. */
function writes<M>(draft: Draft<M>, tools: ToolRoles, rules: ProviderRules, withFailed: boolean): Write[] {
  return draft.placesOf('result').flatMap((result) => {
    const call = withFailed || !hasFailed(draft.item(result)) ? draft.conversation.callOf(result) : null;
    if (!call || tools.contents(draft.nameOf(call)).length === 0) return [];
    const sealed = draft.list[call.message]?.view.items.some((part) => part.sealed) ?? false;
    return sealed && !rules.argsBesideSealed ? [] : [{ call, result }];
  });
}

/**
 * Replaces content with pointers, oldest first, until the draft costs at most `aim`. The newest write and failed writes
 * stay whole, except as a last resort.
 */
export function pointToFiles<M>(
  draft: Draft<M>,
  tools: ToolRoles,
  rules: ProviderRules,
  aim: number,
  kept: ReadonlySet<number>,
  { preview = 0, results = 0, isLastResort = false }: Pointing = {},
): void {
  const places = writes(draft, tools, rules, isLastResort);
  for (const { call: place, result } of isLastResort ? places : places.slice(0, -1)) {
    if (draft.tokens <= aim) return;
    if (draft.hasGone(place) || draft.isChanged(place)) continue;
    if (kept.has(draft.groupAt(place))) continue;
    const { args } = draft.item(place);
    const contents = tools.contents(draft.nameOf(place));
    if (args && pointed(args, contents, null, preview) !== null)
      draft.change(place, 'pointers', (pointer) => ({
        op: 'args',
        item: place.item,
        args: pointed(args, contents, pointer, preview) ?? args,
      }));
    if (results > 0 && draft.item(result).text.length > results && isMaskable(draft, result))
      maskResult(draft, result, { tier: 'pointers' });
  }
}
