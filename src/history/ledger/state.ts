// A compactor's state as JSON: saved with the conversation and passed back to continue it.

import { ReaderError } from '../../contract/index.ts';
import { isConversationId } from '../archive/conversation-id.ts';
import type { CodecName } from '../codecs/codec.ts';
import type { CalibrationState } from '../cost/calibration.ts';
import type { Tier } from '../report.ts';
import type { BreakerState } from '../summary/breaker.ts';
import { type DigestData, digestFrom } from '../summary/digest.ts';
import type { LedgerEvent } from './ledger-event.ts';

/** The stored part of `stats`, from which the rest is computed. */
export interface Totals {
  readonly calls: number;
  readonly compactions: number;
  readonly saved: Readonly<Partial<Record<Tier, number>>>;
  readonly summaries: number;
  readonly refusedSummaries: number;
  readonly repairs: number;
}

/** Plain JSON. Its size depends on the conversation's list, not on the number of compactions. */
export interface HistoryState {
  readonly version: 1;
  /** Null before the first message. */
  readonly codec: CodecName | null;
  /** Owner of the archived files; null without a storage and for the function `compact`, which own none. */
  readonly conversationId: string | null;
  readonly events: readonly LedgerEvent[];
  readonly digest: DigestData | null;
  readonly calibration: CalibrationState;
  readonly breaker: BreakerState;
  readonly sums: Totals;
  /**
   * Archived files of this conversation, which must be kept. The first may name earlier ones. Pointers refer to these
   * files.
   */
  readonly files: readonly string[];
  /** Hex hashes of the placeholders that `onToolResult` returned. */
  readonly arrived: readonly string[];
}

const LISTS = ['events', 'files', 'arrived'] as const;
const OBJECTS = ['calibration', 'breaker', 'sums'] as const;

/** Fields of an unchecked value. */
type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isListOf = (value: unknown, is: (each: unknown) => boolean): value is readonly unknown[] =>
  Array.isArray(value) && value.every(is);

const isForm = (value: unknown): boolean =>
  isFields(value) && [value['result'], value['caller']].every((each) => each === null || isText(each));

const isCall = (value: unknown): boolean =>
  isFields(value) &&
  isText(value['callId']) &&
  isText(value['toolName']) &&
  (value['at'] === undefined || isCount(value['at'])) &&
  (value['form'] === undefined || isForm(value['form']));

const EDITS: Readonly<Record<string, (edit: Fields) => boolean>> = {
  text: ({ item, text }) => isCount(item) && isText(text),
  args: ({ item, args }) => isCount(item) && isFields(args),
  media: ({ item, text }) => isCount(item) && isText(text),
  remove: ({ item }) => isCount(item),
  append: ({ text }) => isText(text),
  answer: ({ calls, text }) => isListOf(calls, isCall) && isText(text),
};

const isEdit = (value: unknown): boolean => {
  const op = isFields(value) ? value['op'] : null;
  return isFields(value) && isText(op) && Object.hasOwn(EDITS, op) && EDITS[op]?.(value) === true;
};

const isMade = (value: unknown): boolean => {
  if (!isFields(value) || !isText(value['text'])) return false;
  if (value['kind'] === 'answer') return isListOf(value['calls'], isCall);
  return value['kind'] === 'notice' && (value['role'] === 'user' || value['role'] === 'assistant');
};

/** Index of the first invalid event, or of one that refers to an entry that does not exist yet; -1 if there is none. */
function badEvent(events: readonly unknown[]): number {
  let entries = 0;
  const isEntry = (value: unknown): boolean => isCount(value) && value < entries;
  const areCovered = (value: unknown): boolean => {
    let numbers = 0;
    const isRun = (run: unknown): boolean => {
      if (!isListOf(run, isEntry) || run.length !== 2) return false;
      const length = Number(run[1]) - Number(run[0]) + 1;
      numbers += length;
      return length > 0 && numbers <= entries;
    };
    return isListOf(value, isRun);
  };
  const isHeld = (value: unknown): boolean =>
    Array.isArray(value) && value.length === 2 && isEntry(value[0]) && isCount(value[1]);
  const isFold = (value: unknown): boolean => isListOf(value, isCount) && value.length === 2;
  const checks: Readonly<Record<string, (event: Fields) => boolean>> = {
    seen: ({ marks, notice, folds }) =>
      isListOf(marks, isText) &&
      (notice === undefined || isCount(notice)) &&
      (folds === undefined || isListOf(folds, isFold)),
    unfolded: ({ entry, marks }) => isEntry(entry) && isListOf(marks, isText),
    rewound: ({ position, shows, holds }) =>
      isCount(position) &&
      (shows === undefined || isListOf(shows, isEntry)) &&
      (holds === undefined || isListOf(holds, isHeld)),
    edited: ({ entry, edits, mark, covers }) =>
      isEntry(entry) &&
      isListOf(edits, isEdit) &&
      (mark === null || isText(mark)) &&
      (covers === undefined || areCovered(covers)),
    gone: ({ entries: gone }) => isListOf(gone, isEntry),
    made: ({ before, made, mark, covers, joins }) =>
      (before === null || isEntry(before)) &&
      isMade(made) &&
      isText(mark) &&
      areCovered(covers) &&
      (joins === undefined || joins === true),
  };
  return events.findIndex((event) => {
    const type = isFields(event) ? event['type'] : null;
    if (!isFields(event) || !isText(type) || !Object.hasOwn(checks, type)) return true;
    if (checks[type]?.(event) !== true) return true;
    const { marks } = event;
    entries += type === 'made' ? 1 : Array.isArray(marks) ? marks.length : 0;
    return false;
  });
}

const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;

/** Invalid numbers become 0. */
function totalsOf(totals: Fields): Totals {
  const saved = isFields(totals['saved']) ? totals['saved'] : {};
  return {
    calls: countOf(totals['calls']),
    compactions: countOf(totals['compactions']),
    saved: Object.fromEntries(
      TIERS.flatMap((tier) => (Object.hasOwn(saved, tier) ? [[tier, countOf(saved[tier])]] : [])),
    ),
    summaries: countOf(totals['summaries']),
    refusedSummaries: countOf(totals['refusedSummaries']),
    repairs: countOf(totals['repairs']),
  };
}

const TIERS: readonly Tier[] = ['offload', 'truncate', 'mask', 'pointers', 'drop'];

/**
 * Checks the form of a state and returns it.
 * @throws {ReaderError} BAD_INPUT
 */
export function checkState(value: unknown): HistoryState {
  const refuse = (what: string): never => {
    throw new ReaderError(
      'BAD_INPUT',
      `The history state ${what}.`,
      'Pass what `compactor.state()` returned, or leave it out to start over: the messages are read again.',
    );
  };
  if (typeof value !== 'object' || value === null) return refuse('is not an object');
  // Fields are checked below.
  const state = value as Fields;
  if (state['version'] !== 1) refuse(`has version \`${String(state['version'])}\`; expected 1`);
  for (const name of LISTS) if (!Array.isArray(state[name])) refuse(`has no list \`${name}\``);
  for (const name of OBJECTS) if (!isFields(state[name])) refuse(`has no \`${name}\``);
  // States saved by earlier versions do not have it.
  const conversationId = state['conversationId'] ?? null;
  if (conversationId !== null && !isConversationId(conversationId))
    return refuse('has an invalid `conversationId`');
  // The form is checked, except for its entries.
  const known = value as HistoryState;
  if (!known.files.every(isText)) refuse('has a file path that is not a string');
  if (!known.arrived.every(isText)) refuse('has a hash that is not a string');
  const bad = badEvent(known.events);
  if (bad >= 0) refuse(`is damaged: event ${bad} of ${known.events.length} is invalid`);
  return {
    ...known,
    conversationId,
    digest: digestFrom(state['digest']),
    sums: totalsOf(isFields(known.sums) ? { ...known.sums } : {}),
  };
}
