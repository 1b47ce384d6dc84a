// Places of documents that are asked for by what they are: sections, tables, comments; and documents as blocks in JSON.

import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createReader, type Input, type ReadRequest } from '../../../src/index.ts';
import { contentOf, readOk, walk } from '../../support/walk.ts';

const reader = createReader({ environment: {} });
const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../fixtures/documents/${name}`, import.meta.url));
const page = (html: string) => ({ name: 'a.html', bytes: Buffer.from(html) });
const BOOK = page(
  '<h1>Book</h1><h2>1. Terms</h2><p>one</p><h3>1.1 Notice</h3><p>two</p><h2>10. Late notice</h2><p>three</p>',
);
const ask = (input: Input, request: ReadRequest): ReturnType<typeof readOk> => readOk(reader, input, request);
const errorOf = async (input: Input, request: ReadRequest): Promise<string> => {
  const result = await reader.read(input, request);
  return result.success ? '' : `${result.error.code}: ${result.error.message} ${result.error.hint}`;
};
const shown = async (request: ReadRequest): Promise<string> =>
  contentOf([await ask(BOOK, { ...request, all: true })]);

it.each([
  ['1', '## 1. Terms\n\none\n\n### 1.1 Notice\n\ntwo\n\n'],
  ['1.1', '### 1.1 Notice\n\ntwo\n\n'],
  ['notice', '### 1.1 Notice\n\ntwo\n\n'],
  ['10', '## 10. Late notice\n\nthree\n'],
  ['LATE', '## 10. Late notice\n\nthree\n'],
])('shows section %s to the next heading of its level', async (section, text) => {
  expect(await shown({ section })).toBe(text);
  const answers = await walk(reader, () => BOOK, { section, maxTokens: 30 });
  expect(contentOf(answers)).toBe(text);
});

it('names the headings that are there', async () => {
  expect(await errorOf(BOOK, { section: '2' })).toBe(
    'BAD_INPUT: No heading of the document is `2`. Use the number or the words of a heading, such as `Book`, `1. Terms`, `1.1 Notice`, `10. Late notice`.',
  );
  expect(await errorOf(page('<p>a'), { section: '2' })).toContain('has no headings');
  expect(await errorOf(BOOK, { section: '1', lines: '2' })).toContain(
    '`section` and `lines` cannot be combined',
  );
});

it('shows a table as data', async () => {
  const gauges = fixture('gauges.pdf');
  const { text, truncation } = await ask(gauges, { table: '1', maxTokens: 300 });
  expect(text).toBe('Gauge,Morning,Evening\nMill bridge,212,219\nOld lock,187,190\nFerry landing,305,301\n');
  expect(truncation).toBe(null);
  expect((await ask(gauges, { table: '1', format: 'json', rows: '2', columns: 'Evening' })).text).toContain(
    '{"Evening":"190"}',
  );
  expect(await errorOf(fixture('survey.docx'), { table: '3' })).toBe(
    'BAD_INPUT: `table` is 3, but the document has 2 tables. Use a number from 1 to 2.',
  );
  expect(await errorOf(gauges, { table: 'x' })).toContain('expected the number of a table');
  expect(await errorOf(gauges, { rows: '1' })).toContain('Pass `table`');
});

it('shows a comment with the text it stands on', async () => {
  const { text } = await ask(fixture('survey.docx'), { comment: '1' });
  expect(text).toContain('Reviewed by the port authority[^c1].');
  expect(text).toContain('[^c1]: Ines (2024-03-02): Which one?\n    Omar (2024-03-03): The port authority.');
  expect(text).not.toContain('Harbour crane survey');
  expect((await ask(fixture('survey.docx'), { comment: 'c1' })).text).toBe(text);
  expect(await errorOf(fixture('survey.docx'), { comment: '2' })).toContain('has 1 comment');
});

it('writes a document as one block of JSON per line, each with its place', async () => {
  const { text } = await ask(fixture('gauges.pdf'), { format: 'json', all: true });
  const blocks = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(blocks[0]).toEqual({
    at: { page: 1, block: 1, box: [57, 67.9, 178.2, 89.9] },
    kind: 'heading',
    level: 1,
    text: 'River gauges',
  });
  expect(blocks.map(({ kind }) => kind)).toContain('table');
  const answers = await walk(reader, () => fixture('survey.docx'), { format: 'json', maxTokens: 200 });
  const whole = await ask(fixture('survey.docx'), { format: 'json', all: true });
  expect(contentOf(answers)).toBe(contentOf([whole]));
});

it('shows the cells of a table as plain values, and in Markdown with their styles and links', async () => {
  const input = page(
    '<table><tr><th>Item</th><th>Sum</th></tr><tr><td><b>Total</b> 3*4*5 a_b_c<sup>2</sup></td>' +
      '<td><a href="https://example.org/7">7</a></td></tr></table>',
  );
  const csv = await ask(input, { table: '1' });
  expect(csv.text).toContain('Item,Sum\nTotal 3*4*5 a_b_c2,7\n');
  expect(csv.text).toContain('1 target of links and pictures in the table left out');
  expect((await ask(input, { table: '1', format: 'json' })).text).toContain('"Sum":"7"');
  const markdown = await ask(input, { table: '1', format: 'markdown' });
  expect(markdown.text).toContain('| **Total** 3\\*4\\*5 a_b_c<sup>2</sup> | [7](https://example.org/7) |');
  expect(markdown.text).not.toContain('left out');
});
