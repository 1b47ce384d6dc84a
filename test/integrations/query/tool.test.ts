// The tool query_result over a workspace, and the operation of the service.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createReader, createWorkspace } from '../../../src/index.ts';
import { createQueryEngine } from '../../../src/query/index.ts';
import { createTools, type Tool, textOf } from '../../../src/tools/index.ts';
import { type Running, running } from '../../service/http/running.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const ORDERS = `id,city,amount\n${Array.from({ length: 2000 }, (_, n) => `${n},c${n % 7},${n / 4}`).join('\n')}\n`;
const queries = createQueryEngine({ from: import.meta.dirname });
const root = mkdtempSync(join(tmpdir(), 'query-tool-'));
afterAll(async () => {
  await queries.close();
  rmSync(root, { recursive: true });
});

for (const [path, content] of Object.entries({
  'results/orders.csv': ORDERS,
  'data/cities.jsonl': '{"city":"c0","name":"Oslo"}\n{"city":"c1","name":"Porto"}\n',
})) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

function toolsOf(readOnly = false): readonly Tool[] {
  const reader = createReader({ workspace: createWorkspace({ root }), cache: false, environment: {} });
  return createTools({ reader, queries, readOnly });
}

function toolIn(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool;
}

const said = async (args: unknown, readOnly = false): Promise<string> =>
  textOf(await toolIn(toolsOf(readOnly), 'query_result').run(args));

describe('query_result', () => {
  it('answers over saved results that the query names', async () => {
    expect(await said({ sql: 'SELECT count(*) AS n, sum(amount) AS s FROM orders' })).toBe(
      'n,s\n2000,499750\n',
    );
  });

  it('takes files, and paths in quotes', async () => {
    const sql = 'SELECT c.name, count(*) AS n FROM orders o JOIN cities c USING (city) GROUP BY 1 ORDER BY 1';
    const expected = '[Note: 2 rows: name VARCHAR, n BIGINT.]\nname,n\nOslo,286\nPorto,286\n';
    expect(await said({ query: sql, files: ['results/orders.csv', 'data/cities.jsonl'] })).toBe(expected);
    expect(await said({ sql: sql.replace('cities', "'data/cities.jsonl'") })).toBe(expected);
    expect(await said({ sql: 'SELECT count(*) AS n FROM cities', path: 'data/cities.jsonl' })).toContain(
      'n\n2\n',
    );
  });

  it('saves rows that do not fit, which read_file and queries continue on', async () => {
    const text = await said({ sql: 'SELECT id, city FROM orders ORDER BY id DESC', max_tokens: 300 });
    const [, path = ''] = /\[Note: All rows are in `([^`]+)`\.\]\n$/.exec(text) ?? [];
    expect(path).toBe('results/query.csv');
    expect(text).toMatch(/^\[Note: 2000 rows: id BIGINT, city VARCHAR\.\]\nid,city\n1999,c4\n/);
    expect(readFileSync(join(root, path), 'utf8').split('\n').slice(-3)).toEqual(['1,c1', '0,c0', '']);
    const read = await toolIn(toolsOf(), 'read_file').run({ path, rows: '1000-1001' });
    expect(textOf(read)).toContain('1000,c6\n999,c5\n');
    expect(await said({ sql: 'SELECT max(id) AS m FROM query' })).toContain('m\n1999\n');
    rmSync(join(root, path));
  });

  it('saves all rows under a name, and shows rows of an answer', async () => {
    const text = await said({ sql: 'SELECT 1 AS one FROM orders LIMIT 2', name: 'ones' });
    expect(text).toContain('[Note: All rows are in `results/ones.csv`.]');
    expect(readFileSync(join(root, 'results/ones.csv'), 'utf8')).toBe('one\n1\n1\n');
    expect(await said({ sql: 'SELECT id FROM orders', rows: '3-4' })).toMatch(/^id\n2\n3\n/);
    rmSync(join(root, 'results/ones.csv'));
  });

  it('saves Parquet under a name that ends so', async () => {
    const text = await said({ sql: 'SELECT id, amount FROM orders ORDER BY id', name: 'all.parquet' });
    expect(text).toContain('[Note: All rows are in `results/all.parquet`.]');
    expect(
      await said({ sql: 'SELECT count(*) AS n, sum(amount) AS s FROM "results/all.parquet"' }),
    ).toContain('2000,499750\n');
    const read = await toolIn(toolsOf(), 'read_file').run({ path: 'results/all.parquet', rows: '2000' });
    expect(textOf(read)).toContain('1999,499.75\n');
    rmSync(join(root, 'results/all.parquet'));
  });

  it('saves nothing among read-only tools', async () => {
    const tool = toolIn(toolsOf(true), 'query_result');
    expect(tool.readOnly).toBe(true);
    expect(tool.description).not.toContain('saved');
    const text = await said({ sql: 'SELECT id FROM orders', max_tokens: 200 }, true);
    expect(text).toMatch(/Continue with rows "\d+-\d+"\.\]\n?$/);
    expect(await said({ sql: 'SELECT 1 FROM orders', name: 'x' }, true)).toContain('Error BAD_INPUT');
  });

  it.each([
    [{ sql: 'SELECT cty FROM orders' }, 'Error BAD_INPUT: SQL binder error (line 1, column 8)'],
    [{ sql: 'SELECT 1 FROM nothing_here' }, 'names no file of the workspace'],
    [{ sql: 'SELECT 1', files: ['../secret.csv'] }, 'Error PATH_ESCAPES_WORKSPACE'],
    [{ sql: 'SELECT 1', files: ['none.csv'] }, 'Error FILE_NOT_FOUND'],
    [{}, '`sql` is missing'],
  ])('%j is an error with a next step', async (args, text) => {
    expect(await said(args)).toContain(text);
  });

  it('appears only where it can run', () => {
    const reader = createReader({ workspace: createWorkspace({ root }) });
    vi.stubEnv('LECTERN_DUCKDB', root);
    expect(createTools({ reader }).map(({ name }) => name)).not.toContain('query_result');
    expect(createTools({ reader, queries: false }).map(({ name }) => name)).not.toContain('query_result');
    // Other files run in this process.
    vi.unstubAllEnvs();
  });
});

describe('the service', () => {
  let service: Running;
  beforeAll(async () => {
    service = await running({ environment: { LECTERN_DUCKDB: import.meta.dirname } });
  });
  afterAll(() => service.close());

  const query = (body: object) =>
    service.call({
      method: 'POST',
      path: '/v1/workspaces/w1/query',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('answers queries over a workspace, and saves what does not fit', async () => {
    await service.call({ method: 'PUT', path: '/v1/workspaces/w1/files/data/orders.csv', body: ORDERS });
    const sql = "SELECT id, city FROM 'data/orders.csv' ORDER BY id";
    const answer = await query({ sql, maxTokens: 200 });
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({
      result: { success: true, text: expect.stringContaining('of 2000') },
      query: { rows: 2000, columns: [{ name: 'id', type: 'BIGINT' }, { name: 'city' }] },
      saved: { path: 'results/query.csv' },
    });
    const kept = await service.call({ path: '/v1/workspaces/w1/files/results/query.csv' });
    expect(kept.text.startsWith('id,city\n0,c0\n')).toBe(true);
  });

  it.each([
    [{ sql: 'SELECT nothing FROM x', files: ['data/orders.csv'] }, 400],
    [{ sql: 'SELECT 1', files: ['none.csv'] }, 404],
    [{ sql: '' }, 400],
  ])('refuses %j with %d', async (body, status) => {
    expect((await query(body)).status).toBe(status);
  });
});
