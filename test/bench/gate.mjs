// `npm run bench -- --gate`: has anything become slower? Each case is a ratio to a rival or to a plain loop in the same
// run, in processor time, on files of a medium size, against the ratio that was recorded. Machines of one kind differ by a
// third, so a ratio that falls by more than a quarter is measured beside the product of the recorded commit, built and run
// on this machine: the case fails when it is a quarter slower than that. Where that commit cannot be built, by half.

import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { earlierBuild, removeEarlierBuilds } from './earlier-build.mjs';
import { contestant, processorCommand } from './measure.mjs';
import { makeDocuments } from './pdf-synthetic/make.mjs';
import { commit, gateRatios, recordGate } from './record.mjs';
import { saver } from './save-result.mjs';
import { logs } from './search.mjs';

/** What a case may lose of its ratio: of the one measured on this machine, and of the one recorded on another. */
const LOSS = { here: 0.25, elsewhere: 0.5 };
/** Both of a case, in turn; the best counts, for other work on the machine only adds. */
const PAIRS = 3;
/** Pairs that are enough if their ratio is. */
const FEWEST_PAIRS = 2;
/** A case that fell is measured again so many times before it counts as slower. */
const SECOND_LOOKS = 2;

const script = (path) => fileURLToPath(new URL(path, import.meta.url));
const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url));

/** Small contestants of their own programs: what they print is `of` it, in milliseconds. */
const program = (path, of, ...words) => ({
  command: process.execPath,
  arguments: [script(path), ...words],
  speaks: true,
  of,
});

const tokens = (name, dist) =>
  program(
    'token-contestants.mjs',
    ({ counts }) => Object.values(counts).reduce((sum, { milliseconds }) => sum + milliseconds, 0),
    name,
    dist,
    'o200k_base',
    'prose',
    'code',
    'JSON',
    'CSV',
  );

/** Documents printed by Chromium, where it is installed, and the two that are fixtures. */
async function documents(bench) {
  const folder = join(bench.folder, 'gate-pdf');
  const made = await makeDocuments(join(bench.folder, 'gate-printed'), bench.progress, ['web']);
  if (made.length === 0) return undefined;
  mkdirSync(folder, { recursive: true });
  for (const { name, pdf } of made) copyFileSync(pdf, join(folder, `${name}.pdf`));
  for (const name of ['form', 'gauges'])
    copyFileSync(join(FIXTURES, 'documents', `${name}.pdf`), join(folder, `${name}.pdf`));
  return folder;
}

const empty = (bench, name) => {
  const folder = join(bench.folder, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
};

/** Of each case the two contestants; undefined where the machine lacks what it needs. */
const GATES = {
  async csv({ dist, input }) {
    const { path } = await input('csv', 100);
    return [contestant('lectern rows', dist, path), contestant('papaparse', dist, path)];
  },
  async json({ dist, input }) {
    const { path } = await input('json', 60);
    return [contestant('lectern view', dist, path), contestant('JSON.parse', dist, path)];
  },
  async xml({ dist, input }) {
    const { path } = await input('xml', 60);
    const part = await input('xml', 6);
    return [contestant('lectern view', dist, path), contestant('fast-xml-parser', dist, part.path)];
  },
  async text({ dist, input }) {
    const { path } = await input('text', 800);
    return [contestant('lectern lines', dist, path), contestant('count lines', dist, path)];
  },
  async xlsx({ dist, input }) {
    const { path } = await input('xlsx', 40_000);
    return [contestant('lectern sheet', dist, path), contestant('exceljs', dist, path)];
  },
  async pdf(bench) {
    const folder = await documents(bench);
    if (folder === undefined) return undefined;
    return [
      contestant('lectern documents', bench.dist, folder),
      contestant('pdf.js documents', bench.dist, folder),
    ];
  },
  async docx({ dist, input }) {
    const { path } = await input('docx', 200);
    return [contestant('lectern convert', dist, path), contestant('mammoth', dist, path)];
  },
  async 'second-read'(bench) {
    const { path } = await bench.input('docx', 200);
    const kept = empty(bench, 'gate-kept');
    const again = contestant('lectern kept read', bench.dist, path, kept);
    await bench.fastest({ again }, 1);
    return [again, contestant('lectern read', bench.dist, path)];
  },
  async search({ dist, folder }) {
    const path = logs(folder, 1000);
    const asked = JSON.stringify({ query: 'needle-[0-9]+$', regex: true });
    return [contestant('lectern search', dist, path, asked), contestant('naive search', dist, path, asked)];
  },
  async save(bench) {
    const folder = empty(bench, 'gate-save');
    return [
      saver('lectern jsonl', bench.dist, folder, 200_000),
      saver('stringify jsonl', bench.dist, folder, 200_000),
    ];
  },
  async isolation({ dist, input }) {
    const { path } = await input('xml', 60);
    return [
      contestant('lectern repeated', dist, path, 'process'),
      contestant('lectern repeated', dist, path, 'inline'),
    ];
  },
  tokens: async ({ dist }) => [tokens('lectern', dist), tokens('js-tiktoken', dist)],
  async compaction({ dist }) {
    const of = (name) =>
      program('compaction-loop.mjs', ({ milliseconds }) => milliseconds, name, dist, '1000');
    return [of('compact'), of('stringify')];
  },
  async cold({ dist, small }) {
    return [
      processorCommand(process.execPath, join(dist, 'src/cli/main.js'), 'read', small()),
      processorCommand(process.execPath, '-e', '0'),
    ];
  },
};

export const GATE_NAMES = Object.keys(GATES);

/** The ratio of a case, better where larger; undefined where it cannot be measured here. */
async function ratioOf(name, bench, enough) {
  const pair = await GATES[name](bench);
  if (pair === undefined) return undefined;
  const best = { ours: Number.POSITIVE_INFINITY, rival: Number.POSITIVE_INFINITY };
  for (let turn = 1; turn <= PAIRS; turn++) {
    const { ours, rival } = await bench.fastest({ ours: pair[0], rival: pair[1] }, 1);
    best.ours = Math.min(best.ours, ours);
    best.rival = Math.min(best.rival, rival);
    if (turn >= FEWEST_PAIRS && best.rival / best.ours >= enough) break;
  }
  return best.rival / best.ours;
}

/** The best ratio of a few looks, as soon as one is at least `least`; of one whole look if that is 0. */
async function bestRatio(name, bench, least) {
  const enough = least || Number.POSITIVE_INFINITY;
  let best = await ratioOf(name, bench, enough);
  for (let look = 0; look < SECOND_LOOKS && best < least; look++) {
    bench.progress(`  ${name}: ${best.toFixed(2)} is below ${least.toFixed(2)}; measured again`);
    best = Math.max(best, await ratioOf(name, bench, enough));
  }
  return best;
}

const earlierBuilds = (bench) => join(bench.folder, 'earlier');

/**
 * The least ratio that a case must reach: of what the recorded commit reaches on this machine, or where it cannot be
 * built, of what was recorded.
 */
async function leastHere(name, bench, recorded) {
  const dist = earlierBuild(recorded.commit, earlierBuilds(bench), bench.progress);
  try {
    if (dist === undefined) return { least: recorded.ratio * (1 - LOSS.elsewhere), why: '' };
    const ratio = await bestRatio(name, { ...bench, dist }, recorded.ratio * (1 - LOSS.here));
    return { least: ratio * (1 - LOSS.here), why: `, ${ratio.toPrecision(3)} on this machine` };
  } catch (error) {
    bench.progress(`  ${recorded.commit} cannot be measured as today: ${String(error).split('\n')[0]}`);
    return { least: recorded.ratio * (1 - LOSS.elsewhere), why: '' };
  }
}

/**
 * Measures the cases and prints a line for each.
 * @returns the cases that have become slower, by name
 */
export async function gate(bench, names, { isRecorded }) {
  const recorded = gateRatios();
  const slower = [];
  const measured = {};
  for (const name of names) {
    const before = recorded[name];
    const enough = isRecorded || before === undefined ? 0 : before.ratio * (1 - LOSS.here);
    const ratio = await bestRatio(name, bench, enough);
    if (ratio === undefined) {
      console.log(`${name.padEnd(12)} left out: this machine lacks what it needs`);
      continue;
    }
    measured[name] = Number(ratio.toPrecision(3));
    const { least, why } = ratio < enough ? await leastHere(name, bench, before) : { least: 0, why: '' };
    if (ratio < least) slower.push(name);
    const beside = before ? `recorded ${before.ratio} (${before.commit})${why}` : 'not recorded';
    console.log(
      `${name.padEnd(12)} ${ratio.toPrecision(3).padStart(6)}  ${beside}${ratio < least ? '  SLOWER' : ''}`,
    );
  }
  removeEarlierBuilds(earlierBuilds(bench));
  if (isRecorded) recordGate(measured);
  else if (slower.length > 0)
    console.log(
      `\n${slower.join(', ')}: more than ${LOSS.here * 100} % slower than recorded, at ${commit() ?? 'an unknown commit'}. Mend the cause, or where it is worth its price, record anew: npm run bench -- --gate --record`,
    );
  return slower;
}
