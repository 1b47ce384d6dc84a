// Groups glyphs into rows: everything on one baseline across the page or a column, with superscripts and subscripts
// attached to their row. `regions.ts` finds columns.

import { countBefore } from '../../../../src/contract/index.ts';
import { median } from '../ink/box.ts';
import type { Glyph } from '../ink/ink.ts';
import { arrange, type PlacedBlock, type Spacing, spacingOf, type Word, wordsIn } from './words.ts';

/** Words on one baseline, from left to right. */
export interface Row {
  readonly y: number;
  readonly top: number;
  readonly bottom: number;
  /** The size of its largest common text. */
  readonly size: number;
  readonly words: readonly Word[];
}

/** Glyphs drawn in sequence on one baseline in one size. */
interface Run {
  readonly glyphs: Glyph[];
  y: number;
  size: number;
  left: number;
  right: number;
}

interface Baseline {
  y: number;
  size: number;
  runs: Run[];
}

const SAME_BASELINE = 0.3;

/** Rows from top to bottom, and their spacing. Glyphs at angle 0 only, in drawing order. */
export function rowsOf(glyphs: readonly Glyph[]): { rows: Row[]; spacing: Spacing } {
  const baselines = attachScripts(placeInitials(cluster(runsOf(glyphs))));
  const lines = baselines.map((line) => arrange(line.runs.flatMap((run) => run.glyphs)));
  const spacing = spacingOf(lines);
  // The drawing order only tells of rows that are not drawn in one go.
  const isParted = baselines.some((line) => line.runs.length > 1);
  const orders = isParted ? new Map(glyphs.map((glyph, index) => [glyph, index])) : undefined;
  const rows: Row[] = [];
  for (const [index, line] of lines.entries()) {
    const base = baselines[index];
    const words = wordsIn(line, spacing, orders);
    if (base === undefined || words.length === 0) continue;
    rows.push(rowOf(words, base.y, base.size));
  }
  return { rows, spacing };
}

/** A row of some words. */
export function rowOf(words: readonly Word[], y: number, size: number): Row {
  let top = y - 0.8 * size;
  let bottom = y + 0.2 * size;
  for (const word of words) {
    if (word.object !== undefined) continue;
    top = Math.min(top, word.top);
    bottom = Math.max(bottom, word.bottom);
  }
  return { y, top, bottom, size, words };
}

/** The same rows with objects inserted as words, so that text next to and around them keeps its place. */
export function withObjects(rows: readonly Row[], objects: readonly PlacedBlock[]): Row[] {
  if (objects.length === 0) return [...rows];
  const all: Row[] = [...rows];
  const step = Math.max(6, medianSize(rows) * 1.2);
  for (const object of objects) {
    const height = Math.max(0, object.bottom - object.top);
    const count = Math.min(60, Math.max(1, Math.round(height / step)));
    for (let index = 0; index < count; index += 1) {
      const top = object.top + (height * index) / count;
      const bottom = object.top + (height * (index + 1)) / count;
      const y = top + (bottom - top) * 0.8;
      const size = Math.min(step, bottom - top);
      const word: Word = {
        text: '',
        glyphs: [],
        left: object.left,
        right: object.right,
        top,
        bottom,
        y,
        size,
        object,
      };
      all.push({ y, top, bottom, size, words: [word] });
    }
  }
  return all.sort((a, b) => a.y - b.y);
}

function medianSize(rows: readonly Row[]): number {
  return median(rows.map((row) => row.size)) ?? 10;
}

function runsOf(glyphs: readonly Glyph[]): Run[] {
  const runs: Run[] = [];
  let run: Run | undefined;
  for (const glyph of glyphs) {
    const blank = glyph.text === ' ' || glyph.text === '\u00A0';
    if (
      run !== undefined &&
      Math.abs(glyph.y - run.y) <= 0.08 * run.size &&
      (blank || Math.abs(glyph.size - run.size) <= 0.1 * run.size) &&
      glyph.x > run.right - 0.6 * run.size &&
      glyph.x < run.right + 1.5 * run.size
    ) {
      run.glyphs.push(glyph);
      if (!blank) run.right = Math.max(run.right, glyph.x + glyph.width);
    } else if (!blank) {
      run = {
        glyphs: [glyph],
        y: glyph.y,
        size: Math.max(0.1, glyph.size),
        left: glyph.x,
        right: glyph.x + glyph.width,
      };
      runs.push(run);
    }
  }
  return runs;
}

function cluster(runs: readonly Run[]): Baseline[] {
  const sorted = [...runs].sort((a, b) => a.y - b.y);
  const lines: Baseline[] = [];
  for (const run of sorted) {
    let home: Baseline | undefined;
    for (let back = lines.length - 1; back >= 0 && back >= lines.length - 4; back -= 1) {
      const line = lines[back];
      if (line === undefined) break;
      const tolerance = SAME_BASELINE * Math.min(line.size, run.size);
      if (
        Math.abs(line.y - run.y) <= tolerance &&
        Math.max(line.size, run.size) < 2.5 * Math.min(line.size, run.size)
      ) {
        home = line;
        break;
      }
    }
    if (home === undefined) lines.push({ y: run.y, size: run.size, runs: [run] });
    else {
      home.runs.push(run);
      if (run.size > home.size) {
        home.size = run.size;
        home.y = run.y;
      }
    }
  }
  return lines.sort((a, b) => a.y - b.y);
}

/** Attaches drop caps, which extend over several lines, to the line they start. */
function placeInitials(lines: readonly Baseline[]): Baseline[] {
  const result: Baseline[] = [];
  for (const [index, line] of lines.entries()) {
    const stay: Run[] = [];
    for (const run of line.runs) {
      const home = isInitial(run) ? initialHome(lines, index, run) : undefined;
      if (home === undefined) stay.push(run);
      else home.runs.push(run);
    }
    line.runs = stay;
    if (stay.length > 0 && stay.every((run) => run.size < line.size)) {
      line.size = Math.max(...stay.slice(0, 1000).map((run) => run.size));
    }
  }
  for (const line of lines) if (line.runs.length > 0) result.push(line);
  return result;
}

function isInitial(run: Run): boolean {
  const text = run.glyphs
    .map((glyph) => glyph.text)
    .join('')
    .trim();
  return text.length <= 2 && run.size >= 14 && /^["'\u201C\u2018]?\p{Lu}$/u.test(text);
}

/** The topmost line next to the letter that starts right after it. */
function initialHome(lines: readonly Baseline[], index: number, run: Run): Baseline | undefined {
  let home: Baseline | undefined;
  for (let near = index; near >= Math.max(0, index - 12); near -= 1) {
    const line = lines[near];
    if (line === undefined) break;
    if (run.y - line.y > 0.9 * run.size) break;
    const right = line.runs.filter(
      (other) => other.size < 0.6 * run.size && other.left > run.right - 0.2 * run.size,
    );
    const text = right.reduce((sum, { glyphs }) => sum + glyphs.length, 0);
    if (text > 5 && right.some(({ left }) => left < run.right + 0.4 * run.size)) home = line;
  }
  return home !== undefined && run.y - home.y > 0.3 * run.size ? home : undefined;
}

/** Moves small runs above or below the baseline of an adjacent larger line into that line. */
function attachScripts(lines: readonly Baseline[]): Baseline[] {
  for (const line of lines) line.runs.sort((a, b) => a.left - b.left);
  const moved = new Map<Baseline, Run[]>();
  const given = new Set<Run>();
  for (const [index, line] of lines.entries()) {
    for (const run of line.runs) {
      let best: Baseline | undefined;
      let nearest = Number.POSITIVE_INFINITY;
      for (let near = Math.max(0, index - 5); near <= index + 5 && near < lines.length; near += 1) {
        const other = lines[near];
        if (other === undefined || other === line || run.size > 0.85 * other.size) continue;
        if (run.size < 0.4 * other.size) continue;
        const rise = (other.y - run.y) / other.size;
        if (rise > 0.75 || rise < -0.4 || Math.abs(rise) >= nearest) continue;
        if (!touches(other.runs, run, 0.35 * other.size)) continue;
        best = other;
        nearest = Math.abs(rise);
      }
      if (best === undefined) continue;
      given.add(run);
      const list = moved.get(best);
      if (list === undefined) moved.set(best, [run]);
      else list.push(run);
    }
  }
  if (given.size === 0) return [...lines];
  const result: Baseline[] = [];
  for (const line of lines) {
    const stay = line.runs.filter((run) => !given.has(run));
    if (stay.length === 0) {
      // A run to which others were attached has moved itself: they move with it as their own line.
      const company = moved.get(line);
      if (company !== undefined) result.push({ ...line, runs: company });
      continue;
    }
    result.push({ ...line, runs: [...stay, ...(moved.get(line) ?? [])] });
  }
  return result;
}

/** True if a larger run ends shortly before `run` or starts shortly after it. `runs` is sorted by left edge. */
function touches(runs: readonly Run[], run: Run, reach: number): boolean {
  const place = countBefore(runs.length, (at) => (runs[at]?.left ?? 0) < run.left);
  for (let index = Math.max(0, place - 2); index < Math.min(runs.length, place + 2); index += 1) {
    const other = runs[index];
    if (other === undefined || other.size <= run.size || other.size > 2.5 * run.size) continue;
    if (run.left >= other.left - reach && run.left <= other.right + reach) return true;
    // A note's mark may be slightly before its text.
    if (other.left >= run.right - reach && other.left <= run.right + 3 * reach) return true;
  }
  return false;
}
