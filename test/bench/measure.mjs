// Runs commands one at a time in processes of their own and keeps what each took. Contestants take turns, so that a
// machine that is busy for a while is busy for all of them.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const CONTESTANTS = fileURLToPath(new URL('contestants.mjs', import.meta.url));

/**
 * @typedef {{ wall: number, peak?: number, milliseconds?: number, firstMilliseconds?: number, facts?: object }} Sample
 * @typedef {{ readonly command: string, readonly arguments: readonly string[], readonly speaks: boolean, readonly of?:
 *   (sample: object) => number }} Contestant
 */

/** A contestant of `contestants.mjs`. @returns {Contestant} */
export function contestant(name, dist, path = '', argument = '') {
  return { command: process.execPath, arguments: [CONTESTANTS, name, dist, path, argument], speaks: true };
}

/** Any command; only its wall time is known. @returns {Contestant} */
export function command(program, ...words) {
  return { command: program, arguments: words, speaks: false };
}

/** Any command, whose processor time bash reports. @returns {Contestant} */
export function processorCommand(program, ...words) {
  const script = 'TIMEFORMAT=\'{"seconds":[%3U,%3S]}\'; { time "$@" >&3 2>&3; } 2>&1 3>/dev/null';
  return {
    command: 'bash',
    arguments: ['-c', script, 'bash', program, ...words],
    speaks: true,
    of: ({ seconds: [user, system] }) => 1000 * (user + system),
  };
}

/** @param {Contestant} contestant @param {Record<string, string>} [environment] @returns {Promise<Sample>} */
function run(contestant, environment = {}) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(contestant.command, contestant.arguments, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    });
    let output = '';
    let errors = '';
    child.stdout.on('data', (bytes) => {
      output += bytes;
    });
    child.stderr.on('data', (bytes) => {
      errors += bytes;
    });
    child.on('error', reject);
    child.on('close', (status) => {
      const wall = performance.now() - started;
      if (status !== 0)
        reject(new Error(`${contestant.arguments.join(' ')}: status ${status}\n${errors.slice(0, 2000)}`));
      else resolve({ wall, ...(contestant.speaks && JSON.parse(output)) });
    });
  });
}

/** The middle of the values; of an even number, the lower of the two in the middle. */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

/**
 * Runs every contestant `runs` times in alternation.
 * @param {Record<string, Contestant>} contestants
 * @param {number} runs
 * @param {(message: string) => void} progress
 * @returns {Promise<Record<string, Sample>>} of each its medians
 * @throws when two contestants state different facts
 */
export async function race(contestants, runs, progress) {
  /** @type {Record<string, Sample[]>} */
  const samples = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (let turn = 1; turn <= runs; turn++)
    for (const [name, contestant] of Object.entries(contestants)) {
      const sample = await run(contestant);
      progress(`  ${turn}/${runs} ${name}: ${(sample.wall / 1000).toFixed(2)} s`);
      samples[name].push(sample);
    }
  const stated = Object.entries(samples).flatMap(([name, [sample]]) =>
    sample.facts ? [`${JSON.stringify(sample.facts)} ${name}`] : [],
  );
  if (new Set(stated.map((line) => line.split(' ')[0])).size > 1)
    throw new Error(`The contestants disagree: ${stated.join(', ')}`);
  return Object.fromEntries(
    Object.entries(samples).map(([name, list]) => [
      name,
      Object.fromEntries(
        ['wall', 'milliseconds', 'firstMilliseconds', 'peak']
          .filter((key) => list[0][key] !== undefined)
          .map((key) => [key, median(list.map((sample) => sample[key]))]),
      ),
    ]),
  );
}

/**
 * The least processor time that each contestant needs, in milliseconds, of `runs` in alternation.
 * @param {Record<string, Contestant>} contestants
 * @param {number} runs
 * @param {(message: string) => void} progress
 * @returns {Promise<Record<string, number>>}
 */
export async function fastest(contestants, runs, progress) {
  const least = {};
  for (let turn = 1; turn <= runs; turn++)
    for (const [name, contestant] of Object.entries(contestants)) {
      const { of = ({ milliseconds }) => milliseconds } = contestant;
      const milliseconds = of(await run(contestant, { LECTERN_BENCH_CLOCK: 'cpu', LC_ALL: 'C' }));
      progress(`  ${turn}/${runs} ${name}: ${milliseconds.toFixed(0)} ms of processor time`);
      least[name] = Math.min(least[name] ?? Number.POSITIVE_INFINITY, milliseconds);
    }
  return least;
}
