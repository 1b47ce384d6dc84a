// Number formats of spreadsheets: ours beside the SSF of @e965/xlsx and numfmt. Agreement with Excel on the cells of
// number-format-cells.mjs and, where LECTERN_CORPUS names a folder, on every number in a workbook there that has the CSV
// Excel saved of it; time for one cell and for the first import.
// Usage: npm run build && node test/bench/number-formats.mjs [--differences]

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import * as XLSX from '@e965/xlsx';
import iconv from 'iconv-lite';
import numfmt from 'numfmt';
import Papa from 'papaparse';
import { CELLS } from './number-format-cells.mjs';

const { Styles, showNumber } = await import('../../dist/modules/processors/tabular/xlsx/styles.js');
const TIMED_CODES = [
  '0.00',
  '#,##0.00',
  'yyyy-mm-dd',
  '0%',
  '"$"#,##0.00_);[Red]\\("$"#,##0.00\\)',
  'h:mm:ss',
];
const TIMED_VALUES = 20_000;
const IMPORTS = 7;
const corpus = process.env.LECTERN_CORPUS;

const styles = [new Styles(undefined, false), new Styles(undefined, true)];
const contestants = {
  ours: {
    specifier: new URL('../../dist/modules/processors/tabular/xlsx/styles.js', import.meta.url).href,
    show(code, value, { date1904 = false }) {
      const format = styles[Number(date1904)].ofCode(code);
      return typeof value === 'string' ? format.text(value) : showNumber(format, value);
    },
  },
  SSF: {
    specifier: import.meta.resolve('@e965/xlsx'),
    show: (code, value, options) => XLSX.SSF.format(code, value, options),
  },
  numfmt: {
    specifier: import.meta.resolve('numfmt'),
    // The dates of Excel, not of Google Sheets. It has no 1904 dates.
    show: (code, value) => numfmt.format(code, value, { dateSpanLarge: false }),
  },
};
const names = Object.keys(contestants);

const fold = (text) => text.replace(/\s+/gu, ' ').trim();
// What the code page of a saved CSV lacks became `_` or `?`.
const lossy = (text, mark) => text.replace(/[^ -\u00ff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]/gu, mark);
const agrees = (truth, shown) =>
  [shown, lossy(shown, '_'), lossy(shown, '?')].some((text) => fold(text) === fold(truth));

function score(cells) {
  const totals = Object.fromEntries(names.map((name) => [name, 0]));
  const differences = [];
  for (const { where, code, value, truth, options = {} } of cells) {
    const shown = names.map((name) => {
      try {
        return contestants[name].show(code, value, options);
      } catch (error) {
        return `(throws: ${String(error?.message ?? error)})`;
      }
    });
    const right = shown.map((text) => agrees(truth, text));
    names.forEach((name, at) => {
      if (right[at]) totals[name]++;
    });
    if (right.includes(false)) differences.push({ where, code, value, truth, shown, right });
  }
  return { of: cells.length, totals, differences };
}

/** Rows and columns before the first that is used are cut: a saved CSV starts there. */
function cutLeading(rows, isUsed) {
  const first = rows.findIndex((row) => row.some(isUsed));
  if (first < 0) return [];
  const left = Math.min(...rows.map((row) => row.findIndex(isUsed)).filter((at) => at >= 0));
  return rows.slice(first).map((row) => row.slice(left));
}

/** Every number in a workbook of `folder` beside which NAME.N.csv holds sheet N as Excel saved it. */
function corpusCells(folder) {
  const cells = [];
  for (const path of readdirSync(folder, { recursive: true }).sort()) {
    const name = /^(.+\.xls[xmb]?)\.(\d+)\.csv$/.exec(path);
    if (!name) continue;
    const bytes = readFileSync(`${folder}/${path}`);
    const isUtf8 = Buffer.from(bytes.toString()).equals(bytes);
    const text = iconv.decode(bytes, isUtf8 ? 'utf-8' : 'windows-1252');
    const truth = cutLeading(Papa.parse(text).data, (cell) => cell.trim() !== '');
    const book = XLSX.read(readFileSync(`${folder}/${name[1]}`), { cellNF: true, dense: true });
    const rows = Array.from(book.Sheets[book.SheetNames[Number(name[2])]]?.['!data'] ?? [], (row) =>
      Array.from(row ?? []),
    );
    const options = { date1904: book.Workbook?.WBProps?.date1904 === true };
    const isUsed = (cell) =>
      cell !== undefined && cell.t !== 'z' && fold(String(cell.w ?? cell.v ?? '')) !== '';
    cutLeading(rows, isUsed).forEach((row, at) => {
      row.forEach((cell, column) => {
        const shown = truth[at]?.[column] ?? '';
        // A column too narrow for its number.
        if (cell?.t !== 'n' || /^#{2,}$/.test(shown.trim())) return;
        const where = `${path} row ${at + 1} column ${column + 1}`;
        cells.push({ where, code: cell.z ?? 'General', value: cell.v, truth: shown, options });
      });
    });
  }
  return cells;
}

function nanosecondsPerCell(show) {
  const values = Array.from({ length: TIMED_VALUES }, (_, at) => ((at * 7919) % 1_000_003) / 37);
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) {
    const start = process.hrtime.bigint();
    for (const value of values) for (const code of TIMED_CODES) show(code, value, {});
    best = Math.min(best, Number(process.hrtime.bigint() - start));
  }
  return best / (TIMED_VALUES * TIMED_CODES.length);
}

/** Of a process of its own, the median. */
function importMilliseconds(specifier) {
  const script = `const start = performance.now(); await import(${JSON.stringify(specifier)}); console.log(performance.now() - start);`;
  const times = Array.from({ length: IMPORTS }, () =>
    Number(execFileSync(process.execPath, ['--input-type=module', '-e', script])),
  );
  return times.sort((a, b) => a - b)[IMPORTS >> 1];
}

const line = (label, cells) =>
  `${label.padEnd(40)}${cells.map((cell) => String(cell).padStart(18)).join('')}\n`;
const rate = ({ of, totals }) =>
  names.map((name) => `${totals[name]}/${of} ${((100 * totals[name]) / of).toFixed(1)} %`);
const say = (text) => process.stdout.write(text);

const classes = CELLS.map(([label, rows]) => {
  const cells = rows.map(([code, value, truth, options]) => ({ where: label, code, value, truth, options }));
  return { label, result: score(cells), cells };
});
const own = score(classes.flatMap(({ cells }) => cells));
const results = [own];
say(line('', names));
for (const { label, result } of classes) say(line(`  ${label}`, rate(result)));
say(line('cells of the table', rate(own)));
if (corpus) {
  const saved = score(corpusCells(`${pathToFileURL(corpus).pathname}/xlsx`));
  results.push(saved);
  say(line('numbers in CSV saved by Excel', rate(saved)));
} else say('Not run: numbers in CSV saved by Excel. Set LECTERN_CORPUS.\n');
say(
  line(
    'ns per cell',
    names.map((name) => nanosecondsPerCell(contestants[name].show).toFixed(0)),
  ),
);
say(
  line(
    'first import, ms',
    names.map((name) => importMilliseconds(contestants[name].specifier).toFixed(0)),
  ),
);
if (process.argv.includes('--differences'))
  for (const { where, code, value, truth, shown, right } of results.flatMap(
    ({ differences }) => differences,
  )) {
    const wrong = names.flatMap((name, at) => (right[at] ? [] : [`${name} ${JSON.stringify(shown[at])}`]));
    say(`${where}: ${code} of ${value}: Excel ${JSON.stringify(truth)}, ${wrong.join(', ')}\n`);
  }
