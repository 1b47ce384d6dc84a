// Where a batch keeps what in its destination.

export const LAYOUT = {
  /** Manifest of a shard, written before the shard is queued. */
  shard: (id: string): string => `shards/${id}.jsonl`,
  /** Outcomes of a shard that ended: written once, and never again. */
  outcomes: (id: string): string => `outcomes/${id}.jsonl`,
  /** Outcomes so far of a shard that is being worked on. */
  progress: (id: string): string => `progress/${id}.jsonl`,
  /** Text of a document, by the hash of the text. */
  output: (sha256: string, form: 'text' | 'json'): string =>
    `outputs/${sha256.slice(0, 2)}/${sha256}.${form === 'json' ? 'json' : 'md'}`,
  summary: 'summary.json',
} as const;
