// Typical measures of a document, learnt once from a sample of pages, so that every page is judged alike regardless of
// which is requested first.

import type { Ink } from '../ink/ink.ts';
import { isListing } from './code.ts';
import { isMonospace, type Line, modeOf } from './line.ts';
import { type PageRows, pageLines, pageRows } from './page.ts';
import { learnRunningText, partPage, type RunningText } from './running-text.ts';

/** Typical measures of a document. Plain data apart from its maps and sets. */
export interface Profile {
  /** The size of most of its text, in points; 10 without text. */
  readonly bodySize: number;
  /** Baseline distance in a paragraph, as a share of the size. */
  readonly leading: number;
  /** True if most of its running text is bold, or monospaced; then neither is significant. */
  readonly bodyBold: boolean;
  readonly bodyMonospace: boolean;
  readonly bodyItalic: boolean;
  /** The font and the colour of most of its text. */
  readonly bodyFont: string;
  readonly bodyColor: number;
  /** Sizes of headings, largest first, at most 5. */
  readonly headingSizes: readonly number[];
  readonly running: RunningText;
  /** Words seen with a hyphen inside a line, and those seen without; lower case. */
  readonly hyphenated: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
}

const MAX_WORDS = 50_000;
const HEADING_SIZE = 1.13;

/** What the pages have in common. Pass a fixed sample (a dozen pages are enough), always the same one. */
export function learnProfile(inks: readonly Ink[]): Profile {
  const pages: { page: number; rows: PageRows; ink: Ink }[] = inks.map((ink) => ({
    page: ink.page,
    rows: pageRows(ink),
    ink,
  }));
  const running = learnRunningText(pages);
  const sizes = new Map<number, number>();
  const fonts = new Map<string, number>();
  const colors = new Map<number, number>();
  const lines: Line[] = [];
  for (const page of pages) {
    const { body } = partPage(page.rows, page.page, running);
    for (const line of pageLines(body, [], page.ink)) if (line.object === undefined) lines.push(line);
  }
  let total = 0;
  let bold = 0;
  let italic = 0;
  let monospace = 0;
  for (const line of runningText(lines)) {
    const count = line.text.length;
    add(sizes, half(line.size), count);
    fonts.set(line.font, (fonts.get(line.font) ?? 0) + count);
    add(colors, line.color, count);
    total += count;
    bold += count * line.bold;
    italic += count * line.italic;
    monospace += count * line.monospace;
  }
  const bodySize = modeOf(sizes) ?? 10;
  const half100 = total / 2;
  const { hyphenated, words } = learnWords(lines);
  return {
    bodySize,
    leading: leadingOf(lines, bodySize),
    bodyBold: bold > half100,
    bodyItalic: italic > half100,
    bodyMonospace: monospace > half100 && !isListing(lines.filter(isMonospace)),
    bodyFont: [...fonts].reduce((best, entry) => (entry[1] > best[1] ? entry : best), ['', 0])[0],
    bodyColor: modeOf(colors) ?? 0,
    headingSizes: headingSizes(lines, bodySize),
    running,
    hyphenated,
    words,
  };
}

/** Running text of this share of all characters is enough to learn from. */
const ENOUGH = 0.05;

/** The lines of running text, without cells, labels and code; with code, or all lines, if there is too little of it. */
function runningText(lines: readonly Line[]): readonly Line[] {
  const all = lengthOf(lines);
  const bold = lines.reduce((sum, line) => sum + line.bold * line.text.length, 0);
  // Bold lines between tables are headings, however long.
  const running = lines.filter((line) => isRunning(line) && !(line.bold > 0.9 && bold < 0.5 * all));
  const prose = running.filter((line) => !isMonospace(line));
  return [prose, running].find((found) => lengthOf(found) >= ENOUGH * all) ?? lines;
}

const lengthOf = (lines: readonly Line[]): number => lines.reduce((sum, { text }) => sum + text.length, 0);

/** True for a line in fixed-width type, where the text around it is in another. */
export function isSetAsCode(line: Line, { bodyMonospace }: Profile): boolean {
  return isMonospace(line) && !bodyMonospace;
}

function isRunning(line: Line): boolean {
  if (line.text.length < 25) return false;
  for (const [index, word] of line.words.entries()) {
    const next = line.words[index + 1];
    if (next !== undefined && next.left - word.right > 1.5 * line.size) return false;
  }
  const letters = line.text.match(/\p{L}/gu)?.length ?? 0;
  return letters > 0.6 * line.text.length;
}

function half(size: number): number {
  return Math.round(size * 2) / 2;
}

function add(counts: Map<number, number>, key: number, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

/** The usual line distance of body text, in em. */
function leadingOf(lines: readonly Line[], bodySize: number): number {
  const steps = new Map<number, number>();
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1];
    if (next === undefined || next.region !== line.region || Math.abs(line.size - bodySize) > 0.5) continue;
    if (Math.abs(next.size - line.size) > 0.3) continue;
    const step = (next.y - line.y) / line.size;
    if (step > 0.8 && step <= 2.6) add(steps, Math.round(step * 20) / 20, line.words.length > 3 ? 3 : 1);
  }
  return modeOf(steps) ?? 1.2;
}

/** Sizes clearly above the body's that short lines use. */
function headingSizes(lines: readonly Line[], bodySize: number): number[] {
  const sizes = new Map<number, number>();
  for (const line of lines) {
    if (line.size < HEADING_SIZE * bodySize || line.text.length > 120) continue;
    if (!/\p{L}{2}/u.test(line.text)) continue;
    add(sizes, half(line.size), 1);
  }
  const sorted = [...sizes.keys()].sort((a, b) => b - a);
  const levels: number[] = [];
  for (const size of sorted) {
    const last = levels.at(-1);
    // Sizes closer than this are one level, drawn at two scales.
    if (last === undefined || size < last * 0.94) levels.push(size);
  }
  if (levels.length <= 5) return levels;
  return [...levels]
    .sort((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0))
    .slice(0, 5)
    .sort((a, b) => b - a);
}

function learnWords(lines: readonly Line[]): { hyphenated: Set<string>; words: Set<string> } {
  const hyphenated = new Set<string>();
  const words = new Set<string>();
  for (const line of lines) {
    for (const [index, word] of line.words.entries()) {
      const text = word.text.toLowerCase().replace(/^[^\p{L}]+|(?<=\p{L})[^\p{L}]+$/gu, '');
      if (text.length < 3 || text.length > 60) continue;
      const last = index === line.words.length - 1 && word.text.endsWith('-');
      if (text.includes('-')) {
        if (hyphenated.size < MAX_WORDS) hyphenated.add(text);
      } else if (!last && words.size < MAX_WORDS) words.add(text);
    }
  }
  return { hyphenated, words };
}
