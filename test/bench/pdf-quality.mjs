// `node test/bench/pdf-quality.mjs`: what lectern and its rivals make of PDFs whose Markdown is known, as one table. The
// documents are synthetic, printed by Chromium and LibreOffice; the rivals are installed into a temporary folder. With
// `--seeds` the documents are random families instead, scored also by the margin text they leave out; with `--ledgers`,
// statements, invoices and registers, scored by the rows given whole.

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { scoreMarkdown } from './markdown-score.mjs';
import { absentShare } from './pdf-synthetic/families.mjs';
import { makeLedgers } from './pdf-synthetic/ledger-print.mjs';
import { makeDocuments } from './pdf-synthetic/make.mjs';
import { printFamilies } from './pdf-synthetic/print.mjs';
import { installed } from './rivals.mjs';
import { scoreRows } from './row-score.mjs';

const HELP = `Usage: node test/bench/pdf-quality.mjs [options]

  --keep DIR    make the documents and the rivals in DIR and leave them there for the next time
  --dist DIR    the build of lectern to measure (default dist)
  --seeds A-B   random documents of each family with these seeds, and the mean of each family
  --only TEXT   documents whose name holds TEXT
  --out DIR     keep what each made of each document
  --no-rivals   lectern alone
  --ledgers A-B statements, invoices, price lists, bank statements and registers of the seeds A to B instead
  --json        print the rows as JSON
`;
const RIVALS = [
  '@firecrawl/pdf-inspector@1.25.1',
  '@llamaindex/liteparse@2.14.7',
  '@firecrawl/anydoc@0.1.9',
  'markitdown-ts@0.0.10',
];

const { values } = parseArgs({
  options: {
    keep: { type: 'string' },
    dist: { type: 'string', default: fileURLToPath(new URL('../../dist', import.meta.url)) },
    seeds: { type: 'string' },
    only: { type: 'string', default: '' },
    out: { type: 'string' },
    'no-rivals': { type: 'boolean', default: false },
    ledgers: { type: 'string' },
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
const result = await createReader({ cache: false }).read(process.argv[2], { all: true });
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
const ANYDOC = `
const { createRequire } = await import('node:module');
const { toMarkdown } = createRequire(process.argv[1])('@firecrawl/anydoc');
process.stdout.write(await toMarkdown(process.argv[2]));`;
const MARKITDOWN = `
const { createRequire } = await import('node:module');
const { MarkItDown } = createRequire(process.argv[1])('markitdown-ts');
const result = await new MarkItDown().convert(process.argv[2]);
process.stdout.write(result?.markdown ?? '');`;

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
    { name: 'anydoc', read: (pdf) => printed(ANYDOC, [home, pdf]) },
    { name: 'markitdown-ts', read: (pdf) => printed(MARKITDOWN, [home, pdf]) },
  );
}

/** What a contestant makes of a PDF, kept with `--out`. */
async function markdownOf(contestant, name, pdf) {
  const markdown = (await contestant.read(pdf)).replace(/^<!-- page \d+ -->\n+/gm, '');
  if (values.out) {
    mkdirSync(join(values.out, contestant.name), { recursive: true });
    writeFileSync(join(values.out, contestant.name, `${name}.md`), markdown);
  }
  return markdown;
}

if (values.ledgers) await scoreLedgers();
else await scoreDocuments();
if (!values.keep) rmSync(folder, { recursive: true, force: true });

/** Prints the share of rows, headings and column names that each contestant gives right, by kind of document. */
async function scoreLedgers() {
  const [from, to] = values.ledgers.split('-').map(Number);
  const made = await makeLedgers(join(folder, 'ledgers'), from, to, progress);
  const kinds = [...new Set(made.map(({ kind }) => kind)), 'all'];
  const sums = contestants.map(() => new Map(kinds.map((kind) => [kind, new Map()])));
  for (const { name, kind, pdf, rows, names } of made.filter((one) => one.name.includes(values.only)))
    for (const [index, contestant] of contestants.entries()) {
      const score = scoreRows(await markdownOf(contestant, name, pdf), rows, names);
      const share = { ...score, documents: 1, share: score.right / score.rows };
      for (const sum of [sums[index].get(kind), sums[index].get('all')])
        for (const [key, value] of Object.entries(share))
          if (typeof value === 'number') sum.set(key, (sum.get(key) ?? 0) + value);
    }
  const ratio = (sum, key, of) => (sum.get(of) ? (sum.get(key) / sum.get(of)).toFixed(3) : '-');
  console.log('| reader | documents | rows whole | mean of documents | headings | column names |');
  console.log(`|${' --- |'.repeat(6)}`);
  for (const [index, { name }] of contestants.entries())
    for (const [kind, sum] of sums[index]) {
      if (!sum.has('documents')) continue;
      const cells = [
        ratio(sum, 'right', 'rows'),
        ratio(sum, 'share', 'documents'),
        ratio(sum, 'headingsRight', 'headings'),
        ratio(sum, 'headsRight', 'heads'),
      ];
      console.log(`| ${name} | ${kind} ${sum.get('documents')} | ${cells.join(' | ')} |`);
    }
}

/** Prints the scores of every document, their mean and, for random families, the mean of each. */
async function scoreDocuments() {
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
  const keys = ['nid', 'teds', 'mhs', ...(from === undefined ? [] : ['absent']), 'overall'];
  const scored = [];
  for (const { name, pdf, truth, ...margins } of made) {
    const row = { name, scores: {} };
    for (const contestant of contestants) {
      const markdown = await markdownOf(contestant, name, pdf);
      row.scores[contestant.name] = scoreMarkdown(truth, markdown);
      if (margins.absent) row.scores[contestant.name].absent = absentShare(margins, markdown);
    }
    scored.push(row);
  }
  const families =
    from === undefined ? [] : [...new Set(scored.map(({ name }) => name.replace(/-\d+$/, '')))];
  const rows = [
    ...scored,
    ...families.map((family) =>
      meanRow(
        family,
        scored.filter(({ name }) => name.startsWith(`${family}-`)),
        keys,
      ),
    ),
    meanRow('mean', scored, keys),
  ];
  if (values.json) console.log(JSON.stringify(rows, null, 2));
  else {
    console.log(`| document | ${contestants.map(({ name }) => `${name} ${keys.join(' / ')}`).join(' | ')} |`);
    console.log(`| --- |${' --- |'.repeat(contestants.length)}`);
    const shown = (value) => (value === null ? '-' : value.toFixed(3));
    for (const { name, scores } of rows) {
      const cells = contestants.map((one) => keys.map((key) => shown(scores[one.name][key])).join(' / '));
      console.log(`| ${name} | ${cells.join(' | ')} |`);
    }
  }
}

function meanRow(name, rows, keys) {
  const meanOf = (contestant) =>
    Object.fromEntries(
      keys.map((key) => {
        const known = rows.map(({ scores }) => scores[contestant][key]).filter((value) => value !== null);
        return [key, known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length];
      }),
    );
  return { name, scores: Object.fromEntries(contestants.map((one) => [one.name, meanOf(one.name)])) };
}
