// Converts paragraphs to blocks: headings, lists, contents, code, notes and plain paragraphs.

import {
  type Block,
  cleanText,
  codeBlock,
  headingBlock,
  isEmpty,
  type ListItem,
  listBlock,
  noteBlock,
  paragraphBlock,
} from '../../../../src/document/index.ts';
import type { OutlineEntry } from '../../document.ts';
import { boxAround } from '../ink/box.ts';
import type { Ink } from '../ink/ink.ts';
import { codeText, isCode } from './code.ts';
import { isLed, withoutLeaders } from './contents.ts';
import { headingsOf } from './headings.ts';
import { bareMark, type InlineContext, inlineOf, plainOf } from './inline.ts';
import { isMonospace, isRaised, type Line, raisedStart } from './line.ts';
import { listMark } from './list-mark.ts';
import type { Paragraph } from './paragraphs.ts';
import { isSetAsCode, type Profile } from './profile.ts';
import { type LaidBlock, textOf } from './words.ts';

const NOTE_SIZE = 0.94;

/** The blocks of one page's paragraphs, in order. */
export function blocksOf(
  paragraphs: readonly Paragraph[],
  ink: Ink,
  profile: Profile,
  outline: readonly OutlineEntry[],
): LaidBlock[] {
  const headings = headingsOf(paragraphs, profile, outline, ink);
  const { notes, marks } = notesOf(paragraphs, headings, ink, profile);
  const context: InlineContext = { fonts: ink.fonts, links: ink.links, profile, notes: marks };
  const blocks: LaidBlock[] = [];
  const put = (block: Block, of: readonly Paragraph[]): void => {
    if (!isEmpty(block)) blocks.push({ block, box: boxAround(of.flatMap(({ lines }) => lines)) });
  };
  for (let index = 0; index < paragraphs.length; index += 1) {
    const paragraph = paragraphs[index];
    const first = paragraph?.lines[0];
    if (paragraph === undefined || first === undefined) continue;
    const note = notes.get(paragraph);
    if (note !== undefined) {
      const text = inlineOf(paragraph.lines, { ...context, notes: new Set() }, { skip: note.length });
      put(noteBlock(String(note.mark), [text]), [paragraph]);
      continue;
    }
    if (first.object !== undefined) {
      blocks.push({ block: first.object.block, box: first.object });
      continue;
    }
    const level = headings.get(paragraph);
    if (level !== undefined) {
      put(headingBlock(level, inlineOf(paragraph.lines, context, { plain: true })), [paragraph]);
      continue;
    }
    const follows = (test: (next: Paragraph, at: number) => boolean): Paragraph[] => {
      const run: Paragraph[] = [];
      for (let at = index; at < paragraphs.length; at += 1) {
        const next = paragraphs[at];
        if (next === undefined || notes.has(next) || headings.has(next) || !test(next, at)) break;
        run.push(next);
      }
      index += Math.max(0, run.length - 1);
      return run;
    };
    if (isSetAsCode(first, profile) && listMark(first)?.kind !== 'bullet') {
      const run = follows((next) =>
        next.lines.every((line) => isMonospace(line) && line.region === first.region),
      );
      const lines = run.flatMap((part) => part.lines);
      put(isCode(lines) ? codeBlock(codeText(lines)) : paragraphBlock(inlineOf(lines, context)), run);
    } else if (isContents(paragraph)) {
      const run = follows(isContents);
      put(contentsBlock(run, context), run);
    } else if (listMark(first) !== undefined) {
      const run = follows(listTest());
      put(listOf(run, context), run);
    } else put(paragraphBlock(inlineOf(paragraph.lines, context)), [paragraph]);
  }
  return blocks;
}

function isContents(paragraph: Paragraph): boolean {
  const text = paragraph.lines.at(-1)?.text ?? '';
  return isLed(text) && /[\p{L}\p{N}]/u.test(text);
}

function contentsBlock(paragraphs: readonly Paragraph[], context: InlineContext): Block {
  const items: ListItem[] = [];
  const lefts: number[] = [];
  for (const paragraph of paragraphs) {
    const left = (paragraph.lines[0]?.left ?? 0) - (paragraph.lines[0]?.column.left ?? 0);
    const size = paragraph.lines[0]?.size ?? 10;
    while (lefts.length > 0 && left < (lefts.at(-1) ?? 0) - 0.5 * size) lefts.pop();
    if (lefts.length === 0 || left > (lefts.at(-1) ?? 0) + 0.5 * size) lefts.push(left);
    const text = withoutLeaders(plainOf(paragraph.lines, context.profile));
    items.push({ level: lefts.length - 1, marker: '-', text: cleanText(text) });
  }
  return listBlock(items);
}

/** Returns a predicate that accepts list items and what belongs to them. */
function listTest(): (next: Paragraph) => boolean {
  let inner = Number.POSITIVE_INFINITY;
  let region = -1;
  return (next) => {
    const line = next.lines[0];
    if (line === undefined || line.object !== undefined || isContents(next)) return false;
    const mark = listMark(line);
    if (mark !== undefined) {
      inner = mark.text;
      region = line.region;
      return true;
    }
    return (
      line.region === region &&
      line.left > inner - 0.5 * line.size &&
      line.left < inner + 1.5 * line.size &&
      next.above < 2.2 &&
      line.left > line.column.left + 0.5 * line.size
    );
  };
}

interface Level {
  readonly left: number;
}

function listOf(paragraphs: readonly Paragraph[], context: InlineContext): Block {
  const items: { level: number; marker: string; text: string }[] = [];
  const levels: Level[] = [];
  let region = -1;
  for (const paragraph of paragraphs) {
    const line = paragraph.lines[0];
    if (line === undefined) continue;
    const mark = listMark(line);
    const last = items.at(-1);
    if (mark === undefined) {
      const text = inlineOf(paragraph.lines, context);
      if (last !== undefined) last.text += `\n${text}`;
      else items.push({ level: 0, marker: '-', text });
      continue;
    }
    const left = line.left - (region === line.region || region === -1 ? 0 : shift(line, levels));
    region = region === -1 ? line.region : region;
    while (levels.length > 1 && left < (levels.at(-1)?.left ?? 0) - 0.5 * line.size) levels.pop();
    const top = levels.at(-1);
    if (top === undefined || left > top.left + 0.6 * line.size) levels.push({ left });
    else if (levels.length === 1) levels[0] = { left: Math.min(left, top.left) };
    const text = inlineOf(paragraph.lines, context, { skip: mark.length });
    items.push({ level: levels.length - 1, marker: mark.marker, text });
  }
  return listBlock(items);
}

/** Offset of an item in another column from its position in the first. */
function shift(line: Line, levels: readonly Level[]): number {
  return line.column.left - (levels[0]?.left ?? line.column.left);
}

/** A note's mark, and its length at the start of the note. */
interface NoteMark {
  readonly mark: string;
  readonly length: number;
}

/** Small paragraphs in the lower part of the page that start with a mark raised in the page's text. */
function notesOf(
  paragraphs: readonly Paragraph[],
  headings: ReadonlyMap<Paragraph, number>,
  ink: Ink,
  profile: Profile,
): { notes: ReadonlyMap<Paragraph, NoteMark>; marks: ReadonlySet<string> } {
  const found = new Map<string, { paragraph: Paragraph; note: NoteMark }>();
  for (const paragraph of paragraphs) {
    const line = paragraph.lines[0];
    if (line === undefined || line.object !== undefined || headings.has(paragraph)) continue;
    if (line.size > NOTE_SIZE * profile.bodySize || line.y < 0.4 * ink.height) continue;
    const note = noteMark(line);
    if (note !== undefined && !found.has(note.mark)) found.set(note.mark, { paragraph, note });
  }
  const notes = new Map<Paragraph, NoteMark>();
  const marks = new Set<string>();
  if (found.size === 0) return { notes, marks };
  for (const paragraph of paragraphs) {
    for (const line of paragraph.lines) {
      for (const [index, word] of line.words.entries()) {
        const raised = word.glyphs.filter((glyph) => isRaised(glyph, line));
        if (raised.length === 0 || raised.length > 5) continue;
        const mark = bareMark(textOf(raised));
        const note = found.get(mark);
        if (note === undefined || (note.paragraph === paragraph && index === 0)) continue;
        marks.add(mark);
      }
    }
  }
  for (const [mark, { paragraph, note }] of found) if (marks.has(mark)) notes.set(paragraph, note);
  return { notes, marks };
}

function noteMark(line: Line): NoteMark | undefined {
  const raised = raisedStart(line);
  const first = line.words[0]?.text ?? '';
  if (/^\(?(?:\d{1,3}|[*\u2020\u2021\u00A7\u00B6a-z]{1,2})[.)]{0,2}$/u.test(raised)) {
    return { mark: bareMark(raised), length: raised.length };
  }
  if (line.words.length > 1 && /^\(?(?:\d{1,3}|[*\u2020\u2021])[.)]{0,2}$/u.test(first)) {
    return { mark: bareMark(first), length: first.length };
  }
  return undefined;
}
