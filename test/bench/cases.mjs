// The benchmark cases: what lectern does, beside whom, and what the figures must be. Each gives rows of the table.

import { join } from 'node:path';
import { command, contestant } from './measure.mjs';
import { tokenRows } from './tokens.mjs';

const MEGABYTE = 1e6;

const seconds = (milliseconds) =>
  milliseconds < 1000 ? `${milliseconds.toFixed(0)} ms` : `${(milliseconds / 1000).toFixed(2)} s`;
const megabytes = (bytes) => `${(bytes / MEGABYTE).toFixed(0)} MB`;

function atLeast(work, target, ours, rival, name) {
  const ratio = rival / ours;
  return {
    work,
    lectern: seconds(ours),
    beside: `${name} ${seconds(rival)}`,
    figure: `${ratio.toFixed(1)}x faster`,
    target: `>= ${target}x`,
    met: ratio >= target,
  };
}

function within(work, target, ours, limit, name) {
  const ratio = ours / limit;
  return {
    work,
    lectern: seconds(ours),
    beside: `${name} ${seconds(limit)}`,
    figure: `${ratio.toFixed(2)} of it`,
    target: `<= ${target}x`,
    met: ratio <= target,
  };
}

function memory(target, peak) {
  return {
    work: 'peak memory',
    lectern: megabytes(peak),
    target: `<= ${target} MB`,
    met: peak <= target * MEGABYTE,
  };
}

/** What a process costs before it works: lectern's, reading one line. */
const startUp = (bench) => contestant('lectern start-up', bench.dist, bench.small());

async function csv(bench) {
  const { path, bytes } = await bench.input('csv', bench.size === 'full' ? 1000 : 20);
  const result = await bench.race({
    lectern: contestant('lectern rows', bench.dist, path),
    'start-up': startUp(bench),
    papaparse: contestant('papaparse', bench.dist, path),
    'wc -l': command('wc', '-l', path),
  });
  const { lectern } = result;
  return [
    atLeast(
      `sample and row count, ${megabytes(bytes)}`,
      15,
      lectern.wall,
      result.papaparse.wall,
      'papaparse',
    ),
    within('beyond start-up', 3, lectern.wall - result['start-up'].wall, result['wc -l'].wall, '`wc -l`'),
    memory(120, lectern.peak),
  ];
}

async function csvFar(bench) {
  const { path } = await bench.input('csv', bench.size === 'full' ? 1000 : 20);
  const range = bench.size === 'full' ? '5000000-5000020' : '100000-100020';
  const { lectern } = await bench.race({ lectern: contestant('lectern far rows', bench.dist, path, range) });
  return [
    atLeast(`rows ${range}, second call`, 10, lectern.milliseconds, lectern.firstMilliseconds, 'first call'),
    memory(120, lectern.peak),
  ];
}

async function json(bench) {
  const { path, bytes } = await bench.input('json', bench.size === 'full' ? 400 : 10);
  const { lectern, rival } = await bench.race({
    lectern: contestant('lectern view', bench.dist, path),
    rival: contestant('JSON.parse', bench.dist, path),
  });
  return [
    atLeast(`view and counts, ${megabytes(bytes)}`, 15, lectern.wall, rival.wall, '`JSON.parse`'),
    memory(150, lectern.peak),
  ];
}

async function xml(bench) {
  const { path, bytes } = await bench.input('xml', bench.size === 'full' ? 200 : 10);
  const part = await bench.input('xml', bench.size === 'full' ? 20 : 5);
  const { lectern, rival } = await bench.race({
    lectern: contestant('lectern view', bench.dist, path),
    rival: contestant('fast-xml-parser', bench.dist, part.path),
  });
  const scaled = rival.wall * (bytes / part.bytes);
  return [
    atLeast(`view and counts, ${megabytes(bytes)}`, 20, lectern.wall, scaled, 'fast-xml-parser, scaled,'),
    memory(150, lectern.peak),
  ];
}

async function text(bench) {
  const { path, bytes } = await bench.input('text', bench.size === 'full' ? 1000 : 20);
  const result = await bench.race({
    lectern: contestant('lectern lines', bench.dist, path),
    'start-up': startUp(bench),
    'wc -l': command('wc', '-l', path),
  });
  const beyond = result.lectern.wall - result['start-up'].wall;
  return [
    within(
      `first lines and total, ${megabytes(bytes)}, beyond start-up`,
      3,
      beyond,
      result['wc -l'].wall,
      '`wc -l`',
    ),
    memory(120, result.lectern.peak),
  ];
}

async function xlsx(bench) {
  const rows = bench.size === 'full' ? 300_000 : 5000;
  const { path, bytes } = await bench.input('xlsx', rows);
  const result = await bench.race({
    lectern: contestant('lectern sheet', bench.dist, path),
    'start-up': startUp(bench),
    inflate: contestant('bare inflate', bench.dist, path),
    node: contestant('nothing', bench.dist),
    exceljs: contestant('exceljs', bench.dist, path),
  });
  const { lectern, inflate, exceljs } = result;
  return [
    atLeast(
      `sample and row count, ${rows} x 20, ${megabytes(bytes)}`,
      10,
      lectern.wall,
      exceljs.wall,
      'exceljs',
    ),
    within(
      'both beyond start-up',
      1.3,
      lectern.wall - result['start-up'].wall,
      inflate.wall - result.node.wall,
      'bare inflate',
    ),
    memory(180, lectern.peak),
  ];
}

async function cold(bench) {
  const path = bench.small();
  const { lectern, node } = await bench.race({
    lectern: command(process.execPath, join(bench.dist, 'src/cli/main.js'), 'read', path),
    node: command(process.execPath, '-e', '0'),
  });
  const more = lectern.wall - node.wall;
  return [
    {
      work: '`lectern read small.txt`',
      lectern: seconds(lectern.wall),
      beside: `\`node -e 0\` ${seconds(node.wall)}`,
      figure: `+ ${more.toFixed(0)} ms`,
      target: '<= + 100 ms',
      met: more <= 100,
    },
  ];
}

/** @type {readonly { name: string, run: (bench: object) => Promise<object[]> }[]} */
export const CASES = [
  { name: 'csv', run: csv },
  { name: 'csv-far', run: csvFar },
  { name: 'json', run: json },
  { name: 'xml', run: xml },
  { name: 'text', run: text },
  { name: 'xlsx', run: xlsx },
  { name: 'tokens', run: tokenRows },
  { name: 'cold', run: cold },
];
