// `node test/bench/pdf-rules.mjs --set NAME=DIR ...`: what each rule of the PDF layout is worth. In a copy of the code that
// can be changed while it runs, every number of the rooms for tables and layout is halved and doubled, every point of
// evidence, condition, pattern and step taken away, one at a time; the table says what that does to the mean score of each
// set, in hundredths, and to how many documents. A rule is only tried on a sample of the documents
// where it can matter. What it printed is in `pdf-rules.md`.

import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { rolldown } from 'rolldown';
import { scoreMarkdown } from './markdown-score.mjs';
import { switchable } from './pdf-switches.mjs';

const HELP = `Usage: node test/bench/pdf-rules.mjs --set NAME=PATH [--set NAME=PATH] [options]

  --set NAME=PATH  a folder of NAME.pdf and NAME.md, the Markdown it should give; or a module that exports \`documents\`, a
                   list of { name, pdf, score }: the path of a PDF, and a function from Markdown to a score from 0 to 1
  --only PATTERN   rules whose file and name fit a regular expression
  --kinds LIST     of number, decimal, step, if, choice, part (default number,step)
  --sample N       of the documents of a set on which a rule can matter, N drawn by a hash of both (default 8)
  --part N/M       every M-th rule from the N-th on, to divide the work between processes
  --keep DIR       what pdf.js gives of each document, kept for the next time; delete it after changes of the ink
  --most-pages N   documents of more pages are left out (default 40)
  --scores         only the mean score of each set
  --out DIR        keep the Markdown of each document
  --json FILE      append what each rule does, as lines of JSON
`;
const { values } = parseArgs({
  options: {
    set: { type: 'string', multiple: true, default: [] },
    only: { type: 'string', default: '' },
    kinds: { type: 'string', default: 'number,step' },
    sample: { type: 'string', default: '8' },
    part: { type: 'string', default: '1/1' },
    keep: { type: 'string' },
    'most-pages': { type: 'string', default: '40' },
    scores: { type: 'boolean', default: false },
    out: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || values.set.length === 0) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PDF = join(ROOT, 'processors/documents/pdf');
/** A smaller change of a document's score is none. */
const LEAST_GAIN = 0.001;

const folder = mkdtempSync(join(tmpdir(), 'lectern-rules-'));

/** The code that `entry` exports as one text of JavaScript, with some modules replaced. */
async function bundled(entry, replaced = {}) {
  const first = join(PDF, 'entry.ts');
  const bundle = await rolldown({
    input: first,
    platform: 'node',
    logLevel: 'silent',
    plugins: [
      {
        name: 'replaced',
        resolveId: (id) => (id === first ? id : null),
        load: (id) => {
          const code = id === first ? entry : replaced[id.slice(PDF.length + 1)];
          return code === undefined ? null : { code, moduleType: 'ts' };
        },
      },
    ],
    external: (id) => /^(?:node:|sharp|pdfjs-dist)/.test(id),
  });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  await bundle.close();
  return output[0].code.replaceAll(
    /from "(pdfjs-dist[^"]*|sharp)"|import\("(pdfjs-dist[^"]*|sharp)"\)/g,
    (all, named, loaded) => all.replace(named ?? loaded, import.meta.resolve(named ?? loaded)),
  );
}

let files = 0;
async function loaded(code) {
  files += 1;
  const file = join(folder, `${files}.mjs`);
  writeFileSync(file, code);
  return import(pathToFileURL(file).href);
}

let extracting;
const extractor = () => {
  extracting ??= bundled(`export { openPdf } from './open.ts';
export { inkOf } from './ink/extract.ts';
export { linksOf } from './ink/structure.ts';
export { outlineOf } from './outline.ts';`).then(loaded);
  return extracting;
};

/** What pdf.js gives of every page, which no rule changes. */
async function inksOf(file) {
  const bytes = readFileSync(file);
  const kept = values.keep && join(values.keep, createHash('sha256').update(bytes).digest('hex'));
  if (kept && existsSync(kept)) return deserialize(readFileSync(kept));
  const { openPdf, inkOf, linksOf, outlineOf } = await extractor();
  const data = async (path) => new Uint8Array(readFileSync(join(ROOT, 'node_modules/pdfjs-dist', path)));
  const pdf = await openPdf(new Uint8Array(bytes), data);
  const inks = { pages: [], outline: [] };
  const { numPages } = pdf.document;
  for (let number = 1; numPages <= Number(values['most-pages']) && number <= numPages; number += 1) {
    const page = await pdf.document.getPage(number);
    const annotations = await page.getAnnotations();
    const links = await linksOf(pdf.document, annotations, page.getViewport({ scale: 1 }));
    inks.pages.push({ annotations: plain(annotations), ink: await inkOf(pdf, page, []), links });
    page.cleanup();
  }
  inks.outline = await outlineOf(pdf);
  await pdf.close();
  if (kept) {
    mkdirSync(values.keep, { recursive: true });
    writeFileSync(kept, serialize(inks));
  }
  return inks;
}

/** Without what cannot be kept, such as canvases of annotations. */
const plain = (annotations) => JSON.parse(JSON.stringify(annotations));

/** The Markdown of a document. */
async function markdownOf({ pages, outline }) {
  const getPage = async (number) => ({
    pageNumber: number,
    ink: pages[number - 1].ink,
    getAnnotations: async () => pages[number - 1].annotations,
    getViewport: () => pages[number - 1].links,
    cleanup: () => undefined,
  });
  const pdf = { outline, document: { numPages: pages.length, getPage } };
  const session = new layout.Session(pdf, [], () => undefined);
  const texts = [];
  for (let number = 1; number <= pages.length; number += 1) {
    switches.steps = 0;
    const { blocks } = await session.page(number, false);
    for (const block of blocks) if (block.kind !== 'page') texts.push(layout.markdownOf(block));
  }
  return texts.filter((text) => text !== '').join('\n\n');
}

/** The documents of a set, each with its path and its score of a Markdown text. */
async function documentsOf(path) {
  if (path.endsWith('.mjs')) return (await import(pathToFileURL(resolve(path)).href)).documents;
  return readdirSync(path)
    .filter((file) => file.endsWith('.pdf') && existsSync(join(path, `${file.slice(0, -4)}.md`)))
    .map((file) => {
      const truth = readFileSync(join(path, `${file.slice(0, -4)}.md`), 'utf8');
      return {
        name: file.slice(0, -4),
        pdf: join(path, file),
        score: (markdown) => scoreMarkdown(truth, markdown).overall ?? 0,
      };
    });
}

const sets = [];
for (const set of values.set) {
  const [name, path] = set.split('=');
  const documents = [];
  for (const document of await documentsOf(path)) {
    const inks = await inksOf(document.pdf);
    if (inks.pages.length > 0) documents.push({ ...document, inks });
  }
  sets.push({ name, documents });
}

const { rules, sources, switches } = switchable(PDF, ['layout', 'tables', 'tables/rows'], !values.scores);
const layout = await loaded(
  await bundled(
    `export { Session } from './session.ts';
export { markdownOf } from '../../../src/document/index.ts';`,
    {
      'ink/extract.ts': 'export const inkOf = async (pdf, page) => page.ink;',
      'ink/structure.ts':
        'export const linksOf = async (pdf, annotations, view) => view; export const pageOf = () => undefined;',
      'outline.ts': 'export const outlineOf = async (pdf) => pdf.outline;',
      'plain-page.ts':
        'export const plainBlocks = async () => { globalThis.switches.failed = true; return []; };',
      ...sources,
    },
  ),
);
rmSync(folder, { recursive: true, force: true });

switches.recording = true;
for (const { name, documents } of sets) {
  for (const document of documents) {
    switches.document = document;
    document.markdown = await markdownOf(document.inks);
    document.value = document.score(document.markdown);
    if (values.out) {
      mkdirSync(join(values.out, name), { recursive: true });
      writeFileSync(join(values.out, name, `${document.name}.md`), document.markdown);
    }
  }
  const mean = documents.reduce((sum, { value }) => sum + value, 0) / documents.length;
  console.error(`${name}: ${documents.length} documents, mean ${mean.toFixed(4)}`);
}
switches.recording = false;
if (values.scores) process.exit(0);

const [part, parts] = values.part.split('/').map(Number);
console.log(
  `| rule | value | changed to | ${sets.map(({ name }) => name).join(' | ')} | documents tried, changed, better, worse |`,
);
console.log(`|${' --- |'.repeat(sets.length + 4)}`);
const kinds = values.kinds.split(',');
for (const rule of rules
  .filter(({ id, kind }) => new RegExp(values.only).test(id) && kinds.includes(kind))
  .filter((_, index) => index % parts === part - 1)) {
  switches.active = rule.number;
  switches.factor = rule.factor;
  switches.failed = false;
  const { cells, tried, changed, better, worse, gains } = await effects(rule);
  switches.active = -1;
  if (values.json)
    appendFileSync(
      values.json,
      `${JSON.stringify({ ...rule, failed: switches.failed, tried, changed, better, worse, gains })}\n`,
    );
  // A condition without which the code fails is a guard, not a rule.
  if (!switches.failed)
    console.log(
      `| ${rule.id} | ${rule.value} | ${rule.to} | ${cells.join(' | ')} | ${tried}, ${changed}, ${better}, ${worse} |`,
    );
}
process.exit(0);

/** What a change does to the mean score of the documents tried of each set, and to how many documents. */
async function effects({ number, id, to }) {
  const drawn = ({ name }) => createHash('sha256').update(`${id} ${to} ${name}`).digest('hex');
  const cells = [];
  const gains = {};
  let tried = 0;
  let changed = 0;
  let better = 0;
  let worse = 0;
  for (const { name, documents } of sets) {
    let sum = 0;
    const sample = documents
      .filter(({ matters }) => matters?.has(number))
      .map((document) => ({ document, key: drawn(document) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .slice(0, Number(values.sample));
    tried += sample.length;
    for (const { document } of sample) {
      const given = await markdownOf(document.inks);
      if (switches.failed) return { cells, tried, changed, better, worse, gains };
      if (given === document.markdown) continue;
      changed += 1;
      const gain = document.score(given) - document.value;
      sum += gain;
      if (gain > LEAST_GAIN) better += 1;
      if (gain < -LEAST_GAIN) worse += 1;
    }
    gains[name] = (100 * sum) / Math.max(1, sample.length);
    cells.push(sample.length === 0 ? '-' : Math.abs(gains[name]) < 0.005 ? '0' : gains[name].toFixed(2));
  }
  return { cells, tried, changed, better, worse, gains };
}
