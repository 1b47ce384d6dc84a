// What a compactor knows of a conversation, as JSON: to be kept beside the conversation, and given back to go on with it.

import { ReaderError } from '../contract/index.ts';
import type { BreakerState } from './breaker.ts';
import type { CalibrationState } from './calibration.ts';
import type { CodecName } from './codec.ts';
import { type DigestData, digestFrom } from './digest.ts';
import type { LedgerEvent } from './ledger.ts';
import type { Tier } from './report.ts';

/** Sums that `stats` gives. */
export interface Sums {
  readonly calls: number;
  readonly compactions: number;
  readonly saved: Readonly<Partial<Record<Tier, number>>>;
  readonly summaries: number;
  readonly refusedSummaries: number;
  readonly repairs: number;
}

/** Plain JSON. Events are only ever added. */
export interface HistoryState {
  readonly version: 1;
  /** Null before the first message. */
  readonly codec: CodecName | null;
  readonly events: readonly LedgerEvent[];
  readonly digest: DigestData | null;
  readonly calibration: CalibrationState;
  readonly breaker: BreakerState;
  readonly sums: Sums;
  /** Pointers of every original this conversation's placeholders name: what retention must keep. */
  readonly pointers: readonly string[];
}

const LISTS = ['events', 'pointers'] as const;
const OBJECTS = ['calibration', 'breaker', 'sums'] as const;

/**
 * The state, where it has the form of one.
 * @throws {ReaderError} BAD_INPUT
 */
export function checkState(value: unknown): HistoryState {
  const refuse = (what: string): never => {
    throw new ReaderError(
      'BAD_INPUT',
      `The state of the history ${what}.`,
      'Give what `compactor.state()` gave, or leave it out to start anew: the messages are read again.',
    );
  };
  if (typeof value !== 'object' || value === null) return refuse('is no object');
  // Looked at field by field below; entries of `events` are checked by what follows them.
  const state = value as Record<string, unknown>;
  if (state['version'] !== 1) refuse(`is of version \`${String(state['version'])}\`; expected 1`);
  for (const name of LISTS) if (!Array.isArray(state[name])) refuse(`has no list \`${name}\``);
  for (const name of OBJECTS)
    if (typeof state[name] !== 'object' || state[name] === null) refuse(`has no \`${name}\``);
  return { ...(value as HistoryState), digest: digestFrom(state['digest']) };
}
