// Named policies: what the documents behind lectern do, and what measurement recommends. `npm run bench -- --only history`
// prints them side by side.

import type { HistoryLimits } from '../../contract/index.ts';
import type { Policy, PresetName } from './policy.ts';

/**
 * - `lectern`: what the measurements recommend. Above 48 000 tokens of history, or 80 % of a small window, written contents
 *   become pointers and oldest turns give way to a digest or a summary, down to half of that in one batch: the prompt's front
 *   then stays the same for many calls. A result that fits the window arrives whole. The cost of a session follows its mean prompt, not the model's window. Results are
 *   not masked: over sessions begun at five places of the recorded one, masks first left 60 to 94 % of the names needed later,
 *   a digest at once 94 to 99 %.
 * - `valis`: results over 20 000 tokens to files, pointers at 85 %, a summary at 95 %, newest 20 % kept.
 * - `duragent`: results cut to 8000 tokens, the middle ones masked at every call, oldest groups dropped, history before the
 *   newest message of the user capped at 20 000 tokens.
 * - `aixtools`: a summary over HISTORY_COMPACTION_MAX_TOKENS, down to HISTORY_COMPACTION_TARGET_TOKENS.
 *
 * `given` are limits somebody has set: they go over any preset's own figures.
 */
export function presetOf(
  name: PresetName,
  { historyMaxTokens: most, historyTargetTokens: to }: Partial<HistoryLimits> = {},
): Policy {
  const preset = PRESETS[name];
  const over = most ?? preset.over;
  const low = to === undefined ? preset.lowWater : { tokens: to };
  // A target above the trigger would never be met.
  const lowWater =
    typeof low === 'number' ? low : { tokens: Math.min(low.tokens, over ?? Number.POSITIVE_INFINITY) };
  return { ...preset, over, lowWater };
}

export const PRESET_NAMES: readonly PresetName[] = ['lectern', 'valis', 'duragent', 'aixtools'];

const PRESETS: Readonly<Record<PresetName, Policy>> = {
  lectern: {
    offload: { over: 20_000, lines: 10, unlessFits: true },
    truncate: { over: 8000, keep: 'both', unlessFits: true },
    mask: false,
    pointers: { at: 0.8 },
    drop: { at: 0.8, digest: 0.5 },
    summarize: { at: 0.8, digest: 0.5 },
    over: 48_000,
    lowWater: 0.5,
    keepRecent: 0.2,
    maxHistoryTokens: 0,
    maxMessages: 0,
  },
  valis: {
    offload: { over: 20_000, lines: 10 },
    truncate: false,
    mask: false,
    pointers: { at: 0.85 },
    drop: false,
    summarize: { at: 0.95, digest: 0.1 },
    over: null,
    lowWater: 0.5,
    keepRecent: 0.2,
    maxHistoryTokens: 0,
    maxMessages: 0,
  },
  duragent: {
    offload: false,
    truncate: { over: 8000, keep: 'head' },
    mask: { at: 0, keepFirst: 2, keepLast: 5, atLeast: 0, names: 0 },
    pointers: false,
    drop: { at: 1, digest: 0 },
    summarize: false,
    over: null,
    lowWater: 0.75,
    keepRecent: 0,
    maxHistoryTokens: 20_000,
    maxMessages: 'window',
  },
  aixtools: {
    offload: false,
    truncate: false,
    mask: false,
    pointers: false,
    drop: false,
    summarize: { at: 1, digest: 0.25 },
    over: 120_000,
    lowWater: { tokens: 40_000 },
    keepRecent: 0,
    maxHistoryTokens: 0,
    maxMessages: 0,
  },
};
