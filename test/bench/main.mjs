// `npm run bench`: lectern beside its rivals on large files, as a table of ratios and targets. Runs what was built
// (`dist`); makes its inputs, takes turns between contestants in processes of their own, and cleans up.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CASES } from './cases.mjs';
import { GATE_NAMES, gate } from './gate.mjs';
import { input } from './inputs.mjs';
import { fastest, race } from './measure.mjs';
import { record, today, where } from './record.mjs';

const HELP = `Usage: npm run bench -- [options]

  --size smoke|full   files of a few megabytes (default), or of the sizes the targets are for
  --only NAME         one case: ${CASES.map(({ name }) => name).join(', ')}; may be repeated
  --runs N            runs of each contestant, the median counts (default 3)
  --keep DIR          make the inputs in DIR and leave them there for the next time
  --dist DIR          the build to measure (default dist)
  --json              print the rows as JSON
  --record            write the rows to test/bench/figures.json, from which the README takes its figures; needs
                      --size full, and with --only replaces the rows of those cases. \`npm run record\` does both
  --gate              in a few minutes: fail if a case is more than a quarter slower, beside its rival in the same run,
                      than figures.json says; with --record, keep the ratios. Cases: ${GATE_NAMES.join(', ')}
`;

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: 'smoke' },
    only: { type: 'string', multiple: true },
    runs: { type: 'string', default: '3' },
    keep: { type: 'string' },
    dist: { type: 'string', default: fileURLToPath(new URL('../../dist', import.meta.url)) },
    json: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    gate: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const names = values.gate ? GATE_NAMES : CASES.map(({ name }) => name);
const unknown = values.only?.find((name) => !names.includes(name));
const isWrong =
  unknown !== undefined ||
  !['smoke', 'full'].includes(values.size) ||
  !(Number(values.runs) >= 1) ||
  (values.record && !values.gate && values.size !== 'full');
if (isWrong) {
  console.error(HELP);
  process.exit(2);
}

const progress = (message) => console.error(message);
const folder = values.keep ? resolve(values.keep) : mkdtempSync(join(tmpdir(), 'lectern-bench-'));
mkdirSync(folder, { recursive: true });
const bench = {
  dist: resolve(values.dist),
  size: values.size,
  folder,
  progress,
  input: (kind, size) => input(folder, kind, size, progress),
  small: () => {
    const path = join(folder, 'small.txt');
    writeFileSync(path, 'One line.\n');
    return path;
  },
  race: (contestants) => race(contestants, Number(values.runs), progress),
  fastest: (contestants, runs) => fastest(contestants, runs, progress),
};

if (values.gate) {
  const slower = await gate(bench, values.only ?? names, { isRecorded: values.record });
  if (!values.keep) rmSync(folder, { recursive: true, force: true });
  process.exit(slower.length > 0 ? 1 : 0);
}

const rows = [];
try {
  for (const { name, run } of CASES) {
    if (values.only && !values.only.includes(name)) continue;
    progress(name);
    try {
      for (const row of await run(bench)) rows.push({ case: name, ...row });
    } catch (error) {
      rows.push({ case: name, work: 'failed', figure: error.message.split('\n')[0], failed: true });
      progress(error.message);
    }
  }
} finally {
  if (!values.keep) rmSync(folder, { recursive: true, force: true });
}

// Small files are all start-up: their ratios say that the benchmarks run, not whether targets are met.
const judged = values.size === 'full';
if (values.record) record(rows);
if (values.json)
  console.log(JSON.stringify({ size: values.size, where: where(), date: today(), rows }, null, 2));
else {
  console.log(
    `${where()}, ${today()}. Inputs of size \`${values.size}\`, median of ${values.runs}.${judged ? '' : ' Targets are for the full size.'}\n`,
  );
  console.log('| case | work | lectern | rival | figure | target | |');
  console.log('|---|---|---|---|---|---|---|');
  for (const row of rows) {
    const met = row.failed
      ? '**failed**'
      : !judged || row.met === undefined
        ? ''
        : row.met
          ? 'met'
          : '**missed**';
    console.log(
      `| ${row.case} | ${row.work} | ${row.lectern ?? ''} | ${row.rival ?? ''} | ${row.figure ?? ''} | ${row.target ?? ''} | ${met} |`,
    );
  }
}
// A record states what was measured, targets met or not.
if (rows.some((row) => row.failed || (judged && !values.record && row.met === false))) process.exitCode = 1;
