// The benchmark cases: what lectern does, beside whom, and what the figures must be. Each gives rows of the table.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compactionRows } from './compaction.mjs';
import { historyRows } from './history-rows.mjs';
import { isolationRows } from './isolation.mjs';
import { command, contestant } from './measure.mjs';
import { redactRows } from './redact.mjs';
import { installed } from './rivals.mjs';
import { saveRows } from './save-result.mjs';
import { searchRows } from './search.mjs';
import { tokenRows } from './tokens.mjs';

const MEGABYTE = 1e6;

const seconds = (milliseconds) =>
  milliseconds < 1000 ? `${milliseconds.toFixed(0)} ms` : `${(milliseconds / 1000).toFixed(2)} s`;
const megabytes = (bytes) =>
  bytes < MEGABYTE ? `${(bytes / 1000).toFixed(0)} kB` : `${(bytes / MEGABYTE).toFixed(0)} MB`;

function atLeast(work, target, ours, rival, name) {
  const ratio = rival / ours;
  return {
    work,
    lectern: seconds(ours),
    rival: `${name} ${seconds(rival)}`,
    figure: `${ratio.toFixed(1)}x as fast`,
    target: `>= ${target}x`,
    met: ratio >= target,
  };
}

function within(work, target, ours, limit, name) {
  const ratio = ours / limit;
  return {
    work,
    lectern: seconds(ours),
    rival: `${name} ${seconds(limit)}`,
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

/** The rivals that are no dependencies of ours: installed when they are raced, undefined where that fails. */
async function rivals(bench) {
  const folder = join(bench.folder, 'rivals');
  try {
    await installed(folder, ['@firecrawl/pdf-inspector@1.25.1', '@llamaindex/liteparse@2.14.7']);
    return folder;
  } catch (error) {
    bench.progress(`  rivals left out: ${error.message.split('\n')[0]}`);
    return undefined;
  }
}

async function pdf(bench) {
  const pages = bench.size === 'full' ? 350 : 40;
  const { path, bytes } = await bench.input('pdf', pages);
  const folder = await rivals(bench);
  const result = await bench.race({
    lectern: contestant('lectern read', bench.dist, path),
    'pdf.js': contestant('pdf.js text', bench.dist, path),
    convert: contestant('lectern convert', bench.dist, path),
    ...(folder && {
      'pdf-inspector': contestant('pdf-inspector', bench.dist, path, folder),
      liteparse: contestant('liteparse', bench.dist, path, folder),
    }),
  });
  const each = (name) => `${(result[name].milliseconds / pages).toFixed(1)} ms`;
  return [
    atLeast(
      `first pages of ${pages}, ${megabytes(bytes)}, cold`,
      10,
      result.lectern.wall,
      result['pdf.js'].wall,
      'pdf.js text of all',
    ),
    {
      work: 'every page, per page',
      lectern: each('convert'),
      rival: ['pdf.js', 'pdf-inspector', 'liteparse']
        .filter((name) => result[name])
        .map((name) => `${name} ${each(name)}`)
        .join(', '),
    },
    memory(400, result.lectern.peak),
  ];
}

/** Short PDF files as programs write them: with a form, tagged. Each is read by a process of its own. */
const SHORT_PDFS = ['form', 'gauges'].map((name) =>
  fileURLToPath(new URL(`../../fixtures/documents/${name}.pdf`, import.meta.url)),
);

async function shortPdfs(bench) {
  const cli = join(bench.dist, 'src/cli/main.js');
  const folder = await rivals(bench);
  const sums = {};
  for (const path of SHORT_PDFS) {
    const result = await bench.race({
      node: command(process.execPath, '-e', '0'),
      whole: command(process.execPath, cli, 'read', path, '--no-cache', '--all'),
      first: command(process.execPath, cli, 'read', path, '--no-cache'),
      'pdf.js': contestant('pdf.js text', bench.dist, path),
      ...(folder && { liteparse: contestant('liteparse', bench.dist, path, folder) }),
    });
    for (const [name, { wall }] of Object.entries(result)) sums[name] = (sums[name] ?? 0) + wall;
  }
  const { node, whole, first } = sums;
  return [
    {
      work: `${SHORT_PDFS.length} short files, one process a file`,
      lectern: seconds(whole),
      rival: ['node', 'pdf.js', 'liteparse']
        .filter((name) => name in sums)
        .map((name) => `${name === 'node' ? '`node -e 0`' : name} ${seconds(sums[name])}`)
        .join(', '),
      figure: `${((whole - node) / (sums['pdf.js'] - node)).toFixed(2)} of the text by pdf.js, beyond start-up`,
    },
    within('first answer', 1.1, first, whole, 'whole files'),
  ];
}

async function secondRead(bench) {
  const inputs = [
    ['PDF', await bench.input('pdf', bench.size === 'full' ? 350 : 40)],
    ['DOCX', await bench.input('docx', bench.size === 'full' ? 200 : 20)],
  ];
  const rows = [];
  for (const [kind, { path }] of inputs) {
    const kept = join(bench.folder, `kept-${kind}`);
    rmSync(kept, { recursive: true, force: true });
    await bench.race({ once: contestant('lectern kept read', bench.dist, path, kept) });
    const { first, second } = await bench.race({
      first: contestant('lectern read', bench.dist, path),
      second: contestant('lectern kept read', bench.dist, path, kept),
    });
    rmSync(kept, { recursive: true, force: true });
    rows.push(
      atLeast(
        `${kind}, second read in a new process, beyond start-up`,
        20,
        second.milliseconds,
        first.milliseconds,
        'first read',
      ),
    );
  }
  return rows;
}

async function docx(bench) {
  const { path, bytes } = await bench.input('docx', bench.size === 'full' ? 200 : 20);
  const { lectern, mammoth } = await bench.race({
    lectern: contestant('lectern convert', bench.dist, path),
    mammoth: contestant('mammoth', bench.dist, path),
  });
  return [
    atLeast(`whole document, ${megabytes(bytes)}`, 1, lectern.milliseconds, mammoth.milliseconds, 'mammoth'),
    memory(250, lectern.peak),
  ];
}

async function image(bench) {
  const { path, bytes } = await bench.input('jpeg', bench.size === 'full' ? 48 : 4);
  const { lectern, bare } = await bench.race({
    lectern: contestant('lectern read', bench.dist, path),
    bare: contestant('bare sharp', bench.dist, path, '1568'),
  });
  return [
    {
      work: `fitted to 2 MiB, ${megabytes(bytes)}`,
      lectern: seconds(lectern.milliseconds),
      rival: `one resize by sharp ${seconds(bare.milliseconds)}`,
      figure: `${(lectern.milliseconds / bare.milliseconds).toFixed(2)} of it`,
    },
    memory(400, lectern.peak),
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
      rival: `\`node -e 0\` ${seconds(node.wall)}`,
      figure: `+ ${more.toFixed(0)} ms`,
      target: '<= + 70 ms',
      met: more <= 70,
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
  { name: 'pdf', run: pdf },
  { name: 'pdf-short', run: shortPdfs },
  { name: 'second-read', run: secondRead },
  { name: 'docx', run: docx },
  { name: 'image', run: image },
  { name: 'search', run: searchRows },
  { name: 'redact', run: redactRows },
  { name: 'save', run: saveRows },
  { name: 'isolation', run: isolationRows },
  { name: 'tokens', run: tokenRows },
  { name: 'compaction', run: compactionRows },
  // It takes minutes.
  { name: 'history', run: (bench) => (bench.size === 'full' ? historyRows(bench) : []) },
  { name: 'cold', run: cold },
];
