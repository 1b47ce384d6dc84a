// No answer of a reader with `redact` holds a part of a planted secret, by whatever entry, format and cut.

import { describe, expect, it } from 'vitest';
import { createReader, type Input, type ReadRequest } from '../../src/index.ts';
import { leakIn, SECRET_FILES } from './secret-files.ts';

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
