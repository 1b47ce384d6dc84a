// Token counting beside its rivals: rows for the table of all benchmarks, and, run by itself
// (`node test/bench/tokens.mjs [DIST]`), the figures in full.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ORDINARY, RUNS } from './token-texts.mjs';

const CONTESTANTS = fileURLToPath(new URL('token-contestants.mjs', import.meta.url));
const ENCODINGS = ['cl100k_base', 'o200k_base'];
const TEXTS = Object.keys(ORDINARY);
const RUN_NAMES = Object.keys(RUNS);
const [SHORT_RUN, LONG_RUN] = [250_000, 1_000_000];
/** Rivals take more than linear time on runs: this much already tells. */
const RIVAL_RUN = 10_000;
/** Linear would be 4; the rest is caches and noise. */
const GROWTH_LIMIT = 6;

async function count(name, dist, encoding, texts) {
  const { stdout } = await promisify(execFile)(process.execPath, [
    CONTESTANTS,
    name,
    dist,
    encoding,
    ...texts,
  ]);
  return JSON.parse(stdout);
}

/** Milliseconds to load, the best of a few processes. */
async function loadTime(name, dist, encoding) {
  const loads = [];
  for (let turn = 0; turn < 5; turn++) loads.push((await count(name, dist, encoding, [])).load);
  return Math.min(...loads);
}

const runs = (length) => RUN_NAMES.map((name) => `${name}:${length}`);
const speed = ({ bytes, milliseconds }) => bytes / 1000 / milliseconds;

/** The texts in which the two count differently. */
function disagreements(ours, rival) {
  return Object.entries(rival.counts).flatMap(([text, { tokens }]) => {
    const counted = ours.counts[text]?.tokens ?? tokens;
    return counted === tokens ? [] : [`${tokens - counted} in ${text}`];
  });
}

/** Rows of the table of all benchmarks. */
export async function tokenRows({ dist }) {
  const rows = [];
  for (const encoding of ENCODINGS) {
    const rival = await count('js-tiktoken', dist, encoding, TEXTS);
    const ours = await count('lectern', dist, encoding, [...TEXTS, ...runs(SHORT_RUN), ...runs(LONG_RUN)]);
    const wrong = disagreements(ours, rival);
    if (wrong.length > 0) throw new Error(`js-tiktoken counts more tokens by ${wrong.join(', ')}`);
    const ratios = TEXTS.map((text) => rival.counts[text].milliseconds / ours.counts[text].milliseconds);
    const least = Math.min(...ratios);
    const growths = RUN_NAMES.map(
      (name) =>
        ours.counts[`${name}:${LONG_RUN}`].milliseconds / ours.counts[`${name}:${SHORT_RUN}`].milliseconds,
    );
    const slowest = Math.min(...runs(LONG_RUN).map((name) => speed(ours.counts[name])));
    const load = await loadTime('lectern', dist, encoding);
    const rivalLoad = await loadTime('js-tiktoken', dist, encoding);
    rows.push(
      {
        work: `${encoding}: ${TEXTS.join(', ')}`,
        rival: 'js-tiktoken',
        figure: `${ratios.map((ratio) => ratio.toFixed(1)).join(', ')}x as fast`,
        target: '>= 3x',
        met: least >= 3,
      },
      {
        work: `${encoding}: load`,
        lectern: `${load.toFixed(0)} ms`,
        rival: `js-tiktoken ${rivalLoad.toFixed(0)} ms`,
        target: '<= 100 ms',
        met: load <= 100,
      },
      {
        work: `${encoding}: runs of ${LONG_RUN} units, against a quarter of it`,
        figure: `at most ${Math.max(...growths).toFixed(1)}x the time; at least ${slowest.toFixed(1)} MB/s`,
        target: `<= ${GROWTH_LIMIT}x`,
        met: Math.max(...growths) <= GROWTH_LIMIT,
      },
    );
  }
  return rows;
}

/** All figures as Markdown. */
async function tables(dist) {
  const rivals = ['js-tiktoken', 'gpt-tokenizer', 'cut + gpt-tokenizer'];
  for (const encoding of ENCODINGS) {
    const ours = await count('lectern', dist, encoding, [...TEXTS, ...runs(RIVAL_RUN), ...runs(LONG_RUN)]);
    const results = [['lectern', { ...ours, load: await loadTime('lectern', dist, encoding) }]];
    for (const name of rivals) {
      // js-tiktoken would take hours for the runs.
      const texts = name === 'js-tiktoken' ? TEXTS : [...TEXTS, ...runs(RIVAL_RUN)];
      const result = await count(name, dist, encoding, texts);
      results.push([name, { ...result, load: await loadTime(name, dist, encoding) }]);
    }
    const loads = (figure) => results.map(([, result]) => figure(result)).join(' | ');
    console.log(`\n### ${encoding}\n\n| | ${results.map(([name]) => name).join(' | ')} |`);
    console.log(`|---|${results.map(() => '--:|').join('')}`);
    console.log(`| load, ms | ${loads(({ load }) => load.toFixed(0))} |`);
    console.log(`| peak memory when loaded, MB | ${loads(({ peak }) => (peak / 1e6).toFixed(0))} |`);
    console.log(
      `| tokens more than lectern | ${loads((result) => disagreements(ours, result).join(', '))} |`,
    );
    for (const text of TEXTS)
      console.log(`| ${text}, MB/s | ${loads(({ counts }) => speed(counts[text]).toFixed(1))} |`);
    for (const length of [RIVAL_RUN, LONG_RUN])
      for (const name of RUN_NAMES)
        console.log(
          `| ${length} units of ${name}, ms | ${loads(({ counts }) => counts[`${name}:${length}`]?.milliseconds.toFixed(1) ?? '')} |`,
        );
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await tables(process.argv[2] ?? fileURLToPath(new URL('../../dist', import.meta.url)));
