// Prints a session of the official client with the compiled server, call by call: list tools, read a table to its end,
// save a result, search it. `node test/mcp/transcript.mjs`

import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const MAIN = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));
const ROWS = 5000;
const SHOWN_LINES = 5;

const folder = mkdtempSync(join(tmpdir(), 'lectern-transcript-'));
const file = join(folder, 'orders.csv');
const sha256 = (text) => createHash('sha256').update(text).digest('hex').slice(0, 16);

const print = (text) => process.stdout.write(`${text}\n`);
const seconds = (from) => `${((performance.now() - from) / 1000).toFixed(2)} s`;

function excerpt(text) {
  const lines = text.trimEnd().split('\n');
  const last = lines.at(-1) ?? '';
  const cut = lines.length > SHOWN_LINES + 1;
  const shown = cut
    ? [...lines.slice(0, SHOWN_LINES), `… ${lines.length - SHOWN_LINES - 1} more lines …`, last]
    : lines;
  return shown.map((line) => `    ${line.length > 150 ? `${line.slice(0, 150)}…` : line}`).join('\n');
}

async function call(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  return result.content.map((block) => block.text ?? `(${block.type}, ${block.mimeType})`).join('\n');
}

async function shown(client, name, args) {
  print(`> tools/call ${name} ${JSON.stringify(args)}`);
  const text = await call(client, name, args);
  print(`${excerpt(text)}\n`);
  return text;
}

try {
  const lines = Array.from({ length: ROWS }, (_, i) => `${i + 1},"Smith, ${i % 97}",${(i * 7) % 1000}.50`);
  writeFileSync(file, `id,customer,amount\n${lines.join('\n')}\n`);
  const client = new Client({ name: 'transcript', version: '0' });
  const from = performance.now();
  const args = [MAIN, 'mcp', '--root', folder];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }));
  const { name, version } = client.getServerVersion() ?? {};
  print(`> initialize\n    ${name} ${version}, ${seconds(from)} after start\n`);

  const { tools } = await client.listTools();
  print(`> tools/list\n    ${tools.map((tool) => tool.name).join(', ')}\n`);

  await shown(client, 'read_file', { path: 'orders.csv' });
  print(
    '> tools/call read_file {"path":"orders.csv","rows":"1-"}, then each time from where the answer ended',
  );
  const rows = [];
  let header = '';
  let calls = 0;
  let onward = { rows: '1-' };
  const began = performance.now();
  while (onward) {
    const text = await call(client, 'read_file', { path: 'orders.csv', ...onward, max_tokens: 10_000 });
    const [first, ...rest] = text.split('\n').filter((line) => line !== '' && !line.startsWith('['));
    header = first;
    rows.push(...rest);
    calls += 1;
    const next = /Continue with (?:rows "(\d+)-\d+"|cursor "([^"]+)")/.exec(text);
    onward = next && (next[1] ? { rows: `${next[1]}-` } : { cursor: next[2] });
  }
  const whole = `${header}\n${rows.join('\n')}\n`;
  print(
    `    ${calls} calls, ${rows.length} rows, ${seconds(began)}; sha256 of what was read ${sha256(whole)}`,
  );
  print(`    sha256 of the file                              ${sha256(readFileSync(file, 'utf8'))}\n`);

  const large = rows
    .filter((row) => row.endsWith(',993.50'))
    .map((row) => ({ id: Number(row.split(',')[0]), amount: 993.5 }));
  const saved = await shown(client, 'save_result', { name: 'large orders', format: 'csv', rows: large });
  const path = /results\/[^\s`:]+\.csv/.exec(saved)?.[0] ?? 'results';
  await shown(client, 'search_files', { query: '^3\\d{3},', regex: true, path });
  await shown(client, 'read_file', { path: '../orders.csv' });
  await client.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
