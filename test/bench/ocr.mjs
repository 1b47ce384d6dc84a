// `node test/bench/ocr.mjs`: how much of a page's words each OCR engine gives back, when the page is only a picture. The
// pages are synthetic ledgers, printed by Chromium; `pdftoppm` makes pictures of them, which are skewed, made noisy and
// put into PDF files as a scanner does. The truth is what lectern reads of the PDF with its text.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { createReader } from '../../dist/src/index.js';
import { createPaddleOcr, createTesseractOcr } from '../../dist/src/ocr/index.js';
import { makeLedgers } from './pdf-synthetic/ledger-print.mjs';
import { scoreRows } from './row-score.mjs';

const HELP = `Usage: node test/bench/ocr.mjs [options]

  --ledgers A-B   statements, invoices and registers of the seeds A to B (default 1-20); those in English, first pages
  --engine NAME   tesseract or paddle (default both)
`;
const { values } = parseArgs({
  options: {
    ledgers: { type: 'string', default: '1-20' },
    engine: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

/** Each scan: resolution, turn in degrees, spread of the noise, JPEG quality. */
const SCANS = [
  { name: '100 dpi', dpi: 100, turn: 0, noise: 0, quality: 80 },
  { name: '150 dpi', dpi: 150, turn: 0, noise: 0, quality: 80 },
  { name: '200 dpi', dpi: 200, turn: 0, noise: 0, quality: 80 },
  { name: '200 dpi, 1.5 degrees', dpi: 200, turn: 1.5, noise: 0, quality: 80 },
  { name: '200 dpi, noise', dpi: 200, turn: 0, noise: 24, quality: 60 },
];

const folder = mkdtempSync(join(tmpdir(), 'lectern-ocr-bench-'));
const packages = fileURLToPath(new URL('../integrations/', import.meta.url));
const engines = [
  { name: 'tesseract', create: () => createTesseractOcr(), process: 'tesseract' },
  { name: 'paddle', create: () => createPaddleOcr({ from: packages }), process: 'isolated/main.js' },
].filter(({ name }) => !values.engine || name === values.engine);

/** A PDF of one picture that fills its page. */
function scanned({ data, info }, dpi) {
  const [width, height] = [(info.width * 72) / dpi, (info.height * 72) / dpi];
  const objects = [
    Buffer.from('<</Type/Catalog/Pages 2 0 R>>'),
    Buffer.from('<</Type/Pages/Count 1/Kids[3 0 R]>>'),
    Buffer.from(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>`,
    ),
    stream('', Buffer.from(`q ${width} 0 0 ${height} 0 0 cm /I Do Q`)),
    stream(
      `/Type/XObject/Subtype/Image/Width ${info.width}/Height ${info.height}/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/DCTDecode`,
      data,
    ),
  ];
  const pieces = [Buffer.from('%PDF-1.5\n')];
  const offsets = [];
  for (const [index, object] of objects.entries()) {
    offsets.push(Buffer.concat(pieces).length);
    pieces.push(Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n'));
  }
  const at = Buffer.concat(pieces).length;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  pieces.push(
    Buffer.from(
      `xref\n0 6\n0000000000 65535 f \n${entries}trailer<</Size 6/Root 1 0 R>>\nstartxref\n${at}\n%%EOF`,
    ),
  );
  return Buffer.concat(pieces);
}

const stream = (entries, data) =>
  Buffer.concat([
    Buffer.from(`<<${entries}/Length ${data.length}>>\nstream\n`),
    data,
    Buffer.from('\nendstream'),
  ]);

async function scanOf(pdf, { dpi, turn, noise, quality }) {
  const page = join(folder, 'page');
  execFileSync('pdftoppm', ['-r', String(dpi), '-gray', '-png', '-singlefile', pdf, page]);
  let picture = sharp(`${page}.png`);
  if (turn) picture = sharp(await picture.rotate(turn, { background: '#fff' }).png().toBuffer());
  if (noise) {
    const { width, height } = await picture.metadata();
    const grain = await sharp({
      create: {
        width,
        height,
        channels: 3,
        background: '#000',
        noise: { type: 'gaussian', mean: 128, sigma: noise },
      },
    })
      .png()
      .toBuffer();
    picture = sharp(
      await picture
        .toColourspace('srgb')
        .composite([{ input: grain, blend: 'hard-light' }])
        .png()
        .toBuffer(),
    );
  }
  const { data, info } = await picture.grayscale().jpeg({ quality }).toBuffer({ resolveWithObject: true });
  return scanned({ data, info }, dpi);
}

const wordsOf = (text) =>
  text
    .replace(/^\[.*\]$|<!--.*-->/gm, '')
    .split(/[\s|]+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((word) => word !== '' && !/^-+$/.test(word));

/** Words of `found` that `truth` has, each as often as it has it. */
function common(truth, found) {
  const left = new Map();
  for (const word of truth) left.set(word, (left.get(word) ?? 0) + 1);
  let count = 0;
  for (const word of found) {
    const rest = left.get(word) ?? 0;
    if (rest > 0) count += 1;
    left.set(word, rest - 1);
  }
  return count;
}

/** The largest memory of the processes whose command holds `name`, in MB. */
function memoryOf(name) {
  let most = 0;
  for (const id of readdirSync('/proc'))
    if (/^\d+$/.test(id))
      try {
        if (!readFileSync(`/proc/${id}/cmdline`, 'latin1').includes(name)) continue;
        const [, resident] = readFileSync(`/proc/${id}/statm`, 'latin1').split(' ');
        most = Math.max(most, (Number(resident) * 4096) / 1e6);
      } catch {
        // It has just ended.
      }
  return most;
}

const plain = createReader({ cache: false });
const [from, to] = values.ledgers.split('-').map(Number);
const made = await makeLedgers(join(folder, 'ledgers'), from, to, (message) => console.error(message));
// The default data of tesseract and the models of paddle know English.
const ledgers = made.filter(({ name }) => name.includes('-en-'));
console.log('| engine | scan | pages | word precision | word recall | rows whole | seconds a page | MB |');
console.log(`|${' --- |'.repeat(8)}`);
for (const { name, create, process: command } of engines) {
  const ocr = create();
  const reader = createReader({ ocr, cache: false });
  for (const scan of SCANS) {
    const sum = { truth: 0, found: 0, common: 0, rows: 0, right: 0, seconds: 0, memory: 0 };
    for (const { pdf, rows, names } of ledgers) {
      const page = await plain.read(pdf, { all: true, pages: '1' });
      const truth = wordsOf(page.text);
      // Rows of the first page: those that lectern reads whole with the text at hand.
      const firsts = rows.filter((row) => scoreRows(page.text, [row], names).right === 1);
      const bytes = await scanOf(pdf, scan);
      const watch = setInterval(() => {
        sum.memory = Math.max(sum.memory, memoryOf(command));
      }, 50);
      const started = performance.now();
      const answer = await reader.read({ name: 'scan.pdf', bytes }, { all: true });
      sum.seconds += (performance.now() - started) / 1000;
      clearInterval(watch);
      if (!answer.success) throw new Error(answer.error.message);
      const found = wordsOf(answer.text);
      sum.truth += truth.length;
      sum.found += found.length;
      sum.common += common(truth, found);
      sum.rows += firsts.length;
      sum.right += firsts.length ? scoreRows(answer.text, firsts, names).right : 0;
    }
    const cells = [
      (sum.common / sum.found).toFixed(3),
      (sum.common / sum.truth).toFixed(3),
      (sum.right / sum.rows).toFixed(3),
      (sum.seconds / ledgers.length).toFixed(1),
      Math.round(sum.memory),
    ];
    console.log(`| ${name} | ${scan.name} | ${ledgers.length} | ${cells.join(' | ')} |`);
  }
  await ocr.close?.();
}
rmSync(folder, { recursive: true, force: true });
