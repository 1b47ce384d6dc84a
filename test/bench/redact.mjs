// How many planted secrets redaction finds, what else it takes for secrets, and what it costs, beside secretlint.
//
//   node test/bench/redact.mjs [FOLDER]   real files to look for false alarms in; default: node_modules

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { harmlessLines, plantedSecrets } from '../support/planted-secrets.mjs';
import { installed } from './rivals.mjs';

const SELF = fileURLToPath(import.meta.url);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RIVALS = ['@secretlint/core@11.7.1', '@secretlint/secretlint-rule-preset-recommend@11.7.1'];
/** Other draws than those of the tests. */
const SEED = 97;
const PLANTED = 2700;
const HARMLESS = 4400;
const MEGABYTE = 1e6;
const REAL = /\.(?:js|mjs|cjs|ts|json|md|ya?ml|py|txt|html|css|sh|conf|cfg|ini|lock)$/;

/** Milliseconds of processor time that `work` takes. */
async function cost(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function realFiles(folder, most) {
  const files = [];
  let size = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    if (!REAL.test(name) || !statSync(path, { throwIfNoEntry: false })?.isFile()) continue;
    const text = readFileSync(path, 'utf8');
    if (text.length > MEGABYTE) continue;
    size += text.length;
    if (size > most) break;
    files.push({ path: name, text });
  }
  return files;
}

async function secretlint(folder) {
  await installed(folder, RIVALS);
  const load = (name) => import(pathToFileURL(join(folder, 'node_modules', name, 'module/index.js')).href);
  const [{ lintSource }, { creator }] = await Promise.all([
    load('@secretlint/core'),
    load('@secretlint/secretlint-rule-preset-recommend'),
  ]);
  const config = { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator }] };
  return async (text, path = 'a.txt') => {
    const { messages } = await lintSource({
      source: { filePath: `/${path}`, content: text, ext: '.txt', contentType: 'text' },
      options: { config, noPhysicFilePath: true },
    });
    return messages.map(({ range: [from, to] }) => ({ from, to }));
  };
}

/** The set is split into what each finds whole, and how many harmless lines each reports. */
async function quality(find) {
  const missed = new Map();
  let found = 0;
  for (const { kind, secret, text } of plantedSecrets(SEED, PLANTED)) {
    const at = text.indexOf(secret);
    const isFound = (await find(text)).some(({ from, to }) => from <= at && to >= at + secret.length);
    if (isFound) found += 1;
    else missed.set(kind, (missed.get(kind) ?? 0) + 1);
  }
  let alarms = 0;
  for (const line of harmlessLines(SEED, HARMLESS)) if ((await find(line)).length > 0) alarms += 1;
  return { found, missed, alarms };
}

async function onReal(find, files) {
  const reported = [];
  const milliseconds = await cost(async () => {
    for (const { path, text } of files)
      for (const { from, to } of await find(text, path))
        reported.push(`${path}: ${text.slice(from, Math.min(to, from + 60))}`);
  });
  return { reported, milliseconds };
}

/** Rows of the table of all benchmarks, from a process of their own: the profiler of secretlint keeps one busy for ever. */
export async function redactRows({ dist, size, folder }) {
  const { stdout } = await promisify(execFile)(process.execPath, [SELF, '--rows', dist, size, folder], {
    maxBuffer: 10 * MEGABYTE,
  });
  return JSON.parse(stdout);
}

async function measuredRows({ dist, size, folder, real = join(ROOT, 'node_modules') }) {
  const { createReader } = await import(pathToFileURL(join(dist, 'src/index.js')).href);
  const reader = createReader({ redact: true, cache: false });
  const plain = createReader({ cache: false });
  const ours = async (text) => reader.redactor?.secrets(text) ?? [];
  const theirs = await secretlint(join(folder, 'secretlint'));
  const files = realFiles(real, size === 'full' ? 60 * MEGABYTE : 6 * MEGABYTE);
  const megabytes = files.reduce((sum, { text }) => sum + text.length, 0) / MEGABYTE;
  const [a, b] = [await quality(ours), await quality(theirs)];
  const [first, second] = [await onReal(ours, files), await onReal(theirs, files)];
  const log = Buffer.from(harmlessLines(SEED, 60_000).join('\n'));
  const read = (one) => cost(() => one.read({ name: 'a.log', bytes: log }, { all: true }));
  await read(plain);
  const [without, redacted] = [await read(plain), await read(reader)];
  const share = (count, of) => `${((100 * count) / of).toFixed(1)} %`;
  const speed = (one) => `${(megabytes / (one.milliseconds / 1000)).toFixed(0)} MB/s`;
  return [
    {
      work: `secrets found whole, of ${PLANTED} in 27 formats`,
      lectern: share(a.found, PLANTED),
      rival: `secretlint ${share(b.found, PLANTED)}`,
      missed: [a, b].map(({ missed }) => [...missed].map(([kind, count]) => `${kind} ${count}`).join(', ')),
    },
    {
      work: `false alarms in ${HARMLESS} lines with hashes, UUIDs, references`,
      lectern: String(a.alarms),
      rival: `secretlint ${b.alarms}`,
    },
    {
      work: `reported in ${files.length} files of packages, ${megabytes.toFixed(0)} MB`,
      lectern: String(first.reported.length),
      rival: `secretlint ${second.reported.length}`,
      reported: [first.reported, second.reported],
    },
    {
      work: 'speed on these files',
      lectern: speed(first),
      rival: `secretlint ${speed(second)}`,
      figure: `${(second.milliseconds / first.milliseconds).toFixed(1)}x as fast`,
    },
    {
      work: `a read of all of a log, ${(log.length / MEGABYTE).toFixed(0)} MB`,
      lectern: `${redacted.toFixed(0)} ms`,
      rival: `without redaction ${without.toFixed(0)} ms`,
    },
  ];
}

if (process.argv[1] === SELF) {
  const [, , real, ...given] = process.argv;
  if (real === '--rows') {
    const [dist, size, folder] = given;
    process.stdout.write(JSON.stringify(await measuredRows({ dist, size, folder })), () => process.exit());
  } else {
    const rows = await measuredRows({
      dist: join(ROOT, 'dist'),
      size: 'full',
      folder: join(tmpdir(), 'lectern-rivals'),
      ...(real !== undefined && { real: resolve(real) }),
    });
    for (const { work, lectern, rival, figure = '', missed, reported } of rows) {
      console.log(`${work}: ${lectern}; ${rival} ${figure}`);
      for (const [at, list] of (missed ?? []).entries())
        console.log(`  missed by ${at ? 'secretlint' : 'lectern'}: ${list || 'none'}`);
      for (const [at, list] of (reported ?? []).entries())
        for (const one of list.slice(0, 20))
          console.log(`  ${at ? 'secretlint' : 'lectern'}: ${one.replaceAll('\n', ' ')}`);
    }
    process.exit();
  }
}
