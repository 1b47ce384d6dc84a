// `node test/bench/pdf-rules.mjs --set NAME=DIR ...`: what each rule of the PDF layout is worth. A set is a folder of
// NAME.pdf and NAME.md, the Markdown it should give. Every named number of the rooms for tables and layout is halved and
// doubled, every point of evidence, pattern and test taken away, one at a time, in a copy of the code; the table says what
// that does to the mean score of each set, in hundredths, and to how many documents.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { scoreMarkdown } from './markdown-score.mjs';

const HELP = `Usage: node test/bench/pdf-rules.mjs --set NAME=DIR [--set NAME=DIR] [options]

  --set NAME=DIR   a folder of NAME.pdf and NAME.md
  --only TEXT      rules whose file or name holds TEXT
  --part N/M       every M-th rule from the N-th on, to divide the work between processes
`;
const { values } = parseArgs({
  options: {
    set: { type: 'string', multiple: true, default: [] },
    only: { type: 'string', default: '' },
    part: { type: 'string', default: '1/1' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || values.set.length === 0) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PDF = join(ROOT, 'processors/documents/pdf');
const ROOMS = ['layout', 'tables', 'tables/rows'];
/** Numbers that bound work or memory rather than judge. */
const LIMIT = /^(?:MAX_|MOST_(?:WORK|CELLS)|BINS?$)/;
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

/** What pdf.js gives of every page, which no rule changes. */
async function inksOf(file, { openPdf, inkOf, linksOf, outlineOf }) {
  const data = async (path) => new Uint8Array(readFileSync(join(ROOT, 'node_modules/pdfjs-dist', path)));
  const pdf = await openPdf(new Uint8Array(readFileSync(file)), data);
  const pages = [];
  for (let number = 1; number <= pdf.document.numPages; number += 1) {
    const page = await pdf.document.getPage(number);
    const annotations = await page.getAnnotations();
    pages.push({
      annotations,
      ink: await inkOf(pdf, page, []),
      links: await linksOf(pdf.document, annotations, page.getViewport({ scale: 1 })),
    });
    page.cleanup();
  }
  const outline = await outlineOf(pdf);
  await pdf.close();
  return { pages, outline };
}

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
  for (let number = 1; number <= pages.length; number += 1)
    for (const block of (await session.page(number, false)).blocks) texts.push(layout.markdownOf(block));
  return texts.filter((text) => text !== '').join('\n');
}

/** The rules of the rooms, and their sources in which each can be changed while they run. */
function switchable() {
  const rules = [];
  const sources = {};
  for (const room of ROOMS)
    for (const file of readdirSync(join(PDF, room)).filter((one) => one.endsWith('.ts'))) {
      const path = `${room}/${file}`;
      const key = (name, value, to) => {
        const id = `${path} ${name}`;
        rules.push({ id, value, to });
        return JSON.stringify(id);
      };
      sources[path] = readFileSync(join(PDF, path), 'utf8')
        .replace(/^((?:export )?)const (\w+)( =) (-?[\d.]+);$/gm, (all, start, name, is, value) => {
          if (LIMIT.test(name)) return all;
          const points = file === 'gates.ts' && Number.isInteger(Number(value));
          const id = key(name, value, points ? [0] : [value / 2, value * 2]);
          return `${start}let ${name}: number${is} ${value}; switches.set(${id}, (to) => { ${name} = to ?? ${value}; });`;
        })
        .replace(/^((?:export )?)const (\w+) =\s+(\/.*\/[a-z]*);$/gm, (_, start, name, value) => {
          const id = key(name, 'pattern', ['never']);
          return `${start}let ${name} = ${value}; switches.set(${id}, (to) => { ${name} = to ? /(?!)/u : ${value}; });`;
        })
        .replace(/^(?:export )?function (\w+)\([^{]*?\): boolean \{/gm, (head, name) => {
          const id = key(name, 'test', ['never']);
          return `let no_${name} = false; switches.set(${id}, (to) => { no_${name} = to !== undefined; });\n${head} if (no_${name}) return false;`;
        });
    }
  return { rules, sources };
}

const reader = await loaded(
  await bundled(`export { openPdf } from './open.ts';
export { inkOf } from './ink/extract.ts';
export { linksOf } from './ink/structure.ts';
export { outlineOf } from './outline.ts';`),
);
const sets = [];
for (const set of values.set) {
  const [name, path] = set.split('=');
  const documents = [];
  for (const file of readdirSync(path).filter((one) => one.endsWith('.pdf'))) {
    const truth = readFileSync(join(path, `${file.slice(0, -4)}.md`), 'utf8');
    documents.push({ file, truth, inks: await inksOf(join(path, file), reader) });
  }
  sets.push({ name, documents });
}

globalThis.switches = new Map();
const { rules, sources } = switchable();
const layout = await loaded(
  await bundled(
    `export { Session } from './session.ts';
export { markdownOf } from '../../../src/document/index.ts';`,
    {
      'ink/extract.ts': 'export const inkOf = async (pdf, page) => page.ink;',
      'ink/structure.ts':
        'export const linksOf = async (pdf, annotations, view) => view; export const pageOf = () => undefined;',
      'outline.ts': 'export const outlineOf = async (pdf) => pdf.outline;',
      'plain-page.ts': 'export const plainBlocks = async () => [];',
      ...sources,
    },
  ),
);
rmSync(folder, { recursive: true, force: true });

for (const { documents } of sets)
  for (const document of documents) {
    document.markdown = await markdownOf(document.inks);
    document.score = scoreMarkdown(document.truth, document.markdown).overall ?? 0;
  }

const [part, parts] = values.part.split('/').map(Number);
console.log(
  `| rule | value | changed to | ${sets.map(({ name }) => name).join(' | ')} | documents better, worse |`,
);
console.log(`|${' --- |'.repeat(sets.length + 4)}`);
for (const { id, value, to } of rules
  .filter((rule) => rule.id.includes(values.only))
  .filter((_, index) => index % parts === part - 1))
  for (const by of to) {
    globalThis.switches.get(id)(by);
    console.log(`| ${id} | ${value} | ${by} | ${(await effects()).join(' | ')} |`);
    globalThis.switches.get(id)(undefined);
  }
process.exit(0);

/** What the change does to the mean score of each set, and to how many documents. */
async function effects() {
  const cells = [];
  let better = 0;
  let worse = 0;
  for (const { documents } of sets) {
    let sum = 0;
    for (const { inks, markdown, truth, score } of documents) {
      const given = await markdownOf(inks);
      if (given === markdown) continue;
      const gain = (scoreMarkdown(truth, given).overall ?? 0) - score;
      sum += gain;
      if (gain > LEAST_GAIN) better += 1;
      if (gain < -LEAST_GAIN) worse += 1;
    }
    const mean = (100 * sum) / documents.length;
    cells.push(Math.abs(mean) < 0.005 ? '0' : mean.toFixed(2));
  }
  return [...cells, `${better}, ${worse}`];
}
