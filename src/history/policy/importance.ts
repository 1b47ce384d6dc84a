// Scores turns and messages by importance: with a heuristic on their content, or with the caller's function, which may
// call a model. Does not decide what happens with the scores.

import { ReaderError, type Tokens, within } from '../../contract/index.ts';
import type { Item } from '../codecs/message.ts';
import type { Draft } from './draft.ts';
import { changesFile } from './file-uses.ts';
import { outcomeOf } from './outcome.ts';

/** A removable turn with its calls and results, or a removable user message. */
export interface ImportanceCandidate {
  readonly role: 'user' | 'assistant';
  /** Everything in it: texts, calls by name and arguments, results. */
  readonly text: string;
  /** Tools it calls, in order. */
  readonly tools: readonly string[];
  readonly tokens: Tokens;
  /** Score of the heuristic, 1 to 10. */
  readonly score: number;
}

/**
 * Returns one score per candidate, in order. Lower scores are removed first; of equal scores, the older. If it throws,
 * times out or returns anything else, the heuristic's scores are used.
 */
export type Importance = (
  candidates: readonly ImportanceCandidate[],
  options: { readonly signal: AbortSignal },
) => readonly number[] | PromiseLike<readonly number[]>;

const BASE = 5;
const [LEAST, MOST] = [1, 10];
/** Score changes by word, each counted once, from the guide on context windows. */
const IMPORTANT = ['error', 'bug', 'deploy', 'critical', 'issue', 'fix'];
const UNIMPORTANT = ['weather', 'joke', 'hello'];
const WORD = 2;
const CALL = 3;
/** Changes and failures explain the current state of the work. */
const CHANGE = 2;
const FAILURE = 1;
/** Added for the newest candidates. */
const NEW = 1;
const NEW_SHARE = 0.2;
/** Characters of a text that are searched for words. */
const LONGEST_SEARCHED = 20_000;

/** Candidates for the groups `numbers`, in that order. */
export function candidatesOf<M>(draft: Draft<M>, numbers: readonly number[]): ImportanceCandidate[] {
  return numbers.map((number, at) => {
    const group = draft.conversation.groups[number];
    const items = (group?.places ?? []).map((place) => ({
      item: draft.item(place),
      name: draft.nameOf(place),
    }));
    const text = items.map(({ item, name }) => textOf(item, name)).join('\n');
    const isNew = at >= numbers.length * (1 - NEW_SHARE);
    return {
      role: group?.kind === 'user' ? 'user' : 'assistant',
      text,
      tools: items.flatMap(({ item, name }) => (item.kind === 'call' ? [name ?? ''] : [])),
      tokens: Math.round(group ? draft.groupCost(group) : 0),
      score: scoreOf(items, text, isNew),
    };
  });
}

const textOf = ({ kind, text }: Item, name: string | null): string =>
  kind === 'call' ? `${name ?? ''} ${text}` : text;

function scoreOf(
  items: readonly { readonly item: Item; readonly name: string | null }[],
  text: string,
  isNew: boolean,
): number {
  const said = text.slice(0, LONGEST_SEARCHED).toLowerCase();
  const has = (word: string): boolean => said.includes(word);
  let score = BASE + (isNew ? NEW : 0);
  score += WORD * (IMPORTANT.filter(has).length - UNIMPORTANT.filter(has).length);
  if (items.some(({ item }) => item.kind === 'call')) score += CALL;
  if (items.some(({ item, name }) => item.kind === 'call' && changesFile(item, name ?? ''))) score += CHANGE;
  if (items.some(({ item }) => item.kind === 'result' && outcomeOf(item) === 'failed')) score += FAILURE;
  return Math.max(LEAST, Math.min(MOST, score));
}

/**
 * Returns the caller's scores, or the heuristic's if the function fails or times out.
 * @throws {ReaderError} ABORTED
 */
export async function scored(
  candidates: readonly ImportanceCandidate[],
  importance: Importance | null,
  { signal, timeoutMs }: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number },
): Promise<readonly number[]> {
  const own = candidates.map(({ score }) => score);
  if (importance === null || candidates.length === 0) return own;
  const stop = new AbortController();
  const abort = (): void => stop.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const given: unknown = await within(() => importance(candidates, { signal: stop.signal }), {
      signal,
      timeoutMs,
    });
    const isWhole = Array.isArray(given) && given.length === candidates.length;
    return isWhole && given.every((score: unknown) => Number.isFinite(score)) ? given : own;
  } catch (cause) {
    if (signal?.aborted)
      throw new ReaderError('ABORTED', 'The compaction was cancelled.', 'Call again to compact.', cause);
    return own;
  } finally {
    signal?.removeEventListener('abort', abort);
    stop.abort();
  }
}
