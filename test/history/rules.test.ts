// Tests the checkers of message formats: valid histories pass, broken ones fail, and every rule can fail.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draws } from '../support/draws.ts';
import { HISTORY_FORMATS, historyOf, loop } from '../support/histories.ts';
import { JUDGES } from '../support/history-rules/index.ts';
import { hostileScript, legalScript } from '../support/history-script.ts';

it('accepts every valid history, in all formats', () => {
  let longest = 0;
  void fc.assert(
    fc.property(legalScript, (script) => {
      for (const format of HISTORY_FORMATS) {
        const { messages } = historyOf(format, script);
        expect({ format, findings: JUDGES[format](messages) }).toEqual({ format, findings: [] });
        if (format === 'openai-chat') longest = Math.max(longest, messages.length);
      }
    }),
    { numRuns: draws(1000) },
  );
  expect(longest).toBeGreaterThan(60);
  expect(longest).toBeLessThanOrEqual(80);
}, 240_000);

it('refuses most hostile histories, in all formats', () => {
  const refused: Record<string, number> = {};
  const samples = fc.sample(hostileScript, 300);
  for (const format of HISTORY_FORMATS)
    refused[format] = samples.filter(
      ({ script }) => JUDGES[format](historyOf(format, script).messages).length > 0,
    ).length;
  for (const format of HISTORY_FORMATS) expect(refused[format]).toBeGreaterThan(150);
}, 120_000);

describe.each(HISTORY_FORMATS)('%s', (format) => {
  it('accepts long loops', () => {
    expect(JUDGES[format](loop(format, 200, 1000, { thinking: true }).messages)).toEqual([]);
  });
});
