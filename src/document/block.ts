// The model of a document: typed blocks in reading order. Says what a document is, not how it is written; the names are
// pandoc's where it has one (docs/design.md).

import { wellFormed } from '../contract/index.ts';
import { cleanText } from './escape.ts';
import { type Inline, splitInline } from './inline.ts';

/** One list item, in document order: those of a list inside an item follow it, at a deeper level. */
export interface ListItem {
  /** 0 for the outermost list. */
  readonly level: number;
  /** `-`, a number with its dot as in the document (`3.`), or the mark of a note; `''` continues the item of its level. */
  readonly marker: string;
  readonly text: Inline;
  /** What follows its text. */
  readonly blocks?: readonly Block[];
}

export interface Heading {
  readonly kind: 'heading';
  /** From 1. */
  readonly level: number;
  readonly text: Inline;
}

/** Rows of cells, which may differ in length; the first is the header. */
export interface Table {
  readonly kind: 'table';
  readonly rows: readonly (readonly Inline[])[];
}

/** The text of a note, which `mark` (without brackets) refers to. */
export interface Note {
  readonly kind: 'note';
  readonly mark: string;
  readonly lines: readonly Inline[];
}

/** A comment, which `mark` (without brackets) refers to. `author` and `on`, the words it stands on, are plain. */
export interface Comment {
  readonly kind: 'comment';
  readonly mark: string;
  readonly author?: string;
  /** `2024-05-31` */
  readonly date?: string;
  readonly on?: string;
  /** It answers the comment before it. */
  readonly isReply?: true;
  readonly lines: readonly Inline[];
}

interface Start {
  /** The named parts of a page that start here, outermost first (`form: Berth request`). Only outlines show them. */
  readonly landmarks?: readonly Inline[];
}

export type Block = Start & Content;

type Content =
  | Heading
  | { readonly kind: 'paragraph'; readonly text: Inline }
  /** Lines that are kept as they are. `term`: a term and its definitions. */
  | { readonly kind: 'lines' | 'term'; readonly lines: readonly Inline[] }
  | { readonly kind: 'list'; readonly items: readonly ListItem[] }
  | Table
  /** Plain text. */
  | { readonly kind: 'code'; readonly text: string; readonly language: string }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | Note
  | Comment
  /** A line between two parts of a text. */
  | { readonly kind: 'rule' }
  /** In TeX. */
  | { readonly kind: 'equation'; readonly text: string }
  /** The start of a page. */
  | { readonly kind: 'page'; readonly number: number };

/** A paragraph. */
export const paragraphBlock = (text: Inline): Block => ({ kind: 'paragraph', text });

/** A heading; `level` is 1 to 6, others are clamped. */
export const headingBlock = (level: number, text: Inline): Heading => ({
  kind: 'heading',
  level: Math.min(6, Math.max(1, Math.trunc(level) || 1)),
  text: text.replace(/\s+/g, ' ').trim(),
});

/**
 * An item with the label that it has in the document: `''` or `-` for a bullet. A number is its marker; Markdown keeps
 * any other label only as text.
 */
export function listItem(level: number, label: Inline, text: Inline): ListItem {
  if (/^\d{1,9}[.)]?$/.test(label)) return { level, marker: /\d$/.test(label) ? `${label}.` : label, text };
  return { level, marker: '-', text: label === '' || label === '-' ? text : `${label} ${text.trimStart()}` };
}

export const listBlock = (items: readonly ListItem[]): Block => ({ kind: 'list', items });

/** A table whose first row is its header. */
export const tableBlock = (rows: readonly (readonly Inline[])[]): Table => ({ kind: 'table', rows });

/** A block of plain text. Blank lines are kept. */
export const codeBlock = (text: string, language: string = ''): Block => ({
  kind: 'code',
  text: cleanText(text),
  language,
});

/** A formula of its own, in TeX. */
export const equationBlock = (tex: string): Block => ({ kind: 'equation', text: cleanText(tex) });

export const quoteBlock = (blocks: readonly Block[]): Block => ({ kind: 'quote', blocks });

/** Lines that are written as they stand: their starts may have a meaning. */
export const linesBlock = (...all: readonly Inline[]): Block => ({ kind: 'lines', lines: all });

/** The text of the note that is referred to by `mark` (`1`). Blank lines are dropped. */
export const noteBlock = (mark: string, text: readonly Inline[]): Note => ({
  kind: 'note',
  mark,
  lines: filledLines(text),
});

/** The lines of a note or a comment, without blank ones. */
export const filledLines = (text: readonly Inline[]): Inline[] =>
  text
    .flatMap(splitInline)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');

/** True for a block without content; documents contain none. */
export function isEmpty(block: Block): boolean {
  switch (block.kind) {
    case 'heading':
    case 'paragraph':
      return block.text.trim() === '';
    case 'lines':
    case 'term':
      return block.lines.length === 0;
    case 'list':
      return block.items.length === 0;
    case 'table':
      return block.rows.every((row) => row.length === 0);
    case 'quote':
      return block.blocks.every(isEmpty);
    default:
      return false;
  }
}

/** `block` without halves of surrogate pairs, which damaged text contains: they are not characters. */
export const wellFormedBlock = (block: Block): Block => mapText(block, wellFormed);

/** `block` with every text of it changed. */
export function mapText(block: Block, change: (text: string) => string): Block {
  switch (block.kind) {
    case 'heading':
    case 'paragraph':
    case 'code':
    case 'equation':
      return { ...block, text: change(block.text) };
    case 'lines':
    case 'term':
    case 'note':
      return { ...block, lines: block.lines.map(change) };
    case 'comment':
      return {
        ...block,
        ...(block.author !== undefined && { author: change(block.author) }),
        ...(block.on !== undefined && { on: change(block.on) }),
        lines: block.lines.map(change),
      };
    case 'list':
      return {
        ...block,
        items: block.items.map((item) => ({
          ...item,
          text: change(item.text),
          ...(item.blocks && { blocks: item.blocks.map((one) => mapText(one, change)) }),
        })),
      };
    case 'table':
      return { ...block, rows: block.rows.map((row) => row.map(change)) };
    case 'quote':
      return { ...block, blocks: block.blocks.map((one) => mapText(one, change)) };
    default:
      return block;
  }
}

/** Every text of `block`, in the order of `mapText`. */
export function textsIn(block: Block): string[] {
  const texts: string[] = [];
  mapText(block, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}
