// Where a batch keeps what in its destination.

import type { OutputForm } from './shard.ts';

export const LAYOUT = {
  /** Manifest of a shard, written before the shard is queued. */
  shard: (id: string): string => `shards/${id}.jsonl`,
  /** Outcomes of a shard that ended: written once, and never again. */
  outcomes: (id: string): string => `outcomes/${id}.jsonl`,
  /** All outcomes of shards whose ids begin with these digits. */
  outcomesOf: (digits: string): string => `outcomes/${digits}`,
  /** The shard of one of these keys. */
  shardOf: (outcomes: string): string => outcomes.slice('outcomes/'.length, -'.jsonl'.length),
  /** Outcomes so far of a shard that is being worked on. */
  progress: (id: string): string => `progress/${id}.jsonl`,
  /** Text of a document, by the hash of the text. */
  output: (sha256: string, form: OutputForm): string =>
    `outputs/${sha256.slice(0, 2)}/${sha256}.${form === 'json' ? 'json' : 'md'}`,
  summary: 'summary.json',
  /** Written and removed before a run begins, to learn whether that is possible. */
  check: 'write-check',
} as const;
