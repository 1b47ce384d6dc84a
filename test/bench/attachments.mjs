// `node test/bench/attachments.mjs`: 500 generated files of every kind, prepared for every provider in requests of 1 to 40
// files with random budgets, each answer held against the provider's documented rules and against what it says of itself.
// Prints a table and exits 1 when a part is outside the limits or an account is wrong. Runs what was built (`--dist`);
// `--only` names targets, with commas between them.

import { mkdtemp, rm } from 'node:fs/promises';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

register('../support/typescript-loader.mjs', import.meta.url);

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    'max-bytes': { type: 'string', default: 'Infinity' },
    only: { type: 'string', default: '' },
    dist: { type: 'string', default: fileURLToPath(new URL('../../dist', import.meta.url)) },
  },
});
const from = (path) => import(pathToFileURL(resolve(values.dist, path)).href);
const { makeAnyFiles, randomFrom } = await import('../support/any-file.ts');
const { tryAttachments } = await import('../support/attachment-trial.ts');
const { RULED_TARGETS } = await import('../support/provider-rules/index.ts');
const { createReader, createTokenCounter, createWorkspace, prepareAttachments } = await from('src/index.js');
const { createTools } = await from('src/tools/index.js');

const GIVEN = ['native', 'image', 'text', 'sample', 'reference', 'nothing'];
const seed = Number(values.seed);
const folder = await mkdtemp(join(tmpdir(), 'lectern-attachments-'));
let failed = false;
try {
  const made = await makeAnyFiles(folder, {
    seed,
    count: Number(values.files),
    maxBytes: Number(values['max-bytes']),
  });
  const counter = createTokenCounter();
  const workspace = createWorkspace({ root: folder });
  const reader = createReader({ workspace, cache: false });
  const [readFile] = createTools({ reader, only: ['read_file'] });
  const tools = {
    prepareAttachments,
    workspace,
    reader,
    hostReader: createReader({ cache: false }),
    readFile,
    count: (text) => counter.count(text),
  };
  console.log(
    `| target | files | requests | ${GIVEN.join(' | ')} | outside limits | wrong | slowest request, s | peak RSS, MB |`,
  );
  console.log(`|---|${'---|'.repeat(GIVEN.length + 6)}`);
  for (const [index, target] of RULED_TARGETS.entries())
    if (values.only === '' || values.only.split(',').includes(target.name))
      await runTarget(target, index, made, tools);
} finally {
  await rm(folder, { recursive: true, force: true });
}
if (failed) process.exitCode = 1;

async function runTarget(target, index, made, tools) {
  const random = randomFrom(seed * 1000 + index);
  const files = [...made].sort(() => random() - 0.5);
  const given = Object.fromEntries(GIVEN.map((kind) => [kind, 0]));
  let [requests, slowest, peak] = [0, 0, 0];
  const found = { outside: [], problems: [] };
  const sampled = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 50);
  for (let at = 0; at < files.length; requests += 1) {
    const size = 1 + Math.floor(random() * 40);
    const trial = {
      target,
      folder,
      files: files.slice(at, at + size),
      budget: Math.floor(10 ** (2 + random() * 3.3)),
      as: random() < 0.7 ? 'workspace paths' : random() < 0.5 ? 'host paths' : 'bytes',
    };
    at += size;
    const result = await tryAttachments(trial, tools);
    for (const kind of result.given) given[kind] += 1;
    slowest = Math.max(slowest, result.seconds);
    const where = `${target.name}, request ${requests + 1}, ${trial.as}, ${trial.files.length} files, budget ${trial.budget}`;
    for (const key of ['outside', 'problems'])
      found[key].push(...result[key].map((problem) => `${where}: ${problem}`));
  }
  clearInterval(sampled);
  const cells = [
    target.name,
    files.length,
    requests,
    ...GIVEN.map((kind) => given[kind]),
    found.outside.length,
    found.problems.length,
    slowest.toFixed(1),
    Math.round(peak / 1e6),
  ];
  console.log(`| ${cells.join(' | ')} |`);
  for (const problem of [...found.outside, ...found.problems]) console.error(problem);
  failed ||= found.outside.length + found.problems.length > 0;
}
