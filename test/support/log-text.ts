// Long results as tools give them: lines of a log, of a known size, no two alike.

import { createEstimator } from '../../src/history/index.ts';

const estimator = createEstimator('conservative');

const line = (seed: number, at: number): string =>
  `${seed}.${at} GET /orders/${seed * 7919 + at} 200 in ${(seed * at) % 97} ms\n`;

/** About `tokens` tokens, as the conservative profile estimates; told apart by `seed`. */
export function logText(seed: number, tokens: number): string {
  const lines = Math.max(1, Math.round(tokens / estimator.text(line(seed, 50))));
  return Array.from({ length: lines }, (_, at) => line(seed, at)).join('');
}
