// Real notebooks of nbformat 2 to 4.5: each reads, and its walk gives every cell.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { notebook } from '../../processors/structured/notebook.ts';
import { memorySource, run } from '../support/context.ts';

const corpus = process.env['LECTERN_CORPUS'] ?? '';

describe.runIf(corpus !== '')('real notebooks', () => {
  const folder = join(corpus, 'ipynb');
  const names =
    corpus === ''
      ? []
      : readdirSync(folder, { recursive: true })
          .map(String)
          .filter((name) => name.endsWith('.ipynb'));

  test('are there', () => expect(names.length).toBeGreaterThan(10));

  test.each(names)('pages through %s', async (name) => {
    const bytes = readFileSync(join(folder, name));
    const whole = await run(notebook, memorySource(bytes, name), { selection: { all: true } });
    const content: string[] = [];
    const seen = new Set<number>();
    let page = await run(notebook, memorySource(bytes, name), { tokens: 400 });
    for (let number = 0; ; number++) {
      expect(page.context.budget.fits(page.view, page.context.budget.tokens, 50_000)).toBe(true);
      for (const part of page.parts)
        for (const { unit, name: of, from, to } of part.shown)
          if (unit === 'item' && of === 'cells') for (let cell = from; cell <= to; cell++) seen.add(cell);
      content.push(page.text);
      if (!page.next) break;
      expect(number).toBeLessThan(2000);
      page = await run(notebook, memorySource(bytes, name), {
        tokens: 400,
        selection: { resume: page.next.position },
      });
    }
    const { cells } = whole.context.facts;
    if (typeof cells === 'number') expect(seen.size).toBe(cells);
    else expect(whole.text).toBe(bytes.toString('utf8'));
    expect(whole.view.includes('\u001b')).toBe(false);
  });
});
