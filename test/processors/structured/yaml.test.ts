import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { Parser, parse, parseAllDocuments } from 'yaml';
import { yaml } from '../../../processors/structured/yaml.ts';
import { type Extent, NotThisFormat, ReaderError, type Selection } from '../../../src/contract/index.ts';
import { memorySource, run, type TestOptions, testContext } from '../../support/context.ts';
import { draws, someOf } from '../../support/draws.ts';
import { samples } from './yaml-samples.ts';

// Draws many cases.
vi.setConfig({ testTimeout: 180_000 });

const read = (text: string, options: TestOptions = {}) => run(yaml, memorySource(text, 'a.yaml'), options);
const at = (pointer: string): { selection: Partial<Selection> } => ({ selection: { pointer } });

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('');

describe('YAML that fits', () => {
  it('is shown as it is spelled', async () => {
    const text =
      '# head\r\ndate: 2024-01-01\r\nwhen: 2001-12-14t21:59:43.10-05:00\nid: 12345678901234567890\nhex: 0x1F\nyes: no\n' +
      'base: &b !t {x: 1}\nuse: *b\n<<: *b\ntext: |+\n  a\n\n__proto__: 1\n\n# end';
    const { text: shown, next, context, parts } = await read(text);
    expect(shown).toBe(text);
    expect(next).toBeUndefined();
    expect(parts[0]?.shown).toEqual([{ unit: 'key', from: 1, to: 10, of: 10, name: '' }]);
    expect(context.facts['documents']).toBe(1);
    expect(context.warnings).toEqual([]);
  });

  it('keeps tags it does not know, and runs none', async () => {
    const text = 'a: !!js/function "function () {}"\nb: !!python/object/apply:os.system [ls]\nc: !x {y: 1}\n';
    expect((await read(text)).text).toBe(text);
  });

  it.each(['', '# only a comment\n', '---\n', 'just text', '- \n'])('shows %j whole', async (text) => {
    expect((await read(text)).text).toBe(text);
  });
});

describe('YAML that does not fit', () => {
  const items = `items:\n${lines(100000, (index) => `  - ${index}\n`)}last: 1\n`;

  it('counts the items it leaves out in a comment', async () => {
    const { text, parts, context } = await read(items);
    expect(text).toContain('  - 49\n  # … 99950 more items\nlast: 1\n');
    expect(parse(text)).toEqual({ items: Array.from({ length: 50 }, (_, index) => index), last: 1 });
    expect(parts[0]?.shown).toContainEqual({ unit: 'item', from: 1, to: 50, of: 100000, name: '/items' });
    expect(context.wholes).toContainEqual({ unit: 'item', of: 100000, name: '/items' });
  });

  it('ends a cut string with the mark and tells its length', async () => {
    const { text } = await read(`a: "${'x'.repeat(2000)}"\nb: |\n${'  line\n'.repeat(400)}`);
    expect(text).toMatch(
      /^a: "x{499}…" # … 499 of 2000 characters\nb: \| # … \d+ of 2000 characters\n {2}line\n/,
    );
    expect(parse(text)).toEqual({
      a: `${'x'.repeat(499)}…`,
      b: expect.stringMatching(/^(line\n)+(line|li?n?)?…\n$/),
    });
  });

  it('marks a level that is too deep', async () => {
    const { text } = await read('a:\n  b:\n    c: {d: {e: {f: 1, g: 2}}}\n');
    expect(text).toBe('a:\n  b:\n    c: {d: {e: {} # … 2 keys: f, g\n      }}\n');
  });

  it('uses a mark that does not occur in the file', async () => {
    const { text } = await read(`a: "…"\nb: "⋯${'x'.repeat(600)}"\n`);
    expect(text).toContain('x‥" # ‥ 499 of 601 characters');
  });

  it('shows an alias as text when its anchor is left out', async () => {
    const { text } = await read(
      `${lines(50, (index) => `k${index}:\n  x: ${index}\n`)}late: &late 1\nuse: *late\n`,
      {
        limits: { maxObjectKeys: 50 },
      },
    );
    expect(text).not.toContain('*late');
    const early = await read(`a: [${'1, '.repeat(60)}&far 2]\nuse: *far\n`);
    expect(early.text).toContain("use: '*far…'");
    expect(parse(early.text)).toHaveProperty('use', '*far…');
  });

  it('pages through documents', async () => {
    const { text, parts, next } = await read(lines(100000, (index) => `---\nid: ${index}\n`));
    expect(text.endsWith('---\nid: 49\n# … 99950 more documents\n')).toBe(true);
    expect(parts[0]?.shown[0]).toEqual({ unit: 'document', from: 1, to: 50, of: 100000 });
    expect(parseAllDocuments(text)).toHaveLength(50);
    expect(next).toBeDefined();
  });

  it('shortens comments before it shortens data', async () => {
    const text = lines(
      40,
      (index) => `${'# a long explanation of the next key\n'.repeat(20)}key${index}: ${index}\n`,
    );
    const { text: shown } = await read(text);
    expect(shown).toContain('more lines of comment\n');
    expect(Object.keys(parse(shown) as object)).toHaveLength(40);
  });

  it.each(someOf([0, 1, 2, 5, 12, 30, 50, 100, 700]))('keeps to %i tokens', async (tokens) => {
    const { view, context } = await read(items, { tokens });
    expect(context.budget.count(view)).toBeLessThanOrEqual(context.budget.tokensBesideNotes);
    if (tokens === 0) expect(context.wholes).toEqual([{ unit: 'key', of: 2, name: '' }]);
    else expect(view).not.toBe('');
  });
});

describe('a walk', () => {
  /** Offsets of `extents` in `text`, by the lines and characters they name. */
  function place(text: string, extents: readonly Extent[]): { from: number; to: number } {
    const starts = [0];
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
    const spans = extents.map(({ unit, from, to, name }) => {
      if (unit === 'line') return { from: starts[from - 1] ?? 0, to: starts[to] ?? text.length };
      const start = starts[Number(name?.slice(5)) - 1] ?? 0;
      return { from: start + from - 1, to: start + to };
    });
    return {
      from: Math.min(...spans.map(({ from }) => from)),
      to: Math.max(...spans.map(({ to }) => to)),
    };
  }

  async function walk(
    text: string,
    tokens: number,
  ): Promise<{ first: string; rest: string[]; covered: number }> {
    const first = await read(text, { tokens });
    const rest: string[] = [];
    let covered = 0;
    let last = -1;
    for (let next = first.next, steps = 0; next && steps < 5000; steps++) {
      const page = await read(text, { tokens, selection: { resume: next.position } });
      expect(page.parts.length).toBeGreaterThan(0);
      for (const part of page.parts) {
        if (part.kind !== 'text') continue;
        const { from, to } = place(text, part.shown);
        expect(text.slice(from, to)).toBe(part.text);
        expect(from).toBeGreaterThanOrEqual(last);
        last = to;
        covered += to - from;
        rest.push(part.text);
      }
      expect(page.context.budget.count(page.view)).toBeLessThanOrEqual(page.context.budget.tokensBesideNotes);
      next = page.next;
    }
    return { first: first.text, rest, covered };
  }

  it('delivers exactly what the view left out, at any budget', async () => {
    await fc.assert(
      fc.asyncProperty(samples(true), fc.integer({ min: 12, max: 600 }), async ({ text }, tokens) => {
        const { first, covered } = await walk(text, tokens);
        // The view without its marks, and the pages, make up the file.
        if (covered === 0) expect(first).toBe(text);
        else expect(covered).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: draws(60) },
    );
  });

  it('goes on with the gap of a list and ends', async () => {
    const text = `a:\n${lines(300, (index) => `  - value ${index}\n`)}b: 1\n`;
    const { rest } = await walk(text, 400);
    expect(rest.join('')).toMatch(/^ {2}- value \d+\n/);
    expect(rest.join('').endsWith('  - value 299\n')).toBe(true);
  });

  it('goes on inside one long line', async () => {
    const text = `a: [${lines(3000, (index) => `${index}, `)}]\n`;
    const { first, rest } = await walk(text, 300);
    const kept = first.slice(0, first.indexOf(', # …'));
    expect(`${kept}${rest.join('')}]\n`).toBe(text);
  });

  it('names the place above a page', async () => {
    const text = `a:\n  b:\n${lines(300, (index) => `    - value ${index}\n`)}`;
    const { next } = await read(text);
    const page = await read(text, { selection: { resume: next?.position ?? [] } });
    expect(page.view.startsWith('# /a/b, from line 53\n    - value 50\n')).toBe(true);
  });

  it.each([
    [[]],
    [['view', 1, 2, 3]],
    [['view', -1, 1, 1, 1, 1, 3]],
    [['source', 1e9]],
    [['source', 1.5]],
    [['x', 0]],
    [['source', 'a']],
  ])('refuses the position %j', async (resume) => {
    const error = await failure(read('a: 1\n', { selection: { resume } }));
    expect(error).toBeInstanceOf(ReaderError);
    expect(error).toHaveProperty('code', 'STALE_CURSOR');
  });
});

describe('a pointer', () => {
  const text =
    'a:\n  - name: x\n    list:\n      - 1\n      - 2\n  - *z\nb/c: {d~e: "q"}\nbase: &z\n  deep: yes\n';
  const fixed = text.replace('  - *z\n', '').replace('deep: yes\n', 'deep: yes\nalias: *z\n');

  it.each([
    ['/a/0', '    name: x\n    list:\n      - 1\n      - 2\n'],
    ['/a/0/list', '      - 1\n      - 2\n'],
    ['/a/0/list/1', '2'],
    ['/b~1c', '{d~e: "q"}'],
    ['/b~1c/d~0e', '"q"'],
    ['/base', '&z\n  deep: yes'],
    ['/alias/deep', 'yes'],
    ['', fixed],
  ])('%s shows its value', async (pointer, expected) => {
    expect((await read(fixed, at(pointer))).text).toBe(expected);
  });

  it('names a document of several first', async () => {
    const several = 'a: 1\n---\nb:\n  c: 2\n---\n- x\n';
    expect((await read(several, at('/1/b/c'))).text).toBe('2');
    expect((await read(several, at('/2'))).text).toBe('- x\n');
  });

  it.each([
    ['/a/7', /`\/a` is an array of 1 item; its items are 0 to 0/],
    ['/nope', /the root is an object without the key `nope`/],
    ['/a/0/name/x', /is a scalar/],
    ['a', /expected a JSON Pointer/],
    ['/a/01', /an array of 1 item/],
  ])('%s that leads nowhere says what is there', async (pointer, message) => {
    const error = await failure(read(fixed, at(pointer)));
    expect(error).toHaveProperty('code', 'BAD_INPUT');
    expect(error).toHaveProperty('message', expect.stringMatching(message));
  });
});

describe('as JSON', () => {
  const json = (text: string, more: Partial<Selection> = {}) =>
    read(text, { selection: { format: 'json', ...more } });

  it('keeps digits, order and the text of dates', async () => {
    const { text } = await json(
      'b: 12345678901234567890\na: 2024-01-01\nc: [0x10, 0o17, +1.50, .5, ~, True, "1"]\n',
    );
    expect(JSON.parse(text)).toMatchObject({
      a: '2024-01-01',
      c: [16, 15, 1.5, 0.5, null, true, '1'],
    });
    expect(text).toContain('"b": 12345678901234567890');
    expect(text.indexOf('"b"')).toBeLessThan(text.indexOf('"a"'));
  });

  it('follows aliases and stops at a circle', async () => {
    expect(JSON.parse((await json('a: &a {x: 1}\nb: *a\n')).text)).toEqual({ a: { x: 1 }, b: { x: 1 } });
    expect(JSON.parse((await json('a: &a\n  <<: *a\n  b: 1\n')).text)).toEqual({ a: { '<<': '*a', b: 1 } });
    expect(JSON.parse((await json('a: &k name\n*k : 1\n')).text)).toEqual({ a: 'name', name: 1 });
  });

  it('expands no alias where that would nest too deep', async () => {
    let text = 'a0: &x0 1\n';
    for (let i = 1; i <= 400; i++) text += `a${i}: &x${i} ${'['.repeat(150)}*x${i - 1}${']'.repeat(150)}\n`;
    const { text: made } = await json(text, { pointer: '/a400' });
    expect(made).toContain('array of 1 item');
  });

  it('refuses what aliases would make too long', async () => {
    const bomb = `s: &s "${'x'.repeat(1e6)}"\nl:\n${'- *s\n'.repeat(99)}`;
    expect(await failure(json(bomb))).toHaveProperty('code', 'LIMIT_EXCEEDED');
  });

  it('gives several documents as an array', async () => {
    expect(JSON.parse((await json('a: 1\n---\n- 2\n')).text)).toEqual([{ a: 1 }, [2]]);
  });

  it('takes a pointer', async () => {
    expect(JSON.parse((await json('a: {b: [1, 2]}\n', { pointer: '/a/b' })).text)).toEqual([1, 2]);
  });
});

describe('what is not YAML', () => {
  it.each([
    ['a: b: c\n', 'line 1, column 4'],
    ['a: 1\n\tb: 2\n', 'line 2'],
    ['a: [1, 2\nb: 3\n', 'line 2'],
    ['a: "x\n', 'line 2'],
    ['%YAML 1.2\n%YAML 1.2\n---\na\n', 'line 2, column 1'],
    ['- *nope\n', 'line 1, column 3'],
    ['['.repeat(5000), 'nested deeper than 200 levels at line 1'],
    ['- '.repeat(20000), 'nested deeper than 200 levels at line 1'],
    [`[${','.repeat(100000)}]`, 'line 1'],
  ])('%.20j is refused with its place', async (text, place) => {
    const error = await failure(read(text));
    expect(error).toBeInstanceOf(NotThisFormat);
    expect(error).toHaveProperty('warning.code', 'INVALID_SYNTAX');
    expect(error).toHaveProperty('message', expect.stringContaining(place));
  });

  it('is what has too much syntax, which is counted when little is parsed', async () => {
    const parsed = vi.spyOn(Parser.prototype, 'next');
    const error = await failure(read('- a\n'.repeat(320_000)));
    expect(error).toHaveProperty('warning', {
      code: 'NOT_VALIDATED',
      message: 'Not read as YAML: the file has more than 1500000 pieces of syntax.',
    });
    expect(parsed.mock.calls.length).toBeLessThan(100_000);
    parsed.mockRestore();
  });

  it.each(['['.repeat(1_000_000), '}\n'.repeat(600_000)])(
    'is an error at the start of much syntax: %.4j',
    async (text) => {
      const error = await failure(read(text));
      expect(error).toHaveProperty('warning.code', 'INVALID_SYNTAX');
    },
  );

  it('is what exceeds the limits of a tree', async () => {
    const limits = { maxTreeBytes: 1000 };
    const text = 'a: 1 # comment\n'.repeat(100);
    expect(await failure(read(text, { limits }))).toHaveProperty('warning.code', 'NOT_VALIDATED');
    expect(await failure(read(text, { limits, ...at('/a') }))).toHaveProperty('code', 'LIMIT_EXCEEDED');
    expect((await read(text, { limits, selection: { all: true } })).text).toBe(text);
  });
});

it('warns of keys that occur twice, and shows them', async () => {
  const text = 'a: 1\nb: {c: 1, c: 2}\na: 3\n';
  const { text: shown, context } = await read(text);
  expect(shown).toBe(text);
  expect(context.warnings.map(({ code }) => code)).toEqual(['DUPLICATE_KEYS']);
  expect(context.warnings[0]?.message).toContain('`c` on line 2, `a` on line 3');
});

it('finds the first of duplicate keys, and warns of what the pointer and the value repeat', async () => {
  const text = 'a: 1\nb: {c: 1, c: 2}\na: {d: 3, d: 4}\ne: 5\n';
  const messages = async (pointer: string, format?: 'json'): Promise<[string, string[]]> => {
    const { text: shown, context } = await read(text, { selection: { pointer, ...(format && { format }) } });
    return [shown.trim(), context.warnings.map(({ message }) => message)];
  };
  const first = '`a` in `pointer` occurs more than once in the same object; the first is used.';
  expect(await messages('/a')).toEqual(['1', [first]]);
  const [shown, warned] = await messages('/a', 'json');
  expect(shown).toBe('1');
  expect(new Set(warned)).toEqual(new Set([first]));
  const inside = 'Duplicate keys in one mapping: `c` on line 2; parsers differ on which one they use.';
  expect(await messages('/b')).toEqual(['{c: 1, c: 2}', [inside]]);
  expect(await messages('/e')).toEqual(['5', []]);
});

it('never expands an alias bomb', async () => {
  const names = 'abcdefghi';
  const text = `a: &a [x, x]\n${[...names.slice(1)].map((name, index) => `${name}: &${name} [${Array(9).fill(`*${names[index]}`).join(', ')}]\n`).join('')}`;
  expect((await read(text)).text).toBe(text);
});

it('outlines its schema', async () => {
  const source = memorySource('a: {b: 1, c: [1, 2]}\nd: text\n"odd key": ~\n', 'a.yaml');
  const context = testContext({ selection: { outline: true } });
  const lines = [];
  for await (const { text } of yaml.outline?.(source, context) ?? []) lines.push(`${text}\n`);
  expect(lines.join('')).toMatchInlineSnapshot(`
    "object of 3 keys
    a: {2 keys}
      b: number
      c: [number 1..2 x 2]
    d: string
    "odd key": null
    "
  `);
});

it('has a line that names the place above each piece of what was left out', async () => {
  const text = lines(40, (index) => `key${index}: ${`word${index} `.repeat(120 + 13 * index).trim()}\n`);
  const source = memorySource(text, 'a.yaml');
  for (const tokens of [500, 1000, 2000]) {
    let page = await run(yaml, source, { tokens });
    while (page.next) {
      page = await run(yaml, source, { tokens, selection: { resume: page.next.position } });
      for (const part of page.parts)
        expect(part.kind === 'text' && (part.view ?? part.text).split('\n')[0]).toMatch(/^# .*\bline \d+/);
    }
  }
});

it('stops when asked', async () => {
  const error = await failure(
    read(
      lines(100000, (index) => `k${index}: 1\n`),
      { signal: AbortSignal.abort() },
    ),
  );
  expect(error).toHaveProperty('code', 'ABORTED');
});
