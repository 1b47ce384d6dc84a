// Writes blocks as Markdown: GitHub's dialect, with notes. The only place that knows how a block looks.

import { newlinesIn } from '../contract/index.ts';
import { type Block, type ListItem, paragraphBlock } from './block.ts';
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
      return [...itemTexts(block.items)].join('');
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

/** The number of lines of each item of a list, as it is written. */
export const itemLines = (list: Extract<Block, { kind: 'list' }>): number[] =>
  Array.from(itemTexts(list.items), (text) => newlinesIn(text));

/** The items of a list, each indented by the width of the markers around it, as CommonMark requires. */
function* itemTexts(items: readonly ListItem[]): Generator<string> {
  // The last item of each open level, and the column where its text starts.
  const open: { readonly level: number; readonly column: number }[] = [];
  let above: Block['kind'] | undefined;
  for (const { level: stated, marker, text, blocks = [] } of items) {
    const level = Math.min(Math.max(0, Math.trunc(stated) || 0), MAX_LIST_LEVEL);
    const isNew = marker !== '';
    while ((open.at(-1)?.level ?? -1) >= (isNew ? level : level + 1)) open.pop();
    const outer = open.at(-1)?.column ?? 0;
    // The text of a note is indented by four spaces.
    const column = outer + (isNew ? (marker.startsWith('[^') ? 4 : marker.length + 1) : 0);
    const indent = ' '.repeat(column);
    if (isNew) {
      open.push({ level, column });
      above = undefined;
    }
    let written = '';
    for (const block of text === '' ? blocks : [paragraphBlock(text), ...blocks]) {
      const lines = markdownOf(block).split('\n').slice(0, -1);
      if (lines.length === 0) continue;
      if (above && !isTight(above, block.kind)) written += '\n';
      for (const line of lines) written += line === '' ? '\n' : `${indent}${line}\n`;
      above = block.kind;
    }
    if (isNew)
      written = `${' '.repeat(outer)}${written === '' ? `${marker}\n` : `${marker} ${written.slice(column)}`}`;
    yield written;
    above = 'list';
  }
}

/** True if `kind` may follow `before` without a blank line and keep its meaning. */
function isTight(before: Block['kind'], kind: Block['kind']): boolean {
  if (kind === 'code') return before === 'paragraph' || before === 'list' || before === 'heading';
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
