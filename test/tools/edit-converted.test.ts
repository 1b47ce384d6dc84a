// edit_file in files that read_file shows converted: notebooks are edited in their cells, sources of pages as they are,
// and other formats are refused.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { textOf } from '../../src/tools/index.ts';
import { makePlace } from './place.ts';

async function edit(
  content: string,
  args: Record<string, unknown>,
  path: string,
): Promise<{ readonly said: string; readonly isError: boolean; readonly after: string }> {
  const place = await makePlace({});
  try {
    await writeFile(join(place.root, path), content);
    const answer = await place.run('edit_file', { path, ...args });
    return {
      said: textOf(answer),
      isError: answer.isError,
      after: await readFile(join(place.root, path), 'utf8'),
    };
  } finally {
    await place.remove();
  }
}

/** A notebook as Jupyter writes it, with numbers and escapes that JSON would write differently. */
const NOTEBOOK = `{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": [
    "# Sales\\n",
    "of a \\"year\\""
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "metadata": {},
   "outputs": [{"output_type": "execute_result", "data": {"application/json": {"x": 1.0, "y": 12345678901234567890}}}],
   "source": "total = 1\\nprint(total)"
  },
  {
   "cell_type": "code",
   "execution_count": null,
   "metadata": {},
   "outputs": [],
   "source": []
  }
 ],
 "metadata": {"language_info": {"name": "python"}},
 "nbformat": 4,
 "nbformat_minor": 5
}
`;

describe('a notebook', () => {
  it('is edited in the sources of its cells, and keeps every other byte', async () => {
    const { said, after } = await edit(
      NOTEBOOK,
      { old_text: 'print(total)', new_text: 'print("of\\n", total)\n' },
      'a.ipynb',
    );
    expect(said).toMatch(/^Edited `a\.ipynb` in cell 2 \(code\), leaving all outputs as they were;/);
    expect(after).toBe(NOTEBOOK.replace('nprint(total)"', String.raw`nprint(\"of\\n\", total)\n"`));
  });

  it('keeps sources that are lists of lines in that form', async () => {
    const edits = [
      { old_text: 'of a "year"', new_text: 'of two\nyears' },
      { old_text: '# Sales\n', new_text: '# Höhe\n' },
    ];
    const { after } = await edit(NOTEBOOK, { edits }, 'a.ipynb');
    expect(after).toBe(
      NOTEBOOK.replace('"# Sales\\n"', '"# Höhe\\n"').replace(
        '    "of a \\"year\\""',
        '    "of two\\n",\n    "years"',
      ),
    );
  });

  it('takes a diff, and the same text in several cells on request', async () => {
    const patch = '@@\n-total = 1\n+total = 2\n print(total)\n';
    expect(JSON.parse((await edit(NOTEBOOK, { patch }, 'a.ipynb')).after).cells[1].source).toBe(
      'total = 2\nprint(total)',
    );
    const all = { old_text: 'a', new_text: 'A', replace_all: true };
    const { said, after } = await edit(NOTEBOOK, all, 'a.ipynb');
    expect(said).toContain('in cell 1 (markdown), cell 2 (code)');
    expect(JSON.parse(after).cells[0].source.join('')).toBe('# SAles\nof A "yeAr"');
  });

  it('is not edited across cells, by line numbers, or in its outputs', async () => {
    for (const [args, words] of [
      [{ old_text: '"year"\ntotal', new_text: 'x' }, 'spans two cells'],
      [{ insert_line: 1, new_text: 'x' }, '`insert_line` does not apply'],
      [{ old_text: 'execute_result', new_text: 'x' }, 'is not in `a.ipynb`'],
      [{ old_text: 'total', new_text: 'x' }, 'occurs 2 times'],
    ] as const) {
      const { said, isError, after } = await edit(NOTEBOOK, args, 'a.ipynb');
      expect(said).toContain(words);
      expect([isError, after]).toEqual([true, NOTEBOOK]);
    }
  });

  it('of an old format keeps its form', async () => {
    const old =
      '{"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "language": "python", "input": ["a = 1\\n", "b"], "outputs": []}]}]}';
    const { after } = await edit(old, { old_text: 'a = 1', new_text: 'a = 2' }, 'a.ipynb');
    expect(after).toBe(old.replace('a = 1', 'a = 2'));
  });

  it('with a key twice is left as it is where the wrong one would change', async () => {
    const twice = '{"nbformat": 4, "cells": [{"cell_type": "code", "source": "one", "source": "two"}]}';
    const { said, after } = await edit(twice, { old_text: 'two', new_text: 'three' }, 'a.ipynb');
    expect(said).toContain('in an unusual form; nothing was changed');
    expect(after).toBe(twice);
  });

  it('that is not valid JSON is edited as the text it is shown as', async () => {
    const { after } = await edit('{"cells": [', { old_text: '[', new_text: '[]}' }, 'a.ipynb');
    expect(after).toBe('{"cells": []}');
  });
});

describe('a format that is shown converted', () => {
  it.each([
    ['a.rtf', '{\\rtf1\\ansi Gr\\u252?n und f\\u252?r}', 'Gr'],
    ['a.eml', 'From: a@example.com\nTo: b@example.com\nSubject: x\n\nfor you\n', 'for'],
    [
      'a.fodt',
      '<?xml version="1.0"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text><text:p>for you</text:p></office:text></office:body></office:document>',
      'for',
    ],
  ])('%s is not changed, and the answer says what to do', async (path, content, old) => {
    const { said, isError, after } = await edit(content, { old_text: old, new_text: 'für' }, path);
    expect([isError, after]).toEqual([true, content]);
    expect(said).toMatch(/^Error UNSUPPORTED_FORMAT: .* is shown as converted text/);
    expect(said).toContain('Write the changed text to a new file');
  });

  it('is edited in its source where people write it by hand', async () => {
    const page = '<!doctype html>\n<p>for you</p>\n';
    const { said, after } = await edit(page, { old_text: '<p>for', new_text: '<p>für' }, 'a.html');
    expect(after).toBe(page.replace('for', 'für'));
    expect(said).toMatch(/^Edited `a\.html` at line 2 of its source;/);
  });
});
