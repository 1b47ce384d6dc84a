// Marks inside a paragraph: emphasis, code, line breaks, and whole paragraphs from styled runs. Text in, text out.

import { cleanText, escapeText } from './escape.ts';
import { linkTo } from './link.ts';

/** A line break inside a paragraph (CommonMark 6.7); `escapeCell` turns it into `<br>`. */
export const HARD_BREAK = '  \n';

/** `text` (inline Markdown) between `mark`s, spaces at its ends kept outside, where marks may stand. */
export function marked(text: string, mark: string): string {
  const inner = text.trim();
  if (inner === '') return text;
  const start = text.indexOf(inner.charAt(0));
  return `${text.slice(0, start)}${mark}${inner}${mark}${text.slice(start + inner.length)}`;
}

/** Inline code: plain `text` between as many backticks as it needs. */
export function codeSpan(text: string): string {
  const clean = cleanText(text).replace(/\n/g, ' ');
  if (clean.trim() === '') return clean;
  let longest = 0;
  for (const run of clean.match(/`+/g) ?? []) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest === 0 ? 1 : longest + 1);
  const pad = clean.startsWith('`') || clean.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${clean}${pad}${fence}`;
}

/** A stretch of a paragraph in one style. `text` is plain and may hold line breaks; absent styles are off. */
export interface Run {
  readonly text: string;
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
  readonly code?: boolean;
  readonly superscript?: boolean;
  readonly subscript?: boolean;
  readonly href?: string;
  /** `text` is inline Markdown already: a picture, a note mark, a formula. */
  readonly raw?: boolean;
}

/** How `writeRuns` writes. */
export interface RunOptions {
  /** Bold and italic mark nothing, as in a heading, where all would be bold. Default false. */
  readonly plain?: boolean;
}

/** A paragraph's styled runs as inline Markdown; neighbours of one style are joined first. */
export function writeRuns(runs: readonly Run[], options: RunOptions = {}): string {
  let written = '';
  let link = '';
  let href: string | undefined;
  const endLink = (): void => {
    written += href === undefined ? link : linkTo(link, href);
    link = '';
  };
  for (const run of joined(runs, options.plain === true)) {
    if (run.href !== href) {
      endLink();
      href = run.href;
    }
    link += styled(run);
  }
  endLink();
  return written;
}

function joined(runs: readonly Run[], plain: boolean): Run[] {
  const list: Run[] = [];
  let texts: string[] = [];
  let last: Run | undefined;
  const end = (): void => {
    if (last) list.push({ ...last, text: texts.join('') });
  };
  for (const given of runs) {
    if (given.text === '') continue;
    const run = plain ? { ...given, bold: false, italic: false } : given;
    if (last && sameStyle(last, run)) texts.push(run.text);
    else {
      end();
      last = run;
      texts = [run.text];
    }
  }
  end();
  return list;
}

function sameStyle(a: Run, b: Run): boolean {
  const on = (run: Run): string =>
    [run.bold, run.italic, run.strike, run.code, run.superscript, run.subscript, run.raw]
      .map((flag) => (flag === true ? '1' : '0'))
      .join('');
  return a.href === b.href && on(a) === on(b);
}

function styled(run: Run): string {
  if (run.raw === true) return run.text;
  if (run.code === true) return codeSpan(run.text);
  let text = escapeText(run.text).replaceAll('\n', HARD_BREAK);
  if (text.trim() === '') return text;
  if (run.superscript === true) text = `<sup>${text}</sup>`;
  else if (run.subscript === true) text = `<sub>${text}</sub>`;
  const mark = `${run.strike === true ? '~~' : ''}${run.bold === true ? '**' : ''}${run.italic === true ? '*' : ''}`;
  return mark === '' ? text : enclosed(text, mark);
}

/** Marks do not reach over a line break, which would leave them unpaired in a cell or a list. */
function enclosed(text: string, mark: string): string {
  const back = [...mark].reverse().join('');
  return text
    .split(HARD_BREAK)
    .map((line) => {
      const inner = line.trim();
      if (inner === '') return line;
      const start = line.indexOf(inner.charAt(0));
      return `${line.slice(0, start)}${mark}${inner}${back}${line.slice(start + inner.length)}`;
    })
    .join(HARD_BREAK);
}
