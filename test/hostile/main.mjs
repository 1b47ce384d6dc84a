// `npm run hostile`: hostile inputs, each made by a generator and read in a process of its own under limits of time and
// memory, as one table of case, outcome, time and peak memory. Exits 1 when a case does not end as it must. Runs what
// was built (`dist`); on Linux.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { casesOf } from './cases.mjs';
import { serviceTable } from './service/main.mjs';
import { faultsOf, summary, visible } from './verdict.mjs';

const HELP = `Usage: npm run hostile -- [options]

  --smoke      files of tens of megabytes in place of gigabytes; for every change (under three minutes)
  --isolated   reads in child processes, as a service does; the peak is that of this process and of its children
  --service    every file as an upload to one HTTP service, and hostile clients of it
  --only TEXT  cases whose name contains TEXT
  --dist DIR   the build to test (default dist)
  --folder DIR where the inputs are made (default: a temporary folder); needs 6 GB without --smoke
`;

const { values } = parseArgs({
  options: {
    smoke: { type: 'boolean', default: false },
    isolated: { type: 'boolean', default: false },
    service: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    dist: { type: 'string', default: fileURLToPath(new URL('../../dist', import.meta.url)) },
    folder: { type: 'string', default: tmpdir() },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

if (values.service) {
  const missed = await serviceTable({
    only: values.only,
    dist: resolve(values.dist),
    files: casesOf({ only: values.only, full: !values.smoke }),
    full: !values.smoke,
  });
  process.exit(missed > 0 ? 1 : 0);
}

const CHILD = fileURLToPath(new URL('./child.mjs', import.meta.url));
/** Unless the case says otherwise. Wall time holds on a loaded machine of two cores. */
const SECONDS = 10;
const HEAP_MEGABYTES = 700;
/** Cases at a time; starting a process is most of a small one. */
const SMOKE_LANES = 2;

const full = !values.smoke;
const cases = casesOf({ only: values.only, full });
const root = mkdtempSync(join(resolve(values.folder), 'lectern-hostile-'));
let missed = 0;

console.log('| case | outcome | seconds | peak MB | |\n|---|---|---|---|---|');
try {
  const queue = cases.entries();
  await Promise.all(Array.from({ length: full ? 1 : SMOKE_LANES }, () => work(queue)));
} finally {
  rmSync(root, { recursive: true, force: true });
}
console.log(`\n${cases.length} cases, ${missed} missed.`);
process.exit(missed > 0 ? 1 : 0);

/** Cases from the queue, which others may take from as well, until it is empty. */
async function work(queue) {
  for (const [index, one] of queue) {
    const folder = join(root, String(index));
    mkdirSync(folder);
    const temporary = join(root, `${index}-temporary`);
    mkdirSync(temporary);
    const path = one.make(folder, full);
    const ran = await run(one, path, folder, temporary);
    const faults = ran.outcome === undefined ? [ran.fault] : faultsOf(one, ran.outcome, { folder, full });
    if (faults.length > 0) missed++;
    if (faults.length > 0 || one.quiet !== true) console.log(row(one, ran, faults));
    for (const made of [folder, temporary]) rmSync(made, { recursive: true, force: true });
  }
}

/** The child's report, or how it ended without one. */
function run(one, path, folder, temporary) {
  const job = {
    dist: resolve(values.dist),
    path,
    folder,
    request: one.request ?? {},
    action: one.action ?? 'read',
    pages: one.pages ?? 1,
    workspace: one.workspace ?? one.operation !== undefined,
    operation: one.operation,
    isolated: values.isolated,
  };
  return new Promise((done) => {
    const started = performance.now();
    const child = spawn(
      process.execPath,
      [`--max-old-space-size=${HEAP_MEGABYTES}`, CHILD, JSON.stringify(job)],
      { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, TMPDIR: temporary } },
    );
    const out = [];
    let complaint = '';
    child.stdout.on('data', (piece) => out.push(piece));
    child.stderr.on('data', (piece) => {
      complaint = (complaint + piece).slice(-2000);
    });
    const seconds = one.seconds ?? SECONDS;
    const timer = setTimeout(() => child.kill('SIGKILL'), seconds * 1000);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const elapsed = performance.now() - started;
      if (signal === 'SIGKILL') done({ fault: `killed after ${seconds} s`, elapsed });
      else if (code !== 0)
        done({ fault: `ended with ${signal ?? code}: ${complaint.trim().split('\n').at(-1)}`, elapsed });
      else done({ outcome: JSON.parse(Buffer.concat(out).toString()), elapsed });
    });
  });
}

function row(one, { outcome, elapsed }, faults) {
  const cells = [
    visible(one.name),
    outcome ? visible(summary(outcome.results)) : '',
    ((outcome?.milliseconds ?? elapsed) / 1000).toFixed(2),
    outcome
      ? [outcome.peak, ...(values.isolated ? [outcome.childPeak] : [])]
          .map((bytes) => Math.round(bytes / 1e6))
          .join(' + ')
      : '',
    faults.length > 0 ? `MISSED: ${visible(faults.join('; '))}` : '',
  ];
  return `| ${cells.join(' | ')} |`;
}
