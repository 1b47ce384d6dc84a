// The text of one section, and where it may be cut: at a block, else at a line, a sentence, a word, a character.

import { type Budget, countBefore, newlinesIn, safeCut } from '../../src/contract/index.ts';
import {
  type Block,
  type BlockAt,
  jsonLineOf,
  markdownOf,
  namesMember,
  textsIn,
  withMembers,
} from '../../src/document/index.ts';

interface WrittenBlock {
  readonly block: Block;
  readonly text: string;
  /** Offset in the section's text. */
  readonly start: number;
}

/** A section's blocks as one text, with a blank line after each block except the last of the document. */
export class SectionText {
  readonly text: string;
  /** True if the text contains the address of a file inside the document, and with it the document's name. */
  readonly addressed: boolean;
  readonly #blocks: readonly WrittenBlock[];
  readonly #isJson: boolean;
  #lines: number | undefined;

  /**
   * `name`: of the document, for the addresses of the files inside. `at`: writes each block as JSON with its place,
   * given its 0-based number.
   */
  constructor(blocks: readonly Block[], last: boolean, name: string, at?: (block: number) => BlockAt) {
    const written: WrittenBlock[] = [];
    let addressed = false;
    let text = '';
    for (const [i, block] of blocks.entries()) {
      const marked = at ? '' : markdownOf(block);
      const own = at ? jsonLineOf(block, at(i), name) : withMembers(marked, name, block.kind === 'table');
      addressed ||= at ? textsIn(block).some(namesMember) : own !== marked;
      written.push({ block, text: own, start: text.length });
      text += at || (last && i === blocks.length - 1) ? own : `${own}\n`;
    }
    this.text = text;
    this.addressed = addressed;
    this.#blocks = written;
    this.#isJson = at !== undefined;
  }

  /** The blocks with the line each starts at, 1-based. */
  *placed(): Generator<{ readonly block: Block; readonly text: string; readonly line: number }> {
    let line = 1;
    for (const { block, text } of this.#blocks) {
      yield { block, text, line };
      line += newlinesIn(text) + 1;
    }
  }

  /** The blocks of the stretch by 0-based number, with their start and end in it. */
  blocksIn(
    from: number,
    to: number,
  ): { readonly number: number; readonly from: number; readonly to: number }[] {
    return this.#blocks.flatMap(({ start, text }, number) => {
      const end = Math.min(to, start + text.length);
      return start < to && end > from ? [{ number, from: Math.max(start, from) - from, to: end - from }] : [];
    });
  }

  /** Start offset of the block with that 0-based number; the end of the text for a later one. */
  blockStart(number: number): number {
    return this.#blocks[number]?.start ?? this.text.length;
  }

  /** Number of lines in the section. */
  get lines(): number {
    this.#lines ??= newlinesIn(this.text);
    return this.#lines;
  }

  /** Start offset of line `number` (1-based); the end of the text for a later line. */
  lineStart(number: number): number {
    let at = 0;
    for (let line = 1; line < number && at < this.text.length; line += 1) {
      const feed = this.text.indexOf('\n', at);
      at = feed < 0 ? this.text.length : feed + 1;
    }
    return at;
  }

  /** The 1-based number of the line that contains `offset`. */
  lineAt(offset: number): number {
    return newlinesIn(this.text, 0, offset) + 1;
  }

  /** True at the start of a line, or at the very end. */
  startsLine(offset: number): boolean {
    return offset === 0 || offset === this.text.length || this.text.charCodeAt(offset - 1) === 10;
  }

  /** The line that contains `offset`: its start, and the offset of its line feed. */
  lineAround(offset: number): { readonly from: number; readonly to: number } {
    const from = this.text.lastIndexOf('\n', offset - 1) + 1;
    const feed = this.text.indexOf('\n', offset);
    return { from, to: feed < 0 ? this.text.length : feed };
  }

  /**
   * The context to show around a stretch that starts or ends inside a block: a table's header above its later rows, the
   * fences of code.
   */
  frame(from: number, to: number): { readonly before: string; readonly after: string } {
    if (this.#isJson) return { before: '', after: '' };
    return { before: this.#opening(from), after: this.#closing(from, to) };
  }

  #opening(from: number): string {
    const around = this.#around(from);
    if (!around || from <= around.start || !this.startsLine(from)) return '';
    const { block, text, start } = around;
    if (block.kind === 'table') {
      const header = text.slice(0, lineEnd(text, lineEnd(text, 0)));
      return from >= start + header.length && from < start + text.length ? header : '';
    }
    if (block.kind !== 'code') return '';
    return from < start + text.lastIndexOf('\n', text.length - 2) + 1 ? text.slice(0, lineEnd(text, 0)) : '';
  }

  #closing(from: number, to: number): string {
    if (to <= from) return '';
    const around = this.#around(to - 1);
    if (around?.block.kind !== 'code' || to >= around.start + around.text.length) return '';
    const fence = /^`+/.exec(around.text)?.[0] ?? '';
    return this.text.charCodeAt(to - 1) === 10 ? `${fence}\n` : `\n${fence}\n`;
  }

  #around(offset: number): WrittenBlock | undefined {
    const count = countBefore(this.#blocks.length, (at) => (this.#blocks[at]?.start ?? 0) <= offset);
    return this.#blocks[Math.max(0, count - 1)];
  }

  /**
   * The end of the stretch that starts at `from` and has at most `tokens`, `characters` and `lines`. The coarser
   * boundary wins as long as it keeps half of what fits; `begun` means that the response already has content, so that a
   * block need not be split for little gain.
   */
  cut(
    from: number,
    room: { readonly tokens: number; readonly characters: number; readonly lines: number },
    begun: boolean,
    budget: Budget,
  ): number {
    const { text } = this;
    const within = text.slice(from, from + Math.max(0, Math.min(text.length - from, room.characters)));
    const most = Math.min(from + budget.prefix(within, room.tokens), this.#afterLines(from, room.lines));
    if (most >= text.length) return text.length;
    const half = from + (most - from) / 2;
    const block = this.#blockEnd(from, most);
    if (block > half || (begun && most - from < MIN_STRETCH)) return block;
    const line = text.lastIndexOf('\n', most - 1) + 1;
    if (line > half) return line;
    const sentence = lastSentence(text.slice(Math.floor(half), most));
    if (sentence > 0) return Math.floor(half) + sentence;
    const space = text.lastIndexOf(' ', most - 1) + 1;
    if (space > half) return space;
    const end = safeCut(text.slice(from, from + (most - from) + 1), most - from);
    return end > most - from && begun ? block : from + Math.min(end, text.length - from);
  }

  #afterLines(from: number, lines: number): number {
    let at = from;
    for (let left = lines; left > 0 && at < this.text.length; left -= 1) {
      const feed = this.text.indexOf('\n', at);
      if (feed < 0) return this.text.length;
      at = feed + 1;
    }
    return at;
  }

  /** The last block boundary up to `most`, `from` if there is none; a heading stays with the block it belongs to. */
  #blockEnd(from: number, most: number): number {
    let end = from;
    let headed = from;
    for (const [i, { start }] of this.#blocks.entries()) {
      if (start > most) break;
      if (start <= from) continue;
      if (this.#blocks[i - 1]?.block.kind !== 'heading') headed = start;
      end = start;
    }
    return headed > from ? headed : end;
  }
}

/** Minimum characters that make it worth starting a block that does not fit. */
const MIN_STRETCH = 400;

/** The offset after the line that starts at `from`. */
const lineEnd = (text: string, from: number): number => text.indexOf('\n', from) + 1 || text.length;

/** Offset after the last sentence end in `text`, 0 without one. */
function lastSentence(text: string): number {
  let end = 0;
  for (const match of text.matchAll(/[.!?…]["')\]]* |[。！？]/g)) end = match.index + match[0].length;
  return end;
}
