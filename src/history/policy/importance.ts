// Asks the caller's function, which may call a model, to score turns and messages.

import type { Patience, Tokens } from '../../contract/index.ts';
import type { Item } from '../codecs/message.ts';
import { stopping } from '../model-call.ts';
import { refuseAborted } from '../problem.ts';
import type { Draft } from './draft.ts';

/** A removable turn with its calls and results, or a removable user message. */
export interface ImportanceCandidate {
  readonly role: 'user' | 'assistant';
  /** Everything in it: texts, calls by name and arguments, results. */
  readonly text: string;
  /** Tools it calls, in order. */
  readonly tools: readonly string[];
  readonly tokens: Tokens;
}

/**
 * Returns one score per candidate, in order. Lower scores are removed first; of equal scores, the older. If it throws,
 * times out or returns anything else, the oldest are removed first.
 */
export type Importance = (
  candidates: readonly ImportanceCandidate[],
  options: { readonly signal: AbortSignal },
) => readonly number[] | PromiseLike<readonly number[]>;

/** Candidates for the groups `numbers`, in that order. */
export function candidatesOf<M>(draft: Draft<M>, numbers: readonly number[]): ImportanceCandidate[] {
  return numbers.map((number) => {
    const group = draft.conversation.groups[number];
    const items = (group?.places ?? []).map((place) => ({
      item: draft.item(place),
      name: draft.nameOf(place),
    }));
    return {
      role: group?.kind === 'user' ? 'user' : 'assistant',
      text: items.map(({ item, name }) => textOf(item, name)).join('\n'),
      tools: items.flatMap(({ item, name }) => (item.kind === 'call' ? [name ?? ''] : [])),
      tokens: Math.round(group ? draft.groupCost(group) : 0),
    };
  });
}

const textOf = ({ kind, text }: Item, name: string | null): string =>
  kind === 'call' ? `${name ?? ''} ${text}` : text;

/**
 * The function's scores; null if it fails or times out.
 * @throws {ReaderError} ABORTED
 */
export async function scored(
  candidates: readonly ImportanceCandidate[],
  importance: Importance,
  patience: Patience,
): Promise<readonly number[] | null> {
  try {
    const given: unknown = await stopping((signal) => importance(candidates, { signal }), patience);
    const isWhole = Array.isArray(given) && given.length === candidates.length;
    return isWhole && given.every((score: unknown) => Number.isFinite(score)) ? given : null;
  } catch {
    refuseAborted(patience.signal);
    return null;
  }
}
