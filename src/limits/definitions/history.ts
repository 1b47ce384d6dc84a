// Limits of compaction.

import type { HistoryLimits } from '../../contract/index.ts';
import type { LimitDefinition } from './definition.ts';

/** Limits of a conversation, in the order `lectern limits` prints them after those of a workspace. */
export const HISTORY_LIMIT_DEFINITIONS: readonly LimitDefinition<keyof HistoryLimits>[] = [
  {
    key: 'historyMaxTokens',
    variable: 'LECTERN_HISTORY_COMPACTION_MAX_TOKENS',
    alias: 'HISTORY_COMPACTION_MAX_TOKENS',
    flag: 'history-max-tokens',
    default: 120_000,
    unit: 'tokens',
    kind: 'format',
    meaning: 'history size that triggers compaction in preset `aixtools`; if set, in every preset',
  },
  {
    key: 'historyTargetTokens',
    variable: 'LECTERN_HISTORY_COMPACTION_TARGET_TOKENS',
    alias: 'HISTORY_COMPACTION_TARGET_TOKENS',
    flag: 'history-target-tokens',
    default: 40_000,
    unit: 'tokens',
    kind: 'format',
    meaning: 'history size to compact to in preset `aixtools`; if set, in every preset',
  },
  {
    key: 'summarizerInputMaxTokens',
    variable: 'LECTERN_SUMMARIZER_INPUT_MAX_TOKENS',
    alias: 'SUMMARIZER_INPUT_MAX_TOKENS',
    flag: 'summarizer-input-max-tokens',
    default: 180_000,
    unit: 'tokens',
    kind: 'format',
    meaning: 'maximum transcript given to a summarizer; a longer one is cut in the middle',
  },
];
