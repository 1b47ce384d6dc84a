// The threshold type shared by options, presets and tiers: when a compaction starts and how far it goes.

import { ReaderError, type Tokens } from '../../contract/index.ts';
import { checkKinds, maybe } from '../option-kinds.ts';

/**
 * A number up to 1 is a fraction of the window, compared with the whole prompt. A number above 1 is tokens of history,
 * which is the prompt without instructions and tools.
 */
export interface Threshold {
  /** Compact above this. */
  readonly at: number;
  /** Compact down to this. */
  readonly to: number;
}

/** Lets a fraction computed from tokens convert back to the same number. */
const ROUNDING = 1e-6;

/** Prompt tokens at a mark, of which `fixed` are instructions and tools. */
export const promptAt = (mark: number, window: Tokens, fixed: Tokens): Tokens =>
  mark <= 1 ? Math.floor(mark * window + ROUNDING) : mark + fixed;

/** Like `promptAt`, without instructions and tools. */
export const tokensAt = (mark: number, window: Tokens): Tokens => promptAt(mark, window, 0);

const isMark = (value: unknown): value is number =>
  typeof value === 'number' && value > 0 && (value <= 1 || Number.isSafeInteger(value));

const MARK = maybe([isMark, 'a fraction of the window up to 1, or a whole number of tokens above 1']);

/** @throws {ReaderError} BAD_INPUT for a threshold that is impossible in this window; `what` is the option's name */
export function checkThreshold(what: string, threshold: Partial<Threshold>, window: Tokens): void {
  checkKinds(what, threshold, { at: MARK, to: MARK }, `${what}.`);
  const { at, to } = threshold;
  if (to === undefined) return;
  const limit = at === undefined ? window : tokensAt(at, window);
  if (tokensAt(to, window) < limit) return;
  throw new ReaderError(
    'BAD_INPUT',
    `\`${what}.to\` is ${to} (${tokensAt(to, window)} tokens of a window of ${window}); expected less than ${
      at === undefined ? 'the window' : `\`${what}.at\`, which is ${at}`
    }.`,
    `Set \`${what}.to\` to about half of that, or omit it.`,
  );
}
