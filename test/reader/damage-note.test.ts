// Notes about damage in answers of any budget.

import { describe, expect, it } from 'vitest';
import type { WarningCode } from '../../src/contract/index.ts';
import { createReader } from '../../src/index.ts';
import { createReaderOf } from '../../src/reader/reader.ts';
import { mockProcessor } from '../support/mock-processor.ts';

const bytes = Buffer.from('x');

/** A reader of one kind of file: `lines` lines of which some are damaged. */
const damaged = (lines: number, ...codes: readonly WarningCode[]) =>
  createReaderOf(
    [
      mockProcessor(async function* (_source, { warn, whole, budget }) {
        for (const code of codes) warn({ code, message: `${'A long explanation. '.repeat(20)}${code}.` });
        whole({ unit: 'line', of: lines });
        let left = budget.tokens;
        for (let line = 1; line <= lines; line += 1) {
          const text = `line ${line} of the file\n`;
          const isLast = line === lines;
          left -= budget.count(text);
          if (left < (isLast ? 0 : budget.tokens - budget.tokensBesideNotes)) return;
          yield {
            kind: 'text',
            text,
            shown: [{ unit: 'line', from: line, to: line, of: lines }],
            ...(!isLast && { next: { position: [line], request: { lines: `${line + 1}-${lines}` } } }),
          };
        }
      }),
    ],
    { environment: {} },
  );

describe('a damaged file', () => {
  it('counts the warnings that are too many to give', async () => {
    const reader = createReaderOf(
      [
        mockProcessor(async function* (_source, { warn }) {
          for (let at = 0; at < 60; at += 1) warn({ code: 'HIDDEN_TEXT', message: `Page ${at} hides text.` });
          yield { kind: 'text', text: 'x\n', shown: [{ unit: 'line', from: 1, to: 1, of: 1 }] };
        }),
      ],
      { environment: {} },
    );
    const answer = await reader.read({ bytes, name: 'a.txt' });
    const warnings = answer.success ? answer.warnings : [];
    expect(warnings).toHaveLength(51);
    expect(warnings.at(-1)?.message).toMatch(/^10 more warnings about this file/);
  });

  it.each([13, 15, 20, 30, 60, 100, 140, 200])('says so at %i tokens', async (maxTokens) => {
    for (const lines of [1, 2, 5, 20, 400]) {
      const reader = damaged(lines, 'SKIPPED_CONTENT');
      const result = await reader.read({ bytes, name: 'a.txt' }, { maxTokens });
      const text = result.success ? result.text : '';
      expect(text).toMatch(/\[Note: (?:parts not read|A long explanation\.[^\]]*SKIPPED_CONTENT\.)\]\n$/);
      expect(reader.count(text)).toBeLessThanOrEqual(maxTokens);
    }
  });

  it('names each kind of damage once, in the order of the warnings', async () => {
    const reader = damaged(400, 'LOSSY_DECODE', 'SKIPPED_CONTENT', 'LOSSY_DECODE', 'RAGGED_ROWS');
    const result = await reader.read({ bytes, name: 'a.txt' }, { maxTokens: 60 });
    expect(result.success && result.text).toContain('\n[Note: invalid characters, parts not read]\n');
  });

  it('is named in few words beside hidden text and scans', async () => {
    const reader = damaged(400, 'HIDDEN_TEXT', 'SCANNED_PAGES', 'SKIPPED_CONTENT');
    const result = await reader.read({ bytes, name: 'a.txt' }, { maxTokens: 60 });
    expect(result.success && result.text).toContain(
      '\n[Note: hidden text left out, scans not read, parts not read]\n',
    );
  });

  it('is not named in few words beside a full note of its kind', async () => {
    const reader = damaged(1, 'SKIPPED_CONTENT', 'SKIPPED_CONTENT');
    const result = await reader.read({ bytes, name: 'a.txt' }, { maxTokens: 105 });
    expect(result.success && result.text.match(/\[Note: [^\]]*\]/g)).toEqual([
      expect.stringContaining('SKIPPED_CONTENT.'),
    ]);
  });

  it('is described in full where there is room, and the rest in few words', async () => {
    const reader = damaged(1, 'SKIPPED_CONTENT', 'BROKEN_TEXT');
    const result = await reader.read({ bytes, name: 'a.txt' }, { maxTokens: 110 });
    const text = result.success ? result.text : '';
    expect(text).toContain('A long explanation. SKIPPED_CONTENT.]\n[Note: unreliable text]\n');
  });

  it('of JSON says so within its budget', async () => {
    const reader = createReader({ environment: {} });
    const json = `{"a": [${'1, '.repeat(500)}`;
    for (const maxTokens of [13, 20, 40, 100]) {
      const result = await reader.read({ bytes: Buffer.from(json), name: 'a.json' }, { maxTokens });
      const text = result.success ? result.text : '';
      expect(text).toMatch(/\[Note: invalid syntax|\[Note: .*JSON/);
      expect(reader.count(text)).toBeLessThanOrEqual(maxTokens);
    }
  });
});
