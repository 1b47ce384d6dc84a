// `node test/bench/race.mjs`: how often each way to open files below a folder tells or changes what lies outside while
// another process swaps a folder for a link. Runs what was built (`dist`); on Linux, with python3.

import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { attack, contestantOf, createArena, OPERATIONS, VARIANTS } from '../workspace/race/arena.mjs';

const HELP = `Usage: node test/bench/race.mjs [options]

  --seconds N   for each operation of each contestant, over all variants of the attack together (default 10)
  --only TEXT   contestants whose name contains TEXT
  --dist DIR    the build to test (default dist)
  --json        every variant by itself, as lines of JSON
`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    only: { type: 'string', default: '' },
    dist: { type: 'string', default: fileURLToPath(new URL('../../dist', import.meta.url)) },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const PIPE_SECONDS = 5;
const CONTESTANTS = [
  { name: 'lectern', start: startLectern },
  { name: 'realpath, then open', start: startNaive, waits: true },
  { name: '@modelcontextprotocol/server-filesystem 2026.8.31', start: startRival, waits: true },
];

const base = mkdtempSync(join(tmpdir(), 'lectern-race-'));
try {
  if (!values.json)
    console.log('| | operation | good | refused | leaked | swaps |\n|---|---|---|---|---|---|');
  for (const contestant of CONTESTANTS.filter(({ name }) => name.includes(values.only)))
    await run(contestant);
} finally {
  rmSync(base, { recursive: true, force: true });
}

async function run({ name, start, waits = false }) {
  const totals = new Map();
  // Against a pipe these would wait for ever; how long each takes is told apart.
  const variants = VARIANTS.filter(({ pipe }) => !(pipe && waits));
  for (const variant of variants) {
    for (const operation of OPERATIONS) {
      const folder = mkdtempSync(join(base, 'arena-'));
      const arena = createArena(folder, variant);
      const contestant = await start(arena.root);
      if (contestant[operation.name] !== undefined) {
        const milliseconds = (Number(values.seconds) * 1000) / variants.length;
        const outcome = await attack(contestant, operation, arena, variant.folder, milliseconds);
        if (values.json)
          console.log(JSON.stringify({ name, variant: variant.name, operation: operation.name, ...outcome }));
        const total = totals.get(operation.name) ?? { good: 0, refused: 0, leaked: 0, swaps: 0 };
        for (const key of Object.keys(total)) total[key] += outcome[key];
        totals.set(operation.name, total);
      }
      await contestant.close?.();
      arena.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }
  if (values.json) return;
  console.log(`| ${name} | read of a pipe | ${await readOfPipe(start)} | | | |`);
  for (const [operation, { good, refused, leaked, swaps }] of totals)
    console.log(`| ${name} | ${operation} | ${good} | ${refused} | ${leaked} | ${swaps} |`);
}

/** Milliseconds until there is an answer to the read of a pipe nobody writes to. */
async function readOfPipe(start) {
  const root = mkdtempSync(join(base, 'pipe-'));
  const pipe = join(root, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const contestant = await start(root);
  // What is loaded on first use is no part of the answer.
  await contestant.read('nothing').catch(() => {});
  const started = performance.now();
  const read = contestant.read('pipe').then(
    () => 'read',
    () => `refused after ${(performance.now() - started).toFixed(1)} ms`,
  );
  const outcome = await Promise.race([
    read,
    new Promise((done) => setTimeout(done, PIPE_SECONDS * 1000, `no answer in ${PIPE_SECONDS} s`)),
  ]);
  // A writer that comes and goes ends the wait.
  closeSync(openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK));
  await read;
  await contestant.close?.();
  return outcome;
}

async function startLectern(root) {
  const { createReader, createWorkspace } = await import(
    pathToFileURL(join(resolve(values.dist), 'src/index.js')).href
  );
  const workspace = createWorkspace({ root });
  return contestantOf(workspace, createReader({ workspace, cache: false }));
}

/** What most code does: resolve the path, look whether that is below the root, open what was resolved. */
function startNaive(root) {
  const inside = async (path) => {
    const resolved = await realpath(join(root, path));
    if (resolved !== root && !resolved.startsWith(`${root}/`)) throw new Error('outside');
    return resolved;
  };
  const insideNew = async (path) => join(await inside(dirname(path)), basename(path));
  const walk = async (path) => {
    const names = [];
    for (const entry of await readdir(await inside(path), { withFileTypes: true })) {
      const at = join(path, entry.name);
      names.push(at);
      if (entry.isDirectory()) names.push(...(await walk(at)));
    }
    return names;
  };
  const write = async (path, text) => {
    // A file that is there is resolved, so that a link in the last place is followed only inside.
    const target = await inside(path).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
      return insideNew(path);
    });
    await writeFile(target, text);
  };
  return {
    read: async (path) => readFile(await inside(path), 'utf8'),
    write,
    list: walk,
    async search(query, path) {
      const found = [];
      for (const name of await walk(path)) {
        const text = await inside(name).then(
          (at) => readFile(at, 'utf8'),
          () => '',
        );
        if (text.includes(query)) found.push(name, text);
      }
      return found;
    },
    stat: async (path) => (await stat(await inside(path))).size,
    remove: async (path) => rm(await insideNew(path)),
    move: async (from, to) => rename(await insideNew(from), await insideNew(to)),
    saveResult: write,
  };
}

/** The server as clients start it, over its standard input and output. */
async function startRival(root) {
  const client = new Client({ name: 'race', version: '1' });
  const server = createRequire(new URL('../integrations/package.json', import.meta.url)).resolve(
    '@modelcontextprotocol/server-filesystem/dist/index.js',
  );
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [server, root], stderr: 'ignore' }),
  );
  const call = async (name, given) => {
    const { content, isError } = await client.callTool({ name, arguments: given });
    if (isError) throw new Error('refused');
    return content.map(({ text }) => text).join('\n');
  };
  return {
    read: (path) => call('read_text_file', { path: join(root, path) }),
    write: (path, content) => call('write_file', { path: join(root, path), content }),
    list: (path) => call('list_directory', { path: join(root, path) }),
    glob: (pattern) => call('search_files', { path: root, pattern }),
    stat: (path) => call('get_file_info', { path: join(root, path) }),
    move: (from, to) => call('move_file', { source: join(root, from), destination: join(root, to) }),
    close: () => client.close(),
  };
}
