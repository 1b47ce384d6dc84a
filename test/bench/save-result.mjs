// The benchmark of saving rows: lectern beside papaparse, JSON.stringify and exceljs, each in a process of its own. Run as
// a program it is one contestant: `node save-result.mjs NAME DIST FOLDER ROWS`.

import { once } from 'node:events';
import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { now } from './clock.mjs';

const SELF = fileURLToPath(import.meta.url);

/** Rows of ten small columns, as a query gives them. */
function* rowsOf(count) {
  for (let id = 0; id < count; id += 1)
    yield {
      id,
      name: `name ${id}`,
      amount: id * 1.5,
      active: id % 2 === 0,
      status: 'open',
      note: null,
      group: `g${id % 100}`,
      day: id % 7,
      text: 'a few words',
      code: `c-${id % 5000}`,
    };
}

async function lectern(format, dist, folder, count) {
  const { createWorkspace } = await import(pathToFileURL(join(dist, 'src/index.js')).href);
  const workspace = createWorkspace({ root: folder });
  await workspace.saveResult(rowsOf(count), { format, previewTokens: 0 });
}

/** Pieces of text to a file, as fast as it takes them. */
async function written(path, pieces) {
  const file = createWriteStream(path);
  for (const piece of pieces) if (!file.write(piece)) await once(file, 'drain');
  file.end();
  await once(file, 'close');
}

function* inThousands(count, textOf) {
  let rows = [];
  let first = true;
  for (const row of rowsOf(count)) {
    rows.push(row);
    if (rows.length < 1000) continue;
    yield textOf(rows, first);
    rows = [];
    first = false;
  }
  if (rows.length > 0) yield textOf(rows, first);
}

const CONTESTANTS = {
  'lectern csv': (...given) => lectern('csv', ...given),
  'lectern jsonl': (...given) => lectern('jsonl', ...given),
  'lectern xlsx': (...given) => lectern('xlsx', ...given),

  async 'papaparse csv'(_, folder, count) {
    const { default: Papa } = await import('papaparse');
    const textOf = (rows, header) => `${Papa.unparse(rows, { header, newline: '\n' })}\n`;
    await written(join(folder, 'papaparse.csv'), inThousands(count, textOf));
  },

  async 'stringify jsonl'(_, folder, count) {
    const textOf = (rows) => `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`;
    await written(join(folder, 'stringify.jsonl'), inThousands(count, textOf));
  },

  /** As its documentation shows it. */
  async 'exceljs xlsx'(_, folder, count) {
    const { default: Excel } = await import('exceljs');
    const workbook = new Excel.stream.xlsx.WorkbookWriter({ filename: join(folder, 'exceljs.xlsx') });
    const sheet = workbook.addWorksheet('Data');
    for (const row of rowsOf(count)) sheet.addRow(Object.values(row)).commit();
    sheet.commit();
    await workbook.commit();
  },
};

const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(2)} s`;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;

/** A contestant that saves `count` rows in `folder`: lectern or its rival, and the format. */
export const saver = (name, dist, folder, count) => ({
  command: process.execPath,
  arguments: [SELF, name, dist, folder, String(count)],
  speaks: true,
});

/** Rows of the table: time, peak memory and rival of each format. */
export async function saveRows(bench) {
  const full = bench.size === 'full';
  const formats = [
    ['csv', 'papaparse', full ? 10_000_000 : 100_000],
    ['jsonl', 'stringify', full ? 1_000_000 : 50_000],
    ['xlsx', 'exceljs', full ? 1_000_000 : 10_000],
  ];
  const table = [];
  for (const [format, rival, count] of formats) {
    const folder = join(bench.folder, `save-${format}`);
    mkdirSync(folder, { recursive: true });
    const entrant = (name) => saver(`${name} ${format}`, bench.dist, folder, count);
    const { lectern: ours, rival: theirs } = await bench.race({
      lectern: entrant('lectern'),
      rival: entrant(rival),
    });
    rmSync(folder, { recursive: true });
    table.push({
      work: `${count} rows to ${format}, ${Math.round(count / ours.milliseconds)}k rows/s`,
      lectern: `${seconds(ours.milliseconds)}, ${megabytes(ours.peak)}`,
      rival: `${rival} ${seconds(theirs.milliseconds)}, ${megabytes(theirs.peak)}`,
      figure: `${(theirs.milliseconds / ours.milliseconds).toFixed(1)}x as fast`,
      target: '<= 150 MB',
      met: ours.peak <= 150e6,
    });
  }
  return table;
}

if (process.argv[1] === SELF) {
  const [name, dist, folder, count] = process.argv.slice(2);
  const started = now();
  await CONTESTANTS[name](dist, folder, Number(count));
  const milliseconds = now() - started;
  console.log(JSON.stringify({ milliseconds, peak: process.resourceUsage().maxRSS * 1024 }));
}
