// Writers for Markdown blocks, in the form of `Block` in `document.ts`: no blank line inside, one "\n" at the end.

import type { Block } from '../document.ts';
import { cleanText, escapeLineStart } from './escape.ts';

/** One list item, in document order. */
export interface ListItem {
  /** 0 for the outermost list. */
  readonly level: number;
  /** `-`, or a number with its dot as in the document (`3.`). */
  readonly marker: string;
  /** Inline Markdown; may contain line breaks. */
  readonly text: string;
}

/** Deeper lists stay at this level. */
const MAX_LIST_LEVEL = 12;

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

/** A paragraph of inline Markdown; `''` if it is empty. */
export function paragraphBlock(markdown: string): Block {
  const lines = safeLines(markdown);
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

/** An ATX heading on one line. `level` is clamped to 1 to 6; `''` without text. */
export function headingBlock(level: number, markdown: string): Block {
  const text = markdown.replace(/\s+/g, ' ').trim();
  if (text === '') return '';
  // A trailing run of # would be read as a closing sequence.
  const closed = /(^|\s)#+$/.test(text) ? `${text.slice(0, -1)}\\#` : text;
  return `${'#'.repeat(Math.min(6, Math.max(1, Math.trunc(level) || 1)))} ${closed}\n`;
}

/** A whole list, indented by the width of each marker as CommonMark requires. `''` without items. */
export function listBlock(items: readonly ListItem[]): Block {
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
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

/** A fenced block of plain text, its fence longer than any inside. Blank lines are kept. */
export function codeBlock(text: string, language = ''): Block {
  const body = cleanText(text).replace(/\n$/, '');
  let longest = 2;
  for (const run of body.match(/`{3,}/g) ?? []) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language.replace(/[^\w+#.-]/g, '').slice(0, 40)}\n${body}\n${fence}\n`;
}

/** `blocks` as one block quote. */
export function quoteBlock(blocks: readonly Block[]): Block {
  const filled = blocks.filter((block) => block !== '');
  if (filled.length === 0) return '';
  return filled
    .map((block) =>
      block
        .slice(0, -1)
        .split('\n')
        .map((line) => (line === '' ? '>\n' : `> ${line}\n`))
        .join(''),
    )
    .join('>\n');
}
