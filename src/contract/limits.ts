// The limits a processor sees, by name. The limits room defines defaults, units, environment variables and flags.

/** Format limits shape an answer; exceeding a safety limit (from `maxBytesInMemory` on) throws LIMIT_EXCEEDED. */
export interface Limits {
  readonly maxTokensPerFile: number;
  readonly maxTotalOutput: number;
  readonly maxLines: number;
  readonly maxLineLength: number;
  readonly maxColumns: number;
  readonly rowsHead: number;
  readonly rowsTail: number;
  readonly maxCellLength: number;
  readonly maxSheets: number;
  readonly maxNestingDepth: number;
  readonly maxArrayItems: number;
  readonly maxObjectKeys: number;
  readonly maxStringValueLength: number;
  readonly maxImageBytes: number;
  readonly maxImageEdge: number;
  readonly maxAudioBytes: number;
  readonly maxAudioSeconds: number;
  readonly audioHeadSeconds: number;
  readonly audioTailSeconds: number;
  readonly maxEntries: number;
  readonly maxBytesInMemory: number;
  readonly maxAnswerBytes: number;
  readonly maxStreamBytes: number;
  readonly remoteWindowBytes: number;
  readonly maxInflatedBytes: number;
  readonly maxInflateRatio: number;
  readonly maxTreeBytes: number;
  readonly maxImagePixels: number;
  readonly maxPageMilliseconds: number;
}

/** Limits of a workspace; 0 disables a quota or keeps results indefinitely. */
export interface WorkspaceLimits {
  readonly maxWorkspaceBytes: number;
  readonly maxWorkspaceFiles: number;
  readonly maxUserBytes: number;
  readonly resultDays: number;
  readonly maxListedEntries: number;
  readonly maxWalkedEntries: number;
  readonly maxMatches: number;
  readonly maxSearchMilliseconds: number;
  readonly previewTokens: number;
}

/** When and how far a history is compacted. In tokens. */
export interface HistoryLimits {
  readonly historyMaxTokens: number;
  readonly historyTargetTokens: number;
  readonly summarizerInputMaxTokens: number;
}

/** Resources of child processes that read files. */
export interface IsolationLimits {
  readonly maxReadMilliseconds: number;
  readonly maxProcessBytes: number;
  readonly maxProcesses: number;
  readonly maxQueuedReads: number;
}

/** Resources of one SQL query, which runs in a child process. */
export interface QueryLimits {
  readonly maxQueryMilliseconds: number;
  readonly maxQueryProcessBytes: number;
  readonly maxQueryResultBytes: number;
}
