// Inks for tests of tables: rows of text in columns, grids of rules, bands.

import type { Fill, Glyph, Ink, Rule } from '../../../../processors/documents/pdf/ink/ink.ts';
import { learnProfile } from '../../../../processors/documents/pdf/layout/profile.ts';
import { findTables } from '../../../../processors/documents/pdf/tables/find-tables.ts';
import { tableBlock } from '../../../../processors/documents/pdf/tables/table-block.ts';
import { markdownOf } from '../../../../src/document/index.ts';
import { type Style, typed as typedWide } from './layout-ink.ts';

/** A text with spaces as narrow as those of most fonts. */
export function typed(text: string, x: number, y: number, style: Style = {}): Glyph[] {
  const { size = 10, angle = 0 } = style;
  const glyphs: Glyph[] = [];
  let at = 0;
  for (const word of text.split(' ')) {
    const place: [number, number] = angle === 90 ? [x, y + at] : [x + at, y];
    glyphs.push(...typedWide(word, ...place, style));
    at += (word.length * size) / 2 + 0.3 * size;
  }
  return glyphs;
}

/** Lines of text under each other from `y` on. */
export function lines(texts: readonly string[], x: number, y: number, step = 12, style: Style = {}): Glyph[] {
  return texts.flatMap((text, index) => typed(text, x, y + index * step, style));
}

/** Rows of texts, each column's from its own x on; an empty text is no text. */
export function columns(
  rows: readonly (readonly string[])[],
  xs: readonly number[],
  y: number,
  step = 14,
  style: Style = {},
): Glyph[] {
  return rows.flatMap((row, index) =>
    row.flatMap((text, column) => typed(text, xs[column] ?? 0, y + index * step, style)),
  );
}

export const across = (at: number, from: number, to: number): Rule => ({
  horizontal: true,
  at,
  from,
  to,
  thickness: 0.5,
});

export const down = (at: number, from: number, to: number): Rule => ({
  horizontal: false,
  at,
  from,
  to,
  thickness: 0.5,
});

/** All rules of a grid, each drawn cell by cell. */
export function lattice(xs: readonly number[], ys: readonly number[]): Rule[] {
  const rules: Rule[] = [];
  for (const y of ys)
    for (let index = 0; index + 1 < xs.length; index += 1)
      rules.push(across(y, xs[index] ?? 0, xs[index + 1] ?? 0));
  for (const x of xs)
    for (let index = 0; index + 1 < ys.length; index += 1)
      rules.push(down(x, ys[index] ?? 0, ys[index + 1] ?? 0));
  return rules;
}

export const band = (left: number, top: number, right: number, bottom: number): Fill => ({
  left,
  top,
  right,
  bottom,
  color: 0xdddddd,
});

/** The page's tables as Markdown. */
export function written(ink: Ink): string[] {
  return findTables(ink).map((table) =>
    markdownOf(tableBlock(table, { ...ink, profile: learnProfile([ink]) })),
  );
}

/** Rows as the pipe table that they should come out as. */
export function pipes(rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `|${cells.map((cell) => ` ${cell} |`).join('')}\n`;
  const [head = [], ...body] = rows;
  return line(head) + line(head.map(() => '---')) + body.map(line).join('');
}
