// Named policies: what the documents behind lectern do, and what measurement recommends. `npm run bench -- --only history`
// prints them side by side.

import type { Policy, PresetName } from './policy.ts';

/**
 * - `lectern`: what the measurements recommend: little is cut as it arrives, results are masked in batches, oldest turns give
 *   way to a digest or a summary, and every batch goes down to a low-water mark, so that the prompt's front stays the same
 *   for many calls.
 * - `valis`: results over 20 000 tokens to files, pointers at 85 %, a summary at 95 %, newest 20 % kept.
 * - `duragent`: results cut to 8000 tokens, the middle ones masked at every call, oldest groups dropped, history before the
 *   newest message of the user capped at 20 000 tokens.
 * - `aixtools`: a summary over 120 000 tokens, down to 40 000.
 */
export const PRESETS: Readonly<Record<PresetName, Policy>> = {
  lectern: {
    offload: { over: 20_000, lines: 10 },
    truncate: { over: 8000, keep: 'both' },
    mask: { at: 0.5, keepFirst: 2, keepLast: 5, atLeast: 0.05, names: 0 },
    pointers: { at: 0.5 },
    drop: { at: 0.5, digest: 4000 },
    summarize: { at: 0.5, over: null, to: null, keepRecent: 0.1 },
    lowWater: 0.25,
    maxHistoryTokens: 0,
    maxMessages: 0,
  },
  valis: {
    offload: { over: 20_000, lines: 10 },
    truncate: false,
    mask: false,
    pointers: { at: 0.85 },
    drop: false,
    summarize: { at: 0.95, over: null, to: null, keepRecent: 0.2 },
    lowWater: 0.5,
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
    lowWater: 0.75,
    maxHistoryTokens: 20_000,
    maxMessages: 'window',
  },
  aixtools: {
    offload: false,
    truncate: false,
    mask: false,
    pointers: false,
    drop: false,
    summarize: { at: 1, over: 120_000, to: 40_000, keepRecent: 0 },
    lowWater: 0.5,
    maxHistoryTokens: 0,
    maxMessages: 0,
  },
};
