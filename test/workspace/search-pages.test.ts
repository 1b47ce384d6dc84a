import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createMemoryCache, createReader, createWorkspace, type Workspace } from '../../src/index.ts';
import { rawZip } from '../support/archive.ts';

const root = mkdtempSync(join(tmpdir(), 'lectern-pages-'));
for (const file of [
  'documents/gauges.pdf',
  'documents/gates.pptx',
  'documents/survey.docx',
  'tabular/parcels.ods',
])
  copyFileSync(join('fixtures', file), join(root, basename(file)));
const text = Array.from({ length: 40 }, (_, line) => `${line} gate`).join('\n');
writeFileSync(
  join(root, 'a.zip'),
  rawZip([
    { name: 'one.txt', data: text },
    { name: 'in.zip', data: rawZip([{ name: 'deep.txt', data: text }]) },
    { name: 'two.txt', data: `${text}\n` },
  ]),
);
writeFileSync(join(root, 'z.txt'), text);
afterAll(() => rmSync(root, { recursive: true }));

const workspaceOf = (maxSearchMilliseconds = 20_000): Workspace =>
  createWorkspace(
    { root },
    {
      environment: {},
      limits: { maxSearchMilliseconds },
      reader: (workspace) => createReader({ workspace, environment: {}, cache: createMemoryCache() }),
    },
  );

async function walked(workspace: Workspace, query: string, limit?: number): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  for (let turn = 0; turn < 2000; turn += 1) {
    const answer = await workspace.search(query, {
      regex: true,
      ...(limit !== undefined && { limit }),
      ...(cursor !== undefined && { cursor }),
    });
    found.push(...answer.matches.map(({ address, line, column }) => `${address} ${line}:${column}`));
    if (answer.next === null) return found;
    cursor = answer.next;
  }
  throw new Error('The walk does not end.');
}

describe('a search by its cursor', () => {
  const query = 'gate|level|[Pp]arcel|Oslo';

  it.each([1, 3, 17])('gives every match once, %i at a time', async (limit) => {
    const whole = await walked(workspaceOf(), query);
    expect(whole.length).toBeGreaterThan(150);
    expect(new Set(whole).size).toBe(whole.length);
    expect(await walked(workspaceOf(), query, limit)).toEqual(whole);
  });

  it('gets on where there is no time at all', async () => {
    expect(await walked(workspaceOf(0), query)).toEqual(await walked(workspaceOf(), query));
  });

  it('goes on behind any of its matches and before any of its files', async () => {
    const workspace = workspaceOf();
    const answer = await workspace.search(query, { regex: true });
    const all = await walked(workspace, query);
    for (const count of [1, 7, 50, 99]) {
      const cursor = answer.cursorAfter(count) ?? '';
      const { matches } = await workspace.search(query, { regex: true, cursor, limit: 1 });
      expect(`${matches[0]?.address} ${matches[0]?.line}:${matches[0]?.column}`).toBe(all[count]);
    }
    const counted = await workspace.search(query, { regex: true, count: 'files' });
    expect(counted.total).toEqual({ matches: all.length, files: counted.files.length, isExact: true });
    for (const [index, { path, matches }] of counted.files.entries()) {
      const cursor = counted.cursorAtFile(index) ?? '';
      const rest = await workspace.search(query, { regex: true, count: 'files', cursor });
      expect(rest.files[0]).toEqual({ path, matches });
    }
  });
});
