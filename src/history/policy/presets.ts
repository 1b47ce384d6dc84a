// Named policies: those of the documents behind lectern, and the ones our measurements recommend. `npm run bench --
// --only history` compares them.

import type { Tokens } from '../../contract/index.ts';
import type { Policy, PresetName } from './policy.ts';
import type { Threshold } from './threshold.ts';

/** In the form `createCompactor` accepts. */
export interface Preset {
  readonly threshold: Threshold;
  readonly policy: Policy;
}

/**
 * - `lectern`: recommended by our measurements. Above 88 000 tokens of history (a quarter of the window if it is larger
 *   than 352 000) it removes what no later call dealt with, down to 30 % of that in one batch, or 60 % if files in work
 *   need it. The start of the prompt then stays unchanged for many calls. Files in work stay as the agent read and
 *   changed them. A result that fits the window stays whole. The cost of a session depends on its mean prompt, not on
 *   the model's window.
 * - `lean`: the same above 48 000 tokens. Cheaper, but more must be read again.
 * - `valis`: results over 20 000 tokens to files, pointers with 100 characters of content at 85 %, a summary at 95 %,
 *   newest 20 % kept. No margin: at 95 % of the window there is no room for one besides the answer reserve.
 * - `duragent`: results truncated to 8000 tokens, the middle ones masked at every call, oldest groups dropped, history
 *   before the user's newest message limited to 20 000 tokens.
 * - `aixtools`: a summary above 120 000 tokens, down to 40 000; without a model the first 25 % and last 75 % of what
 *   fits.
 * - `sliding-window`: the newest 50 messages, with a notice of what was removed; user messages are removed last.
 * - `summary-chain`: at 80 % of the window a summary of all but the newest 10 messages, which includes the previous
 *   summary.
 * - `importance`: 50 messages; the least important are removed first, scored by the option `importance` or a heuristic.
 * - `combination`: at 40 % of the window, accounts replace all results but the newest 10, repeated ones first; at 80 %
 *   a summary as in `summary-chain`. With the option `recall`, removed messages can be searched.
 */
export function presetOf(name: PresetName, window: Tokens): Preset {
  return PRESETS[name](window);
}

/** Share of the window (10 % in the seed document). */
const MARGIN = 0.1;
/** `lectern` does not compact below this share of the window. */
const SHARE_OF_WINDOW = 0.25;
/** Target of `lectern` and `lean`, as a share of their trigger. */
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
  accounts: false,
  repeats: false,
  pointers: false,
  drop: false,
  summarize: false,
  leaves: 'oldest',
  keepRecent: 0,
  earlier: false,
  messages: false,
  margin: MARGIN,
};

const LECTERN: Policy = {
  ...BARE,
  offload: { over: 20_000, lines: 10, unlessFits: true },
  truncate: { over: 8000, keep: 'both', unlessFits: true },
  drop: { digest: 0.1 },
  summarize: { digest: 0.1 },
  leaves: 'unused',
  keepRecent: 0.04,
};

/**
 * From the guide on context windows: messages of a sliding window (two are for a notice), and messages a summary keeps.
 */
const WINDOW_MESSAGES = { at: 50, to: 48 };
const CHAIN = { digest: 0.5, keep: 10 };

/** Message limit for a window: `window / 200 * 2`, 100 to 2000. */
const messagesOf = (window: Tokens): number => Math.min(2000, Math.max(100, Math.floor(window / 200) * 2));

const PRESETS: Readonly<Record<PresetName, (window: Tokens) => Preset>> = {
  lectern: (window) => ({
    threshold: from(Math.max(88_000, Math.floor(SHARE_OF_WINDOW * window)), BATCH),
    policy: LECTERN,
  }),
  lean: () => ({ threshold: from(48_000, BATCH), policy: LECTERN }),
  valis: () => ({
    threshold: from(0.85, 0.5),
    policy: {
      ...BARE,
      offload: { over: 20_000, lines: 10 },
      pointers: { preview: 100, results: 500 },
      summarize: { at: 0.95, digest: 0.1 },
      keepRecent: 0.2,
      margin: 0,
    },
  }),
  duragent: (window) => ({
    threshold: from(1, 0.75),
    policy: {
      ...BARE,
      truncate: { over: 8000, keep: 'head' },
      mask: { at: 0, keepFirst: 2, keepLast: 5 },
      drop: { digest: 0 },
      earlier: from(20_000, 0.75),
      messages: from(messagesOf(window), 0.75),
    },
  }),
  aixtools: () => ({
    threshold: { at: 120_000, to: 40_000 },
    policy: { ...BARE, summarize: { digest: 0.25, without: 'ends' } },
  }),
  'sliding-window': () => ({
    threshold: from(1, 0.75),
    policy: { ...BARE, drop: { digest: 0 }, messages: WINDOW_MESSAGES },
  }),
  'summary-chain': () => ({ threshold: { at: 0.8, to: 0.1 }, policy: { ...BARE, summarize: CHAIN } }),
  importance: () => ({
    threshold: from(1, 0.75),
    policy: { ...BARE, drop: { digest: 0 }, messages: WINDOW_MESSAGES, leaves: 'unimportant' },
  }),
  combination: () => ({
    threshold: { at: 0.8, to: 0.1 },
    policy: {
      ...BARE,
      offload: { over: 20_000, lines: 10, unlessFits: true },
      truncate: { over: 8000, keep: 'ends', unlessFits: true },
      mask: { at: 0.4, keepFirst: 0, keepLast: 10, atLeast: 0.1 },
      accounts: true,
      repeats: true,
      summarize: CHAIN,
    },
  }),
};

// The type has an entry for every name.
export const PRESET_NAMES: readonly PresetName[] = Object.keys(PRESETS) as PresetName[];
