// What a terminal would obey never reaches one; a pipe gets the text as it is.

import { expect, it, vi } from 'vitest';
import { progressText } from '../../src/cli/progress-line.ts';
import { processTerminal } from '../../src/cli/terminal.ts';
import { createReader, createReadPool, type Progress } from '../../src/index.ts';

function streamsOf(isTTY: boolean): { readonly process: NodeJS.Process; written(): string } {
  let written = '';
  const stream = {
    isTTY,
    write: (text: string, done?: () => void) => {
      written += text;
      done?.();
    },
  };
  const own: NodeJS.Process = Object.create(process, {
    stdout: { value: stream },
    stderr: { value: stream },
    once: { value: () => undefined },
  });
  return { process: own, written: () => written };
}

it.each([
  [true, 'a\tb\r\n\\u{1b}[31mred\\u{9b}31m\\u{d}over\n'],
  [false, 'a\tb\r\n\u001b[31mred\u009b31m\rover\n'],
])('writes controls to a terminal (%j) as text', async (isTTY, shown) => {
  const { process: own, written } = streamsOf(isTTY);
  const terminal = processTerminal(own);
  await terminal.out('a\tb\r\n\u001b[31mred\u009b31m\rover\n');
  expect(written()).toBe(shown);
  terminal.err('\u001b[2J\n');
  expect(written()).toBe(`${shown}${isTTY ? '\\u{1b}[2J' : '\u001b[2J'}\n`);
});

it.each<readonly [Progress, number, string]>([
  [{ bytes: 0, of: 9, page: 19, pages: 352, name: 'a.pdf' }, 79, 'a.pdf: page 19 of 352'],
  [
    { bytes: 2 ** 21, of: 2 ** 22, name: 'b/c.csv', file: 3, files: 40 },
    79,
    'b/c.csv (3 of 40): 50 % of 4.0 MiB',
  ],
  [
    { bytes: 0, of: 0, page: 1, pages: 9, name: 'a-long-name.pdf', file: 1, files: 1 },
    20,
    '…me.pdf: page 1 of 9',
  ],
  [{ bytes: 0, of: 0, page: 1, pages: 9, name: '東京の報告書.pdf' }, 20, '…書.pdf: page 1 of 9'],
  [{ bytes: 0, of: 0, page: 1, pages: 9, name: '\u001b[2J' }, 79, '\\u{1b}[2J: page 1 of 9'],
  [{ bytes: 9, of: 3, name: 'twice.csv' }, 79, 'twice.csv: 100 % of 3 bytes'],
  [{ bytes: 2 ** 21, of: 0, name: '-' }, 79, 'standard input: 2.0 MiB read'],
])('draws %j in %i columns', (progress, columns, text) => {
  expect(progressText(progress, columns)).toBe(text);
});

it('draws progress over itself, in the width of the terminal, and never backwards', () => {
  const { process: own, written } = streamsOf(true);
  const clock = vi.spyOn(Date, 'now');
  clock.mockReturnValue(0);
  const terminal = processTerminal(own);
  clock.mockReturnValue(2000);
  for (const page of [3, 1, 4]) terminal.progress({ bytes: 0, of: 0, page, pages: 9, name: 'a.pdf' });
  terminal.done();
  clock.mockRestore();
  const drawn = written().split('\r\u001b[K');
  expect(drawn).toEqual(['', 'a.pdf: page 3 of 9', 'a.pdf: page 4 of 9', '']);
});

it.each(['inline', 'isolated'])(
  'a document counts its pages in order, with their number: %s',
  async (how) => {
    // Reports come at most every 100 ms: by this clock each page is due one.
    let now = 0;
    const pool = how === 'isolated' ? createReadPool() : undefined;
    const reader = createReader({ cache: false, ...(pool && { isolation: pool }) });
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => {
      now += 200;
      return now;
    });
    const seen: Progress[] = [];
    const request = { maxTokens: 5000, onProgress: (one: Progress) => void seen.push(one) };
    await reader.readMany(['fixtures/documents/gauges.pdf'], request).finally(() => clock.mockRestore());
    await pool?.close();
    const pages = seen.filter(({ page }) => page !== undefined);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.map(({ page }) => page)).toEqual([...pages.map(({ page }) => page)].sort());
    for (const one of pages.slice(1))
      expect(one).toMatchObject({ pages: 2, name: 'fixtures/documents/gauges.pdf', file: 1, files: 1 });
  },
);
