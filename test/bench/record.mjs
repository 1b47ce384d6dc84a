// The record of a benchmark run, from which the documents take their figures: what was measured, on which machine and when.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

const FILE = new URL('figures.json', import.meta.url);

/** This machine and its Node.js, as a run states them. */
export function where() {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB of memory`;
  const processors = `${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown'}`;
  return `Node.js ${process.version}, ${platform()} ${arch()}, ${processors}, ${memory}`;
}

/** As in ISO 8601, in UTC. */
export const today = () => new Date().toISOString().slice(0, 10);

/** The short name of the commit that is checked out; undefined outside a repository. */
export function commit() {
  try {
    const folder = fileURLToPath(new URL('.', import.meta.url));
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', cwd: folder }).trim();
  } catch {
    return undefined;
  }
}

const recorded = () =>
  existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : { where: where(), cases: {} };
const write = (figures) => writeFileSync(FILE, `${JSON.stringify(figures, null, 2)}\n`);

/** The ratios that the gate holds: `{ ratio, commit, date }` by case. */
export const gateRatios = () => recorded().gate ?? {};

/** Keeps the ratios of the gate, by case, in place of the recorded ones of the same cases. */
export function recordGate(ratios) {
  const old = recorded();
  const measured = Object.fromEntries(
    Object.entries(ratios).map(([name, ratio]) => [name, { ratio, date: today(), commit: commit() }]),
  );
  write({ ...old, gate: { ...old.gate, ...measured } });
}

/**
 * Keeps `rows`, in place of the recorded ones of the same cases.
 * @throws where a case failed, or the others were recorded on another machine
 */
export function record(rows) {
  if (rows.some(({ failed }) => failed)) throw new Error('Not recorded: a case failed.');
  const old = recorded();
  const measured = {};
  for (const { case: name, work, lectern, rival, figure } of rows) {
    measured[name] ??= { date: today(), commit: commit(), rows: [] };
    measured[name].rows.push({ work, lectern, rival, figure });
  }
  const others = Object.keys(old.cases).filter((name) => !(name in measured));
  if (others.length > 0 && old.where !== where())
    throw new Error(`Not recorded: ${others.join(', ')} were measured on ${old.where}. Run all cases.`);
  write({ ...old, where: where(), cases: { ...old.cases, ...measured } });
}
