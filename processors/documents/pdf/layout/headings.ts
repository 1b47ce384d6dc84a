// Detects headings and their levels: by the document's outline first, then by size, numbering and weight. Capitals and
// surrounding white space alone are not evidence.

import type { OutlineEntry } from '../../document.ts';
import { differ } from '../ink/graphics-state.ts';
import type { Ink } from '../ink/ink.ts';
import { hasLeaders, isContentsTitle, isNumbered } from './contents.ts';
import { plainOf } from './inline.ts';
import type { Line } from './line.ts';
import { listMark } from './list-mark.ts';
import { endsSentence, isCentered, type Paragraph } from './paragraphs.ts';
import { isSetAsCode, type Profile } from './profile.ts';
import { taggedHeadings } from './structure.ts';

const MAX_BOLD = 10;
const MAX_WORDS = 16;
const MAX_TITLE_WORDS = 30;
const LARGE = 1.13;
const CAPTION =
  /^(?:fig(?:ure|\.)?|tab(?:le|\.)?|abb(?:ildung|\.)|tabelle|figura|tableau|chart|box|scheme|plate|exhibit|graph(?:ique)?)\s*(?:\.\s*)?[\dIVX]/iu;

/** The level of each paragraph that is a heading. */
export function headingsOf(
  paragraphs: readonly Paragraph[],
  profile: Profile,
  outline: readonly OutlineEntry[],
  ink: Ink,
): ReadonlyMap<Paragraph, number> {
  const tagged = taggedHeadings(ink);
  const found = new Map<Paragraph, number>();
  const entries = new Map<string, number>();
  for (const entry of outline.slice(0, 500)) entries.set(bare(entry.title), entry.level);
  const bold: Paragraph[] = [];
  let contents = false;
  for (const [index, paragraph] of paragraphs.entries()) {
    const text = plainOf(paragraph.lines, profile);
    if (!mayHead(paragraph, text, profile, ink.page)) continue;
    const large = isLarge(paragraph, profile);
    const listed = entries.get(bare(text)) ?? taggedLevel(paragraph, tagged);
    if (contents && listed === undefined && (!large || isNumbered(text))) continue;
    if (isContentsTitle(text)) contents = true;
    const level = listed ?? (large ? sizeLevel(paragraph, profile) : undefined);
    if (level !== undefined) found.set(paragraph, Math.min(6, Math.max(1, level)));
    else if (isBoldHeading(paragraph, text, paragraphs[index + 1], profile)) bold.push(paragraph);
  }
  if (bold.length <= MAX_BOLD) {
    const level = Math.max(2, profile.headingSizes.length + 1);
    for (const paragraph of bold) found.set(paragraph, Math.min(6, level));
  }
  return found;
}

/** The level most of a paragraph's glyphs are tagged with. */
function taggedLevel(paragraph: Paragraph, tagged: ReadonlyMap<number, number>): number | undefined {
  if (tagged.size === 0) return undefined;
  let total = 0;
  let headed = 0;
  let level = 0;
  for (const line of paragraph.lines) {
    for (const word of line.words) {
      for (const glyph of word.glyphs) {
        total += 1;
        const own = tagged.get(glyph.mcid);
        if (own === undefined) continue;
        headed += 1;
        level = own;
      }
    }
  }
  return headed > 0.8 * total ? level : undefined;
}

function bare(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

const YEAR = /(?<!\d)(?:19|20)\d\d(?!\d)/u;

/** False for what is never a heading: an object, code, a caption, a formula, a list item, a table of contents entry. */
function mayHead(paragraph: Paragraph, text: string, profile: Profile, page: number): boolean {
  const { lines } = paragraph;
  const first = lines[0];
  if (first === undefined || first.object !== undefined || lines.length > 5) return false;
  // A bold line of code alone may be a heading: the name of a function above what it does.
  const isName = isSetAsCode(first, profile);
  if (isName && (lines.length > 2 || isStatement(text) || lines.some((line) => line.bold <= 0.9)))
    return false;
  const title = page === 1 && first.size >= 1.3 * profile.bodySize;
  const words = text.split(/\s+/u).length;
  if (words > (title ? MAX_TITLE_WORDS : MAX_WORDS) || text.length > (title ? 220 : 120)) return false;
  if (!title && lines.length > 3) return false;
  // In large type, a date may head, and a year; another number may not.
  const isDated = isLarge(paragraph, profile) && YEAR.test(text) && !/[%\p{Sc}]/u.test(text);
  const letters = text.match(isDated ? /[\p{L}\p{N}]/gu : /\p{L}/gu)?.length ?? 0;
  if (!(isDated || /\p{L}{2}/u.test(text)) || letters < 0.5 * text.replace(/\s/gu, '').length) return false;
  if (CAPTION.test(text) || hasLeaders(text)) return false;
  if (/[,;\u2013\u2014-]$/u.test(text) || (!isName && /[=\u2211\u222B\u2264\u2265]/u.test(text)))
    return false;
  if (/^[\w.+-]+@[\w.-]+$|^(?:https?:|www\.)\S+$/u.test(text)) return false;
  if (hasWideGap(first)) return false;
  const mark = listMark(first);
  return (
    mark === undefined ||
    mark.kind === 'number' ||
    (mark.kind === 'letter' && (first.bold > 0.9 || first.font !== profile.bodyFont))
  );
}

/** True if words of a line are as far apart as column names; a number may be apart from its title. */
function hasWideGap(line: Line): boolean {
  for (const [index, word] of line.words.entries()) {
    const next = line.words[index + 1];
    if (index > 0 && next !== undefined && next.left - word.right > 1.6 * line.size) return true;
  }
  return false;
}

function isLarge(paragraph: Paragraph, profile: Profile): boolean {
  let size = Number.POSITIVE_INFINITY;
  for (const line of paragraph.lines) size = Math.min(size, line.size);
  if (size >= LARGE * profile.bodySize) return true;
  return (
    size >= 1.06 * profile.bodySize && paragraph.lines.every((line) => line.bold > 0.9) && !profile.bodyBold
  );
}

/** True for a line of code; a name may have default values in brackets. */
const isStatement = (text: string): boolean =>
  /[{};<>$#|=]/u.test(text.replace(/\([^()]*\)/gu, (values) => values.replaceAll('=', '')));

function sizeLevel(paragraph: Paragraph, profile: Profile): number {
  const size = paragraph.lines[0]?.size ?? 0;
  const index = profile.headingSizes.findIndex((known) => size >= known * 0.94);
  return index === -1 ? profile.headingSizes.length + 1 : index + 1;
}

function isBold(paragraph: Paragraph, profile: Profile): boolean {
  return !profile.bodyBold && paragraph.lines.every((line) => line.bold > 0.9);
}

/** True if a separate line has a font or a colour of its own, and the text below it the document's. */
function isSetApart(paragraph: Paragraph, next: Paragraph, profile: Profile): boolean {
  const line = paragraph.lines[0];
  const under = next.lines[0];
  if (line === undefined || under === undefined || profile.bodyBold) return false;
  const { bodyFont, bodyColor } = profile;
  const font = line.font !== '' && line.font !== bodyFont && line.italic <= 0.5 && under.font === bodyFont;
  const color = differ(line.color, bodyColor) && under.color === bodyColor;
  if (!font && !color) return false;
  return paragraph.above > 1.2 * profile.leading && line.size >= 0.97 * profile.bodySize;
}

/** A short separate bold line above text that is not bold. */
function isBoldHeading(
  paragraph: Paragraph,
  text: string,
  next: Paragraph | undefined,
  profile: Profile,
): boolean {
  const line = paragraph.lines[0];
  if (paragraph.lines.length > 2 || next === undefined) return false;
  const bold = isBold(paragraph, profile);
  if (!bold && !isSetApart(paragraph, next, profile)) return false;
  if (line === undefined) return false;
  // Fixed-width type is usually smaller than the text, and names in it begin as they like.
  const isProse = !isSetAsCode(line, profile);
  if (isProse ? line.size < 0.93 * profile.bodySize : next.lines.some((under) => isSetAsCode(under, profile)))
    return false;
  // A bold line that ends in a colon names the list or the paragraph below it.
  if (text.endsWith(':') ? line.bold > 0.5 : endsSentence(text)) return false;
  if (listMark(line)?.kind === 'bullet') return false;
  if (isProse && text.split(/\s+/u).length <= 2 && /^\p{Ll}/u.test(text)) return false;
  const under = next.lines[0];
  // A term stands above its indented definition.
  if (
    under !== undefined &&
    under.left > line.left + line.size &&
    listMark(under) === undefined &&
    !isCentered(line)
  )
    return false;
  return (
    under === undefined || under.object !== undefined || under.bold < 0.9 || under.size < line.size * 0.95
  );
}
