// Writes blocks as Markdown: GitHub's dialect, with notes. The only place that knows how a block looks.

import { newlinesIn } from '../contract/index.ts';
import { type Block, type ListItem, paragraphBlock } from './block.ts';
import { bylineOf } from './comment.ts';
import { cleanText, escapeLineStart, escapeText, PAIRING_MARKS } from './escape.ts';
import {
  holdsCode,
  type Inline,
  isPlain,
  type SpanKind,
  splitInline,
  verbatim,
  walkInline,
} from './inline.ts';
import { balanced, destination, safeUrl } from './link.ts';
import { isMemberMark } from './member.ts';
import { escapeCell, tableMarkdown } from './table.ts';

/** Deeper lists stay at this level. */
const MAX_LIST_LEVEL = 12;

/** How inline content, and the start of a line of it, are written. */
interface Form {
  readonly inline: (content: Inline) => string;
  readonly start: (line: string) => string;
  /** On one line, between pipes. */
  readonly cell: (content: Inline) => string;
  /** Markdown that is not inline content: code, formulas. */
  readonly literal: (markdown: string) => string;
}

const MARKDOWN: Form = {
  inline: inlineMarkdown,
  start: escapeLineStart,
  cell: (content) => escapeCell(inlineMarkdown(content)),
  literal: (markdown) => markdown,
};
const INLINE: Form = {
  inline: (content) => splitInline(content).join('\n'),
  start: (line) => line.trimStart(),
  cell: (content) => content.replaceAll('\n', ' ').trim(),
  literal: (markdown) => markdown.replace(/[^\n]+/g, verbatim),
};

/**
 * A block as Markdown: lines, the last one ended; `''` if it is empty. A text is its blocks separated by one blank line
 * each. Blank lines occur in code and between the blocks of a list item only.
 */
export const markdownOf = (block: Block): string => written(block, MARKDOWN);

/** A block as lines of inline content, for a cell or a note. Blank ones are left out. */
export const linesOf = (block: Block): Inline[] =>
  written(block, INLINE)
    .split('\n')
    .filter((line) => line !== '');

function written(block: Block, form: Form): string {
  const { inline } = form;
  switch (block.kind) {
    case 'heading':
      return headingMarkdown(block.level, inline(block.text), form);
    case 'paragraph':
      return ended(safeLines(inline(block.text), form));
    case 'lines':
      return ended(block.lines.map((line) => keptLine(inline(line), form)));
    case 'term':
      return ended(block.lines.map((line) => indented(inline(line), form)));
    case 'list':
      return [...itemTexts(block.items, form)].join('');
    case 'table':
      return tableMarkdown(block.rows, form.cell);
    case 'code':
      return form.literal(codeMarkdown(block.text, block.language));
    case 'quote':
      return quoteMarkdown(block.blocks, form);
    case 'note':
    case 'comment': {
      const [first = '', ...rest] = block.lines.map((line) => noteLine(inline(line), form));
      const by = block.kind === 'comment' ? inline(bylineOf(block)) : '';
      return ended([`[^${block.mark}]: ${by}${first}`.trimEnd(), ...rest.map((line) => `    ${line}`)]);
    }
    case 'rule':
      return '---\n';
    case 'equation':
      return form.literal(`$$\n${block.text}\n$$\n`);
    case 'page':
      return form.literal(`<!-- page ${block.number} -->\n`);
  }
}

const ended = (lines: readonly string[]): string => (lines.length === 0 ? '' : `${lines.join('\n')}\n`);

/** The lines of a paragraph with starts that have no meaning, without blank ones. */
function safeLines(markdown: string, { start }: Form): string[] {
  const lines: string[] = [];
  for (const line of markdown.split('\n')) {
    const safe = start(line);
    if (safe !== '') lines.push(safe);
  }
  const last = lines.at(-1);
  if (last !== undefined) lines[lines.length - 1] = last.trimEnd();
  return lines;
}

/** A quote and an item of a list stay what they are; other starts have no meaning. */
function keptLine(line: string, { start }: Form): string {
  const quote = /^>+ /.exec(line)?.[0] ?? '';
  const rest = line.slice(quote.length);
  return /^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+\S/.test(rest) ? line : quote + start(rest);
}

/** As `keptLine`, with its indent. */
function noteLine(line: string, form: Form): string {
  const kept = keptLine(line, form);
  return kept === line.trimStart() ? line : kept;
}

/** A line of a term or its definition, which keeps its indent. */
const indented = (line: string, { start }: Form): string =>
  line.slice(0, line.length - line.trimStart().length) + start(line);

const BEFORE: Readonly<Partial<Record<SpanKind, string>>> = {
  strike: '~~',
  bold: '**',
  italic: '*',
  superscript: '<sup>',
  subscript: '<sub>',
  note: '[^',
  formula: '$',
  display: '$$',
};
const AFTER: typeof BEFORE = { ...BEFORE, superscript: '</sup>', subscript: '</sub>', note: ']' };
/** Marks that pair with those in a text. */
const PAIRED: ReadonlySet<SpanKind> = new Set(['strike', 'bold', 'italic']);

/** Inline content as Markdown; text is escaped only where its meaning would change. */
export function inlineMarkdown(content: Inline): string {
  if (isPlain(content)) return escapeText(content);
  let markdown = '';
  // The end of the text so far, which what follows may give a meaning.
  let held = '';
  let paired = 0;
  const code = holdsCode(content) ? '`' : '';
  /** What stands before each open link or picture, and where it leads. */
  const targets: { readonly before: string; readonly target: string }[] = [];
  /** Links in a link, which Markdown does not know: they are written behind it. */
  const inner: string[] = [];
  let picture = '';
  const add = (piece: string): void => {
    if (piece === '') return;
    markdown += held;
    held = piece;
  };
  walkInline(content, {
    text: (text, within) => {
      if (within === 'code') add(codeMarkdownSpan(text));
      else if (within === 'picture') picture = text.replace(/[[\]\\]/g, '\\$&');
      else if (within === 'formula' || within === 'display') add(text.replace(/(?<!\\)\$/g, '\\$'));
      else if (within === 'note' || within === 'markdown') add(text);
      else add(withoutLinkEnd(escapeText(text, paired > 0 ? PAIRING_MARKS : code)));
    },
    open: (kind, target) => {
      if (PAIRED.has(kind)) paired += 1;
      // `!` would make a link a picture, and `\` would escape the mark behind it.
      const risky = kind === 'link' ? /(?:^|[^\\])[!\\]$/ : /(?:^|[^\\])\\$/;
      if (kind !== 'markdown' && kind !== 'picture' && risky.test(held.slice(-2)))
        held = `${held.slice(0, -1)}\\${held.slice(-1)}`;
      if (kind === 'link' || kind === 'picture') {
        targets.push({ before: markdown + held, target });
        if (kind === 'link') {
          markdown = '';
          held = '';
        }
        picture = '';
      }
      // Adjacent formulas would merge their dollar signs.
      else if (BEFORE[kind]?.startsWith('$') && held.endsWith('$')) add(` ${BEFORE[kind]}`);
      else add(BEFORE[kind] ?? '');
    },
    close: (kind) => {
      if (PAIRED.has(kind)) paired -= 1;
      if (kind !== 'link' && kind !== 'picture') {
        add(AFTER[kind] ?? '');
        return;
      }
      const { before = '', target = '' } = targets.pop() ?? {};
      const label = markdown + held;
      markdown = before;
      if (kind === 'picture') held = `![${picture}](${destinationOf(target)})`;
      else if (targets.length > 0) {
        held = label;
        inner.push(linkMarkdown(label, target));
      } else held = [linkMarkdown(label, target), ...inner.splice(0)].join(' ');
    },
  });
  return markdown + held;
}

const destinationOf = (target: string): string =>
  isMemberMark(target) ? target : destination(safeUrl(target) ?? '');

function linkMarkdown(label: string, target: string): string {
  const safe = destinationOf(target);
  return safe === '' ? label : `[${balanced(label)}](${safe})`;
}

/** Escapes the first `](` that is not escaped where its bracket starts: it could end a link that starts in other text. */
function withoutLinkEnd(text: string): string {
  const at = text.indexOf('](');
  return at < 0 || text.slice(0, at).includes('[') ? text : `${text.slice(0, at)}\\${text.slice(at)}`;
}

/** Between as many backticks as needed. */
function codeMarkdownSpan(text: string): string {
  let longest = 0;
  for (const run of text.match(/`+/g) ?? []) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${text}${pad}${fence}`;
}

function headingMarkdown(level: number, text: string, form: Form): string {
  if (text === '') return '';
  // A trailing run of # would be read as a closing sequence.
  const closed = form === MARKDOWN && /(?:^|\s)#+$/.test(text) ? `${text.slice(0, -1)}\\#` : text;
  return `${'#'.repeat(level)} ${closed}\n`;
}

/** The number of lines of each item of a list, as it is written. */
export const itemLines = (list: Extract<Block, { kind: 'list' }>): number[] =>
  Array.from(itemTexts(list.items, MARKDOWN), (text) => newlinesIn(text));

/** The items of a list, each indented by the width of the markers around it, as CommonMark requires. */
function* itemTexts(items: readonly ListItem[], form: Form): Generator<string> {
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
    let item = '';
    for (const block of text === '' ? blocks : [paragraphBlock(text), ...blocks]) {
      const lines = written(block, form).split('\n').slice(0, -1);
      if (lines.length === 0) continue;
      if (above && !isTight(above, block.kind)) item += '\n';
      for (const line of lines) item += line === '' ? '\n' : `${indent}${line}\n`;
      above = block.kind;
    }
    if (isNew)
      item = `${' '.repeat(outer)}${item === '' ? `${marker}\n` : `${marker} ${item.slice(column)}`}`;
    yield item;
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

function quoteMarkdown(blocks: readonly Block[], form: Form): string {
  return blocks
    .map((block) => written(block, form))
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
