// What reading in a child process costs beside reading inline: warm and small, cold, and a large file that the child opens itself.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url));
const MAX_FIXTURE_BYTES = 100_000;
const ROUNDS = 5;
const TARGET_MS = 5;
const TARGET_RATIO = 1.5;

const middle = (values) => [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
const milliseconds = (value) => `${value.toFixed(value < 100 ? 2 : 0)} ms`;

async function timed(work) {
  const started = performance.now();
  const answer = await work();
  if (!answer.success) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return performance.now() - started;
}

/** Rows of the table: what each read costs more. */
export async function isolationRows(bench) {
  const { createReader } = await import(pathToFileURL(join(bench.dist, 'src/index.js')).href);
  const options = { cache: false, environment: {} };
  const inline = createReader(options);
  const coldReader = createReader({ ...options, isolation: 'process' });
  const cold = await timed(() => coldReader.read(bench.small()));
  await coldReader.close();
  const isolated = createReader({ ...options, isolation: 'process' });
  try {
    return [
      ...(await warmRows(inline, isolated)),
      {
        work: 'first read of a new process, one line',
        lectern: milliseconds(cold),
        figure: milliseconds(cold),
      },
      await largeRow(bench, inline, isolated),
    ];
  } finally {
    await isolated.close();
  }
}

async function warmRows(inline, isolated) {
  const paths = readdirSync(FIXTURES, { recursive: true })
    .map((name) => join(FIXTURES, name))
    .filter((path) => statSync(path).isFile() && statSync(path).size <= MAX_FIXTURE_BYTES)
    // Protected files need a password.
    .filter((path) => !path.endsWith('.expected.md') && !path.includes('/protected/'));
  const added = [];
  const totals = { inline: 0, isolated: 0 };
  for (const path of paths) {
    const name = path.split('/').at(-1);
    const bytes = readFileSync(path);
    const times = { inline: [], isolated: [] };
    // The first two rounds load what the format needs in either process.
    for (let round = -2; round < ROUNDS; round++)
      for (const [kind, reader] of Object.entries({ inline, isolated })) {
        const taken = await timed(() => reader.read({ name, bytes }));
        if (round >= 0) times[kind].push(taken);
      }
    added.push(middle(times.isolated) - middle(times.inline));
    for (const kind of ['inline', 'isolated']) totals[kind] += middle(times[kind]);
  }
  const extra = middle(added);
  const sorted = [...added].sort((a, b) => a - b);
  return [
    {
      work: `${paths.length} small files of every format, warm: added to a read`,
      lectern: milliseconds(extra),
      rival: `p90 ${milliseconds(sorted[Math.floor(sorted.length * 0.9)])}`,
      figure: milliseconds(extra),
      target: `<= ${TARGET_MS} ms`,
      met: extra <= TARGET_MS,
    },
    {
      work: 'the same files, all together',
      lectern: milliseconds(totals.isolated),
      rival: `inline ${milliseconds(totals.inline)}`,
      figure: `${(totals.isolated / totals.inline).toFixed(2)} of it`,
    },
  ];
}

async function largeRow(bench, inline, isolated) {
  const { path, bytes } = await bench.input('csv', bench.size === 'full' ? 500 : 20);
  const times = { inline: [], isolated: [] };
  // The first two rounds fill the file cache of the system.
  for (let round = -2; round < ROUNDS; round++)
    for (const [kind, reader] of Object.entries({ inline, isolated })) {
      const taken = await timed(() => reader.read(path));
      if (round >= 0) times[kind].push(taken);
    }
  const ratio = middle(times.isolated) / middle(times.inline);
  return {
    work: `a CSV of ${(bytes / 1e6).toFixed(0)} MB, opened again by the child`,
    lectern: milliseconds(middle(times.isolated)),
    rival: `inline ${milliseconds(middle(times.inline))}`,
    figure: `${ratio.toFixed(2)} of it`,
    target: `<= ${TARGET_RATIO}x`,
    met: ratio <= TARGET_RATIO,
  };
}
