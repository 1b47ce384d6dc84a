// What a search costs over many files of text, beside grep and beside a loop of a few lines of JavaScript.

import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command, contestant } from './measure.mjs';
import { random, WORDS } from './words.mjs';

const FILE_BYTES = 100_000;
const FILES_A_FOLDER = 40;
/** One line in so many holds what is looked for. */
const RARE = 50_000;

/** A folder of log files. */
export function logs(folder, files) {
  const path = join(folder, `logs-${files}`);
  if (existsSync(path)) return path;
  const next = random(7);
  const pick = (list) => list[Math.floor(next() * list.length)];
  let line = 0;
  for (let file = 0; file < files; file++) {
    let text = '';
    while (text.length < FILE_BYTES) {
      line++;
      const rare = line % RARE === 0 ? ` needle-${line}` : '';
      text += `2026-11-${10 + (line % 20)}T10:${10 + (line % 50)}:00Z [${pick(['INFO', 'WARN', 'DEBUG'])}] ${pick(WORDS)} ${pick(WORDS)} ${pick(WORDS)}=${Math.floor(next() * 1e5)} ${pick(WORDS)} ${pick(WORDS)} user${Math.floor(next() * 1e6)}@example.com ${pick(WORDS)}${rare}\n`;
    }
    const below = join(`${path}.part`, `d${Math.floor(file / FILES_A_FOLDER)}`);
    mkdirSync(below, { recursive: true });
    writeFileSync(join(below, `f${file}.log`), text);
  }
  renameSync(`${path}.part`, path);
  return path;
}

const QUERIES = [
  { work: 'literal', query: 'needle-', grep: ['-rhF'] },
  { work: 'literal, any case', query: 'NEEDLE-', caseSensitive: false, grep: ['-rhFi'] },
  { work: 'expression with literal text', query: 'needle-[0-9]+$', regex: true, grep: ['-rhE'] },
  { work: 'expression without', query: '[0-9]{2}:[0-9]{2}:[1-9][0-9]Z', regex: true, grep: ['-rhE'] },
];

const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(2)} s`;

export async function searchRows(bench) {
  const files = bench.size === 'full' ? 2000 : 100;
  const path = logs(bench.folder, files);
  const rows = [];
  for (const { work, grep, ...asked } of QUERIES) {
    const result = await bench.race({
      lectern: contestant('lectern search', bench.dist, path, JSON.stringify(asked)),
      naive: contestant('naive search', bench.dist, path, JSON.stringify(asked)),
      grep: command('sh', '-c', 'grep "$1" -e "$2" "$3" || test $? = 1', 'sh', ...grep, asked.query, path),
    });
    const { lectern, naive } = result;
    rows.push({
      work: `${work}, ${(files * FILE_BYTES) / 1e6} MB in ${files} files`,
      lectern: seconds(lectern.milliseconds),
      rival: `readFile and RegExp ${seconds(naive.milliseconds)}, \`grep\` ${seconds(result.grep.wall)}`,
      figure: `${(naive.milliseconds / lectern.milliseconds).toFixed(1)}x as fast, ${(lectern.milliseconds / result.grep.wall).toFixed(1)}x the time of grep`,
    });
    rows.push({ work: 'peak memory', lectern: `${(lectern.peak / 1e6).toFixed(0)} MB` });
  }
  return rows;
}
