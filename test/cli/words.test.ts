// Errors of a read name the flags that a person typed, not the fields of the library's request.

import { expect, it } from 'vitest';
import { inFlags } from '../../src/cli/options.ts';
import { createReader, type ReadRequest } from '../../src/index.ts';

const reader = createReader({ cache: false, environment: {} });

it.each<readonly [ReadRequest, string]>([
  [
    { rows: 'x' },
    '`--rows` is `x`; expected a range such as `201-400`, `201-`, `7` or `-100` (the last 100). Write `--rows` as `"1-100"`; counting starts at 1.',
  ],
  [
    { pages: '1' },
    '`--pages` cannot be used with csv files. Use `--rows`, `--columns`, `--no-header`, `--bytes` here, or omit `--pages`.',
  ],
  [
    { columns: 'rows' },
    'There is no column `rows`: the table has 2 columns: `row`, `name`. Did you mean `row`?',
  ],
  [
    { maxTokens: 5, overflow: 'error' },
    'The file needs 9 tokens, more than the 5 allowed. Use `--max-tokens 9`, or `--all` for the whole file.',
  ],
])('for %j', async (request, said) => {
  const result = await reader.read({ name: 'a.csv', bytes: Buffer.from('row,name\n1,x\n2,y\n') }, request);
  if (result.success) throw new Error(result.text);
  const { message, hint } = inFlags(result.error);
  expect(`${message} ${hint}`).toBe(said);
});

it('name a limit by its flag', () => {
  const said = (code: string, message: string, hint: string): string => {
    const typed = inFlags({ code, message, hint });
    return `${typed.message} ${typed.hint}`;
  };
  expect(
    said(
      'OVER_BUDGET',
      'The file has 8 characters, more than the 5 that `maxTotalOutput` allows.',
      'Set `maxTotalOutput` to 8, or `all` to true for the whole file.',
    ),
  ).toBe(
    'The file has 8 characters, more than the 5 that `--max-total-output` allows. Use `--max-total-output 8`, or `--all` for the whole file.',
  );
  expect(
    said('TIMED_OUT', 'Reading took longer than allowed (limit `maxReadMilliseconds`).', 'Read less.'),
  ).toBe('Reading took longer than allowed (limit `--max-read-ms`). Read less.');
});
