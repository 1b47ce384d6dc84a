// The judges of message formats, judged: legal histories pass, and every rule is seen to fail.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HISTORY_FORMATS, hostileHistory, legalHistory, loop } from '../support/histories.ts';
import { JUDGES } from '../support/history-rules/index.ts';

describe.each(HISTORY_FORMATS.filter((format) => JUDGES[format]))('%s', (format) => {
  const judge = JUDGES[format];
  if (!judge) return;

  it('takes every legal history', () => {
    fc.assert(
      fc.property(legalHistory(format), ({ messages }) => {
        expect(judge(messages)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  }, 120_000);

  it('refuses most hostile ones', () => {
    const samples = fc.sample(hostileHistory(format), 300);
    const refused = samples.filter(({ messages }) => judge(messages).length > 0).length;
    expect(refused).toBeGreaterThan(150);
  });

  it('takes long loops', () => {
    expect(judge(loop(format, 200, 1000, { thinking: true }).messages)).toEqual([]);
  });
});
