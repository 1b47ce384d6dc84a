// Whole paragraphs from styled runs.

import { cleanText } from './escape.ts';
import { codeSpan, HARD_BREAK, type Inline, linkTo, MARK_END, type Mark, markStart } from './inline.ts';

/** A stretch of a paragraph in one style. `text` is plain and may contain line breaks; absent styles are off. */
export interface Run {
  readonly text: string;
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
  readonly code?: boolean;
  readonly superscript?: boolean;
  readonly subscript?: boolean;
  readonly href?: string;
  /** `text` is inline content: a picture, a note mark, a formula. */
  readonly raw?: boolean;
}

/** Options for `writeRuns`. */
export interface RunOptions {
  /** Ignores bold and italic, as in a heading, where everything would be bold. Default false. */
  readonly plain?: boolean;
}

/**
 * A paragraph's styled runs as inline content. Adjacent runs of one style are joined, marks stay open across runs, and
 * spaces at the ends of a mark are moved outside, where the mark would otherwise be invalid.
 */
export function writeRuns(runs: readonly Run[], options: RunOptions = {}): Inline {
  const list = joined(runs, options.plain === true);
  let written = '';
  for (let at = 0; at < list.length; ) {
    const href = list[at]?.href;
    let end = at + 1;
    while (end < list.length && list[end]?.href === href) end += 1;
    const text = writeMarks(list, at, end);
    written += href === undefined ? text : linkTo(text, href);
    at = end;
  }
  return written;
}

/** Default nesting order, outermost first. */
const MARKS: readonly Mark[] = ['strike', 'bold', 'italic', 'superscript', 'subscript'];
/** Runs to look ahead to find which of two marks lasts longer. */
const LOOK_AHEAD = 8;

function writeMarks(list: readonly Run[], from: number, to: number): string {
  const open: Mark[] = [];
  let written = '';
  // Spaces whose place, inside or outside the marks, depends on the next run.
  let spaces = '';
  for (let at = from; at < to; at += 1) {
    const run = list[at];
    if (!run) break;
    const text = content(run);
    const inner = text.trim();
    if (inner === '') {
      spaces += text;
      continue;
    }
    const start = text.indexOf(inner.charAt(0));
    const kept = open.findIndex((mark) => run[mark] !== true);
    if (kept >= 0) written += MARK_END.repeat(open.splice(kept).length);
    written += spaces + text.slice(0, start);
    const missing = MARKS.filter((mark) => run[mark] === true && !open.includes(mark));
    if (missing.length > 1)
      missing.sort(
        (a, b) => reach(list, at, to, b) - reach(list, at, to, a) || MARKS.indexOf(a) - MARKS.indexOf(b),
      );
    for (const mark of missing) {
      written += markStart(mark);
      open.push(mark);
    }
    written += inner;
    spaces = text.slice(start + inner.length);
  }
  written += MARK_END.repeat(open.length) + spaces;
  return written.includes('\n') ? brokenLines(written) : written;
}

function brokenLines(text: string): string {
  const lines = text.split('\n');
  return lines.map((line, at) => (at < lines.length - 1 ? line.trimEnd() : line)).join(HARD_BREAK);
}

/** Number of consecutive runs from `at` on with `mark`. */
function reach(list: readonly Run[], at: number, to: number, mark: Mark): number {
  let end = at;
  while (end < to && end - at < LOOK_AHEAD && list[end]?.[mark] === true) end += 1;
  return end - at;
}

function content(run: Run): Inline {
  if (run.raw === true) return run.text;
  return run.code === true ? codeSpan(run.text) : cleanText(run.text);
}

function joined(runs: readonly Run[], plain: boolean): Run[] {
  const list: Run[] = [];
  let texts: string[] = [];
  let last: Run | undefined;
  const end = (): void => {
    if (last) list.push(texts.length === 1 ? last : { ...last, text: texts.join('') });
  };
  for (const given of runs) {
    if (given.text === '') continue;
    const run = plain && (given.bold || given.italic) ? { ...given, bold: false, italic: false } : given;
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
  return (
    a.href === b.href &&
    (a.code === true) === (b.code === true) &&
    (a.raw === true) === (b.raw === true) &&
    MARKS.every((mark) => (a[mark] === true) === (b[mark] === true))
  );
}
