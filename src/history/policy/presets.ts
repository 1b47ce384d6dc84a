// Named policies: the default, and those of three documented systems. `test/bench/history.mjs` compares them.

import type { Tokens } from '../../contract/index.ts';
import type { Policy, PresetName } from './policy.ts';
import type { Threshold } from './threshold.ts';

/** In the form `createCompactor` accepts. */
export interface Preset {
  readonly threshold: Threshold;
  readonly policy: Policy;
}

/**
 * - `lectern`: the default. Above 88 000 tokens of history (a quarter of the window if it is larger than 352 000) it
 *   removes what no later call dealt with, down to 30 % of that in one batch, or 60 % if files in work need it. The
 *   start of the prompt then stays unchanged for many calls. The cost of a session depends on its mean prompt, not on
 *   the model's window.
 * - `valis`: results over 20 000 tokens to files, pointers with 100 characters of content at 85 %, a summary at 95 %,
 *   newest 20 % kept. No margin: at 95 % of the window there is no room for one besides the answer reserve.
 * - `duragent`: results truncated to 8000 tokens, the middle ones masked at every call, history limited to 20 000 tokens,
 *   and the number of messages limited by the window.
 * - `aixtools`: a summary above 120 000 tokens, down to 40 000; without a model the first 25 % and last 75 % of what
 *   fits.
 */
export function presetOf(name: PresetName, window: Tokens): Preset {
  return PRESETS[name](window);
}

/** `lectern` compacts above the larger of this share of the window and these tokens. */
const SHARE_OF_WINDOW = 0.25;
const LEAST_TRIGGER: Tokens = 88_000;
/** Its target, as a share of its trigger. */
const BATCH = 0.3;

const from = (at: number, share: number): Threshold => ({
  at,
  to: at <= 1 ? share * at : Math.floor(share * at),
});

/** Only limits. */
const BARE: Policy = {
  offload: false,
  truncate: false,
  mask: false,
  pointers: false,
  drop: false,
  workingSet: false,
  keepRecent: 0,
  messages: false,
  margin: 0.1,
};

/** Message limit for a window: `window / 200 * 2`, 100 to 2000. */
const messagesOf = (window: Tokens): number => Math.min(2000, Math.max(100, Math.floor(window / 200) * 2));

const PRESETS: Readonly<Record<PresetName, (window: Tokens) => Preset>> = {
  lectern: (window) => ({
    threshold: from(Math.max(LEAST_TRIGGER, Math.floor(SHARE_OF_WINDOW * window)), BATCH),
    policy: {
      ...BARE,
      offload: { over: 20_000, lines: 10, unlessFits: true },
      truncate: { over: 8000, keep: 'both', unlessFits: true },
      drop: { notice: 0.1 },
      workingSet: true,
      keepRecent: 0.04,
    },
  }),
  valis: () => ({
    threshold: from(0.85, 0.5),
    policy: {
      ...BARE,
      offload: { over: 20_000, lines: 10 },
      pointers: { preview: 100, results: 500 },
      drop: { at: 0.95, notice: 0.1 },
      keepRecent: 0.2,
      margin: 0,
    },
  }),
  duragent: (window) => ({
    threshold: from(20_000, 0.75),
    policy: {
      ...BARE,
      truncate: { over: 8000, keep: 'head' },
      mask: { at: 0, keepFirst: 2, keepLast: 5 },
      drop: { notice: 0 },
      messages: from(messagesOf(window), 0.75),
    },
  }),
  aixtools: () => ({
    threshold: { at: 120_000, to: 40_000 },
    policy: { ...BARE, drop: { notice: 0.25, without: 'ends' } },
  }),
};

// The type has an entry for every name.
export const PRESET_NAMES: readonly PresetName[] = Object.keys(PRESETS) as PresetName[];
