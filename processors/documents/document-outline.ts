// The headings of a document, each with its page or line: from the document's own outline, else from its text.

import {
  type OutlineLine,
  type ProcessContext,
  plural,
  type Range,
  resolveRange,
  safeCut,
  throwIfAborted,
} from '../../src/contract/index.ts';
import type { Block, Heading } from '../../src/document/index.ts';
import { MAX_OUTLINE_ENTRIES, type OutlineEntry, type Section, type SectionUnit } from './document.ts';
import type { KeptDocument } from './kept-document.ts';
import { SectionText } from './section-text.ts';

/** Maximum sections searched for headings in a document without an outline: each must be converted. */
const MAX_SECTIONS = 200;

/** Paragraphs with fewer words are captions or footers. */
const LEAST_WORDS = 6;
const MAX_PARAGRAPH = 200;
/** Characters of the names of a table's columns. */
const MAX_NAMES = 80;

function shortened(block: string, most: number = MAX_PARAGRAPH): string {
  const text = block.replaceAll(/\s+/g, ' ').trim();
  const end = safeCut(text, most);
  return end < text.length ? `${text.slice(0, end)}…` : text;
}

/** One line per heading of the requested sections. */
export async function* documentOutline(
  document: KeptDocument,
  unit: SectionUnit | undefined,
  context: ProcessContext,
): AsyncGenerator<OutlineLine> {
  const { sections } = await document.summary();
  const wanted = selected(context.selection.pages, sections);
  const own = unit ? await document.outline() : undefined;
  const { brief } = context.selection;
  if (own && own.length > 0) {
    if (own.length >= MAX_OUTLINE_ENTRIES)
      context.warn({
        code: 'SKIPPED_CONTENT',
        message: `Only the first ${MAX_OUTLINE_ENTRIES} entries of the document's outline were read.`,
      });
    const chosen = new Set(wanted);
    for (const entry of own)
      if (entry.section === undefined ? !context.selection.pages : chosen.has(entry.section))
        yield { ...(brief && { level: entry.level }), text: entryText(entry, unit) };
  } else if (context.selection.format === 'json' && brief) return;
  else if (brief && unit !== 'page') yield* facts(document, unit, wanted, context);
  // The pages of a PDF are converted only as far as they are read.
  else if (!brief) yield* found(document, unit, wanted, context);
}

/** The sections in `pages`, in order, without duplicates. */
export function selected(pages: readonly Range[] | undefined, count: number): number[] {
  if (!pages) return Array.from({ length: count }, (_, i) => i + 1);
  const numbers = new Set<number>();
  for (const range of pages) {
    const { from, to } = resolveRange('pages', range, count);
    for (let number = from; number <= to; number += 1) numbers.add(number);
  }
  return [...numbers].sort((a, b) => a - b);
}

function entryText({ level, title, section }: OutlineEntry, unit: SectionUnit | undefined): string {
  const place = unit && section !== undefined ? `${unit} ${section}: ` : '';
  return `${place}${'#'.repeat(Math.min(6, Math.max(1, level)))} ${title.replaceAll('\n', ' ')}`;
}

/** A heading; on a slide its title, and not that of the notes that each slide may have. */
const isEntry = (block: Block, unit: SectionUnit | undefined): block is Heading =>
  block.kind === 'heading' && (unit !== 'slide' || block.level <= 2);

const textOf = ({ blocks }: Section, name: string): ReturnType<SectionText['placed']> =>
  new SectionText(blocks, false, name).placed();

/** Facts above a view: the number of tables, how the text ends, and the headings by level. */
async function* facts(
  document: KeptDocument,
  unit: SectionUnit | undefined,
  wanted: readonly number[],
  context: ProcessContext,
): AsyncGenerator<OutlineLine> {
  const headings: OutlineLine[] = [];
  let tables = 0;
  let last: string | undefined;
  for (const number of wanted.slice(0, MAX_SECTIONS)) {
    throwIfAborted(context.signal);
    for (const { block, text, line } of textOf(await document.section(number), document.name)) {
      const place = unit ? `${unit} ${number}` : `${line}`;
      if (isEntry(block, unit)) headings.push({ level: block.level, text: `${place}: ${text.trimEnd()}` });
      else if (block.kind === 'table') tables += 1;
      else if (/^\p{L}/u.test(text) && text.split(/\s+/, LEAST_WORDS).length === LEAST_WORDS)
        last = `${unit ?? 'line'} ${unit ? number : line}: ${shortened(text)}`;
    }
  }
  if (tables > 0) yield { level: 0, text: `Tables: ${tables}` };
  if (last !== undefined) yield { level: 0, text: `Last paragraph, ${last}` };
  yield* headings;
}

async function* found(
  document: KeptDocument,
  unit: SectionUnit | undefined,
  wanted: readonly number[],
  context: ProcessContext,
): AsyncGenerator<OutlineLine> {
  const last = wanted[MAX_SECTIONS - 1];
  if (unit && last !== undefined && wanted.length > MAX_SECTIONS)
    context.warn({
      code: 'SKIPPED_CONTENT',
      message: `The outline covers the first ${plural(MAX_SECTIONS, unit)} of ${wanted.length}. Use \`pages\` \`${last + 1}-\` for the rest.`,
    });
  let tables = 0;
  for (const number of wanted.slice(0, MAX_SECTIONS)) {
    throwIfAborted(context.signal);
    for (const { block, text, line } of textOf(await document.section(number), document.name)) {
      const place = unit ? `${unit} ${number}` : line;
      if (isEntry(block, unit)) yield { text: `${place}: ${text.trimEnd()}` };
      if (block.kind !== 'table') continue;
      tables += 1;
      const [header = [], ...rows] = block.rows;
      const names = header.map((cell) => cell.trim()).filter((cell) => cell !== '');
      yield {
        text: `${place}: table ${tables}, ${plural(rows.length, 'row')}: ${shortened(names.join(', '), MAX_NAMES)}`,
      };
    }
  }
}
