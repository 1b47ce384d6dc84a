#!/usr/bin/env node
// Calls that models write who know the file tools of other agents, run against a small workspace each: what the tools
// answer, and whether a call does what it asks at once, after the hint of its answer, or is refused as it should be.
//   node test/bench/tool-calls.mjs [--failed]

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What a tool would do at once, after the hint of its answer, not at all; or refuses, as it should. */
export const OUTCOMES = ['at once', 'after the hint', 'refused rightly', 'failed'];

/**
 * Runs every call of the list in a workspace of its own.
 * @param lectern `createWorkspace`, `createReader`, `createTools` and `textOf` of the package.
 */
export async function runCalls(lectern) {
  const { files, calls } = JSON.parse(await readFile(new URL('tool-calls.json', import.meta.url), 'utf8'));
  const results = [];
  for (const call of calls) {
    const root = await mkdtemp(join(tmpdir(), 'lectern-calls-'));
    try {
      for (const [path, content] of Object.entries(files)) {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), content);
      }
      results.push({ ...call, ...(await outcomeOf(call, root, lectern)) });
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  }
  return results;
}

async function outcomeOf(call, root, { createWorkspace, createReader, createTools, textOf }) {
  const reader = createReader({ workspace: createWorkspace({ root }), environment: {}, cache: false });
  const tool = createTools({ reader }).find(({ name }) => name === call.tool);
  const first = await tool.run(call.args);
  const said = textOf(first);
  const done = { said, outcome: 'at once' };
  if (await worked(call, first, said, root)) return done;
  // What a refusal must say, and leave as it was.
  const rightly = call.refused !== undefined && first.isError && expression(call.refused).test(said);
  if (rightly && call.then === undefined) return { said, outcome: 'refused rightly' };
  if (call.then === undefined || (call.refused !== undefined && !rightly)) return { said, outcome: 'failed' };
  const second = await tool.run(call.then);
  const helped = await worked(call, second, textOf(second), root);
  return { said, outcome: helped ? 'after the hint' : 'failed' };
}

async function worked({ shows, holds = {} }, answer, said, root) {
  if (answer.isError || (shows !== undefined && !expression(shows).test(said))) return false;
  for (const [path, text] of Object.entries(holds)) {
    const content = await readFile(join(root, path), 'utf8').catch(() => '');
    if (!content.includes(text)) return false;
  }
  return true;
}

/** `(?m)` and `(?s)` in front, as JavaScript has no such flags inside. */
function expression(source) {
  const [, flags = '', rest = source] = /^\(\?([ms]+)\)(.*)$/s.exec(source) ?? [];
  return new RegExp(rest, flags);
}

async function main() {
  const [library, tools] = await Promise.all([
    import('../../dist/src/index.js'),
    import('../../dist/src/tools/index.js'),
  ]);
  const results = await runCalls({ ...library, ...tools });
  for (const { from, tool, args, said, outcome } of results) {
    if (process.argv.includes('--failed') && outcome !== 'failed') continue;
    const [line = ''] = said.split('\n');
    console.log(
      `${outcome.padEnd(16)}${tool}  ${from}\n    ${JSON.stringify(args).slice(0, 160)}\n    ${line.slice(0, 200)}`,
    );
  }
  const counts = OUTCOMES.map(
    (name) => `${results.filter(({ outcome }) => outcome === name).length} ${name}`,
  );
  console.log(`${results.length} calls: ${counts.join(', ')}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
