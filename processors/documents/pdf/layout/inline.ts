// Writes the content of a paragraph as Markdown: words in reading order, joined lines, rejoined hyphenated words,
// links, bold and italic runs, note marks.

import { withoutEnd } from '../../../../src/contract/index.ts';
import { formulaSpan, noteMark, type Run, safeUrl, writeRuns } from '../../../../src/document/index.ts';
import { boxAround } from '../ink/box.ts';
import type { Box, Font, Glyph, Link } from '../ink/ink.ts';
import { isFormula, scriptsOf } from './formulas.ts';
import { isRaised, type Line } from './line.ts';
import type { Profile } from './profile.ts';
import { isRightToLeft, readingOrder } from './scripts.ts';
import { isParted, textOf, type Word } from './words.ts';

/** What the words of a page may refer to. */
export interface InlineContext {
  readonly fonts: readonly Font[];
  readonly links: readonly Link[];
  readonly profile: Profile;
  /** Marks of the notes on this page. */
  readonly notes: ReadonlySet<string>;
}

/** Cells have no notes, and no formulas. */
type WordContext = Omit<InlineContext, 'notes'> & Partial<Pick<InlineContext, 'notes'>>;

const MAX_LINKS = 2000;

/** Options for writing lines. */
export interface InlineOptions {
  /** No bold or italic: a heading, or a paragraph in one style. */
  readonly plain?: boolean;
  /** Characters to skip at the start: a bullet, a note's mark. */
  readonly skip?: number;
}

/** The lines as inline content on one line. */
export function inlineOf(
  lines: readonly Line[],
  context: InlineContext,
  options: InlineOptions = {},
): string {
  const styles = options.plain ? PLAIN : stylesOf(lines, context.profile);
  return writeRuns(runsOf(lines, context, styles, options.skip), { plain: options.plain === true }).trim();
}

/** The lines as plain text, joined like `inlineOf`. */
export function plainOf(lines: readonly Line[], profile: Profile): string {
  return lines.reduce((text, line) => joinLines(text, line.text, profile), '');
}

/** The lines of a cell: words with their links, without styles, formulas and notes. */
export function cellOf(lines: readonly CellLine[], context: WordContext): string {
  return writeRuns(runsOf(lines, context, PLAIN)).trim();
}

/** What both lines of text and lines of cells have. */
type CellLine = Box & Pick<Line, 'words' | 'y' | 'size'>;

function runsOf(lines: readonly CellLine[], context: WordContext, styles: Styles, skipped = 0): Run[] {
  const links = linksBeside(lines, context.links);
  const runs: Run[] = [];
  let skip = skipped;
  let written = '';
  for (const [index, line] of lines.entries()) {
    const words = line.words.some((word) => isRightToLeft(word.text)) ? readingOrder(line.words) : line.words;
    for (const [at, word] of words.entries()) {
      const next = runOfWord(word, line, context, links, styles);
      if (skip > 0) {
        const cut = Math.min(skip, next.text.length);
        skip -= cut;
        next.text = next.text.slice(cut);
      }
      if (next.text === '' && next.note === undefined) continue;
      const previous = runs.at(-1);
      if (previous !== undefined && written !== '') {
        const first = at === 0 && index > 0;
        const joint = first
          ? jointOf(
              lastWord(written),
              next.text,
              context.profile,
              previous.href !== undefined && previous.href === next.href,
            )
          : ' ';
        if (joint === 'cut') {
          runs[runs.length - 1] = { ...previous, text: previous.text.replace(/[-\u00AD\u2010]$/u, '') };
        } else if (joint === ' ') append(runs, ' ', sameStyle(previous, next) ? previous : {});
      }
      const { bold, italic, href } = next;
      const before = next.text.startsWith(next.before) ? next.before : '';
      const after = next.text.endsWith(next.after) ? next.after : '';
      const text = next.text.slice(before.length, next.text.length - after.length);
      if (before !== '') append(runs, before, { bold, italic });
      for (const piece of next.formula ? text.split(/(\$[^$]+\$)/u) : [text])
        if (next.formula && piece.endsWith('$'))
          runs.push({ text: formulaSpan(piece.slice(1, -1)), raw: true });
        else if (piece !== '') append(runs, piece, { bold, italic, href });
      if (after !== '') append(runs, after, { bold, italic });
      if (next.note !== undefined) runs.push({ text: noteMark(String(next.note)), raw: true });
      written = next.text === '' ? written : next.text;
    }
  }
  return steady(runs);
}

interface WordRun {
  text: string;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly href: string | undefined;
  /** Punctuation at its start and end that is not in its link. */
  readonly before: string;
  readonly after: string;
  readonly note: string | undefined;
  /** True if the text contains LaTeX between dollar signs. */
  readonly formula: boolean;
}

function append(runs: Run[], text: string, style: Pick<Partial<WordRun>, 'bold' | 'italic' | 'href'>): void {
  const { bold, italic, href } = style;
  runs.push({
    text,
    ...(bold === undefined ? {} : { bold }),
    ...(italic === undefined ? {} : { italic }),
    ...(href === undefined ? {} : { href }),
  });
}

function sameStyle(a: Partial<Run>, b: WordRun): boolean {
  return (a.bold ?? false) === b.bold && (a.italic ?? false) === b.italic && a.href === b.href;
}

/** The styles that tell words from others. */
type Styles = Pick<WordRun, 'bold' | 'italic'>;
const PLAIN: Styles = { bold: false, italic: false };

function runOfWord(
  word: Word,
  line: CellLine,
  context: WordContext,
  links: readonly Link[],
  styles: Styles,
): WordRun {
  let bold = 0;
  let italic = 0;
  let letters = 0;
  for (const glyph of word.glyphs) {
    const font = context.fonts[glyph.font];
    letters += 1;
    if (font?.bold === true) bold += 1;
    if (font?.italic === true && /\p{L}/u.test(glyph.text)) italic += 1;
  }
  const { notes, fonts } = context;
  const note = notes?.size ? noteOf(word, line, notes) : undefined;
  const scripts = note === undefined && notes ? scriptsOf(word.glyphs, line, fonts) : undefined;
  const link = linkAt(word, links);
  return {
    ...(link === undefined ? { before: '', after: '' } : beside(word, link)),
    formula: scripts !== undefined || word.glyphs.some(isFormula),
    text: note?.text ?? (scripts === undefined ? word.text : scripts.tex + scripts.rest),
    bold: styles.bold && bold > letters / 2,
    italic: styles.italic && italic > letters / 2,
    href: link?.url,
    note: note?.mark,
  };
}

/** The punctuation of a word before and after the box of its link. */
function beside({ glyphs }: Word, { left, right }: Link): Pick<WordRun, 'before' | 'after'> {
  const isBeside = ({ text, x, width }: Glyph): boolean =>
    /\p{P}/u.test(text) && (x + width / 2 < left || x + width / 2 > right);
  const start = glyphs.findIndex((glyph) => !isBeside(glyph));
  const end = glyphs.findLastIndex((glyph) => !isBeside(glyph));
  return { before: textOf(glyphs.slice(0, Math.max(0, start))), after: textOf(glyphs.slice(end + 1)) };
}

function noteOf(
  word: Word,
  line: CellLine,
  notes: ReadonlySet<string>,
): { text: string; mark: string } | undefined {
  const raised: Glyph[] = [];
  for (let index = word.glyphs.length - 1; index >= 0; index -= 1) {
    const glyph = word.glyphs[index];
    if (glyph === undefined || !isRaised(glyph, line)) break;
    raised.unshift(glyph);
  }
  if (raised.length === 0) return undefined;
  const mark = bareMark(textOf(raised));
  if (!notes.has(mark)) return undefined;
  return { text: textOf(word.glyphs.slice(0, word.glyphs.length - raised.length)), mark };
}

/** A note's mark without surrounding brackets and dots. */
export function bareMark(text: string): string {
  return withoutEnd(text.replace(/^[([]+/u, ''), '.,;:)]').trim();
}

/** The significant styles: none that applies to the whole text or the whole document. */
function stylesOf(lines: readonly Line[], profile: Profile): Styles {
  let total = 0;
  let bold = 0;
  let italic = 0;
  for (const line of lines) {
    total += line.text.length;
    bold += line.bold * line.text.length;
    italic += line.italic * line.text.length;
  }
  const tells = (count: number): boolean => count > 0 && count < 0.95 * total;
  return { bold: tells(bold) && !profile.bodyBold, italic: tells(italic) && !profile.bodyItalic };
}

/** Removes marks from runs too small for emphasis: symbols, single italic letters of formulas. */
function steady(runs: readonly Run[]): Run[] {
  const merged: Run[] = [];
  for (const run of runs) {
    const last = merged.at(-1);
    if (last !== undefined && last.raw !== true && run.raw !== true && last.href === run.href) {
      const same =
        (last.bold ?? false) === (run.bold ?? false) && (last.italic ?? false) === (run.italic ?? false);
      if (same || run.text === ' ') {
        merged[merged.length - 1] = { ...last, text: last.text + run.text };
        continue;
      }
    }
    merged.push(run);
  }
  return merged.map((run) => {
    if (run.bold !== true && run.italic !== true) return run;
    const letters = run.text.match(/\p{L}/gu)?.length ?? 0;
    const words = run.text.match(/\p{L}{2,}/gu)?.length ?? 0;
    const italic = run.italic === true && letters >= 3 && words > 0;
    const bold = run.bold === true && letters >= 2;
    return { ...run, bold, italic };
  });
}

function linksBeside(lines: readonly Box[], links: readonly Link[]): Link[] {
  const { top, bottom } = boxAround(lines);
  const beside: Link[] = [];
  for (const link of links.slice(0, MAX_LINKS)) {
    if (link.url === undefined || link.bottom < top || link.top > bottom) continue;
    if (safeUrl(link.url) !== undefined) beside.push(link);
  }
  return beside;
}

function linkAt(word: Word, links: readonly Link[]): Link | undefined {
  const x = (word.left + word.right) / 2;
  const y = word.y - 0.3 * word.size;
  for (const link of links) {
    if (x < link.left - 1 || x > link.right + 1 || y < link.top - 1 || y > link.bottom + 1) continue;
    // An address that is its own text needs no link.
    const address = link.url?.replace(/^mailto:|\/$/gu, '') ?? '';
    return address !== '' && word.text.includes(address) ? undefined : link;
  }
  return undefined;
}

/** The joint between the last word of a line and the first of the next: a space, nothing, or a hyphen to remove. */
function jointOf(last: string, next: string, profile: Profile, oneLink: boolean): ' ' | '' | 'cut' {
  if (last.endsWith('\u00AD')) return 'cut';
  if (oneLink && /\/\/|www\./u.test(last.split(/\s/u).at(-1) ?? '')) return '';
  if (/[\p{L}\p{N}][-\u2010]$/u.test(last)) {
    const before = last
      .slice(0, -1)
      .replace(/^[^\p{L}]+/u, '')
      .toLowerCase();
    const after = (/^[\p{L}\p{N}-]+/u.exec(next)?.[0] ?? '').toLowerCase();
    if (after === '') return ' ';
    if (/^(?:and|or|und|oder|et|ou|y|e|o|och|og|en|of)$/u.test(after)) return ' ';
    const joined = before + after;
    // Names, addresses and abbreviations are broken at hyphens of their own.
    if (/[\d_/@]|\p{L}[.:]\p{L}|\p{Lu}.$/u.test(last) && /^\p{Ll}/u.test(next)) return '';
    if (/^\p{Lu}/u.test(next) && before.length > 1 && profile.words.has(joined)) return 'cut';
    if (!/^\p{Ll}/u.test(next) || !/\p{L}$/u.test(before)) return '';
    if (profile.hyphenated.has(`${before}-${after}`) && !profile.words.has(joined)) return '';
    // A compound that already has a hyphen keeps the second.
    return before.includes('-') && !profile.words.has(joined) ? '' : 'cut';
  }
  if (/[\u2013\u2014/]$/u.test(last) && last.length > 1) return '';
  return isParted(last, next) ? ' ' : '';
}

function joinLines(text: string, next: string, profile: Profile): string {
  if (text === '') return next;
  const joint = jointOf(lastWord(text), next, profile, false);
  if (joint === 'cut') return text.slice(0, -1) + next;
  return text + joint + next;
}

function lastWord(text: string): string {
  const space = text.lastIndexOf(' ');
  return space === -1 ? text : text.slice(space + 1);
}
