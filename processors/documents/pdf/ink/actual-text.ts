// Puts the text that a file states for some of its glyphs in their place: `/ActualText` of marked content and of
// structure elements (ISO 32000-2, 14.9.4). Reports where that text is not what the glyphs say.

import { visualOrder } from '../layout/scripts.ts';
import { glyphText } from './glyph-text.ts';
import type { Contradiction, Glyph, Ink, StructureNode } from './ink.ts';
import { type ActualText, saidOf } from './marked-content.ts';

/** Stated characters on one page; glyphs beyond stay as they are drawn. */
const MOST_CHARACTERS = 300_000;
const MOST_CONTRADICTIONS = 1000;
/** A longer text, in letters for each glyph and in all, is not what its glyphs show. */
const LETTERS_A_GLYPH = 4;
const LETTERS_MORE = 8;

/** The same ink with stated text as glyphs. */
export function withActualText<T extends Pick<Ink, 'glyphs'>>(
  ink: T,
  texts: readonly ActualText[],
  structure: StructureNode | undefined,
): T & Pick<Ink, 'contradictions'> {
  const byElement = elementTexts(structure);
  if (texts.length === 0 && byElement.size === 0) return ink;
  const spans = new Map<ActualText, Glyph[]>(texts.map((text) => [text, []]));
  const spanOf = (glyph: Glyph): ActualText | undefined => byElement.get(glyph.mcid) ?? glyph.actual;
  for (const glyph of ink.glyphs) {
    const actual = spanOf(glyph);
    if (actual === undefined) continue;
    const span = spans.get(actual);
    if (span === undefined) spans.set(actual, [glyph]);
    else span.push(glyph);
  }
  const contradictions: Contradiction[] = [];
  const replacements = new Map<ActualText, readonly Glyph[]>();
  let left = MOST_CHARACTERS;
  for (const [actual, glyphs] of spans) {
    const text = plainTextOf(actual.text.slice(0, left));
    left -= text.length;
    const verdict = compare(glyphs, text);
    if (verdict.replaces) replacements.set(actual, placed(glyphs, text));
    if (!verdict.agrees && contradictions.length < MOST_CONTRADICTIONS)
      contradictions.push({ drawn: drawnText(glyphs), stated: text, replaced: verdict.replaces });
  }
  const done = new Set<ActualText>();
  const result = ink.glyphs.flatMap((glyph) => {
    const actual = spanOf(glyph);
    const replacement = actual && replacements.get(actual);
    if (!actual || !replacement) return [glyph];
    if (done.has(actual)) return [];
    done.add(actual);
    return replacement;
  });
  return { ...ink, glyphs: result, ...(contradictions.length > 0 && { contradictions }) };
}

/** The texts of structure elements by the marked content below them; the outermost applies. */
const elementTexts = (root: StructureNode | undefined): ReadonlyMap<number, ActualText> =>
  saidOf<ActualText>(
    root,
    ({ actualText }, around) => around ?? (actualText === undefined ? undefined : { text: actualText }),
  );

const plainTextOf = (text: string): string => Array.from(text, glyphText).join('').trim();

const lettersOf = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\u0131/gu, 'i')
    .replace(/[^\p{L}\p{N}]/gu, '');

const visible = (glyphs: readonly Glyph[]): readonly Glyph[] => {
  const seen = glyphs.filter(({ hiding }) => hiding === undefined);
  return seen.length > 0 ? seen : glyphs;
};

const drawnText = (glyphs: readonly Glyph[]): string =>
  visible(glyphs)
    .map(({ text }) => text)
    .join('')
    .replaceAll('\ufffd', '')
    .trim();

/** Whether the text takes the place of the glyphs, and whether it says what they say, as far as their font states it. */
function compare(glyphs: readonly Glyph[], text: string): { replaces: boolean; agrees: boolean } {
  const drawn = lettersOf(drawnText(glyphs));
  const stated = lettersOf(text);
  if (text === '') return { replaces: false, agrees: true };
  const isLong = stated.length > LETTERS_A_GLYPH * glyphs.length + LETTERS_MORE;
  if (glyphs.length === 0 || (isLong && stated !== drawn))
    return { replaces: false, agrees: stated === drawn };
  const isUnknown = drawn === '' || glyphs.some((glyph) => glyph.text.includes('\ufffd'));
  return { replaces: true, agrees: isUnknown || stated === drawn };
}

/** The text as glyphs where the span is, its words over its lines in proportion. */
function placed(span: readonly Glyph[], text: string): Glyph[] {
  const glyphs = visible(span);
  const lines = linesOf(glyphs);
  const ends: number[] = [];
  for (const line of lines) ends.push((ends.at(-1) ?? 0) + line.length / glyphs.length);
  const words: string[][] = lines.map(() => []);
  for (const { 0: word, index } of text.matchAll(/\S+/gu)) {
    const at = ends.findIndex((end) => index / text.length < end);
    words.at(at)?.push(word);
  }
  return lines.flatMap((line, index) => spread(line, words[index]?.join(' ') ?? ''));
}

/** Glyphs on one baseline, one after another. */
function linesOf(glyphs: readonly Glyph[]): Glyph[][] {
  const lines: Glyph[][] = [];
  let last: Glyph | undefined;
  for (const glyph of glyphs) {
    const across = last && Math.abs(along(glyph, glyph.angle + 90) - along(last, glyph.angle + 90));
    const isSame =
      last !== undefined && across !== undefined && across <= 0.5 * Math.max(last.size, glyph.size);
    if (isSame) lines.at(-1)?.push(glyph);
    else lines.push([glyph]);
    last = glyph;
  }
  return lines;
}

function along({ x, y }: Glyph, degrees: number): number {
  const radians = (degrees * Math.PI) / 180;
  return x * Math.cos(radians) + y * Math.sin(radians);
}

/** The characters evenly over the length of a line's glyphs; each on its own glyph if they are as many. */
function spread(line: readonly Glyph[], text: string): Glyph[] {
  const [first] = line;
  if (first === undefined || text === '') return [];
  const characters = visualOrder([...text]);
  if (characters.length === line.length)
    return line.map((glyph, index) => ({ ...glyph, text: characters[index] ?? '' }));
  const starts = line.map((glyph) => along(glyph, first.angle));
  const start = starts.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY);
  const end = line.reduce((most, { width }, index) => Math.max(most, (starts[index] ?? 0) + width), start);
  const width = (end - start) / characters.length;
  const radians = (first.angle * Math.PI) / 180;
  const ahead = start - along(first, first.angle);
  return characters.map((character, index) => ({
    ...first,
    text: character,
    x: first.x + (ahead + index * width) * Math.cos(radians),
    y: first.y + (ahead + index * width) * Math.sin(radians),
    width,
  }));
}
