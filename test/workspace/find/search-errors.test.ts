// Every message that listings, globs and searches throw: what it says, what it advises, and that it names no host path.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ReaderError } from '../../../src/contract/index.ts';
import { resolveWorkspaceLimits } from '../../../src/limits/index.ts';
import { globFiles, listFolder } from '../../../src/workspace/find/listing.ts';
import { searchFiles } from '../../../src/workspace/find/search.ts';
import { Root } from '../../../src/workspace/paths/root.ts';
import type { ListOptions, SearchOptions } from '../../../src/workspace/workspace.ts';

const LIMITS = resolveWorkspaceLimits();

it('pins every message and hint', async () => {
  const base = mkdtempSync(join(tmpdir(), 'lectern-search-errors-'));
  try {
    writeFileSync(join(base, 'a.txt'), 'a\na\n');
    const root = new Root({ base });
    const list = (options: ListOptions): Promise<unknown> => listFolder(root, '', options, LIMITS);
    const glob = (pattern: string): Promise<unknown> => globFiles(root, pattern, {}, LIMITS);
    const search = (query: string, options: SearchOptions = {}): Promise<unknown> =>
      searchFiles(root, query, options, { limits: LIMITS });
    const regex = (query: string): Promise<unknown> => search(query, { regex: true });
    const { next } = await searchFiles(root, 'a', { limit: 1 }, { limits: LIMITS });
    const cases: readonly (readonly [what: string, thrown: () => Promise<unknown>])[] = [
      ['a depth of none', () => list({ depth: 0 })],
      ['a limit of none', () => list({ limit: 0 })],
      ['a cursor that is none', () => list({ cursor: 'abc' })],
      ['an empty pattern', () => glob('')],
      ['a pattern of nothing', () => glob('./')],
      ['a pattern that is too long', () => glob('*'.repeat(1001))],
      ['a pattern with a zero byte', () => glob('a\0')],
      ['a pattern that leads outside', () => glob('../*')],
      ['a pattern of too many', () => glob('{a,b}'.repeat(9))],
      ['an empty query', () => search('')],
      ['a query that is too long', () => search('x'.repeat(1_000_000))],
      ['a query of two lines', () => search('a\nb')],
      ['too many lines of context', () => search('a', { context: 21 })],
      ['a cursor of another query', () => search('b', { cursor: next ?? '' })],
      ['a folder there is not', () => search('a', { path: 'b' })],
      ['an open group', () => regex('(')],
      ['a group that was never open', () => regex('a)')],
      ['an open class', () => regex('[a')],
      ['a repetition repeated', () => regex('a**')],
      ['a repetition of nothing', () => regex('*a')],
      ['a look-ahead', () => regex('(?=a)')],
      ['a look-behind', () => regex('(?<=a)b')],
      ['a back-reference', () => regex('(a)\\1')],
      ['a reversed range', () => regex('[z-a]')],
      ['too many repetitions', () => regex('a{2000}')],
      ['a lone backslash', () => regex('a\\')],
      ['a name twice', () => regex('(?P<a>x)(?P<a>y)')],
      ['an expression that is too large', () => regex('\\pL{900}\\pN{900}'.repeat(3))],
    ];
    const lines: string[] = [];
    for (const [what, thrown] of cases) {
      const error: unknown = await thrown().catch((reason: unknown) => reason);
      lines.push(
        error instanceof ReaderError
          ? `${what}: ${error.code}\n  ${error.message}\n  ${error.hint}\n`
          : `${what}: NO ERROR\n`,
      );
    }
    const all = lines.join('\n');
    expect(all).not.toContain(base);
    await expect(all).toMatchFileSnapshot('search-errors.expected.txt');
    expect(all).not.toContain('NO ERROR');
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});
