// The official inspector in command-line mode, against a real server process.

import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAIN, temporaryFolder, writeOrders } from '../../mcp/session.ts';

const INSPECTOR = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/inspector-cli/build/index.js',
);
const folder = temporaryFolder();
beforeAll(() => writeOrders(folder.path, 50));
afterAll(() => folder.remove());

async function inspect(...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [INSPECTOR, process.execPath, MAIN, 'mcp', '--root', folder.path, ...args],
    // It looks for a package.json above the folder it runs in.
    { cwd: 'test' },
  );
  return JSON.parse(stdout);
}

test('lists the tools', async () => {
  const { tools } = await inspect('--method', 'tools/list');
  expect(tools).toHaveLength(9);
});

test('calls a tool', async () => {
  const args = ['--tool-name', 'read_file', '--tool-arg', 'path=orders.csv', 'rows=49-50'];
  const { content } = await inspect('--method', 'tools/call', ...args);
  expect(content).toMatchObject([{ type: 'text', text: expect.stringContaining('50,"Smith, 49",343.50') }]);
});

test('lists and reads resources', async () => {
  const { resources } = await inspect('--method', 'resources/list');
  expect(resources).toMatchObject([{ uri: 'workspace:///orders.csv', mimeType: 'text/csv' }]);
  const { contents } = await inspect('--method', 'resources/read', '--uri', 'workspace:///orders.csv');
  expect(contents).toMatchObject([{ text: expect.stringContaining('id,customer,amount') }]);
});
