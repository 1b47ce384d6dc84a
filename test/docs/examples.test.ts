// The examples of the documents, run in a project that has installed the packed package. Those that need the SDKs of
// OpenAI and Anthropic are run in test/integrations.

import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ExampleRunner, SDK_EXAMPLES, startExamples } from '../support/example-runner.ts';
import { EXAMPLES, pageAt, README } from '../support/pages.ts';

// Each example is a process.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let runner: ExampleRunner;
beforeAll(async () => {
  runner = await startExamples(['@ai-sdk/anthropic', '@libsql/client', 'ai']);
});
afterAll(() => runner.close());

const run = (name: string): Promise<string> => runner.run(name);

describe('examples', () => {
  it('reads a file to its end', async () => {
    const printed = await run('read');
    expect(printed).toContain('Truncated');
    expect(printed).toContain('id,customer,city,amount,note');
  });

  it('cuts a document into chunks', async () => {
    expect(await run('chunks')).toContain('fixtures/documents/gauges.pdf#page=2 55 Floods\n# Floods\n');
  });

  it('prints and parses an address', async () => {
    expect(await run('addresses')).toBe(
      "book.xlsx#'My sheet'!B4:C9\nbook.xlsx { sheet: 'My sheet', cells: 'B4:C9' }\n",
    );
  });

  it('uses a workspace', async () => {
    expect(await run('workspace')).toBe('notes/plan.md 3\n# Plan\n\nFind the late orders.\n\n');
  });

  it('saves rows and reads some of them', async () => {
    const printed = await run('results');
    expect(printed).toMatch(/^id,city,total\n1,Porto,0\n/);
    expect(printed).toMatch(/of 50000/);
    expect(printed).toContain(
      '\nid,city,total\n40001,Porto,50000\n40002,Porto,50001.25\n40003,Porto,50002.5\n',
    );
  });

  it('saves the rows of a query', async () => {
    const database = createClient({ url: `file:${join(runner.project.folder, 'orders.db')}` });
    await database.execute('CREATE TABLE orders (id INTEGER, customer TEXT, total REAL, shipped TEXT)');
    await database.execute(`INSERT INTO orders
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
      SELECT i, 'customer ' || (i % 977), i * 1.25, CASE WHEN i % 7 THEN date('2026-01-01', '+' || (i % 300) || ' days') END FROM n`);
    database.close();
    const printed = await run('query-results');
    expect(printed).toContain('50000 rows in /workspace/results/orders.csv\n');
    expect(printed).toContain('id: integer, customer: string, total: number, shipped: ');
    expect(printed).toContain('id,customer,total,shipped\n1,customer 1,1.25,2026-01-02\n');
    expect(printed).toMatch(/of 50000/);
  });

  it('gives a model tools through the AI SDK', async () => {
    expect(await run('ai-sdk')).toMatch(/^There are \d+ orders\.\n$/);
  });

  it('keeps a conversation in its window', async () => {
    expect(await run('history')).toMatch(/^\d+ tokens, now \d+\n$/);
  });

  it('restores what a compaction replaced', async () => {
    const printed = await run('history-restore');
    expect(printed).toMatch(/^\d+ tokens, now \d+ in \d+ messages\n/);
    expect(printed).toMatch(/order-1-0,late by 0 days/);
  });

  it('repairs a conversation', async () => {
    const printed = await run('history-repair');
    expect(printed).toMatch(/^user, assistant, tool, user\n/);
    expect(printed).toContain("{ kind: 'late-result', callId: 'call_1', message: 3 }");
  });

  it('composes strategies', async () => {
    const printed = await run('history-compose');
    expect(printed).toContain('threshold:');
    expect(printed).toMatch(/\nnone\n$/);
  });

  it('reads messages of another format', async () => {
    expect(await run('history-format')).toMatch(/^pi: compacted, 49 messages, now \d+\n$/);
  });

  it('reads in child processes', async () => {
    expect(await run('isolation')).toBe('true true\n');
  });

  it('keeps a goal and its steps', async () => {
    const printed = await run('plan');
    expect(printed).toContain('Goal: Make the tests pass\n');
    expect(printed).toContain('- run npm test: failed, 3 failed\n');
    expect(await run('plan')).toContain('Status: in_progress, 0 of 3 steps completed\n');
  });

  it('installs the tarball that `npm pack` writes', () => {
    expect(README).toContain(`npm install /path/to/${runner.project.tarball} `);
  });

  it('starts the MCP server as its configuration says', async () => {
    const json = /```json\n(\{\s*"mcpServers"[\s\S]*?)```/.exec(pageAt('docs/tools.md'))?.[1] ?? '';
    // The form of every client's configuration.
    const { mcpServers } = JSON.parse(json) as {
      mcpServers: Record<string, { command: string; args: string[] }>;
    };
    const { command = '', args = [] } = mcpServers['files'] ?? {};
    const transport = new StdioClientTransport({
      command,
      args: args.map((word) =>
        word
          .replace('/path/to/lectern', join(runner.project.folder, 'node_modules/lectern'))
          .replace('/path/to/folder', join(runner.project.folder, 'fixtures')),
      ),
    });
    const client = new Client({ name: 'reader', version: '1' });
    await client.connect(transport);
    const { tools } = await client.listTools();
    await client.close();
    expect(tools.map(({ name }) => name)).toContain('read_file');
  });

  it('are all run here or in test/integrations', () => {
    const others = [...EXAMPLES.keys()].filter((name) => !runner.ran.has(name));
    expect(others.sort()).toEqual([...SDK_EXAMPLES].sort());
  });
});
