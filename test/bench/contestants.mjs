// One contestant doing its work once, in a process of its own: `node contestants.mjs NAME DIST PATH [ARGUMENT]`.
// Prints one line of JSON: `milliseconds` of the work without start-up, `peak` memory in bytes, and `facts` that must
// agree between the contestants of a case.

import { createReadStream, fstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createInflateRaw } from 'node:zlib';
import { now } from './clock.mjs';

const [name, dist, path, argument] = process.argv.slice(2);

async function lectern(request, options = { cache: () => false }) {
  const front = await import(pathToFileURL(join(dist, 'src/index.js')).href);
  const reader = front.createReader({ cache: options.cache(front) });
  const started = now();
  const result = await reader.read(path, request);
  if (!result.success) throw new Error(`${result.error.code}: ${result.error.message}`);
  return { reader, result, milliseconds: now() - started };
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
    const started = now();
    const again = await reader.read(path, { rows: argument });
    if (again.text !== result.text) throw new Error('The second answer differs from the first.');
    return { milliseconds: now() - started, firstMilliseconds: milliseconds };
  },

  /** What a first look at a file shows. */
  async 'lectern read'() {
    const { result, milliseconds } = await lectern();
    if (!result.content.some(({ kind, text }) => kind === 'binary' || text.length > 1000))
      throw new Error('Little was shown.');
    return { milliseconds };
  },

  /** With converted documents kept in the folder that `argument` names, as they are between processes. */
  async 'lectern kept read'() {
    const { milliseconds } = await lectern(
      {},
      { cache: ({ createDiskCache }) => createDiskCache({ directory: argument }) },
    );
    return { milliseconds };
  },

  /** The whole document, converted and thrown away. */
  async 'lectern convert'() {
    const { createReader } = await import(pathToFileURL(join(dist, 'src/index.js')).href);
    const reader = createReader({ cache: false });
    const started = now();
    let characters = 0;
    for await (const part of reader.stream(path)) characters += part.text?.length ?? 0;
    if (characters < 1000) throw new Error('Little came out.');
    return { milliseconds: now() - started };
  },

  /** All documents of the folder that `path` names, whole. */
  async 'lectern documents'() {
    const { createReader } = await import(pathToFileURL(join(dist, 'src/index.js')).href);
    const reader = createReader({ cache: false });
    const started = now();
    for (const name of pdfsIn(path)) for await (const part of reader.stream(join(path, name))) part.text;
    return { milliseconds: now() - started };
  },

  /** The text of every page as pdf.js gives it, without layout. */
  async 'pdf.js text'() {
    const started = now();
    await pdfText(path);
    return { milliseconds: now() - started };
  },

  async 'pdf.js documents'() {
    const started = now();
    for (const name of pdfsIn(path)) await pdfText(join(path, name));
    return { milliseconds: now() - started };
  },

  /** Line ends of a file, counted by a loop over its bytes: what reading costs when nothing else is done. */
  async 'count lines'() {
    const started = now();
    const file = openSync(path, 'r');
    const bytes = Buffer.alloc(1 << 18);
    let lines = 0;
    for (let read = readSync(file, bytes); read > 0; read = readSync(file, bytes))
      for (let at = bytes.indexOf(10); at >= 0 && at < read; at = bytes.indexOf(10, at + 1)) lines++;
    return { milliseconds: now() - started, facts: { lines } };
  },

  /** A small file again and again in a process that is warm, as `isolation` says. */
  async 'lectern repeated'() {
    const { createReader } = await import(pathToFileURL(join(dist, 'src/index.js')).href);
    const reader = createReader({ cache: false, isolation: argument });
    const times = [];
    for (let turn = 0; turn < 8; turn++) {
      // Most of the work is done by another process: only the clock on the wall sees it.
      const started = performance.now();
      const result = await reader.read(path);
      if (!result.success) throw new Error(`${result.error.code}: ${result.error.message}`);
      times.push(performance.now() - started);
    }
    await reader.close();
    return { milliseconds: Math.min(...times) };
  },

  /** A rival that the benchmark installed in the folder that `argument` names. */
  async 'pdf-inspector'() {
    const { processPdf } = createRequire(join(argument, 'index.js'))('@firecrawl/pdf-inspector');
    const started = now();
    const result = await processPdf(readFileSync(path));
    if (!/Chapter|gauge|permit/i.test(JSON.stringify(result))) throw new Error('No text.');
    return { milliseconds: now() - started };
  },

  async liteparse() {
    const { LiteParse } = await import(
      pathToFileURL(createRequire(join(argument, 'index.js')).resolve('@llamaindex/liteparse')).href
    );
    const started = now();
    const result = await new LiteParse({ ocrEnabled: false, outputFormat: 'markdown' }).parse(path);
    if (!/Chapter|gauge|permit/i.test(JSON.stringify(result))) throw new Error('No text.');
    return { milliseconds: now() - started };
  },

  async mammoth() {
    const started = now();
    const { default: mammoth } = await import('mammoth');
    const { value } = await mammoth.convertToHtml({ path });
    if (value.length < 1000) throw new Error('Little came out.');
    return { milliseconds: now() - started };
  },

  /** One resize of the picture to the longest edge `argument`, encoded once: below this no fitting can go. */
  async 'bare sharp'() {
    const { default: sharp } = await import('sharp');
    const started = now();
    const edge = Number(argument);
    await sharp(readFileSync(path)).rotate().resize(edge, edge, { fit: 'inside' }).jpeg().toBuffer();
    return { milliseconds: now() - started };
  },

  async papaparse() {
    const { default: Papa } = await import('papaparse');
    const started = now();
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
    return { milliseconds: now() - started, facts: { rows: records - 1 } };
  },

  async 'JSON.parse'() {
    const started = now();
    const value = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof value !== 'object') throw new Error('No object.');
    return { milliseconds: now() - started };
  },

  async 'fast-xml-parser'() {
    const { XMLParser } = await import('fast-xml-parser');
    const started = now();
    const value = new XMLParser({ ignoreAttributes: false }).parse(readFileSync(path, 'utf8'));
    if (typeof value !== 'object') throw new Error('No object.');
    return { milliseconds: now() - started };
  },

  /** All lines of the files in a folder that match; `argument` is the query and its options as JSON. */
  async 'lectern search'() {
    const { createWorkspace } = await import(pathToFileURL(join(dist, 'src/index.js')).href);
    const { query, ...options } = JSON.parse(argument);
    const limits = { maxMatches: 1_000_000, maxSearchMilliseconds: 1_000_000 };
    const workspace = createWorkspace({ root: path }, { limits });
    const started = now();
    const { matches } = await workspace.search(query, options);
    return { milliseconds: now() - started, facts: { lines: matches.length } };
  },

  /** The same as a few lines of JavaScript do it: each file read whole, each line held against a RegExp. */
  async 'naive search'() {
    const { query, regex, caseSensitive = true } = JSON.parse(argument);
    const source = regex ? query : query.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    const expression = new RegExp(source, caseSensitive ? '' : 'i');
    const started = now();
    let lines = 0;
    for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      for (const line of readFileSync(join(entry.parentPath, entry.name), 'utf8').split('\n'))
        if (expression.test(line)) lines++;
    }
    return { milliseconds: now() - started, facts: { lines } };
  },

  async exceljs() {
    const { default: Excel } = await import('exceljs');
    const started = now();
    let rows = 0;
    const options = { worksheets: 'emit', sharedStrings: 'cache', styles: 'cache', hyperlinks: 'ignore' };
    for await (const sheet of new Excel.stream.xlsx.WorkbookReader(path, options))
      for await (const row of sheet) if (row.hasValues) rows++;
    return { milliseconds: now() - started, facts: { rows } };
  },

  /** The largest entry of a zip, inflated and thrown away: below this no reader of it can go. */
  async 'bare inflate'() {
    const started = now();
    const { start, compressed } = largestEntry(openSync(path, 'r'));
    const inflate = createReadStream(path, {
      start,
      end: start + compressed - 1,
      highWaterMark: 1 << 18,
    }).pipe(createInflateRaw({ chunkSize: 1 << 18 }));
    let bytes = 0;
    for await (const chunk of inflate) bytes += chunk.length;
    if (bytes === 0) throw new Error('Nothing was inflated.');
    return { milliseconds: now() - started };
  },
};

const pdfsIn = (folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.pdf'))
    .sort();

async function pdfText(file) {
  globalThis.DOMMatrix ??= class {};
  const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const document = await getDocument({
    data: new Uint8Array(readFileSync(file)),
    verbosity: 0,
    disableFontFace: true,
    useSystemFonts: false,
  }).promise;
  let items = 0;
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    items += (await page.getTextContent()).items.length;
    page.cleanup();
  }
  if (items === 0) throw new Error('No text.');
}

/** Where the data of the largest entry of a zip without comment starts, and how much it is. */
function largestEntry(file) {
  const bytesAt = (position, length) => {
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, position);
    return bytes;
  };
  const end = bytesAt(fstatSync(file).size - 22, 22);
  const directory = bytesAt(end.readUInt32LE(16), end.readUInt32LE(12));
  let [compressed, header] = [0, 0];
  for (let at = 0; at < directory.length; ) {
    if (directory.readUInt32LE(at + 20) > compressed) {
      compressed = directory.readUInt32LE(at + 20);
      header = directory.readUInt32LE(at + 42);
    }
    at +=
      46 +
      directory.readUInt16LE(at + 28) +
      directory.readUInt16LE(at + 30) +
      directory.readUInt16LE(at + 32);
  }
  const local = bytesAt(header, 30);
  return { start: header + 30 + local.readUInt16LE(26) + local.readUInt16LE(28), compressed };
}

const outcome = await CONTESTANTS[name]();
// maxRSS is in KiB on every platform Node runs on.
console.log(JSON.stringify({ ...outcome, peak: process.resourceUsage().maxRSS * 1024 }));
