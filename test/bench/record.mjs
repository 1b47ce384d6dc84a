// The record of a benchmark run, from which the documents take their figures: what was measured, on which machine and when.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, totalmem } from 'node:os';

const FILE = new URL('figures.json', import.meta.url);

/** This machine and its Node.js, as a run states them. */
export function where() {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB of memory`;
  const processors = `${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown'}`;
  return `Node.js ${process.version}, ${platform()} ${arch()}, ${processors}, ${memory}`;
}

/** As in ISO 8601, in UTC. */
export const today = () => new Date().toISOString().slice(0, 10);

/**
 * Keeps `rows`, in place of the recorded ones of the same cases.
 * @throws where a case failed, or the others were recorded on another machine
 */
export function record(rows) {
  if (rows.some(({ failed }) => failed)) throw new Error('Not recorded: a case failed.');
  const old = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : { where: where(), cases: {} };
  const measured = {};
  for (const { case: name, work, lectern, rival, figure } of rows) {
    measured[name] ??= { date: today(), rows: [] };
    measured[name].rows.push({ work, lectern, rival, figure });
  }
  const others = Object.keys(old.cases).filter((name) => !(name in measured));
  if (others.length > 0 && old.where !== where())
    throw new Error(`Not recorded: ${others.join(', ')} were measured on ${old.where}. Run all cases.`);
  writeFileSync(
    FILE,
    `${JSON.stringify({ where: where(), cases: { ...old.cases, ...measured } }, null, 2)}\n`,
  );
}
