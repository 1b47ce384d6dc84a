// The limits a processor sees, by name. Defaults, units, environment variables and flags live in the limits room.

/** Format limits shape an answer; safety limits (from `maxBytesInMemory` on) make a read throw LIMIT_EXCEEDED. */
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
  readonly maxInflatedBytes: number;
  readonly maxInflateRatio: number;
  readonly maxTreeBytes: number;
  readonly maxImagePixels: number;
  readonly maxPageMilliseconds: number;
}

/** What a workspace holds and answers with; 0 lifts a quota or keeps results for ever. */
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

/** When a history is summarised, and how far down. Tokens. */
export interface HistoryLimits {
  readonly historyMaxTokens: number;
  readonly historyTargetTokens: number;
  readonly summarizerInputMaxTokens: number;
}

/** What child processes that read files may use. */
export interface IsolationLimits {
  readonly maxReadMilliseconds: number;
  readonly maxProcessBytes: number;
  readonly maxProcesses: number;
  readonly maxQueuedReads: number;
}
