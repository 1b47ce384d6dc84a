// Parts a block into what a chunk may be made of: the block itself if there is room for it, else its items and rows, its
// lines, sentences and words.

import { type Extent, newlinesIn, safeCut, type Tokens } from '../contract/index.ts';
import type { ChunkBlock } from './chunks.ts';

/** The part of a token counter that chunks need. */
export interface Tokenizer {
  count(text: string): Tokens;
  /** The exact count up to `max`, else any number above it. */
  countUpTo(text: string, max: Tokens): Tokens;
  /** See `Budget.prefix`. */
  prefix(text: string, tokens: Tokens): number;
}

/** Repeated around a piece of a block, with its cost. */
interface Frame {
  readonly before: string;
  readonly after: string;
  readonly beforeCost: Tokens;
  readonly afterCost: Tokens;
}

/** What is not cut any further. */
export interface Atom {
  readonly text: string;
  readonly cost: Tokens;
  readonly block: ChunkBlock;
  /** Of the place before it: the lowest is the best one to cut. */
  readonly rank: number;
  /** It begins a section that must not share a chunk with the one before, unless one of them is short. */
  readonly isTop: boolean;
  /** The beginning of its block. */
  readonly isFirst: boolean;
  /** The end of its block. */
  readonly isLast: boolean;
  readonly frame: Frame | undefined;
  readonly place: Extent;
}

/** Ranks of a place between two atoms; a deeper line adds up to `DEEP`. */
const SECTION = 0;
const BLOCK = 1;
const ITEM = 2;
const LINE = 3;
/** A line that ends inside a sentence. */
const WRAPPED = 4;
const SENTENCE = 5;
export const WORD = 6;
const DEEP = 0.9;
/** Columns after which a line is as deep as any. */
const DEEPEST = 40;

/** A larger frame is not repeated. */
const MAX_FRAME = 1 / 4;

interface Unit {
  readonly text: string;
  readonly cost: Tokens;
  readonly rank: number;
  /** Number of the item or row it belongs to, from 0. */
  readonly item: number;
}

type Split = (text: string) => Iterable<readonly [unit: string, rank: number]>;

/** The atoms of a block, none above `max` with its frame; `room`: what headings before the block leave of it. */
export function* atomsOf(
  block: ChunkBlock,
  max: Tokens,
  room: Tokens,
  isTop: boolean,
  tokenizer: Tokenizer,
): Generator<Atom> {
  const { text, kind, items, place, opens, continues } = block;
  const frame = frameOf(block, max, tokenizer);
  const start = continues
    ? (items ? ITEM : LINE) + depthOf(text)
    : opens === undefined
      ? BLOCK + depthOf(text)
      : SECTION;
  const cost = tokenizer.countUpTo(text, room);
  const splits: Split[] = [lines(kind), sentences];
  if (items) splits.unshift(itemsAt(items));
  // A row is kept whole, also where its header does not fit beside it.
  const limit = kind === 'table' ? max : room - (frame ? frame.beforeCost + frame.afterCost : 0);
  const units =
    cost <= room ? [{ text, cost, rank: start, item: 0 }] : cut(text, splits, limit, start, tokenizer);
  let line = place.from;
  let held: Atom | undefined;
  for (const unit of units) {
    if (held) yield held;
    const fits = frame && unit.cost + frame.beforeCost + frame.afterCost <= max;
    const feeds = newlinesIn(unit.text);
    const ended = newlinesIn(unit.text.trimEnd());
    const row = place.from + unit.item;
    held = {
      text: unit.text,
      cost: unit.cost,
      rank: unit.rank,
      block,
      isTop: isTop && held === undefined,
      isFirst: held === undefined && !continues,
      isLast: false,
      frame: fits ? frame : undefined,
      place:
        place.unit === 'line'
          ? { ...place, from: line, to: line + ended }
          : place.unit === 'row' && cost > room
            ? { ...place, from: row, to: row }
            : place,
    };
    line += feeds;
  }
  if (held) yield { ...held, isLast: true };
}

function frameOf({ frame }: ChunkBlock, max: Tokens, { count }: Tokenizer): Frame | undefined {
  if (!frame) return undefined;
  const beforeCost = count(frame.before);
  const afterCost = count(frame.after);
  return beforeCost + afterCost <= max * MAX_FRAME ? { ...frame, beforeCost, afterCost } : undefined;
}

/** The units of `text`, none above `limit`; `rank`: of the place before it. */
function* cut(
  text: string,
  [split, ...finer]: readonly Split[],
  limit: Tokens,
  rank: number,
  tokenizer: Tokenizer,
  item?: number,
): Generator<Unit> {
  if (!split) {
    yield* words(text, limit, rank, tokenizer, item ?? 0);
    return;
  }
  let number = 0;
  for (const [unit, own] of split(text)) {
    const cost = tokenizer.countUpTo(unit, limit);
    const first = number === 0 ? rank : own;
    if (cost <= limit) yield { text: unit, cost, rank: first, item: item ?? number };
    else yield* cut(unit, finer, limit, first, tokenizer, item ?? number);
    number += 1;
  }
}

/** Stretches of a few words, so that a chunk can be filled well without counting every word. */
function* words(
  text: string,
  limit: Tokens,
  rank: number,
  tokenizer: Tokenizer,
  item: number,
): Generator<Unit> {
  const step = Math.max(8, Math.floor(limit / 8));
  for (let at = 0; at < text.length; ) {
    // A token of a text has fewer characters; a run of spaces may have more.
    const window = text.slice(at, at + step * 16);
    const fitting = safeCut(window, Math.max(1, tokenizer.prefix(window, step)));
    const space = window.lastIndexOf(' ', fitting - 1) + 1;
    const end = at + fitting < text.length && space > fitting / 2 ? space : fitting;
    const unit = window.slice(0, end);
    yield { text: unit, cost: tokenizer.count(unit), rank: at === 0 ? rank : WORD, item };
    at += end;
  }
}

const itemsAt =
  (starts: readonly number[]): Split =>
  (text) =>
    [0, ...starts].map((from, at) => {
      const item = text.slice(from, starts[at] ?? text.length);
      return [item, ITEM + depthOf(item)] as const;
    });

const lines = (kind: ChunkBlock['kind']): Split =>
  function* (text) {
    let isWrapped = false;
    for (let at = 0; at < text.length; ) {
      const end = text.indexOf('\n', at) + 1 || text.length;
      const line = text.slice(at, end);
      yield [line, (isWrapped ? WRAPPED : LINE) + depthOf(line)];
      isWrapped = kind === 'text' && !endsSentence(line);
      at = end;
    }
  };

function* sentences(text: string): Generator<readonly [string, number]> {
  for (const sentence of sentencesOf(text)) yield [sentence, SENTENCE];
}

const SENTENCE_END = /[.!?…]["'”’)\]*_]{0,8}\s+|[。！？]["”’」』)]{0,8}\s*/gu;

/** The sentences of a text, each with the white space after it. */
export function* sentencesOf(text: string): Generator<string> {
  let from = 0;
  for (const { 0: mark, index } of text.matchAll(SENTENCE_END)) {
    const to = index + mark.length;
    // The end of an abbreviation: of one letter or digits (`J. Smith`, `No. 5`, `1. First`), or before a small letter.
    const before = text.slice(Math.max(0, index - 2), index);
    const isShort = mark.startsWith('.') && /(?:^|[\s.(])[\p{L}\d]$/u.test(before);
    if (isShort || /^\p{Ll}/u.test(text.slice(to, to + 2))) continue;
    yield text.slice(from, to);
    from = to;
  }
  if (from < text.length) yield text.slice(from);
}

/** True for a line that does not stop inside a sentence: it ends with a mark, or holds no words. */
function endsSentence(line: string): boolean {
  const end = line.trimEnd().slice(-12);
  return /[.!?…:;|>}。！？](?:["'”’」』)\]*_`]|\[\^\w{1,8}\]){0,4}$/u.test(end) || !/[\p{L}\d]/u.test(line);
}

function depthOf(line: string): number {
  const indent = /^\n*([ \t]{0,40})/.exec(line)?.[1]?.length ?? 0;
  return (Math.min(indent, DEEPEST) / DEEPEST) * DEEP;
}
