// Named policies: what the documents behind lectern do, and what measurement recommends. `npm run bench -- --only history`
// prints them side by side.

import type { HistoryLimits, Tokens } from '../../contract/index.ts';
import type { Policy, PresetName } from './policy.ts';

/**
 * - `lectern`: what the measurements recommend. Above 88 000 tokens of history (a quarter of a window that is larger than
 *   352 000, 80 % of a small one) what no later call dealt with leaves, down to 30 % of that in one batch, or 60 % where the
 *   files in work take as much: the prompt's front then stays the same for many calls. Those files stay as the agent read and
 *   changed them. A result that fits the window arrives whole. The cost of a session follows its mean prompt, not the model's window.
 * - `lean`: the same above 48 000 tokens: cheaper, and more has to be read again.
 * - `valis`: results over 20 000 tokens to files, pointers with 100 characters of the content at 85 %, a summary at 95 %,
 *   newest 20 % kept. No margin: 95 % of the window leaves none beside the reserve for the answer.
 * - `duragent`: results cut to 8000 tokens, the middle ones masked at every call, oldest groups dropped, history before the
 *   newest message of the user capped at 20 000 tokens.
 * - `aixtools`: a summary over HISTORY_COMPACTION_MAX_TOKENS, down to HISTORY_COMPACTION_TARGET_TOKENS; without a model
 *   the first 25 % and the last 75 % of what fits.
 *
 * `given` are limits somebody has set: they go over any preset's own figures.
 */
export function presetOf(
  name: PresetName,
  window: Tokens,
  { historyMaxTokens: most, historyTargetTokens: to }: Partial<HistoryLimits> = {},
): Policy {
  const preset = PRESETS[name];
  const least = name === 'lectern' ? Math.floor(SHARE_OF_WINDOW * window) : 0;
  const over = most ?? (preset.over && Math.max(preset.over, least));
  const low = to === undefined ? preset.lowWater : { tokens: to };
  // A target above the trigger would never be met.
  const lowWater =
    typeof low === 'number' ? low : { tokens: Math.min(low.tokens, over ?? Number.POSITIVE_INFINITY) };
  return { ...preset, over, lowWater };
}

/** Share of the window (seed: 10 %). */
const MARGIN = 0.1;
/** Of the window: `lectern` compacts no sooner. */
const SHARE_OF_WINDOW = 0.25;

export const PRESET_NAMES: readonly PresetName[] = ['lectern', 'lean', 'valis', 'duragent', 'aixtools'];

const LECTERN: Policy = {
  offload: { over: 20_000, lines: 10, unlessFits: true },
  truncate: { over: 8000, keep: 'both', unlessFits: true },
  mask: false,
  pointers: false,
  drop: { at: 0.8, digest: 0.1 },
  leaves: 'unused',
  summarize: { at: 0.8, digest: 0.1 },
  over: 88_000,
  lowWater: 0.3,
  margin: MARGIN,
  keepRecent: 0.04,
  maxHistoryTokens: 0,
  maxMessages: 0,
};

const PRESETS: Readonly<Record<PresetName, Policy>> = {
  lectern: LECTERN,
  lean: { ...LECTERN, over: 48_000 },
  valis: {
    offload: { over: 20_000, lines: 10 },
    truncate: false,
    mask: false,
    pointers: { at: 0.85, preview: 100, results: 500 },
    drop: false,
    leaves: 'oldest',
    summarize: { at: 0.95, digest: 0.1 },
    over: null,
    lowWater: 0.5,
    margin: 0,
    keepRecent: 0.2,
    maxHistoryTokens: 0,
    maxMessages: 0,
  },
  duragent: {
    offload: false,
    truncate: { over: 8000, keep: 'head' },
    mask: { at: 0, keepFirst: 2, keepLast: 5, atLeast: 0 },
    pointers: false,
    drop: { at: 1, digest: 0 },
    leaves: 'oldest',
    summarize: false,
    over: null,
    lowWater: 0.75,
    margin: MARGIN,
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
    leaves: 'oldest',
    summarize: { at: 1, digest: 0.25, without: 'ends' },
    over: 120_000,
    lowWater: { tokens: 40_000 },
    margin: MARGIN,
    keepRecent: 0,
    maxHistoryTokens: 0,
    maxMessages: 0,
  },
};
