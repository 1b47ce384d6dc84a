// The elements that stand apart from paragraphs: headings, lists, quotes, terms, code, tables, frames.

import {
  cleanText,
  codeBlock,
  codeSpan,
  Grid,
  type Inline,
  linesBlock,
  linesOf,
  linkTo,
  quoteBlock,
  safeUrl,
  splitInline,
} from '../../../src/document/index.ts';
import { HEADING } from './elements.ts';
import type { HtmlNode } from './node.ts';
import type { Enter, PageWalk } from './page-walk.ts';
import type { Numbers } from './place.ts';
import { cellOf, isDataTable, isGutter } from './table.ts';
import { codeOf } from './verbatim.ts';

const named = (names: string, enter: Enter): [string, Enter][] =>
  names.split(' ').map((name) => [name, enter]);

export const BLOCKS: readonly (readonly [name: string, Enter])[] = [
  ...named([...HEADING.keys()].join(' '), enterHeading),
  ...named('ul ol menu dir', enterList),
  ...named('pre listing xmp', writeCode),
  ...named('td th', enterCell),
  ...named('frame embed', writeFrame),
  ...named('video audio', enterMedia),
  ['li', enterItem],
  ['blockquote', enterQuote],
  ['dt', enterTerm],
  ['dd', enterDefinition],
  ['table', enterTable],
  ['tr', enterRow],
  ['iframe', enterFrame],
  ['object', enterObject],
  ['hr', writeRule],
];

function enterHeading(node: HtmlNode, walk: PageWalk): boolean {
  const { place } = walk.out;
  if (place.heading > 0) return true;
  walk.out.break();
  place.heading = HEADING.get(node.name) ?? 0;
  return walk.after(node, () => {
    place.flush();
    place.heading = 0;
  });
}

function enterList(node: HtmlNode, walk: PageWalk): boolean {
  const { out } = walk;
  return walk.nest(
    node,
    () => out.openList(node.name === 'ol' ? numbersOf(node) : undefined),
    () => out.close(),
  );
}

function numbersOf(list: HtmlNode): Numbers {
  const start = Number.parseInt(list.get('start') ?? '', 10);
  const isReversed = list.get('reversed') !== undefined;
  let items = 0;
  if (isReversed) for (let child = list.first; child; child = child.next) if (child.name === 'li') items += 1;
  return { next: isNumber(start) ? start : isReversed ? items : 1, step: isReversed ? -1 : 1 };
}

const isNumber = (value: number): boolean => value >= 0 && value < 1e9;

function enterItem(node: HtmlNode, walk: PageWalk): boolean {
  const { out } = walk;
  if (out.place.kind !== 'list') return walk.apart(node);
  out.place.flush();
  const value = Number.parseInt(node.get('value') ?? '', 10);
  const marker = out.place.nextMarker(isNumber(value) ? value : undefined);
  const label = walk.notes.notes.get(node);
  out.openItem(label === undefined ? marker : `[^${label}]:`);
  return walk.after(node, () => out.close());
}

function enterQuote(node: HtmlNode, walk: PageWalk): boolean {
  const { out } = walk;
  if (out.place.inCell) return walk.apart(node);
  return walk.nest(
    node,
    () => out.open(),
    () => {
      const blocks = out.close();
      out.place.add(quoteBlock(blocks));
    },
  );
}

const termLines = (text: Inline): Inline[] =>
  splitInline(text)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** The paragraphs of a term are its lines; other blocks stay. */
function enterTerm(node: HtmlNode, walk: PageWalk): boolean {
  const { out } = walk;
  out.break();
  out.open();
  walk.after(node, () => {
    const blocks = out.close();
    for (const block of blocks)
      if (block.kind === 'paragraph') out.place.addTerm(termLines(block.text));
      else out.place.add(block);
  });
  return walk.style(node, 'bold');
}

/** A definition without a term is ordinary text. */
function enterDefinition(node: HtmlNode, walk: PageWalk): boolean {
  const { out } = walk;
  out.break();
  out.open();
  return walk.after(node, () => {
    const blocks = out.close();
    for (const [at, block] of blocks.entries())
      if (at > 0 || block.kind !== 'paragraph' || !out.place.define(termLines(block.text)))
        out.place.add(block);
  });
}

function writeRule(_: HtmlNode, { out }: PageWalk): boolean {
  out.block({ kind: 'rule' });
  return false;
}

function writeCode(node: HtmlNode, { out, survey }: PageWalk): boolean {
  const { text, language } = codeOf(node, survey);
  if (text.trim() === '') return false;
  out.break();
  if (out.place.inCell) {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    out.place.add(linesBlock(...lines.map(codeSpan)));
  } else out.block(codeBlock(text, language));
  return false;
}

function enterTable(node: HtmlNode, walk: PageWalk): boolean {
  const { out, tables } = walk;
  out.break();
  const isData = isDataTable(node, walk.survey);
  tables.push({ rows: [], row: isData ? [] : undefined });
  return walk.after(node, () => {
    const table = tables.pop();
    out.break();
    if (!isData || !table) return;
    const grid = new Grid('implied', walk.room);
    for (const row of table.rows) grid.add(row);
    if (out.place.inCell) out.place.add({ kind: 'lines', lines: grid.lines() });
    else out.block(grid.table('all'));
  });
}

function enterRow(node: HtmlNode, walk: PageWalk): boolean {
  const table = walk.tables.at(-1);
  if (!table?.row) return walk.apart(node);
  table.row = [];
  table.rows.push(table.row);
  return true;
}

function enterCell(node: HtmlNode, walk: PageWalk): boolean {
  const { out } = walk;
  const table = walk.tables.at(-1);
  if (!table?.row) return !isGutter(node) && walk.apart(node);
  const { row, rows } = table;
  if (rows.length === 0) rows.push(row);
  const { href } = out;
  out.href = undefined;
  out.open(true);
  return walk.after(node, () => {
    out.href = href;
    const text = out.close().flatMap(linesOf).join('\n');
    row.push(cellOf(node, text));
  });
}

function enterFrame(node: HtmlNode, walk: PageWalk): boolean {
  // The address is used only without a document of its own.
  if (node.get('srcdoc') === undefined) writeFrame(node, walk);
  return walk.apart(node);
}

function enterObject(node: HtmlNode, walk: PageWalk): boolean {
  if (!node.first || walk.survey.textOf(node) > 0) writeFrame(node, walk);
  return true;
}

function writeFrame(node: HtmlNode, { out }: PageWalk): boolean {
  const address = node.get('src') ?? node.get('data-src') ?? node.get('data') ?? '';
  const name = cleanText(node.get('title') ?? node.get('name') ?? '').trim();
  if (!address.startsWith('about:')) writeLink(name || 'Embedded content', address, out);
  return false;
}

/** A link on a line of its own. */
function writeLink(label: string, address: string, out: PageWalk['out']): void {
  if (safeUrl(address) === undefined) return;
  out.break();
  out.raw(linkTo(label, address));
  out.break();
}

function enterMedia(node: HtmlNode, walk: PageWalk): boolean {
  let address = node.get('src') ?? '';
  for (let child = node.first; child && address === ''; child = child.next)
    if (child.name === 'source') address = child.get('src') ?? '';
  const kind = node.name === 'video' ? 'Video' : 'Audio';
  const label = cleanText(node.get('title') ?? node.get('aria-label') ?? '').trim();
  writeLink(label === '' ? kind : `${kind}: ${label}`, address, walk.out);
  return walk.apart(node);
}
