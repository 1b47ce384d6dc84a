// Lines as a table, wherever the candidate comes from: arranged in columns, and scored by what is in and around them.

import { areaOf, overlap } from '../ink/box.ts';
import type { Box, Ink, Picture } from '../ink/ink.ts';
import { hasBoldHeader, isChart, isTable, isUnderContents, traitsOf } from './gates.ts';
import type { Level } from './levels.ts';
import { type Line, usualSize } from './lines.ts';
import { type Arrangement, arrangementOf, boxOf, type Drawn, openTable } from './open-table.ts';
import type { Stroke } from './strokes.ts';
import type { Table } from './table.ts';
import { isTableCaption, plainText } from './values.ts';

/** What is drawn on the page besides text. */
export interface Surroundings {
  readonly levels: readonly Level[];
  readonly uprights: readonly Stroke[];
  readonly pictures: readonly Picture[];
  readonly fonts: Ink['fonts'];
}

/**
 * The lines as a table, if the evidence says that they are one.
 *
 * @param zone the lines among which they are, with those above and below
 */
export function scoredTable(
  lines: readonly Line[],
  zone: readonly Line[],
  around: Surroundings,
): Table | undefined {
  const drawn = drawnIn(boxOf(lines), around.levels);
  const arrangement = arrangementOf(lines, drawn);
  if (arrangement === undefined) return undefined;
  const { box } = arrangement;
  const reach = 1.5 * usualSize(arrangement.lines.map((line) => line.line));
  const rules = around.levels.filter(
    (level) => level.at >= box.top - reach && level.at <= box.bottom + reach && shared(level, box) >= 0.5,
  );
  const between = (rules.at(-1)?.at ?? 0) - (rules[0]?.at ?? 0);
  const setting = {
    framed: between >= FRAMED * (box.bottom - box.top),
    marked: rules.length > 0,
    headed: isHeaded(arrangement, drawn),
    named: isNamed(arrangement, zone),
    contents: isUnderContents(arrangement, zone),
    boldHeader: hasBoldHeader(arrangement, around.fonts),
    chart: isChart(arrangement, around.uprights) || areAxes(rules, arrangement),
    pictured: around.pictures.some((picture) => overlap(picture, box) > 0.5 * areaOf(box)),
  };
  const traits = traitsOf(arrangement, around.fonts);
  if (!isTable(traits, arrangement, setting)) return undefined;
  const table = openTable(arrangement);
  const least = setting.framed || (setting.headed && traits.named) ? 2 : 3;
  return table === undefined || table.rows.length < least || table.columns < 2 ? undefined : table;
}

function isHeaded({ rows }: Arrangement, { rules }: Drawn): boolean {
  const first = rows.findIndex(({ header }) => !header);
  const names = rows[first - 1]?.lines.at(-1)?.line;
  const below = rows[first]?.lines[0]?.line;
  return names !== undefined && below !== undefined && rules.some((at) => at > names.y && at < below.y);
}

/** The share of a table's height between its first and last rule. */
const FRAMED = 0.6;

/** The share of a table's width that a rule between rows crosses. */
const ACROSS = 0.9;

/** True if most rules run at the height of words beside them: the grid of a chart, with the numbers of its axis. */
function areAxes(rules: readonly Level[], { lines }: Arrangement): boolean {
  const cut = rules.filter(({ at }) =>
    lines.some(({ line: { y, size } }) => at > y - 0.6 * size && at < y - 0.1 * size),
  );
  return 2 * cut.length > rules.length;
}

/** The rules in a box: those across most of it separate rows, the others are above or below some columns. */
function drawnIn(box: Box, levels: readonly Level[]): Drawn {
  const inside = levels.filter((level) => level.at > box.top && level.at < box.bottom);
  return {
    rules: inside.filter((level) => shared(level, box) > ACROSS).map((level) => level.at),
    partial: inside.flatMap((level) => level.pieces).filter((piece) => shared(piece, box) <= ACROSS),
  };
}

/** The share of a box's width that a rule crosses. */
export function shared({ from, to }: Pick<Level, 'from' | 'to'>, { left, right }: Box): number {
  return (Math.min(to, right) - Math.max(from, left)) / Math.max(1, right - left);
}

/** True if a table caption is right above or below. */
function isNamed(arrangement: Arrangement, zone: readonly Line[]): boolean {
  const { box } = arrangement;
  const reach = 5 * usualSize(arrangement.lines.map((line) => line.line));
  return zone.some(
    (line) =>
      ((line.y <= box.top && line.y > box.top - reach) ||
        (line.top >= box.bottom && line.top < box.bottom + reach)) &&
      isTableCaption(plainText(line.words)),
  );
}
