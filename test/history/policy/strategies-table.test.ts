// Compares the documented table of strategies with the output of the measuring command without a corpus.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { PRESET_NAMES } from '../../../src/history/index.ts';

const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** Table cells by the first cell's name, for rows whose name is in backticks. */
const rowsOf = (text: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    text.split('\n').flatMap((line) => {
      const [name = '', ...cells] = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      const [, preset] = /^`([a-z-]+)`/.exec(name) ?? [];
      return preset === undefined ? [] : [[preset, cells] as const];
    }),
  );

it('has a row for every preset, with its data and six figures', () => {
  const [, measured = ''] = readFileSync(at('docs/history.md'), 'utf8').split('## Measurements');
  const documented = rowsOf(measured);
  const printed = rowsOf(
    execFileSync(process.execPath, [at('test/bench/history.mjs'), '--presets'], { encoding: 'utf8' }),
  );
  expect([...documented.keys()]).toEqual([...PRESET_NAMES]);
  for (const preset of PRESET_NAMES) {
    const cells = documented.get(preset) ?? [];
    expect(cells.slice(0, 3)).toEqual(printed.get(preset));
    expect(cells.slice(3)).toHaveLength(6);
    for (const figure of cells.slice(3)) expect(figure).toMatch(/^(?:\d?\.\d{2,3}|\d+k)$/);
  }
});
