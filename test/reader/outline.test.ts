// An outline stands for content that does not fit: the answer says that the content is left out, and the cursor gives the
// rest of the outline, then the content.

import { describe, expect, it, vi } from 'vitest';
import { createReader, type Input, type ReadSuccess } from '../../src/index.ts';
import { outlineWalk } from '../support/outline-walk.ts';
import { contentOf, readOk } from '../support/walk.ts';

// Draws many cases.
vi.setConfig({ testTimeout: 180_000 });

const reader = createReader({ environment: {} });
const OUTLINE = { overflow: 'outline', maxTokens: 300 } as const;

/** Code with a definition every few lines: 500 of them. */
const code = {
  name: 'a.py',
  bytes: Buffer.from(
    Array.from({ length: 500 }, (_, i) => `def function_${i}(argument):\n    return ${i}\n\n`).join(''),
  ),
};

it.each([
  ['tabular/orders.csv', 'row', 120],
  ['tabular/orders.xlsx', 'sheet', 5],
  ['structured/orders.json', 'key', 2],
  ['structured/events.jsonl', 'row', 150],
  ['structured/analysis.ipynb', 'item', 5],
  ['structured/catalog.xml', 'element', 64],
  ['structured/Cargo.lock', 'key', 2],
  ['text/guide.md', 'line', 661],
])('%s: the outline leaves out every %s of %d', async (name, unit, of) => {
  const { truncation, text } = await readOk(reader, `fixtures/${name}`, {
    maxTokens: 800,
    overflow: 'outline',
  });
  expect(truncation?.omitted).toContainEqual(expect.objectContaining({ unit, from: 1, to: of, of }));
  expect(text).toContain('[Truncated to ');
});

it('shows the content of a file that has no outline', async () => {
  const name = 'fixtures/text/many-lines.log';
  const outline = await readOk(reader, name, { maxTokens: 800, overflow: 'outline' });
  const plain = await readOk(reader, name, { maxTokens: 800 });
  expect(outline.text).toContain(contentOf([plain]));
  expect(outline.truncation?.omitted).toEqual(plain.truncation?.omitted);
});

it('takes JSON Lines under the name of JSON for content without an outline', async () => {
  const bytes = Buffer.from('{"a":{"b":1}}\n'.repeat(3000));
  const { text, content } = await readOk(reader, { name: 'a.json', bytes }, OUTLINE);
  expect(contentOf([{ content } as ReadSuccess])).toMatch(/^\{"a":\{"b":1\}\}\n/);
  expect(text).not.toContain('(root)');
});

it('never counts what the outline shows as left out', async () => {
  const wide = `${Array.from({ length: 60 }, (_, i) => `c${i}`).join(',')}\n${`${Array.from({ length: 60 }, () => 'x').join(',')}\n`.repeat(90)}`;
  const { truncation } = await readOk(
    reader,
    { bytes: Buffer.from(wide), name: 'a.csv' },
    { overflow: 'outline' },
  );
  expect(truncation?.shown).toEqual([{ unit: 'entry', from: 1, to: 61, of: 61, name: 'outline' }]);
  expect(truncation?.omitted).toEqual([{ unit: 'row', from: 1, to: 90, of: 90 }]);
});

it('names the entries it leaves out, in the text and in data, and continues with the next', async () => {
  const first = await readOk(reader, code, OUTLINE);
  const last = contentOf([first]).match(/function_(\d+)\(argument\):\n$/)?.[1];
  const shown = Number(last) + 1;
  expect(shown).toBeGreaterThan(5);
  expect(first.truncation?.shown).toEqual([{ unit: 'entry', from: 1, to: shown, of: 500, name: 'outline' }]);
  expect(first.truncation?.omitted).toEqual([
    { unit: 'entry', from: shown + 1, to: 500, of: 500, name: 'outline' },
    { unit: 'line', from: 1, to: 1500, of: 1500 },
  ]);
  const cursor = first.truncation?.next?.cursor ?? '';
  expect(first.text).toContain(`entries 1-${shown} of 500 in outline`);
  expect(first.text).toContain(`Continue with cursor "${cursor}"`);
  expect(first.warnings[0]).toMatchObject({
    code: 'TRUNCATED',
    message: expect.stringContaining(`entries 1-${shown} of 500 in outline`),
  });
  const second = await readOk(reader, code, { cursor, maxTokens: 300 });
  expect(contentOf([second])).toMatch(
    new RegExp(`^${shown * 3 + 1}-${shown * 3 + 2}: def function_${shown}\\(`),
  );
});

it('continues with the content once the outline is complete', async () => {
  const { pages, after } = await outlineWalk(reader, () => code, { maxTokens: 2000 });
  expect(pages.at(-1)?.truncation?.next?.request).toEqual({ lines: '1-1500' });
  expect(contentOf(after ? [after] : [])).toMatch(/^def function_0\(argument\):\n {4}return 0\n/);
});

it.each([
  ['a.ts', (at: number) => `class Class${at} {\n${members(at, (name) => `  ${name}() {}\n`)}}\n`],
  [
    'a.lua',
    (at: number) => `function Class${at}()\n${members(at, (name) => `  function ${name}() end\n`)}end\n`,
  ],
])('%s: 3000 symbols are paged to the last, none lost and none twice', async (name, block) => {
  const bytes = Buffer.from(Array.from({ length: 300 }, (_, at) => block(at)).join(''));
  const { pages } = await outlineWalk(reader, () => ({ name, bytes }), { maxTokens: 2000 });
  // The pages of members say again which class they lie in.
  const told = contentOf(pages).match(/\b(?:Class\d+|method\d+x\d)\b/g) ?? [];
  const methods = told.filter((symbol) => symbol.startsWith('method'));
  expect(methods).toHaveLength(2700);
  expect(new Set(methods).size).toBe(2700);
  expect(new Set(told).size).toBe(3000);
  expect(pages.length).toBeGreaterThan(5);
});

const members = (at: number, member: (name: string) => string): string =>
  Array.from({ length: 9 }, (_, one) => member(`method${at}x${one}`)).join('');

it('keeps the selection of the request for the content after it', async () => {
  const request = { maxTokens: 2000, lines: '301-' };
  const { pages, after } = await outlineWalk(reader, () => code, request);
  expect(pages.at(-1)?.truncation?.next).not.toHaveProperty('request');
  expect(contentOf(after ? [after] : [])).toMatch(/^def function_100\(/);
});

it('is given whole where the content fits', async () => {
  const bytes = Buffer.from('# One\n\ntext\n');
  expect(await readOk(reader, { name: 'a.md', bytes }, { overflow: 'outline' })).toMatchObject({
    text: '# One\n\ntext\n',
    truncation: null,
  });
  const { content } = await readOk(reader, code, { overflow: 'outline', all: true });
  expect(contentOf([{ content } as ReadSuccess])).toBe(code.bytes.toString());
});

describe('a cursor', () => {
  it('is stale for another content', async () => {
    const { truncation } = await readOk(reader, code, OUTLINE);
    const changed = { ...code, bytes: Buffer.concat([code.bytes, Buffer.from('x')]) };
    const cursor = truncation?.next?.cursor ?? '';
    expect(await reader.read(changed, { cursor })).toMatchObject({ error: { code: 'STALE_CURSOR' } });
  });

  it('of an outline refuses another overflow, and one of the content an outline', async () => {
    const outline = (await readOk(reader, code, OUTLINE)).truncation?.next?.cursor ?? '';
    const content = (await readOk(reader, code, { maxTokens: 300 })).truncation?.next?.cursor ?? '';
    for (const overflow of ['truncate', 'error'] as const)
      expect(await reader.read(code, { cursor: outline, overflow })).toMatchObject({
        error: { code: 'BAD_INPUT', message: expect.stringContaining('continues an outline') },
      });
    expect(await reader.read(code, { cursor: content, overflow: 'outline' })).toMatchObject({
      error: { code: 'BAD_INPUT', message: expect.stringContaining('continues the content') },
    });
    expect(await reader.read(code, { cursor: outline, lines: '7' })).toMatchObject({
      error: { code: 'BAD_INPUT' },
    });
  });

  it('made up for an outline is refused', async () => {
    const cursor = (await readOk(reader, code, OUTLINE)).truncation?.next?.cursor ?? '';
    const words = cursor.split('.');
    for (const position of ['1.rs.0', '1.1.zzzz', '1.1', '1.1.1.1', '~a.1.1', '1._n', '9.9.9.9.9'])
      expect(
        await reader.read(code, { cursor: [...words.slice(0, -4), position].join('.') }),
        position,
      ).toMatchObject({ success: false });
  });

  it('continues the outline also when the request is repeated with it', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let answers = 0; answers < 200; answers += 1) {
      const answer = await readOk(reader, code, { ...OUTLINE, ...(cursor !== undefined && { cursor }) });
      seen.push(contentOf([answer]));
      cursor = answer.truncation?.next?.cursor;
      if (cursor === undefined) break;
    }
    expect(cursor).toBeUndefined();
    const outline = Array.from(
      { length: 500 },
      (_, i) => `${i * 3 + 1}-${i * 3 + 2}: def function_${i}(argument):\n`,
    );
    expect(seen.join('')).toBe(`${outline.join('')}${code.bytes.toString()}`);
  });
});

const nested = (width: number): Buffer =>
  Buffer.from(
    `<r>${Array.from({ length: width }, (_, i) => `<a${i}>${'<b/><c/>'.repeat(400)}</a${i}>`).join('')}</r>`,
  );
/** Values of two kinds: not a dictionary. */
const wideJson = Object.fromEntries(
  Array.from({ length: 30 }, (_, i) => [
    `key${i}`,
    Object.fromEntries(
      Array.from({ length: 30 }, (_key, j) => [
        `inner${i}_${j}`,
        (i + j) % 2 === 0 ? i : { deep: { deeper: 'x'.repeat(50) } },
      ]),
    ),
  ]),
);
/** A value at level 12. */
const deepJson = {
  deep: Array.from({ length: 200 }, () => JSON.parse(`${'{"a":'.repeat(10)}1${'}'.repeat(10)}`)),
};

it.each<[string, Input, RegExp]>([
  [
    'a.xml',
    { name: 'a.xml', bytes: nested(40) },
    /^r\n {2}a0\n(?: {4}[bc] x 400\n)* {2}a1\n(?: {4}[bc] x 400\n)* {2}a2\n/,
  ],
  [
    'a.json',
    { name: 'a.json', bytes: Buffer.from(JSON.stringify(wideJson)) },
    /^object of 30 keys\nkey0: \{30 keys\}\n(?: {2}.*\n)*key1: /,
  ],
  [
    'a.toml',
    {
      name: 'a.toml',
      bytes: Buffer.from(
        Object.keys(wideJson)
          .map(
            (key) =>
              `[${key}]\n${Array.from({ length: 30 }, (_, j) => `inner_${key}_${j} = ${j % 2 === 0 ? j : `"${'x'.repeat(50)}"`}\n`).join('')}`,
          )
          .join(''),
      ),
    },
    /^object of 30 keys\nkey0: \{30 keys\}\n(?: {2}.*\n)*key1: /,
  ],
])('%s: shows outer levels first, and inner ones under their parents', async (_name, input, start) => {
  const { pages, whole } = await outlineWalk(reader, () => input, { maxTokens: 330 });
  expect(pages.length).toBeGreaterThan(2);
  expect(contentOf(pages)).toMatch(start);
  const lines = contentOf(pages).split('\n').sort();
  expect(lines).toEqual(contentOf([whole]).split('\n').sort());
  for (const { text } of pages) {
    // The facts of one key may be those of another; no other line stands twice on a page.
    const outer = text.split('\n').filter((line) => /^(?: {2}a|key)\d/.test(line));
    expect(new Set(outer).size).toBe(outer.length);
  }
  // An indented line never stands without the line it belongs to.
  for (const { text } of pages) expect(text).toMatch(/^\S/);
});

it.each([
  ...['text/guide.md', 'structured/orders.json', 'structured/analysis.ipynb', 'structured/catalog.xml'],
  ...['structured/Cargo.lock', 'structured/stack.yaml', 'tabular/orders.csv', 'tabular/orders.xlsx'],
  ...['tabular/parcels.ods', 'archive/project.zip', 'archive/release.tar', 'documents/gauges.pdf'],
  ...['documents/survey.docx', 'documents/gates.pptx', 'documents/river.odt', 'documents/ferry.epub'],
  ...['documents/lock-keeper.html', 'documents/minutes.rtf', 'mail/report.eml', 'mail/meeting.msg'],
])('%s: has an outline', async (name) => {
  const answer = await readOk(reader, `fixtures/${name}`, { maxTokens: 50, overflow: 'outline' });
  const { shown = [], omitted = [] } = answer.truncation ?? {};
  expect(
    [...shown, ...omitted].some(({ unit, name: whole }) => unit === 'entry' && whole === 'outline'),
  ).toBe(true);
});

it('says to which level an outline goes', async () => {
  const bytes = Buffer.from(JSON.stringify(deepJson));
  const { warnings, text } = await readOk(reader, { name: 'a.json', bytes }, { ...OUTLINE, maxTokens: 1000 });
  expect(warnings).toContainEqual({
    code: 'SKIPPED_CONTENT',
    message: 'The outline covers 9 of 12 levels.',
  });
  expect(text).toContain('[Note: The outline covers 9 of 12 levels.]');
});

it('continues inside an entry that is longer than an answer', async () => {
  const bytes = Buffer.from(`# ${'漢字'.repeat(90)} end\n\n${'text\n'.repeat(300)}## Two\n`);
  const { pages } = await outlineWalk(reader, () => ({ name: 'a.md', bytes }), { maxTokens: 50 });
  expect(pages.length).toBeGreaterThan(4);
  expect(contentOf(pages)).toBe(`1: # ${'漢字'.repeat(90)} end\n303: ## Two\n`);
  expect(pages[0]?.truncation?.shown).toEqual([
    expect.objectContaining({ unit: 'character', from: 1, name: 'entry 1 of outline' }),
  ]);
});

it('says how many headings of a document it leaves out', async () => {
  const bytes = Buffer.from(
    `${Array.from({ length: 90 }, (_, at) => `<h2>Heading ${at}</h2><p>x</p>`).join('')}${'word '.repeat(600)}`,
  );
  const { pages } = await outlineWalk(reader, () => ({ name: 'a.html', bytes }), { maxTokens: 200 });
  const shown = contentOf(pages.slice(0, 1)).split('\n').length - 1;
  expect(pages[0]?.truncation?.omitted).toContainEqual({
    unit: 'entry',
    from: shown + 1,
    to: 90,
    of: 90,
    name: 'outline',
  });
  expect(contentOf(pages).match(/## Heading/g)).toHaveLength(90);
});

it('gives each of several files its outline', async () => {
  const results = await reader.readMany([code, 'fixtures/text/guide.md'], OUTLINE);
  for (const result of results)
    expect(result).toMatchObject({
      success: true,
      truncation: {
        omitted: [
          { unit: 'entry', name: 'outline' },
          { unit: 'line', from: 1 },
        ],
      },
    });
});

it('continues only the outline that the cursor was made for', async () => {
  const { truncation } = await readOk(reader, code, OUTLINE);
  const cursor = truncation?.next?.cursor ?? '';
  expect(await reader.read(code, { cursor, maxTokens: 300 })).toMatchObject({ success: true });
  const ofAnother = cursor.replace(/[^.]+$/, '7');
  expect(await reader.read(code, { cursor: ofAnother, maxTokens: 300 })).toMatchObject({
    error: { code: 'STALE_CURSOR' },
  });
});

it('tells the top level once, with the members that still fit inside it', async () => {
  const bytes = Buffer.from(
    Array.from(
      { length: 4 },
      (_, at) =>
        `class Part${at}:\n${'    # Does much.\n'.repeat(9)}${Array.from({ length: 20 }, (_one, of) => `    def step${at}_${of}(self):\n        return ${of}\n`).join('')}\n`,
    ).join(''),
  );
  const { text } = await readOk(reader, { name: 'a.py', bytes }, OUTLINE);
  expect(text).toMatch(/^1-\d+: class Part0:\n {2}\d+-\d+: def step0_0\(/);
  for (const name of ['Part0', 'Part1', 'Part2', 'Part3']) expect(text.split(name)).toHaveLength(2);
});
