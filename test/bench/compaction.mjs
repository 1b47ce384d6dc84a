// Time and memory of compaction compared with rivals, as rows for the table of all benchmarks: 1000 messages of 200,000 tokens, and
// ten times as many.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const INTEGRATIONS = new URL('../integrations/', import.meta.url);
const CONTESTANTS = fileURLToPath(new URL('bench/compaction-contestants.mjs', INTEGRATIONS));
const OURS = ['lectern chat', 'lectern anthropic'];
const RIVALS = ['trimMessages', 'clearToolUses', 'pruneMessages'];
/** What each does of what a compaction is. */
const DOES = {
  trimMessages: 'drops the oldest messages without a trace',
  clearToolUses: 'replaces old results with a word and recounts all messages for each',
  pruneMessages: 'removes old calls by number and counts no tokens',
};
/** For 1000 messages. */
const MOST_MILLISECONDS = 100;
/** Linear would be 10; the rest is caches and noise. */
const GROWTH_LIMIT = 15;

const milliseconds = (value) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;
const told = ({ first, next, kept }) =>
  `${milliseconds(first)}, next call ${milliseconds(next)}, keeps ${(100 * kept).toFixed(0)} %`;

async function measured(name, dist, count, progress) {
  const { stdout } = await promisify(execFile)(process.execPath, [CONTESTANTS, name, dist, String(count)]);
  const sample = JSON.parse(stdout);
  progress(`  ${name}, ${count} messages: ${told(sample)}`);
  return sample;
}

/** None at smoke size where they are not installed. */
function installedRivals(size, progress) {
  if (existsSync(new URL('node_modules', INTEGRATIONS))) return RIVALS;
  const message = 'rivals are not installed: run `npm ci --prefix test/integrations --ignore-scripts`';
  if (size === 'full') throw new Error(message);
  progress(`  ${message}`);
  return [];
}

/** Rows of the table of all benchmarks. */
export async function compactionRows({ dist, size, progress }) {
  const few = size === 'full' ? 1000 : 100;
  const many = 10 * few;
  const samples = {};
  const rivals = installedRivals(size, progress);
  for (const name of [...OURS, ...rivals])
    samples[name] = {
      few: await measured(name, dist, few, progress),
      many: await measured(name, dist, many, progress),
    };
  const ours = OURS.map((name) => ({ name, ...samples[name] }));
  return [
    ...ours.map(({ name, few: sample }) => ({
      work: `${few} messages, ${name.split(' ')[1]}`,
      lectern: told(sample),
      figure: `${milliseconds(sample.cold)} when nothing is warm`,
      target: `<= ${MOST_MILLISECONDS} ms`,
      met: sample.first <= MOST_MILLISECONDS,
    })),
    ...ours.map(({ name, few: { first }, many: sample }) => ({
      work: `${many} messages, ${name.split(' ')[1]}`,
      lectern: `${told(sample)}, ${megabytes(sample.peak)}`,
      figure: `${(sample.first / first).toFixed(1)}x the time of ${few}`,
      target: `<= ${GROWTH_LIMIT}x`,
      met: sample.first / first <= GROWTH_LIMIT,
    })),
    ...rivals.map((name) => {
      const { few: less, many: more } = samples[name];
      return {
        work: `against ${name}, which ${DOES[name]}`,
        lectern: told(samples['lectern chat'].few),
        rival: told(less),
        figure: `${(more.first / less.first).toFixed(1)}x the time for ${many} messages, ${megabytes(more.peak)}`,
      };
    }),
  ];
}
