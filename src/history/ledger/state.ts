// A compactor's state as JSON: saved with the conversation and passed back to continue it. It is passed back unchanged, which
// its checksum shows, so its fields need no checks of their own.

import { createHash } from 'node:crypto';
import { ReaderError } from '../../contract/index.ts';
import { isConversationId } from '../archive/conversation-id.ts';
import type { CodecName } from '../codecs/codec.ts';
import { guarded } from '../codecs/native.ts';
import type { CalibrationState } from '../cost/calibration.ts';
import type { Tier } from '../report.ts';
import type { DigestData } from '../summary/digest.ts';
import type { SavedLedger } from './ledger.ts';

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
  readonly version: 6;
  /** Null before the first message. */
  readonly codec: CodecName | null;
  /** Folder of the archived files; null without a storage and for the function `compact`, which have none. */
  readonly conversationId: string | null;
  /** Null before the first message. */
  readonly ledger: SavedLedger | null;
  readonly digest: DigestData | null;
  /** SHA-256 of texts left of results that were shortened at arrival, newest last. */
  readonly own: readonly string[];
  readonly calibration: CalibrationState;
  readonly sums: Totals;
  /** SHA-256 of the other fields in hex. */
  readonly checksum: string;
}

const VERSION = 6;

/** The same for equal JSON: a database may store fields in another order. */
function checksumOf({ checksum: _, ...fields }: Readonly<Record<string, unknown>>): string {
  const sorted = JSON.stringify(fields, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(sorted).digest('hex');
}

/** The state with its version and checksum. */
export function stateOf(fields: Omit<HistoryState, 'version' | 'checksum'>): HistoryState {
  const state = { version: VERSION, ...fields } as const;
  return { ...state, checksum: checksumOf(state) };
}

/**
 * Checks that a state is unchanged and returns it.
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
  const { version, checksum } = { version: null, checksum: null, ...value };
  if (version !== VERSION) refuse(`has version \`${String(version)}\`; expected ${VERSION}`);
  const { conversationId }: { readonly conversationId?: unknown } = value;
  // It becomes a folder.
  if (conversationId !== null && !isConversationId(conversationId)) refuse('has an invalid `conversationId`');
  if (guarded(() => checksumOf({ ...value }), null) !== checksum)
    refuse('changed since it was saved: its checksum differs');
  // The checksum is that of a state.
  return value as HistoryState;
}
