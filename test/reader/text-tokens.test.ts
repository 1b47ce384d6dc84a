// What `inspect` says of the tokens of a file.

import { describe, expect, it } from 'vitest';
import { createReader, createReadPool, type Input } from '../../src/index.ts';
import { zipOf } from '../support/zip.ts';

const reader = createReader({ environment: {}, cache: false });
const factsOf = async (input: Input, from = reader) => {
  const found = await from.inspect(input);
  if (!found.success) throw new Error(found.error.message);
  const { tokens, tokensAbout } = found.metadata;
  return { tokens, tokensAbout };
};
const line = (at: number): string => `2026-03-01 request ${at} took ${(at * 7919) % 977} ms: "ok", über\n`;
const log = (lines: number): string => Array.from({ length: lines }, (_, at) => line(at)).join('');

describe('tokens of a file', () => {
  it.each([
    ['a.txt', Buffer.from('hello world\n'), 3],
    ['a.ts', Buffer.from('\ufeffconst a = 1;\n'), reader.count('const a = 1;\n')],
    ['a.csv', Buffer.from('a,b\n1,2\n'), reader.count('a,b\n1,2\n')],
    ['a.log', Buffer.from(`\ufeff${log(50)}`, 'utf16le'), reader.count(log(50))],
    [
      'latin.txt',
      Buffer.from('Überall façade naïve\n'.repeat(9), 'latin1'),
      reader.count('Überall façade naïve\n'.repeat(9)),
    ],
    ['empty.txt', Buffer.alloc(0), 0],
  ])('%s: are exact', async (name, bytes, tokens) => {
    expect(await factsOf({ name, bytes })).toEqual({ tokens, tokensAbout: undefined });
  });

  it.each(['utf8', 'utf16le'] as const)('of a large one in %s are estimated', async (encoding) => {
    const text = log(60_000);
    const bytes = Buffer.from(encoding === 'utf8' ? text : `\ufeff${text}`, encoding);
    const { tokens, tokensAbout } = await factsOf({ name: 'a.log', bytes });
    expect(tokens).toBeUndefined();
    expect(Number(tokensAbout) / reader.count(text)).toBeGreaterThan(0.97);
    expect(Number(tokensAbout) / reader.count(text)).toBeLessThan(1.03);
  });

  it.each([
    ['a.html', Buffer.from('<html><body><p>Hello</p></body></html>')],
    ['a.ipynb', Buffer.from('{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":5}')],
    ['a.zip', zipOf([{ name: 'a.txt', data: 'x' }])],
  ])('%s: are not known before it is read', async (name, bytes) => {
    expect(await factsOf({ name, bytes })).toEqual({ tokens: undefined, tokensAbout: undefined });
  });

  it('are the same from a process of its own', async () => {
    const pool = createReadPool();
    const isolated = createReader({ environment: {}, cache: false, isolation: pool });
    try {
      const inner = { name: 'a.zip', bytes: zipOf([{ name: 'a.txt', data: 'x' }]), entry: 'a.txt' };
      const stream = (): Input => ({ name: 'a.txt', stream: new Blob(['hello ', 'world\n']).stream() });
      for (const input of [() => ({ name: 'a.log', bytes: Buffer.from(log(50)) }), () => inner, stream])
        expect(await isolated.inspect(input())).toEqual(await reader.inspect(input()));
    } finally {
      await isolated.close();
      await pool.close();
    }
  });
});
