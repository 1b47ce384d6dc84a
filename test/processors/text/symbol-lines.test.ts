import { describe, expect, it } from 'vitest';
import { createReader } from '../../../src/index.ts';

const CODE = `import { a } from 'a';

/** Reads files. */
export class Reader {
  #at = 0;

  /**
   * Reads one.
   * @param path where it is
   */
  @logged
  read(path: string): string {
    return path;
  }

  close(): void {}
}

export class Writer {
  // Says goodbye.
  close(): void {
    done();
  }
}

export function load(a: string): string;
export function load(a: number): number;
export function load(a: unknown): unknown {
  return a;
}
`;

const reader = createReader();
const read = (request: object, name = 'a.ts', text = CODE) =>
  reader.read({ name, bytes: Buffer.from(text) }, request);

describe('symbol', () => {
  it('shows one definition with the comment and the annotations above it', async () => {
    const answer = await read({ symbol: 'Reader.read' });
    expect(answer).toMatchObject({ success: true });
    expect(answer.success && answer.content).toMatchObject([
      {
        text: CODE.split('\n').slice(6, 14).join('\n').concat('\n'),
        at: [{ unit: 'line', from: 7, to: 14 }],
      },
    ]);
    expect(await read({ symbol: 'read' })).toMatchObject({ content: answer.success && answer.content });
    expect(await read({ symbol: 'reader::READ' })).toMatchObject({
      content: answer.success && answer.content,
    });
  });

  it('shows overloads together, and numbers lines where asked', async () => {
    const answer = await read({ symbol: 'load', numbered: true });
    expect(answer.success && answer.text).toContain('26: export function load(a: string)');
    expect(answer.success && answer.text).toContain('30: }');
  });

  it('walks a long definition to its end and no further', async () => {
    const long = `function first() {\n${'  step();\n'.repeat(400)}}\n\nfunction second() {}\n`;
    let walked = '';
    let cursor: string | undefined;
    do {
      const answer = await read(
        { maxTokens: 300, ...(cursor === undefined ? { symbol: 'first' } : { cursor }) },
        'a.js',
        long,
      );
      if (!answer.success) throw new Error(answer.error.message);
      for (const part of answer.content) if (part.kind === 'text') walked += part.text;
      const last = answer.content.at(-1);
      const at = last?.kind === 'text' ? last.at[0]?.to : undefined;
      cursor = at === 402 ? undefined : answer.truncation?.next?.cursor;
      if (at !== 402)
        expect(answer.truncation?.next?.request).toMatchObject({ lines: `${(at ?? 0) + 1}-402` });
    } while (cursor !== undefined);
    expect(walked).toBe(long.slice(0, long.indexOf('\n\nfunction second') + 1));
  });

  it.each([
    [
      'close',
      'a.ts',
      '2 definitions are named `close`: `Reader.close` (lines 16-16), `Writer.close` (lines 21-23).',
    ],
    ['raed', 'a.ts', 'No definition of `raed` in this file.'],
    ['x', 'a.txt', '`symbol` cannot be used with text files.'],
    ['x', 'a.sql', '`symbol` is not available for `.sql` files.'],
    [' ', 'a.ts', '`symbol` is empty.'],
  ])('refuses %j in %s with a next step', async (symbol, name, message) => {
    expect(await read({ symbol }, name)).toMatchObject({
      success: false,
      error: { code: 'BAD_INPUT', message },
    });
  });

  it('names what is near', async () => {
    expect(await read({ symbol: 'raed' })).toMatchObject({ error: { hint: 'Did you mean `Reader.read`?' } });
    expect(await read({ symbol: 'Reader', lines: '1-2' })).toMatchObject({ success: false });
  });

  const ROUTES = `package mux

type Route struct{}

func (r *Route) Match(s string) bool { return true }

type Set[T any] struct{}

func (m Set[T]) Match(s string) bool { return false }
`;

  it.each([
    ['Route.Match', 'a.go', ROUTES, 5],
    ['(*Route).Match', 'a.go', ROUTES, 5],
    ['func (r *Route) Match(s string) bool', 'a.go', ROUTES, 5],
    ['Set.Match', 'a.go', ROUTES, 9],
    ['type Route struct', 'a.go', ROUTES, 3],
    ['Foo.baz', 'a.js', 'function Foo() {}\nFoo.prototype.baz = function () {};\n', 2],
    ['Foo.prototype.baz', 'a.js', 'function Foo() {}\nFoo.prototype.baz = function () {};\n', 2],
    ['Foo.bar', 'a.js', 'function Foo() {}\nFoo.prototype = {\n  bar() {},\n};\n', 3],
    ['exports.go', 'a.js', 'let a;\nexports.go = () => a;\n', 2],
    ['Shape::area', 'a.cc', 'int area() { return 0; }\nint geo::Shape::area() { return 1; }\n', 2],
    ['def error', 'a.py', 'x = 1\ndef error(self):\n    pass\n', 2],
    ['class Namespace', 'a.py', 'x = 1\nclass Namespace(Base):\n    pass\n', 2],
    ['class Namespace extends Base {', 'a.ts', 'let x;\nclass Namespace extends Base {}\n', 2],
    ['operator bool', 'a.cc', 'struct S {\n  int bool_;\n  operator bool() const;\n};\n', 3],
  ])('finds %s in %s', async (symbol, name, text, from) => {
    const answer = await read({ symbol }, name, text);
    expect(answer.success && answer.content).toMatchObject([{ at: [{ unit: 'line', from }] }]);
  });

  it('proposes names only where they tell definitions apart', async () => {
    expect(await read({ symbol: 'Match' }, 'a.go', ROUTES)).toMatchObject({
      error: {
        message: '2 definitions are named `Match`: `Route.Match` (lines 5-5), `Set.Match` (lines 9-9).',
        hint: 'Set `symbol` to one of these names, or use its `lines`.',
      },
    });
    const twice = `if (a) {\n  function f() {}\n}\n${'\n'.repeat(40)}if (b) {\n  function f() {}\n}\n`;
    expect(await read({ symbol: 'f' }, 'a.js', twice)).toMatchObject({
      error: { hint: 'Use the `lines` of one.' },
    });
  });
});
