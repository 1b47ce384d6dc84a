// Groups lines into paragraphs: by line distance, size and weight, indents, and whether the next word would have
// fitted. The kind of block is decided later.

import { isContentsTitle, isLed, isNumbered } from './contents.ts';
import { isMonospace, type Line, modeOf, raisedStart } from './line.ts';
import { isListStart, listMark } from './list-mark.ts';
import type { Profile } from './profile.ts';

/** Lines that belong together. At least one. */
export interface Paragraph {
  readonly lines: Line[];
  /** White space above it, in em of its own size; infinite at the top of a region. */
  readonly above: number;
}

const BREAK = 1.35;
const SIZE_CHANGE = 0.12;
/** Lines this many em apart are entries if many of them end early. */
const WIDE_STEP = 1.7;

/** The paragraphs of a page's lines, in order. Each object is a paragraph of its own. */
export function paragraphsOf(lines: readonly Line[], profile: Profile): Paragraph[] {
  const steps = usualSteps(lines);
  const entries = entryRegions(lines);
  const paragraphs: Paragraph[] = [];
  let current: Paragraph | undefined;
  let contents = false;
  for (const [index, line] of lines.entries()) {
    const previous = current?.lines.at(-1);
    contents ||= isContentsTitle(line.text);
    if (
      current !== undefined &&
      previous !== undefined &&
      !(contents && isNumbered(previous.text)) &&
      !breaks(current, previous, line, lines[index + 1], steps, profile) &&
      !isEntry(entries.get(line.region), previous, line)
    ) {
      current.lines.push(line);
      continue;
    }
    const above =
      previous === undefined || previous.region !== line.region
        ? Number.POSITIVE_INFINITY
        : (line.y - previous.y) / Math.max(0.1, line.size);
    current = { lines: [line], above };
    paragraphs.push(current);
  }
  return paragraphs;
}

/** How the lines of a region of entries are split: after those that end early, or after each. */
type Entries = 'short' | 'all';

/** Regions in which most lines end early, so that each line is an entry: names, addresses, an index. */
function entryRegions(lines: readonly Line[]): ReadonlyMap<number, Entries> {
  const counts = new Map<number, { all: number; short: number; wide: number; ragged: number }>();
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1];
    if (next === undefined || next.region !== line.region || line.object || next.object) continue;
    const count = counts.get(line.region) ?? { all: 0, short: 0, wide: 0, ragged: 0 };
    counts.set(line.region, count);
    count.all += 1;
    if (endsShort(line, next)) count.short += 1;
    if (next.y - line.y > WIDE_STEP * line.size) count.wide += 1;
    if (!isFull(line)) count.ragged += 1;
  }
  const regions = new Map<number, Entries>();
  for (const [region, { all, short, wide, ragged }] of counts) {
    if (all < 5) continue;
    if (wide >= 0.8 * all && ragged >= 0.4 * all) regions.set(region, 'all');
    else if (short >= 0.6 * all) regions.set(region, 'short');
  }
  return regions;
}

function isEntry(entries: Entries | undefined, above: Line, line: Line): boolean {
  if (entries === undefined) return false;
  if (above.region !== line.region) return true;
  if (entries === 'all' && line.y - above.y > WIDE_STEP * line.size) return true;
  return (
    roomAfter(above) > 0.3 * (above.column.right - above.column.left) &&
    !/[-\u00AD]$/u.test(above.text) &&
    endsShort(above, line)
  );
}

/** The usual line distance on this page, by size in half points. */
function usualSteps(lines: readonly Line[]): ReadonlyMap<number, number> {
  const counts = new Map<number, Map<number, number>>();
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1];
    if (next === undefined || next.region !== line.region || line.object || next.object) continue;
    const size = Math.round(line.size * 2);
    if (size !== Math.round(next.size * 2)) continue;
    const step = next.y - line.y;
    if (step < 0.7 * line.size || step > 2.6 * line.size) continue;
    const list = counts.get(size) ?? new Map<number, number>();
    counts.set(size, list);
    const key = Math.round(step * 2) / 2;
    list.set(key, (list.get(key) ?? 0) + 1);
  }
  const steps = new Map<number, number>();
  for (const [size, list] of counts) {
    const mode = modeOf(list);
    if (mode !== undefined && (list.get(mode) ?? 0) >= 3) steps.set(size, mode);
  }
  return steps;
}

function breaks(
  paragraph: Paragraph,
  above: Line,
  line: Line,
  next: Line | undefined,
  steps: ReadonlyMap<number, number>,
  profile: Profile,
): boolean {
  if (above.object !== undefined || line.object !== undefined) return true;
  const size = Math.max(above.size, line.size);
  if (Math.abs(above.size - line.size) > SIZE_CHANGE * Math.min(above.size, line.size)) return true;
  if (above.region !== line.region) return !runsOn(above, line);
  const heading = size >= 1.13 * profile.bodySize;
  const known = steps.get(Math.round(line.size * 2));
  const usual = heading
    ? Math.max(1.25 * line.size, known ?? 0, Math.min(1.7, profile.leading) * line.size)
    : Math.min(known ?? Number.POSITIVE_INFINITY, Math.max(profile.leading, 1) * line.size * 1.15);
  const step = line.y - above.y;
  if (step > BREAK * Math.max(usual, 0.9 * line.size) || step < -0.5 * line.size) return true;
  if (listMark(line)?.kind === 'bullet' && !/^[-*+o]/u.test(line.text)) return true;
  if (isMonospace(above) !== isMonospace(line)) return true;
  if (isMonospace(line)) return false;
  if (isLed(above.text) || (isLed(line.text) && !isFull(above))) return true;
  if (startsItem(paragraph, above, line)) return true;
  if (raisedStart(line) !== '' && indentOf(line, above) <= 2 * size) return true;
  if (above.bold > 0.9 && line.bold < 0.1 && !heading)
    return endsShort(above, line) || !runsOnText(above, line);
  if (above.bold < 0.1 && line.bold > 0.9 && !heading)
    return endsShort(above, line) || endsSentence(above.text);
  if (heading) return false;
  // A separate line in another font than the surrounding text: a heading that is neither large nor bold.
  if (above.font !== line.font && (above.font === profile.bodyFont) !== (line.font === profile.bodyFont)) {
    const parted = step > 1.1 * usual || indentInColumn(line) > 0.5 * size;
    if (
      !endsSentence(above.text) &&
      !runsOnText(above, line) &&
      (endsShort(above, line) || (parted && paragraph.lines.length === 1))
    )
      return true;
  }
  return breaksByPlace(paragraph, above, line, next, size);
}

/** True if a line starts a list item, rather than being a wrapped line that happens to start with a number or dash. */
function startsItem(paragraph: Paragraph, above: Line, line: Line): boolean {
  const mark = listMark(line);
  if (mark === undefined) return false;
  if (mark.kind === 'bullet' && !/^[-\u2013\u2014*+o]/u.test(line.text)) return true;
  if (endsShort(above, line) || endsSentence(above.text) || /[;,]$/u.test(above.text)) return true;
  const first = paragraph.lines[0];
  if (first !== undefined && isListStart(first)) return Math.abs(indentOf(line, first)) < 0.5 * line.size;
  return Math.abs(indentOf(line, above)) > 0.8 * line.size;
}

/** Detects a break by indent or line end, if the distance is that of lines in a paragraph. */
function breaksByPlace(
  paragraph: Paragraph,
  above: Line,
  line: Line,
  next: Line | undefined,
  size: number,
): boolean {
  const first = paragraph.lines[0] ?? above;
  const indent = indentOf(line, above);
  if (isCentered(above) && isCentered(line)) return false;
  const listed = isListStart(first);
  // In a list item, lines after the first are indented under its text.
  if (listed && paragraph.lines.length === 1 && indent > 0) return false;
  if (listed && indent < -0.8 * size && paragraph.lines.length > 1) return true;
  if (listed && paragraph.lines.length === 1 && indentOf(line, first) < -0.8 * size) return true;
  if (indent > 0.8 * size && indent < 6 * size) {
    const returns = next === undefined || next.region !== line.region || indentOf(next, line) < -0.5 * size;
    if (endsShort(above, line)) return true;
    if (returns && endsSentence(above.text) && paragraph.lines.length > 1) return true;
    return returns && endsSentence(above.text) && indentInColumn(above) <= 0.5 * size;
  }
  if (endsShort(above, line)) {
    if (endsSentence(above.text)) return true;
    // The line was ended on purpose: an address, a verse, a label.
    return (
      /^[\p{Lu}\p{N}\p{Ps}\u201C"'\u2018\u00AB]/u.test(line.text) && !/[,;\u2013\u2014-]$/u.test(above.text)
    );
  }
  return false;
}

/** True if the first word of the next line would have fitted. */
export function endsShort(above: Line, line: Line): boolean {
  const word = line.rightToLeft ? line.words.at(-1) : line.words[0];
  if (word === undefined) return false;
  return roomAfter(above) > word.right - word.left + 0.6 * above.size;
}

/** The white between the end of a line and the edge of its column. */
function roomAfter({ left, right, column, rightToLeft }: Line): number {
  return rightToLeft ? left - column.left : column.right - right;
}

/** How much further in a line starts than another. */
function indentOf(line: Line, other: Line): number {
  return line.rightToLeft ? other.right - line.right : line.left - other.left;
}

function indentInColumn({ left, right, column, rightToLeft }: Line): number {
  return rightToLeft ? column.right - right : left - column.left;
}

function isFull(line: Line): boolean {
  return roomAfter(line) <= 0.15 * (line.column.right - line.column.left);
}

export function isCentered(line: Line): boolean {
  const left = line.left - line.column.left;
  const right = line.column.right - line.right;
  return left > 2 * line.size && Math.abs(left - right) < 1.5 * line.size;
}

export function endsSentence(text: string): boolean {
  return /[.!?:\u3002\uFF01\uFF1F][)\]"'\u201D\u2019\u00BB]*$/u.test(text);
}

/** True if a line at the top of a region continues the last line of the previous one. */
function runsOn(above: Line, line: Line): boolean {
  return isFull(above) && runsOnText(above, line) && !isListStart(line) && raisedStart(line) === '';
}

function runsOnText(above: Line, line: Line): boolean {
  if (/\p{L}-$/u.test(above.text)) return true;
  return !endsSentence(above.text) && /^["'\u201C\u2018(]?\p{Ll}/u.test(line.text);
}
