// How important turns and messages are: a heuristic by what is in them, or the caller's own scores, for which a model may be
// asked. Says nothing of what is done with the scores.

import { ReaderError, type Tokens, within } from '../../contract/index.ts';
import type { Item } from '../codecs/message.ts';
import type { Draft } from './draft.ts';
import { changesFile } from './file-uses.ts';
import { outcomeOf } from './outcome.ts';

/** A turn with its calls and results, or a message of the user, that may leave. */
export interface ImportanceCandidate {
  readonly role: 'user' | 'assistant';
  /** All that is said in it: texts, calls by name and arguments, results. */
  readonly text: string;
  /** Tools it calls, in order. */
  readonly tools: readonly string[];
  readonly tokens: Tokens;
  /** What the heuristic says: 1 to 10. */
  readonly score: number;
}

/**
 * Scores of the candidates, one number each, in their order: what has less leaves first, the older first of equals. An answer
 * that fails, comes too late or is not such a list is passed over for the heuristic's.
 */
export type Importance = (
  candidates: readonly ImportanceCandidate[],
  options: { readonly signal: AbortSignal },
) => readonly number[] | PromiseLike<readonly number[]>;

const BASE = 5;
const [LEAST, MOST] = [1, 10];
/** What its words add and take, as the guide for context windows has it: each word once. */
const IMPORTANT = ['error', 'bug', 'deploy', 'critical', 'issue', 'fix'];
const UNIMPORTANT = ['weather', 'joke', 'hello'];
const WORD = 2;
const CALL = 3;
/** What was changed or failed explains the state that the work is in. */
const CHANGE = 2;
const FAILURE = 1;
/** Of the newest candidates. */
const NEW = 1;
const NEW_SHARE = 0.2;
/** Characters of a text that words are looked for in. */
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
 * The caller's scores, or the heuristic's where those fail or come too late.
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
