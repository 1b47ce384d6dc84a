// `node test/bench/pdf-quality.mjs`: what lectern and two rivals make of PDFs whose Markdown is known, as one table. The
// documents are synthetic, printed by Chromium and LibreOffice; the rivals are installed into a temporary folder. With
// `--seeds` the documents are random families instead, scored also by the margin text they leave out.

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { scoreMarkdown } from './markdown-score.mjs';
import { absentShare } from './pdf-synthetic/families.mjs';
import { makeDocuments } from './pdf-synthetic/make.mjs';
import { printFamilies } from './pdf-synthetic/print.mjs';
import { installed } from './rivals.mjs';

const HELP = `Usage: node test/bench/pdf-quality.mjs [options]

  --keep DIR    make the documents and the rivals in DIR and leave them there for the next time
  --dist DIR    the build of lectern to measure (default dist)
  --seeds A-B   random documents of each family with these seeds, and the mean of each family
  --only TEXT   documents whose name holds TEXT
  --out DIR     keep what each made of each document
  --no-rivals   lectern alone
  --json        print the rows as JSON
`;
const RIVALS = ['@firecrawl/pdf-inspector@1.25.1', '@llamaindex/liteparse@2.14.7'];

const { values } = parseArgs({
  options: {
    keep: { type: 'string' },
    dist: { type: 'string', default: fileURLToPath(new URL('../../dist', import.meta.url)) },
    seeds: { type: 'string' },
    only: { type: 'string', default: '' },
    out: { type: 'string' },
    'no-rivals': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const folder = values.keep ? resolve(values.keep) : mkdtempSync(join(tmpdir(), 'lectern-pdf-'));
mkdirSync(folder, { recursive: true });
const progress = (message) => console.error(message);

/** Runs `code`, a module that prints Markdown for the file named by its last argument. */
function printed(code, words) {
  return new Promise((done) => {
    const options = { timeout: 120_000, maxBuffer: 64 << 20, cwd: folder };
    execFile(
      process.execPath,
      ['--input-type=module', '-e', code, '--', ...words],
      options,
      (error, out, err) => {
        if (error) progress(`failed: ${(err || error.message).slice(0, 200)}`);
        done(out);
      },
    );
  });
}

const LECTERN = `
const { createReader } = await import(process.argv[1]);
const result = await createReader({}).read(process.argv[2], { all: true });
process.stdout.write(result.success ? result.content.map((part) => part.text ?? '').join('') : '');
process.exit(0);`;
const INSPECTOR = `
import { readFileSync } from 'node:fs';
const { createRequire } = await import('node:module');
const { processPdf } = createRequire(process.argv[1])('@firecrawl/pdf-inspector');
process.stdout.write((await processPdf(readFileSync(process.argv[2]))).markdown ?? '');`;
const LITEPARSE = `
const { createRequire } = await import('node:module');
const { LiteParse } = createRequire(process.argv[1])('@llamaindex/liteparse');
const parsed = await new LiteParse({ ocrEnabled: false, outputFormat: 'markdown', quiet: true }).parse(process.argv[2]);
process.stdout.write(parsed.text ?? '');`;

const contestants = [
  {
    name: 'lectern',
    read: (pdf) => printed(LECTERN, [pathToFileURL(join(resolve(values.dist), 'src/index.js')).href, pdf]),
  },
];
if (!values['no-rivals']) {
  const rivals = join(folder, 'rivals');
  await installed(rivals, RIVALS);
  const home = join(rivals, 'package.json');
  contestants.push(
    { name: 'pdf-inspector', read: (pdf) => printed(INSPECTOR, [home, pdf]) },
    { name: 'liteparse', read: (pdf) => printed(LITEPARSE, [home, pdf]) },
  );
}

const [from, to] = values.seeds?.split('-').map(Number) ?? [];
const all =
  from === undefined
    ? await makeDocuments(join(folder, 'documents'), progress)
    : await printFamilies(
        join(folder, 'families'),
        join(folder, 'fonts'),
        Array.from({ length: (to ?? from) - from + 1 }, (_, index) => from + index),
        progress,
      );
const made = all.filter(({ name }) => name.includes(values.only));
const KEYS = ['nid', 'teds', 'mhs', ...(from === undefined ? [] : ['absent']), 'overall'];
const rows = [];
for (const { name, pdf, truth, ...margins } of made) {
  const row = { name, scores: {} };
  for (const contestant of contestants) {
    const markdown = (await contestant.read(pdf)).replace(/^<!-- page \d+ -->\n+/gm, '');
    row.scores[contestant.name] = scoreMarkdown(truth, markdown);
    if (margins.absent) row.scores[contestant.name].absent = absentShare(margins, markdown);
    if (values.out) {
      mkdirSync(join(values.out, contestant.name), { recursive: true });
      writeFileSync(join(values.out, contestant.name, `${name}.md`), markdown);
    }
  }
  rows.push(row);
}
const scored = [...rows];
const families = from === undefined ? [] : new Set(scored.map(({ name }) => name.replace(/-\d+$/, '')));
for (const family of families) rows.push(meanRow(family, (name) => name.startsWith(`${family}-`)));
rows.push(meanRow('mean', () => true));

function meanRow(title, counts) {
  const chosen = scored.filter(({ name }) => counts(name));
  const meanOf = (contestant) =>
    Object.fromEntries(
      KEYS.map((key) => {
        const known = chosen.map(({ scores }) => scores[contestant][key]).filter((value) => value !== null);
        const sum = known.reduce((total, value) => total + value, 0);
        return [key, known.length === 0 ? null : sum / known.length];
      }),
    );
  return { name: title, scores: Object.fromEntries(contestants.map(({ name }) => [name, meanOf(name)])) };
}

if (values.json) console.log(JSON.stringify(rows, null, 2));
else {
  console.log(`| document | ${contestants.map(({ name }) => `${name} ${KEYS.join(' / ')}`).join(' | ')} |`);
  console.log(`| --- |${' --- |'.repeat(contestants.length)}`);
  const shown = (value) => (value === null ? '-' : value.toFixed(3));
  for (const { name, scores } of rows) {
    const cells = contestants.map((one) => KEYS.map((key) => shown(scores[one.name][key])).join(' / '));
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
}
if (!values.keep) rmSync(folder, { recursive: true, force: true });
