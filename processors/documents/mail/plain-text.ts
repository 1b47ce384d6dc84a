// The plain text of a mail as Markdown: keeps line breaks and quotations, joins flowed lines (RFC 3676).

import {
  type Block,
  cleanText,
  escapeLineStart,
  escapeText,
  linesBlock,
} from '../../../src/document/index.ts';

/** Joins the lines of `format=flowed` text; `delSp` drops the space that marks a flowed line. */
export function unflow(text: string, delSp: boolean): string {
  const lines: string[] = [];
  let open: { depth: number; pieces: string[] } | undefined;
  const close = (): void => {
    if (open) lines.push((open.depth > 0 ? `${'>'.repeat(open.depth)} ` : '') + open.pieces.join(''));
    open = undefined;
  };
  for (const line of text.split(/\r\n|\n|\r/)) {
    const depth = /^>*/.exec(line)?.[0].length ?? 0;
    const content = line.slice(depth).replace(/^ /, '');
    if (open && open.depth !== depth) close();
    const flows = content.endsWith(' ') && content !== '-- ';
    const piece = flows && delSp ? content.slice(0, -1) : content;
    open ??= { depth, pieces: [] };
    open.pieces.push(piece);
    if (!flows) close();
  }
  close();
  return lines.join('\n');
}

const QUOTE = /^ ?(?:>[ \t]?)+/;

/** The blocks of a plain text, separated by empty lines. */
export function plainBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  const close = (): void => {
    if (lines.length > 0) blocks.push(linesBlock(...lines));
    lines = [];
  };
  for (const line of cleanText(text).split('\n')) {
    const quote = QUOTE.exec(line)?.[0] ?? '';
    const content = line.slice(quote.length).trimEnd();
    if (content === '') {
      close();
      continue;
    }
    const depth = quote.replace(/[^>]/g, '').slice(0, MAX_QUOTES);
    const escaped = lineOf(content.replace(/^[ \t]+/, indent));
    lines.push(depth === '' ? escaped : `${depth} ${escaped}`);
  }
  close();
  return blocks;
}

const MAX_QUOTES = 20;

/** A list stays a list in Markdown; the start of any other line is escaped. */
function lineOf(text: string): string {
  const bullet = /^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)/.exec(text)?.[0] ?? '';
  const rest = escapeText(text.slice(bullet.length));
  return bullet === '' ? escapeLineStart(rest) : bullet + rest;
}

/** Four spaces at the start of a line would make it code. */
const indent = (blanks: string): string => ' '.repeat(Math.min(3, blanks.replaceAll('\t', '    ').length));

/** Header text as Markdown: `Name <a@b.c>` needs no escape, because Markdown reads it as an address. */
export function withAddresses(value: string): string {
  return value
    .split(/(<[^<>@\s]+@[^<>@\s]+>)/)
    .map((piece, i) => (i % 2 === 1 ? piece : escapeText(piece)))
    .join('');
}
