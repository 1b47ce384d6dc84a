// Writes blocks as Markdown: GitHub's dialect, with notes. The only place that knows how a block looks.

import type { Block, BlockItem, ListItem } from './block.ts';
import { bylineOf } from './comment.ts';
import { cleanText, escapeLineStart } from './escape.ts';
import { tableMarkdown } from './table.ts';

/** Deeper lists stay at this level. */
const MAX_LIST_LEVEL = 12;

/**
 * A block as Markdown: lines, the last one ended; `''` if it is empty. A text is its blocks separated by one blank line
 * each. Blank lines occur in code and between the blocks of a list item only.
 */
export function markdownOf(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return headingMarkdown(block.level, block.text);
    case 'paragraph':
      return ended(safeLines(block.text));
    case 'lines':
    case 'term':
      return ended(block.lines);
    case 'list':
      return listMarkdown(block.items);
    case 'nested-list':
      return nestedPieces(block.items).join('\n');
    case 'table':
      return tableMarkdown(block.rows);
    case 'code':
      return codeMarkdown(block.text, block.language);
    case 'quote':
      return quoteMarkdown(block.blocks);
    case 'note':
    case 'comment': {
      const [first = '', ...rest] = block.lines;
      const by = block.kind === 'comment' ? bylineOf(block) : '';
      return ended([`[^${block.mark}]: ${by}${first}`.trimEnd(), ...rest.map((line) => `    ${line}`)]);
    }
    case 'rule':
      return '---\n';
    case 'equation':
      return `$$\n${block.text}\n$$\n`;
    case 'page':
      return `<!-- page ${block.number} -->\n`;
  }
}

const ended = (lines: readonly string[]): string => (lines.length === 0 ? '' : `${lines.join('\n')}\n`);

/** Escapes the start of every line of inline Markdown and drops blank lines. */
export function safeLines(markdown: string): string[] {
  const lines: string[] = [];
  for (const line of markdown.split('\n')) {
    const safe = escapeLineStart(line);
    if (safe !== '') lines.push(safe);
  }
  const last = lines.at(-1);
  if (last !== undefined) lines[lines.length - 1] = last.trimEnd();
  return lines;
}

function headingMarkdown(level: number, text: string): string {
  if (text === '') return '';
  // A trailing run of # would be read as a closing sequence.
  const closed = /(?:^|\s)#+$/.test(text) ? `${text.slice(0, -1)}\\#` : text;
  return `${'#'.repeat(level)} ${closed}\n`;
}

/** Indented by the width of each marker, as CommonMark requires. */
function listMarkdown(items: readonly ListItem[]): string {
  const lines: string[] = [];
  // The last item of each open level, and the column where its text starts.
  const open: { readonly level: number; readonly column: number }[] = [];
  for (const { level: stated, marker, text } of items) {
    const level = Math.min(Math.max(0, Math.trunc(stated) || 0), MAX_LIST_LEVEL);
    while ((open.at(-1)?.level ?? -1) >= level) open.pop();
    const indent = ' '.repeat(open.at(-1)?.column ?? 0);
    open.push({ level, column: indent.length + marker.length + 1 });
    const [first = '', ...rest] = safeLines(text);
    lines.push(first === '' ? `${indent}${marker}` : `${indent}${marker} ${first}`);
    for (const line of rest) lines.push(`${indent}${' '.repeat(marker.length + 1)}${line}`);
  }
  return ended(lines);
}

/** The number of lines of each item of a list, as it is written. */
export const itemLines = (list: Extract<Block, { kind: 'list' | 'nested-list' }>): number[] =>
  list.kind === 'list'
    ? list.items.map(({ text }) => Math.max(1, safeLines(text).length))
    : list.items.map((item) => nestedPieces([item]).join('\n').split('\n').length - 1);

/** A list in pieces: one, unless an item contains blocks that need a blank line before them. */
function nestedPieces(items: readonly BlockItem[]): string[] {
  const out: string[] = [];
  let lines: string[] = [];
  let indent = '';
  const end = (): void => {
    if (lines.length > 0) out.push(lines.join(''));
    lines = [];
  };
  for (const { marker, blocks } of items) {
    let own = marker;
    if (blocks[0]?.kind === 'nested-list' || marker === '') own = '';
    else indent = ' '.repeat(marker.length > 4 ? 4 : marker.length + 1);
    let before: Block['kind'] | undefined;
    for (const block of blocks) {
      const pieces = block.kind === 'nested-list' ? nestedPieces(block.items) : [markdownOf(block)];
      for (const text of pieces) {
        if (before !== undefined && !isTight(before, block.kind)) end();
        for (const line of text.slice(0, -1).split('\n')) {
          if (own !== '') lines.push(`${own} ${line}\n`);
          else lines.push(line === '' ? '\n' : `${indent}${line}\n`);
          own = '';
        }
        before = block.kind;
      }
    }
  }
  end();
  return out;
}

/** True if `kind` may follow `before` without a blank line and keep its meaning. */
function isTight(before: Block['kind'], kind: Block['kind']): boolean {
  if (kind === 'nested-list' || kind === 'code')
    return before === 'paragraph' || before === 'nested-list' || before === 'heading';
  return kind === 'quote' && before === 'paragraph';
}

/** Fenced, with a fence longer than any inside. */
function codeMarkdown(text: string, language: string): string {
  const body = cleanText(text).replace(/\n$/, '');
  let longest = 2;
  for (const run of body.match(/`{3,}/g) ?? []) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language.replace(/[^\w+#.-]/g, '').slice(0, 40)}\n${body}\n${fence}\n`;
}

function quoteMarkdown(blocks: readonly Block[]): string {
  return blocks
    .map(markdownOf)
    .filter((text) => text !== '')
    .map((text) =>
      text
        .slice(0, -1)
        .split('\n')
        .map((line) => (line === '' ? '>\n' : `> ${line}\n`))
        .join(''),
    )
    .join('>\n');
}
