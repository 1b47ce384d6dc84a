// What XML, SVG and plist answers look like, which pointers they take, and what hostile documents cost.

import { describe, expect, test, vi } from 'vitest';
import { xml } from '../../../processors/structured/xml.ts';
import { NotThisFormat, type Processor, ReaderError } from '../../../src/contract/index.ts';
import { memorySource, type Outcome, run, type TestOptions, testContext } from '../../support/context.ts';

// Draws many cases.
vi.setConfig({ testTimeout: 180_000 });

function read(content: string | Uint8Array, options: TestOptions = {}): Promise<Outcome> {
  return run(xml, memorySource(content, 'a.xml'), options);
}

async function fault(content: string | Uint8Array, options: TestOptions = {}): Promise<unknown> {
  return read(content, options).then(
    () => undefined,
    (error: unknown) => (error instanceof NotThisFormat ? error.warning.message : error),
  );
}

const books = `<?xml version="1.0"?>
<catalog xmlns:x="urn:x">
  <book id="1"><title>One</title></book>
  <x:book id="2"><title>Two &amp; a half</title><title>Zwei</title></x:book>
  <book id="3" lang="de"/>
</catalog>
`;

describe('a view', () => {
  test('is the file itself when everything fits', async () => {
    const { text, next, context, parts } = await read(books);
    expect(text).toBe(books);
    expect(next).toBeUndefined();
    expect(parts[0]?.shown).toEqual([{ unit: 'element', from: 1, to: 3, of: 3, name: '/catalog' }]);
    expect(context.facts).toMatchObject({ root: 'catalog', elements: 7, levels: 3, validated: true });
  });

  test.each<[string, string, TestOptions['limits'], string]>([
    [
      'children',
      '<r>\n  <a/>\n  <b/>\n  <c/>\n</r>',
      { maxArrayItems: 1 },
      '<r>\n  <a/>\n  <!-- … 2 more elements -->\n</r>',
    ],
    [
      'children of mixed content',
      '<p>a <b>b</b> c <i>d</i> e</p>',
      { maxArrayItems: 1 },
      '<p>a <b>b</b> c <!-- … 1 more element and text --></p>',
    ],
    [
      'levels',
      '<a><b><c><d>x</d></c></b></a>',
      { maxNestingDepth: 3 },
      '<a><b><c><!-- … 1 element --></c></b></a>',
    ],
    ['text', '<a>0123456789</a>', { maxStringValueLength: 4 }, '<a>0123…<!-- … 6 more characters --></a>'],
    [
      'text before a reference',
      '<a>01&amp;456789</a>',
      { maxStringValueLength: 4 },
      '<a>01…<!-- … 11 more characters --></a>',
    ],
    [
      'a pair of surrogates',
      '<a>012😀456</a>',
      { maxStringValueLength: 4 },
      '<a>012…<!-- … 5 more characters --></a>',
    ],
    [
      'CDATA',
      '<a><![CDATA[<<<<<<]]></a>',
      { maxStringValueLength: 4 },
      '<a><![CDATA[<<<<…]]><!-- … 2 more characters --></a>',
    ],
    [
      'a comment',
      '<a><!-- 123456789 --></a>',
      { maxStringValueLength: 4 },
      '<a><!-- 123… 7 more characters of this comment --></a>',
    ],
    [
      'an instruction',
      '<a><?go 123456789?></a>',
      { maxStringValueLength: 4 },
      '<a><?go 1234…?><!-- … 5 more characters --></a>',
    ],
    [
      'an attribute value',
      '<a b="123456789" c="d"/>',
      { maxStringValueLength: 4 },
      '<a b="1234…" c="d"/><!-- … b: 5 more characters -->',
    ],
    [
      'attributes',
      '<a b="1" c="2" d="3">x</a>',
      { maxObjectKeys: 1 },
      '<a b="1"><!-- … 2 more attributes -->x</a>',
    ],
    [
      'what stands before the root',
      '<!DOCTYPE a [\n<!ENTITY b "cc">\n<!ENTITY d "eeeeeeeeee">\n]><a/>',
      { maxArrayItems: 2 },
      '<!-- … 58 characters before the root element --><a/>',
    ],
    [
      'another glyph where text holds one',
      '<a>… 3456789</a>',
      { maxStringValueLength: 4 },
      '<a>… 34⋯<!-- ⋯ 5 more characters --></a>',
    ],
  ])('cuts %s', async (_, content, limits, expected) => {
    expect((await read(content, limits ? { limits } : {})).text).toBe(expected);
  });

  test('tells the true counts of what it leaves out', async () => {
    const content = `<r>${'<i a="1"><j/><j/></i>'.repeat(300)}</r>`;
    const { parts, context, next } = await read(content, { limits: { maxNestingDepth: 2 } });
    expect(parts[0]?.shown[0]).toEqual({ unit: 'element', from: 1, to: 50, of: 300, name: '/r' });
    expect(context.wholes).toContainEqual({ unit: 'element', of: 2, name: '/r/i[50]' });
    expect(context.facts).toMatchObject({ elements: 901, levels: 3 });
    expect(next?.position[0]).toBe('view');
  });

  test('keeps names that are words of JavaScript', async () => {
    const content = '<constructor><__proto__ toString="1"/><hasOwnProperty/></constructor>';
    expect((await read(content)).text).toBe(content);
    expect((await read(content, { selection: { pointer: '/constructor/__proto__/@toString' } })).text).toBe(
      '1',
    );
  });

  test('says nothing within an empty budget, but what there is', async () => {
    const { parts, context } = await read(books, { tokens: 0 });
    expect(parts).toEqual([]);
    expect(context.wholes).toEqual([{ unit: 'element', of: 3, name: '/catalog' }]);
    expect(context.facts).toMatchObject({ root: 'catalog' });
  });

  test.each([1, 2, 3, 5, 8, 13])('makes progress with %i tokens', async (tokens) => {
    const { text, next } = await read(books, { tokens });
    expect(text.length).toBeGreaterThan(0);
    expect(next).toBeDefined();
  });
});

describe('a pointer', () => {
  test.each([
    ['/catalog/book', '<book id="1"><title>One</title></book>'],
    ['/catalog/book[2]', '<book id="3" lang="de"/>'],
    ['/catalog/x:book/title[2]', '<title>Zwei</title>'],
    ['/catalog/2/1', '<title>Two &amp; a half</title>'],
    ['/catalog/book[2]/@lang', 'de'],
    ['/1/3/@id', '3'],
    ['', books],
  ])('`%s` names an element or an attribute', async (pointer, expected) => {
    expect((await read(books, { selection: { pointer } })).text).toBe(expected);
  });

  test('without a prefix finds a prefixed name when there is no other', async () => {
    expect((await read('<s:E xmlns:s="u"><s:B>x</s:B></s:E>', { selection: { pointer: '/E/B' } })).text).toBe(
      '<s:B>x</s:B>',
    );
  });

  test.each([
    '/nothing',
    '/catalog/book[3]',
    '/catalog/4',
    '/catalog/0',
    '/catalog/book/@x',
    'catalog',
    '/catalog/boook',
  ])('`%s` that leads nowhere is BAD_INPUT', async (pointer) => {
    const error = await fault(books, { selection: { pointer } });
    expect(error).toBeInstanceOf(ReaderError);
    expect((error as ReaderError).code).toBe('BAD_INPUT');
    expect((error as ReaderError).message).toMatchSnapshot();
  });

  test('and rows show the children asked for', async () => {
    const { view, parts } = await read(books, {
      selection: { pointer: '/catalog', rows: { from: 2, to: 2 } },
    });
    expect(view).toBe(
      '/catalog, from element 2 of 3:\n<x:book id="2"><title>Two &amp; a half</title><title>Zwei</title></x:book>\n  \n',
    );
    expect(parts[0]?.shown).toEqual([{ unit: 'element', from: 2, to: 2, of: 3, name: '/catalog' }]);
  });
});

describe('what is no XML', () => {
  test.each([
    ['', 'root element', 1, 1],
    ['<a>\n<b></a>', '', 2, 0],
    ['<a', '', 1, 0],
    ['<a b=1/>', '', 1, 0],
    ['<a b="1" b="2"/>', '', 1, 0],
    ['<a>\n &nothing;</a>', '', 2, 0],
    ['<a/><b/>', '', 1, 0],
    ['<a/>text', '', 1, 0],
    ['<!-- a -- b --><a/>', '', 1, 0],
    ['<!DOCTYPE a [\n<!ELEMENT a (b & c)>\n]><a/>', '', 2, 1],
  ])('%j is rejected with its place', async (content, what, line, column) => {
    const message = await fault(content);
    expect(message).toMatch(/^Not well-formed XML: .+ at line \d+, column \d+\.$/);
    expect(message).toContain(what);
    expect(message).toContain(`line ${line}, column ${column || ''}`);
  });

  test('is recognised by its first bytes', () => {
    const { matches } = xml as Required<Processor>;
    expect(matches(Buffer.from('\ufeff \n<?xml version="1.0"?>'))).toBe(true);
    expect(matches(Buffer.from('\ufeff<a/>', 'utf16le'))).toBe(true);
    expect(matches(Buffer.from('bplist00'))).toBe(true);
    expect(matches(Buffer.from('{"a": 1}'))).toBe(false);
  });
});

test('forged cursors throw STALE_CURSOR or show some of the file', async () => {
  const forged: (string | number)[][] = [
    [],
    ['view'],
    ['view', 5, 50, 50, 500, 0, -1, '/catalog', 1e9, 0, 0, 0],
    ['view', 5, 50, 50, 500, 0, 9, '/catalog', 30, 30, 0, 0],
    ['view', 1e6, 50, 50, 500, 0, -1, '/catalog', 30, 30, 0, 0],
    ['view', 1, 0, 0, 0, 0, -1, '/', 60, 3, 9, 9, 1, 1, 5, 5],
    ['range', 'element', 0, 90, 1, 1, '', 33, 1, 0, 0],
    ['range', 'element', 9, 3, 1, 1, '', 33, 1, 0, 0],
    ['range', 'character', 0, 1e300, 1, 1, '', 33, 1, 0, 0],
    ['range', 'secret', 0, 90, 1, 1, '', 33, 1, 0, 0],
    ['range', 'attribute', 0, 90, 1, Number.NaN, '', 33, 1, 0, 0],
  ];
  for (const resume of forged) {
    const outcome = await read(books, { selection: { resume } }).catch((error: unknown) => error);
    if (outcome instanceof ReaderError) expect(outcome.code).toBe('STALE_CURSOR');
    else if (!(outcome instanceof NotThisFormat)) expect(books).toContain((outcome as Outcome).text);
  }
});

describe('other requests', () => {
  test('`all` gives the file as it is', async () => {
    const content = `<a>${'<b>ü</b>\n'.repeat(200_000)}</a>\n`;
    expect((await read(content, { selection: { all: true } })).text).toBe(content);
    expect((await read(books, { selection: { all: true, pointer: '/catalog/2/2' } })).text).toBe(
      '<title>Zwei</title>',
    );
  });

  test('an outline counts elements by name', async () => {
    const { outline } = xml as Required<Processor>;
    const content = books.replace('<title>One', '<deep><er/></deep><title>One');
    const lines: string[] = [];
    for await (const { text } of outline(memorySource(content, 'a.xml'), testContext()))
      lines.push(`${text}\n`);
    expect(lines.join('')).toMatchInlineSnapshot(`
      "catalog {@xmlns:x}
        book x 2 {@id, @lang}
          deep
          title
        x:book {@id}
          title x 2
      3 of 4 levels; for more, ask for an element such as \`#/catalog/book\`.
      "
    `);
  });

  test('an outline of a deep document stays short, and leads on', async () => {
    const leaf = Array.from(
      { length: 100 },
      (_, at) => `<n${at}>${'<in><er/></in>'.repeat(3)}</n${at}>`,
    ).join('');
    const { outline } = xml as Required<Processor>;
    const lines: string[] = [];
    for await (const { text } of outline(memorySource(`<r><g>${leaf}</g><g/></r>`, 'a.xml'), testContext()))
      lines.push(text);
    expect(lines.length).toBeLessThan(60);
    expect(lines.slice(-2)).toEqual([
      '    (other names) x 50',
      '3 of 5 levels; for more, ask for an element such as `#/r/g`.',
    ]);
  });

  test('UTF-16 reads like UTF-8', async () => {
    const content = '<?xml version="1.0" encoding="UTF-16"?>\n<a>ü漢😀</a>\n';
    expect((await read(Buffer.from(`\ufeff${content}`, 'utf16le'))).text).toBe(content);
  });

  test('a document type too long to check is not called valid', async () => {
    const list = ' a CDATA #IMPLIED'.repeat(20_000);
    const { context } = await run(xml, memorySource(`<!DOCTYPE r [<!ATTLIST r${list}>]><r/>`, 'x.xml'));
    expect(context.facts).toMatchObject({ doctype: true, validated: false });
  });

  test('a document above the size of full validation is rejected for a fault where it shows it', async () => {
    const large = `<a>${'<b>text text text text text text text</b>\n'.repeat(450_000)}</a>`;
    const { context, parts } = await read(large);
    expect(context.facts).toMatchObject({ validated: false, elements: 450_001 });
    expect(parts[0]?.shown[0]).toMatchObject({ to: 50, of: 450_000 });
    expect(await fault(large.replace('<b>', '<b c="&;">'))).toMatch(/^Not well-formed XML: .+ at line 1, /);
    expect(await fault(large.replace('<b>', '<b c>'))).toMatch(/^Not well-formed XML: .+ at line 1, /);
    expect(await fault(large.replace('</b>', '</c>'))).toMatch(/^Not well-formed XML: .+ at line 1, /);
    expect(await fault(large.slice(0, -4))).toMatch(/not closed/);
    expect(await fault(`${large}<b/>`)).toMatch(/second root/);
  });
});
