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
    meaning: 'history above which it is compacted: of the preset `aixtools`; where set, of any preset',
  },
  {
    key: 'historyTargetTokens',
    variable: 'LECTERN_HISTORY_COMPACTION_TARGET_TOKENS',
    alias: 'HISTORY_COMPACTION_TARGET_TOKENS',
    flag: 'history-target-tokens',
    default: 40_000,
    unit: 'tokens',
    kind: 'format',
    meaning: 'history to go down to: of the preset `aixtools`; where set, of any preset',
  },
  {
    key: 'summarizerInputMaxTokens',
    variable: 'LECTERN_SUMMARIZER_INPUT_MAX_TOKENS',
    alias: 'SUMMARIZER_INPUT_MAX_TOKENS',
    flag: 'summarizer-input-max-tokens',
    default: 180_000,
    unit: 'tokens',
    kind: 'format',
    meaning: 'transcript a summarizer is given; of a longer one both ends',
  },
];
