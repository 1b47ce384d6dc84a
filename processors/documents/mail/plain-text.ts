// The plain text of a mail as Markdown: keeps line breaks and quotations, joins flowed lines (RFC 3676).

import { type Block, cleanText, type Inline, linesBlock, verbatim } from '../../../src/document/index.ts';

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
    const own = content.replace(/^[ \t]+/, indent);
    lines.push(depth === '' ? own : `${depth} ${own}`);
  }
  close();
  return blocks;
}

const MAX_QUOTES = 20;

/** Four spaces at the start of a line would make it code. */
const indent = (blanks: string): string => ' '.repeat(Math.min(3, blanks.replaceAll('\t', '    ').length));

/** Header text: `Name <a@b.c>` needs no escape, because Markdown reads it as an address. */
export function withAddresses(value: string): Inline {
  return value
    .split(/(<[^<>@\s:]+@[^<>@\s:]+>)/)
    .map((piece, i) => (i % 2 === 1 ? verbatim(piece) : cleanText(piece)))
    .join('');
}
