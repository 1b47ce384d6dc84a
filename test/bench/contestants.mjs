// One contestant doing its work once, in a process of its own: `node contestants.mjs NAME DIST PATH [ARGUMENT]`.
// Prints one line of JSON: `milliseconds` of the work without start-up, `peak` memory in bytes, and `facts` that must
// agree between the contestants of a case.

import { createReadStream, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [name, dist, path, argument] = process.argv.slice(2);

async function lectern(request) {
  const { createReader } = await import(pathToFileURL(join(dist, 'src/index.js')).href);
  const reader = createReader();
  const started = performance.now();
  const result = await reader.read(path, request);
  if (!result.success) throw new Error(`${result.error.code}: ${result.error.message}`);
  return { reader, result, milliseconds: performance.now() - started };
}

const CONTESTANTS = {
  async nothing() {
    return {};
  },

  async 'lectern start-up'() {
    const { milliseconds } = await lectern();
    return { milliseconds };
  },

  async 'lectern rows'() {
    const { result, milliseconds } = await lectern();
    return { milliseconds, facts: { rows: result.metadata.rows } };
  },

  async 'lectern sheet'() {
    const { result, milliseconds } = await lectern();
    return { milliseconds, facts: { rows: result.metadata.sheets[0].rows } };
  },

  async 'lectern lines'() {
    const { result, milliseconds } = await lectern();
    return { milliseconds, facts: { lines: result.metadata.lines } };
  },

  async 'lectern view'() {
    const { result, milliseconds } = await lectern();
    if (result.truncation === null) throw new Error('The input is too small: nothing was left out.');
    return { milliseconds };
  },

  /** The same rows asked for twice in one process. */
  async 'lectern far rows'() {
    const { reader, result, milliseconds } = await lectern({ rows: argument });
    const started = performance.now();
    const again = await reader.read(path, { rows: argument });
    if (again.text !== result.text) throw new Error('The second answer differs from the first.');
    return { milliseconds: performance.now() - started, firstMilliseconds: milliseconds };
  },

  async papaparse() {
    const { default: Papa } = await import('papaparse');
    const started = performance.now();
    let records = 0;
    await new Promise((resolve, reject) => {
      Papa.parse(createReadStream(path), {
        skipEmptyLines: true,
        chunk: ({ data }) => {
          records += data.length;
        },
        complete: resolve,
        error: reject,
      });
    });
    return { milliseconds: performance.now() - started, facts: { rows: records - 1 } };
  },

  async 'JSON.parse'() {
    const started = performance.now();
    const value = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof value !== 'object') throw new Error('No object.');
    return { milliseconds: performance.now() - started };
  },

  async 'fast-xml-parser'() {
    const { XMLParser } = await import('fast-xml-parser');
    const started = performance.now();
    const value = new XMLParser({ ignoreAttributes: false }).parse(readFileSync(path, 'utf8'));
    if (typeof value !== 'object') throw new Error('No object.');
    return { milliseconds: performance.now() - started };
  },

  async exceljs() {
    const { default: Excel } = await import('exceljs');
    const started = performance.now();
    let rows = 0;
    const options = { worksheets: 'emit', sharedStrings: 'cache', styles: 'cache', hyperlinks: 'ignore' };
    for await (const sheet of new Excel.stream.xlsx.WorkbookReader(path, options))
      for await (const row of sheet) if (row.hasValues) rows++;
    return { milliseconds: performance.now() - started, facts: { rows } };
  },

  /** The largest entry of a zip, inflated and thrown away: below this no reader of it can go. */
  async 'bare inflate'() {
    const { default: yauzl } = await import('yauzl');
    const started = performance.now();
    const file = openSync(path, 'r');
    const { start, compressed } = await largestEntry(yauzl);
    const local = Buffer.alloc(30);
    readSync(file, local, 0, 30, start);
    const from = start + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
    const { createInflateRaw } = await import('node:zlib');
    const inflate = createReadStream(path, {
      start: from,
      end: from + compressed - 1,
      highWaterMark: 1 << 18,
    }).pipe(createInflateRaw({ chunkSize: 1 << 18 }));
    let bytes = 0;
    for await (const chunk of inflate) bytes += chunk.length;
    if (bytes === 0) throw new Error('Nothing was inflated.');
    return { milliseconds: performance.now() - started };
  },
};

function largestEntry(yauzl) {
  return new Promise((resolve, reject) => {
    yauzl.open(path, { lazyEntries: true }, (error, archive) => {
      if (error) return reject(error);
      let largest;
      archive.on('entry', (entry) => {
        if (!largest || entry.compressedSize > largest.compressedSize) largest = entry;
        archive.readEntry();
      });
      archive.on('end', () =>
        resolve({ start: largest.relativeOffsetOfLocalHeader, compressed: largest.compressedSize }),
      );
      archive.on('error', reject);
      archive.readEntry();
    });
  });
}

const outcome = await CONTESTANTS[name]();
// maxRSS is in KiB on every platform Node runs on.
console.log(JSON.stringify({ ...outcome, peak: process.resourceUsage().maxRSS * 1024 }));
