import { describe, expect, test } from 'vitest';
import { notebook } from '../../../processors/structured/notebook.ts';
import { memorySource, run, type TestOptions } from '../../support/context.ts';

const read = (value: unknown, options?: TestOptions): ReturnType<typeof run> =>
  run(notebook, memorySource(typeof value === 'string' ? value : JSON.stringify(value), 'x.ipynb'), options);

const stream = (text: string): object => ({ output_type: 'stream', name: 'stdout', text });
const code = (source: string | string[], ...outputs: object[]): object => ({
  cell_type: 'code',
  execution_count: 3,
  source,
  outputs,
});
const book = (...cells: object[]): object => ({
  nbformat: 4,
  nbformat_minor: 5,
  metadata: { kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' } },
  cells,
});

describe('a notebook', () => {
  test('is its cells in order, with their outputs', async () => {
    const picture = Buffer.alloc(3000, 7).toString('base64');
    const { text, context, next } = await read(
      book(
        { cell_type: 'markdown', source: ['# Title\n', 'Words'] },
        code(
          'print("hi")\n1 + 1',
          stream('hi\n'),
          { output_type: 'execute_result', data: { 'text/plain': ['2'], 'image/png': picture } },
          {
            output_type: 'error',
            ename: 'E',
            evalue: 'bad',
            traceback: ['\u001b[31mTraceback\u001b[0m', 'E: bad'],
          },
          { output_type: 'display_data', data: { 'text/html': '<b>x</b>' } },
        ),
        { cell_type: 'raw', source: 'raw text' },
      ),
    );
    expect(text).toBe(
      [
        '[1] markdown\n\n# Title\nWords\n\n',
        '[2] code, run 3\n\n```python\nprint("hi")\n1 + 1\n```\n\n',
        'Output 1, stdout:\n```\nhi\n```\n\n',
        'Output 2, (image/png, 3000 bytes, not shown):\n```\n2\n```\n\n',
        'Output 3, error:\n```\nTraceback\nE: bad\n```\n\n',
        'Output 4: (text/html, 8 characters, not shown)\n\n',
        '[3] raw\n\nraw text\n\n',
      ].join(''),
    );
    expect(next).toBeUndefined();
    expect(context.facts).toEqual({ cells: 3, language: 'python', kernel: 'Python 3', nbformat: '4.5' });
    expect(context.wholes).toEqual([{ unit: 'item', of: 3, name: 'cells' }]);
  });

  test('of an old format reads alike', async () => {
    const { text } = await read({
      nbformat: 3,
      worksheets: [
        {
          cells: [
            { cell_type: 'heading', level: 2, source: 'Part' },
            {
              cell_type: 'code',
              language: 'python',
              prompt_number: 1,
              input: 'x',
              outputs: [{ output_type: 'pyout', text: '1', png: 'AAAA' }],
            },
          ],
        },
      ],
    });
    expect(text).toBe(
      '[1] heading\n\n## Part\n\n[2] code, run 1\n\n```python\nx\n```\n\nOutput 1, (image/png, 3 bytes, not shown):\n```\n1\n```\n\n',
    );
  });

  test('keeps fences closed and shows what a terminal would show last', async () => {
    const { text } = await read(book(code('s = """\n```\n"""', stream('10%\r50%\r100%\nok\r\n'))));
    expect(text).toContain('````python\ns = """\n```\n"""\n````');
    expect(text).toContain('```\n100%\nok\n```');
  });

  test('cuts long outputs in a view, says so in lines, and gives them whole in a walk', async () => {
    const long = Array.from({ length: 4000 }, (_, i) => `line ${i}`).join('\n');
    const cells = [code('a', stream('first\n')), code('b', stream(long)), code('c', stream('last\n'))];
    const first = await read(book(...cells), { tokens: 2000 });
    expect(first.text).toContain('(… 3970 more lines of this output)');
    expect(first.text).toContain('last');
    expect(first.parts[0]?.shown).toEqual([
      { unit: 'item', from: 1, to: 3, of: 3, name: 'cells' },
      { unit: 'line', from: 1, to: 30, of: 4000, name: 'cell 2, output 1' },
    ]);
    let text = '';
    let page = first;
    while (page.next) {
      page = await read(book(...cells), { tokens: 2000, selection: { resume: page.next.position } });
      text += page.text;
      expect(page.context.budget.fits(page.view, page.context.budget.tokens, 50_000)).toBe(true);
    }
    const whole = await read(book(...cells), { selection: { all: true } });
    expect(whole.text).toContain(text);
    expect(text).toContain('line 3999');
    expect(text.startsWith('[2] code')).toBe(true);
  });

  test('pages by cell, and inside a cell that is larger than a page', async () => {
    const cells = Array.from({ length: 30 }, (_, i) => ({
      cell_type: 'markdown',
      source: i === 7 ? 'word '.repeat(3000) : `Cell ${i}`,
    }));
    let page = await read(book(...cells), { tokens: 300 });
    let text = page.text;
    for (let pages = 0; page.next; pages++) {
      expect(pages).toBeLessThan(100);
      page = await read(book(...cells), { tokens: 300, selection: { resume: page.next.position } });
      text += page.text;
    }
    expect(text).toBe((await read(book(...cells), { selection: { all: true } })).text);
  });

  test('by rows and by pointer', async () => {
    const cells = [code('a'), code('b'), code('c')];
    expect((await read(book(...cells), { selection: { rows: { from: 2, to: 2 } } })).text).toBe(
      '[2] code, run 3\n\n```python\nb\n```\n\n',
    );
    expect((await read(book(...cells), { selection: { pointer: '/cells/2/source' } })).text).toBe('"c"');
  });

  test('that is none is read as the JSON it is', async () => {
    expect((await read('{"a": [1]}')).text).toBe('{"a": [1]}');
    await expect(read('{"cells": [')).rejects.toMatchObject({ warning: { code: 'INVALID_SYNTAX' } });
  });

  test('with nonsense in every field throws nothing', async () => {
    const odd = [
      null,
      1,
      'x',
      [],
      { outputs: 1 },
      { cell_type: 5, source: { a: 1 }, outputs: [null, { data: 3 }] },
    ];
    const { text } = await read({ nbformat: 4, cells: odd, metadata: [] });
    expect(text).toContain('[6] cell');
  });

  test('a foreign position is stale', async () => {
    for (const resume of [
      ['cell', 9, 0, 1, 0],
      ['cell', 1, -1, 1, 0],
      ['cell', 'x'],
      ['cell', 1, 0, 7, 0],
    ])
      await expect(read(book(code('a')), { selection: { resume } })).rejects.toMatchObject({
        code: 'STALE_CURSOR',
      });
  });
});
