import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createReader, createWorkspace } from '../../src/index.ts';

const FILES = readdirSync('fixtures', { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\/[^/]+\.[^/]+$/.test(file) && !file.endsWith('.expected.md'));

describe('the address of a match', () => {
  const workspace = createWorkspace({ root: 'fixtures' }, { environment: {} });
  const reader = createReader({ workspace, environment: {} });

  it.each(FILES)('in %s shows it', async (path) => {
    const { matches } = await workspace.search('\\p{L}{5,}', { regex: true, path, limit: 40 });
    for (const { address, text, column, line } of [...matches.slice(0, 3), ...matches.slice(-2)]) {
      const word = /\p{L}{5,}/u.exec(text)?.[0] ?? '';
      const answer = await reader.read(address, { maxTokens: 30_000 });
      expect([address, line, column, answer.success && answer.text]).toEqual([
        address,
        line,
        column,
        expect.stringContaining(word),
      ]);
    }
  });
});

describe('a search of an address', () => {
  const workspace = createWorkspace({ root: 'fixtures' }, { environment: {} });
  const addresses = async (query: string, path: string): Promise<string[]> => {
    const { matches } = await workspace.search(query, { path, limit: 20 });
    return matches.map(({ address }) => address);
  };

  it('stays in a file inside another, or a folder of an archive', async () => {
    const archive = 'archive/project.zip';
    expect(await addresses('City 2,', `${archive}!/data/cities.csv`)).toEqual([
      `${archive}!/data/cities.csv#L3`,
    ]);
    const inner = `${archive}!/data/cities.tar.gz`;
    expect(await addresses('City 2,', inner)).toEqual([`${inner}!/cities.csv#L3`]);
    expect(await addresses('City 2,', `${archive}!/data/`)).toEqual([
      `${archive}!/data/cities.csv#L3`,
      `${inner}!/cities.csv#L3`,
    ]);
    expect(await addresses('City 2,', `${archive}!/docs`)).toEqual([]);
  });

  it('stays in a place', async () => {
    expect(await addresses('e', 'documents/gauges.pdf#page=2')).toContain('documents/gauges.pdf#page=2');
    expect(await addresses('Porto', 'tabular/orders.csv#row=2-3')).toEqual(['tabular/orders.csv#row=2']);
    expect(await addresses('Porto', 'archive/logs.zip!/missing#row=2').catch((error) => error.code)).toBe(
      'FILE_NOT_FOUND',
    );
    expect(await addresses('city', 'structured/orders.json#/nothing').catch((error) => error.code)).toBe(
      'BAD_INPUT',
    );
    const [first] = await addresses('version', 'structured/orders.json#L1-L3');
    expect(first).toMatch(/orders\.json#L[1-3]$/);
  });
});
