// No answer of a reader with `redact` holds a part of a planted secret, by whatever entry, format and cut.

import { describe, expect, it } from 'vitest';
import { createReader, type Input, type ReadRequest } from '../../src/index.ts';
import { workbookOf } from '../support/workbook.ts';
import { zipOf } from '../support/zip.ts';
import { leakIn, PLANTED, SECRET_FILES } from './secret-files.ts';

const reader = createReader({ redact: true, cache: false, environment: {} });
const inputOf = (name: string): Input => ({ name, bytes: Buffer.from(SECRET_FILES[name] ?? '') });
const names = Object.keys(SECRET_FILES);
const shown = (value: unknown): string =>
  JSON.stringify(value, (_, one) => (one instanceof Uint8Array ? '' : one)).replaceAll('\\\\', '\\');

const REQUESTS: readonly ReadRequest[] = [
  {},
  { maxTokens: 300 },
  { all: true },
  { overflow: 'outline', maxTokens: 400 },
  { format: 'json' },
  { format: 'text' },
  { format: 'markdown' },
  { numbered: true },
  { lines: '7-13' },
  { maxTokens: 40 },
];

describe.each(names)('%s', (name) => {
  it('shows no secret in any view', async () => {
    for (const request of REQUESTS) {
      const answer = await reader.read(inputOf(name), request);
      expect(leakIn(shown(answer)), JSON.stringify(request)).toBeUndefined();
    }
  });

  it.each([60, 350])('shows none in a walk of %i tokens a step', async (maxTokens) => {
    let cursor: string | undefined;
    for (let step = 0; step < 400; step += 1) {
      const answer = await reader.read(inputOf(name), { maxTokens, ...(cursor !== undefined && { cursor }) });
      expect(leakIn(shown(answer)), `step ${step}`).toBeUndefined();
      if (!answer.success) break;
      cursor = answer.truncation?.next?.cursor;
      if (cursor === undefined) break;
    }
  });

  it('shows none in facts, chunks, streams and what is searched', async () => {
    expect(leakIn(shown(await reader.inspect(inputOf(name), { maxTokens: 2000 })))).toBeUndefined();
    for await (const chunk of reader.chunks(inputOf(name), { maxTokens: 100 }))
      expect(leakIn(shown(chunk))).toBeUndefined();
    for await (const part of reader.stream(inputOf(name))) expect(leakIn(shown(part))).toBeUndefined();
    for await (const part of reader.searchable(inputOf(name))) expect(leakIn(shown(part))).toBeUndefined();
    const { sections } = await reader.sections(inputOf(name));
    expect(leakIn(shown(sections))).toBeUndefined();
  });
});

it('counts what it replaces, by kind and place', async () => {
  const answer = await reader.read(inputOf('plain.txt'), { all: true });
  const [warning] = answer.success ? answer.warnings : [];
  expect(warning?.code).toBe('REDACTED');
  expect(warning?.message).toMatch(
    /^5\d secrets replaced .* 4 github \(line \d+, line \d+, line \d+, line \d+\)/,
  );
});

describe('names inside files', () => {
  const secret = PLANTED.find(({ kind }) => kind === 'aws')?.secret ?? '';
  const book = workbookOf({ sheets: [{ name: secret, xml: '<row r="1"><c r="A1"><v>1</v></c></row>' }] });

  it('are redacted in notes, facts and errors', async () => {
    const input = { name: 'book.xlsx', bytes: book };
    for (const request of [{}, { sheet: 'Other' }, { overflow: 'outline', maxTokens: 100 }] as const) {
      const answer = await reader.read(input, request);
      expect(leakIn(answer.success ? answer.text : JSON.stringify(answer))).toBeUndefined();
    }
    const error = await reader.stream(input, { sheet: 'Other' })[Symbol.asyncIterator]().next().catch(String);
    expect(leakIn(JSON.stringify(error))).toBeUndefined();
  });

  it('are redacted in lists of archives', async () => {
    const bytes = zipOf([{ name: `a/${secret}.txt`, data: 'x' }]);
    for (const request of [{}, { overflow: 'outline' }] as const)
      expect(leakIn(shown(await reader.read({ name: 'a.zip', bytes }, request)))).toBeUndefined();
  });
});

it('shows no part of a token that a limit cut', async () => {
  const limited = createReader({
    redact: true,
    cache: false,
    environment: {},
    limits: { maxLineLength: 30, maxCellLength: 20 },
  });
  for (const name of names) expect(leakIn(shown(await limited.read(inputOf(name))))).toBeUndefined();
});
