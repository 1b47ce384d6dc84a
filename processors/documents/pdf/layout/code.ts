// Monospaced lines as code, with their indents and blank lines.

import { median } from '../ink/box.ts';
import type { Line } from './line.ts';
import { endsShort, isCentered } from './paragraphs.ts';

const MAX_INDENT = 120;

/** The text of the lines, one per line, indented by their distance in characters. */
export function codeText(lines: readonly Line[]): string {
  const left = lines.reduce((least, line) => Math.min(least, line.left), Number.POSITIVE_INFINITY);
  const width = characterWidth(lines);
  const step = usualStep(lines);
  let text = '';
  let previous: Line | undefined;
  for (const line of lines) {
    if (previous !== undefined) {
      const blank = Math.round((line.y - previous.y) / step) - 1;
      text += '\n'.repeat(1 + Math.min(2, Math.max(0, Number.isFinite(blank) ? blank : 0)));
    }
    text += spaced(line, left, width);
    previous = line;
  }
  return text;
}

function spaced(line: Line, left: number, width: number): string {
  let text = '';
  let right = left;
  for (const word of line.words) {
    // Measured from the word before, not counted: ideographs are wider than letters.
    const gap = Math.min(MAX_INDENT, Math.round((word.left - right) / width));
    text += ' '.repeat(Math.max(text === '' ? 0 : 1, gap)) + word.text;
    right = word.right;
  }
  return text;
}

function characterWidth(lines: readonly Line[]): number {
  const widths: number[] = [];
  for (const line of lines) {
    for (const word of line.words) for (const glyph of word.glyphs) widths.push(glyph.width);
  }
  return Math.max(0.5, median(widths) ?? 6);
}

function usualStep(lines: readonly Line[]): number {
  const steps: number[] = [];
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1];
    if (next !== undefined && next.y > line.y) steps.push(next.y - line.y);
  }
  steps.sort((a, b) => a - b);
  return Math.max(1, steps[Math.floor(steps.length * 0.3)] ?? 12);
}

const SIGNS = /[{}();=<>$#|]/u;
/** Shares of the lines of listings that end before the margin, and that have signs of code. */
const LEAST_SHORT = 0.5;
const LEAST_SIGNED = 0.25;

/** True if all fixed-width lines of a document are code: most end where they are meant to, and many have signs of code. */
export function isListing(lines: readonly Line[]): boolean {
  const short = lines.filter((line, index) => {
    const next = lines[index + 1];
    return next !== undefined && next.region === line.region && endsShort(line, next);
  });
  const signed = lines.filter(({ text }) => SIGNS.test(text));
  return short.length > LEAST_SHORT * lines.length && signed.length > LEAST_SIGNED * lines.length;
}

/** True if lines look like code rather than typewritten text: short of the margin, with symbols or indents. */
export function isCode(lines: readonly Line[]): boolean {
  if (lines.some(isCentered) && lines.length < 2) return false;
  if (lines.length >= 2) return true;
  const text = lines[0]?.text ?? '';
  return SIGNS.test(text) || /^\s*(?:\/\/|--)/u.test(text);
}
