// What is said when a text is not there: the place that was meant, and how to go on.

import { expect, it } from 'vitest';
import { nearMiss } from '../../src/tools/near-miss.ts';

const FILE = 'import a;\n\nfunction one() {\n\treturn "x";\n}\n\nfunction two() {\n\treturn "y";\n}\n';

const MISSES: readonly (readonly [what: string, wanted: string])[] = [
  ['white space', 'function one() {\n  return "x";\n}'],
  ['curly quotes', 'return \u201cy\u201d;'],
  ['letter case', 'FUNCTION TWO() {'],
  ['line numbers', '3\tfunction one() {\n4\t\treturn "x";'],
  ['line numbers and white space', '3: function one() {\n4:    return "x";'],
  ['a line that is elsewhere', 'function two() {\n\treturn "z";\n}'],
  ['nothing like it', 'class Three {}'],
  ['nothing but blanks', '   \n  '],
];

it('leads to the place that was meant', async () => {
  const said = MISSES.flatMap(([what, wanted]) =>
    [undefined, 'a call'].map(
      (shows) => `${what}, ${shows ?? 'no call'}: ${nearMiss(FILE, wanted, shows)}\n`,
    ),
  );
  await expect(said.join('\n')).toMatchFileSnapshot('near-miss.expected.txt');
});

it('stays short and quick for a file of one long line', () => {
  const text = 'ab '.repeat(500_000);
  const said = nearMiss(text, `${'ab '.repeat(1000)}c`);
  expect(said.length).toBeLessThan(1500);
});
