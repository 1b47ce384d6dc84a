// The headings of a document, each with its page or line: from the document's own outline, else from its text.

import {
  type OutlineLine,
  type ProcessContext,
  plural,
  type Range,
  resolveRange,
  safeCut,
  shortName,
  throwIfAborted,
} from '../../src/contract/index.ts';
import {
  type Block,
  bylineOf,
  type Heading,
  inlineMarkdown,
  namesMember,
  plainText,
  startsWithPicture,
  titleOf,
  withMembers,
  withNames,
} from '../../src/document/index.ts';
import { MAX_OUTLINE_ENTRIES, type OutlineEntry, type SectionUnit } from './document.ts';
import type { KeptDocument } from './kept-document.ts';
import type { SectionText } from './section-text.ts';

/** Maximum sections searched for headings in a document without an outline: each must be converted. */
const MAX_SECTIONS = 200;

/** Sections that are searched for tables and comments in a document with an outline of its own. */
const FEW_SECTIONS = 20;
/** Paragraphs with fewer words are captions or footers. */
const LEAST_WORDS = 6;
const MAX_PARAGRAPH = 200;
/** Characters of the names of a table's columns. */
const MAX_NAMES = 80;
/** Authors of comments that are named. */
const MAX_AUTHORS = 5;

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
    const entries = own.filter(({ section }) =>
      section === undefined ? !context.selection.pages : chosen.has(section),
    );
    if (!brief && wanted.length <= FEW_SECTIONS) yield* found(document, unit, wanted, context, entries);
    else
      for (const entry of entries)
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

/** The address of a place in the document, as a path takes it behind its name. */
const addressOf = (unit: SectionUnit | undefined, section: number, line: number): string =>
  unit ? `#${unit}=${section}` : `#L${line}`;

function entryText({ level, title, section }: OutlineEntry, unit: SectionUnit | undefined): string {
  const place = unit && section !== undefined ? `${addressOf(unit, section, 0)}: ` : '';
  return `${place}${'#'.repeat(Math.min(6, Math.max(1, level)))} ${title.replaceAll('\n', ' ')}`;
}

/** A heading; on a slide its title, and not that of the notes that each slide may have. */
const isEntry = (block: Block, unit: SectionUnit | undefined): block is Heading =>
  block.kind === 'heading' && (unit !== 'slide' || block.level <= 2);

/** Not a picture, which is inline. */
const isText = (block: Block): boolean => block.kind === 'paragraph' && !startsWithPicture(block.text);

const headingLine = ({ level, text }: Heading): string => `${'#'.repeat(level)} ${titleOf(text)}`;

type PlacedText = ReturnType<SectionText['placed']> extends Generator<infer Placed> ? Placed : never;

const placedIn = async (document: KeptDocument, number: number): Promise<Generator<PlacedText>> =>
  document.textOf(number, await document.section(number)).placed();

/** Facts above a view: the number of tables, how the text ends, and the headings by level. */
async function* facts(
  document: KeptDocument,
  unit: SectionUnit | undefined,
  wanted: readonly number[],
  context: ProcessContext,
): AsyncGenerator<OutlineLine> {
  const headings: OutlineLine[] = [];
  let tables = 0;
  let last: { readonly place: string; readonly text: string } | undefined;
  for (const number of wanted.slice(0, MAX_SECTIONS)) {
    throwIfAborted(context.signal);
    for (const { block, text, line } of await placedIn(document, number)) {
      const place = unit ? `${unit} ${number}` : `${line}`;
      if (isEntry(block, unit))
        headings.push({ level: block.level, text: `${place}: ${headingLine(block)}` });
      else if (block.kind === 'table') tables += 1;
      else if (/^\p{L}/u.test(text) && text.split(/\s+/, LEAST_WORDS).length === LEAST_WORDS)
        last = { place: `${unit ?? 'line'} ${unit ? number : line}`, text };
    }
  }
  if (tables > 0) yield { level: 0, text: `Tables: ${tables}` };
  if (last) yield { level: 0, text: `Last paragraph, ${last.place}: ${shortened(last.text)}` };
  yield* headings;
}

/** The headings, or `own` entries, tables and comments in order, below a line that counts them. */
async function* found(
  document: KeptDocument,
  unit: SectionUnit | undefined,
  wanted: readonly number[],
  context: ProcessContext,
  own: readonly OutlineEntry[] = [],
): AsyncGenerator<OutlineLine> {
  const last = wanted[MAX_SECTIONS - 1];
  if (unit && last !== undefined && wanted.length > MAX_SECTIONS)
    context.warn({
      code: 'SKIPPED_CONTENT',
      message: `The outline covers the first ${plural(MAX_SECTIONS, unit)} of ${wanted.length}. Use \`pages\` \`${last + 1}-\` for the rest.`,
    });
  const contents = new Contents(unit, document.name, own, context.selection.pages === undefined);
  for (const number of wanted.slice(0, MAX_SECTIONS)) {
    throwIfAborted(context.signal);
    contents.begin(number);
    for (const placed of await placedIn(document, number)) contents.add(number, placed);
  }
  contents.begin(Number.POSITIVE_INFINITY);
  const { summary, lines } = contents;
  if (summary !== '') yield { text: summary };
  for (const text of lines) yield { text };
}

/** What an outline lists, and how many of each. */
class Contents {
  readonly lines: string[] = [];
  readonly #unit: SectionUnit | undefined;
  readonly #name: string;
  /** The entries of the document's own outline, which stand for its headings. */
  readonly #own: readonly OutlineEntry[];
  /** Tables and comments are numbered through the document, so not if pages are left out. */
  readonly #isNumbered: boolean;
  /** The last slide with a line, and which one if it is not its title but its first text. */
  #begun: { readonly slide?: number; readonly at?: number } = {};
  #headings = 0;
  #tables = 0;
  #notes = 0;
  #comments = 0;
  readonly #authors = new Map<string, number>();

  constructor(
    unit: SectionUnit | undefined,
    name: string,
    own: readonly OutlineEntry[],
    isNumbered: boolean,
  ) {
    this.#unit = unit;
    this.#name = name;
    this.#own = own;
    this.#isNumbered = isNumbered;
  }

  /** The document's own entries up to section `number`, whose contents follow. */
  begin(number: number): void {
    for (let entry = this.#own[this.#headings]; entry; entry = this.#own[this.#headings]) {
      if ((entry.section ?? 0) > number) return;
      this.#headings += 1;
      this.lines.push(entryText(entry, this.#unit));
    }
  }

  add(section: number, { block, text, line }: PlacedText): void {
    const place = addressOf(this.#unit, section, line);
    for (const name of block.landmarks ?? []) this.lines.push(`${place}: ${name}`);
    if (isEntry(block, this.#unit)) {
      if (this.#own.length > 0) return;
      this.#headings += 1;
      if (this.#begun.slide === section && this.#begun.at === this.lines.length - 1) this.lines.pop();
      this.#begun = { slide: section };
      this.lines.push(`${place}: ${headingLine(block)}`);
    } else if (this.#unit === 'slide' && this.#begun.slide !== section && isText(block)) {
      this.#begun = { slide: section, at: this.lines.length };
      this.lines.push(`${place}: ${shortened(text, MAX_NAMES)}`);
    } else if (block.kind === 'table') {
      this.#tables += 1;
      const [header = [], ...rows] = block.rows;
      const names = header.map((cell) => withNames(plainText(cell), this.#name).trim());
      const own = this.#isNumbered ? `#table=${this.#tables}` : place;
      const shown = shortened(names.filter((name) => name !== '').join(', '), MAX_NAMES);
      this.lines.push(`${own}: ${plural(rows.length, 'row')}: ${shown}`);
    } else if (block.kind === 'list') {
      // The files inside a mail.
      for (const { text: item } of block.items)
        if (namesMember(plainText(item)))
          this.lines.push(`${place}: ${withMembers(inlineMarkdown(item), this.#name, false)}`);
    } else if (block.kind === 'note') this.#notes += 1;
    else if (block.kind === 'comment') {
      this.#comments += 1;
      const { author } = block;
      if (author !== undefined) this.#authors.set(author, (this.#authors.get(author) ?? 0) + 1);
      const own = this.#isNumbered ? `#comment=${this.#comments}` : place;
      this.lines.push(`${own}: ${shortened(`${bylineOf(block)}${plainText(block.lines[0] ?? '')}`)}`);
    }
  }

  /** `''` if there are only headings. */
  get summary(): string {
    if (this.#tables + this.#notes + this.#comments === 0) return '';
    const authors = [...this.#authors].sort(([, a], [, b]) => b - a);
    const by = authors.slice(0, MAX_AUTHORS).map(([name, count]) => `${shortName(name)} ${count}`);
    const more = authors.length > by.length ? `, ${authors.length - by.length} more` : '';
    const comments = plural(this.#comments, 'comment');
    return [
      ...(this.#headings > 0 ? [plural(this.#headings, 'heading')] : []),
      ...(this.#tables > 0 ? [plural(this.#tables, 'table')] : []),
      ...(this.#notes > 0 ? [plural(this.#notes, 'note')] : []),
      ...(this.#comments > 0 ? [by.length === 0 ? comments : `${comments} (${by.join(', ')}${more})`] : []),
    ].join(', ');
  }
}
