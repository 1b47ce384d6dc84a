// Walks a converted document by pages and lines: what fits the budget, and where the next answer continues.

import {
  type Extent,
  isInsidePair,
  type Next,
  type Part,
  type Position,
  PositionReader,
  type ProcessContext,
  type Range,
  resolveRange,
  staleCursor,
  type TextPart,
  throwIfAborted,
  viewOf,
} from '../../src/contract/index.ts';
import type { BlockAt } from '../../src/document/index.ts';
import type { Section, SectionUnit } from './document.ts';
import { selected } from './document-outline.ts';
import { type BlockPlace, type BlockRange, commentAt, sectionAt } from './document-place.ts';
import type { KeptDocument } from './kept-document.ts';
import { endsInRanges } from './number-ranges.ts';
import { PageNotes } from './page-notes.ts';
import { SectionText } from './section-text.ts';
import { textBlocksOf } from './text-blocks.ts';

/** Maximum pages recognized per response: each takes seconds. */
const MAX_RECOGNIZED = 16;
/** Maximum pictures per response: each may take megabytes. */
const MAX_PICTURES = 8;

/** What is left of a response. */
interface Room {
  readonly tokens: number;
  readonly characters: number;
  readonly lines: number;
}

/** The position of a walk: `offset` UTF-16 units into section `numbers[at]`, whose first line is `line`. */
interface SectionPosition {
  readonly at: number;
  readonly offset: number;
  /** Lines of the selected sections before this one. */
  readonly line: number;
}

interface Stretch {
  readonly start: SectionPosition;
  readonly end: SectionPosition | undefined;
}

const START: SectionPosition = { at: 0, offset: 0, line: 0 };

const isBefore = (a: SectionPosition, b: SectionPosition): boolean =>
  a.at < b.at || (a.at === b.at && a.offset < b.offset);

function framed(text: SectionText, from: number, to: number): string {
  const { before, after } = text.frame(from, to);
  return before + text.text.slice(from, to) + after;
}

/** Prefixes each line with its number; a line continued from an earlier response is marked `+`. */
function numberedLines(text: SectionText, from: number, to: number, before: number): string {
  const content = text.text.slice(from, to);
  const lines = content.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const first = before + text.lineAt(from);
  const inside = !text.startsLine(from);
  const numbered = lines.map((one, i) => `${first + i}${i === 0 && inside ? '+ ' : ': '}${one}\n`).join('');
  return content.endsWith('\n') ? numbered : numbered.slice(0, -1);
}

/** The answers about one document: the whole selection, or as much of it as fits. */
export class DocumentWalk {
  readonly #document: KeptDocument;
  readonly #unit: SectionUnit | undefined;
  readonly #context: ProcessContext;
  readonly #count: number;
  readonly #numbers: readonly number[];
  /** The numbers from an index on, as a request names them. */
  readonly #pagesFrom: (from: number) => string;
  readonly #sections = new Map<number, Section>();
  readonly #texts = new Map<number, SectionText>();
  readonly #notes: PageNotes;

  constructor(document: KeptDocument, unit: SectionUnit | undefined, count: number, context: ProcessContext) {
    this.#document = document;
    this.#unit = unit;
    this.#context = context;
    this.#count = count;
    this.#numbers = selected(context.selection.pages, count);
    this.#pagesFrom = endsInRanges(this.#numbers);
    this.#notes = new PageNotes(unit, count, context);
  }

  /** The whole selection, one part per section. */
  async *everything(): AsyncGenerator<Part> {
    for (const { start, end } of await this.#wanted()) yield* this.#stretch(start, end);
    this.#notes.tell();
  }

  /** One response: from the start of the selection, as far as limits and budget allow. */
  async *page(): AsyncGenerator<Part> {
    const { budget, limits, selection } = this.#context;
    const stretches = await this.#wanted();
    const resumed = selection.resume && (await this.#resumed(selection.resume));
    const [first = { start: START, end: undefined }, ...more] = resumed
      ? stretches.filter(({ end }) => !end || isBefore(resumed, end))
      : stretches;
    const start = resumed ?? first.start;
    let { end } = first;
    const fromStart = start.at === 0 && start.offset === 0 && this.#numbers.length === this.#count;
    const maxLines = Math.max(1, limits.maxLines);
    if (fromStart && !end) {
      const whole = await this.#whole(maxLines);
      if (whole) {
        yield* whole;
        this.#notes.tell();
        return;
      }
    }
    let tokens = budget.tokensBesideNotes;
    let characters = budget.charactersBesideNotes;
    let lines = maxLines;
    let pictures = 0;
    let recognized = 0;
    let begun = false;
    let place = start;
    while (place.at < this.#numbers.length && lines > 0) {
      const { at, offset, line } = place;
      const number = this.#numbers[at] ?? 1;
      const text = await this.text(number);
      const stop = end?.at === at ? end.offset : text.text.length;
      const { cut, dressed } = this.#fit(
        number,
        text,
        offset,
        stop,
        { tokens, characters, lines },
        begun,
        line,
      );
      if (cut <= offset && cut < stop) break;
      const sectionDone = cut >= text.text.length;
      place = sectionDone ? { at: at + 1, offset: 0, line: line + text.lines } : { at, offset: cut, line };
      const isEnd = end?.at === at && cut >= stop;
      const following = isEnd ? more.shift() : undefined;
      const next = isEnd && !selection.lines ? following && this.#next(following.start) : this.#next(place);
      const part = this.#part(number, text, offset, cut, next, dressed ? line : undefined);
      tokens -= budget.count(viewOf(part));
      characters -= viewOf(part).length;
      lines -= Math.max(1, text.lineAt(cut) - text.lineAt(offset));
      begun ||= cut > offset;
      yield part;
      if (sectionDone && (yield* this.#picture(number, next))) pictures += 1;
      if (following) ({ start: place, end } = following);
      else if (!sectionDone || isEnd || pictures >= MAX_PICTURES) break;
      if (this.#sections.get(number)?.recognition) recognized += 1;
      if (recognized >= MAX_RECOGNIZED) break;
    }
    this.#notes.tell();
  }

  /** The parts of a document shown from beginning to end; undefined if it does not fit. */
  async #whole(maxLines: number): Promise<Part[] | undefined> {
    const { budget, selection } = this.#context;
    if (selection.detail !== undefined && this.#unit) return undefined;
    const parts: Part[] = [];
    let view = '';
    let lines = 0;
    let recognized = 0;
    for (const number of this.#numbers) {
      const text = await this.text(number);
      const part = this.#part(number, text, 0, text.text.length, undefined, lines);
      lines += text.lines;
      view += viewOf(part);
      if (this.#sections.get(number)?.recognition) recognized += 1;
      parts.push(part);
      const fits = lines <= maxLines && budget.fits(view, budget.tokens, budget.characters);
      if (fits && (recognized < MAX_RECOGNIZED || parts.length === this.#numbers.length)) continue;
      this.#notes.forget();
      return undefined;
    }
    if (view === '' && !this.#notes.hasUnread && this.#unit)
      this.#context.warn({ code: 'EMPTY_FILE', message: `No ${this.#unit} of the document contains text.` });
    return parts;
  }

  /** The stretches that the request selects. */
  async #wanted(): Promise<readonly Stretch[]> {
    const { selection } = this.#context;
    const { lines, section, comment } = selection;
    const document = this.#document;
    if (section !== undefined)
      return [await this.#placeOf(await sectionAt(document, this.#numbers, section, this.#context))];
    if (comment !== undefined) {
      const ranges = await commentAt(document, this.#numbers, comment, this.#context);
      return Promise.all(ranges.map((range) => this.#placeOf(range)));
    }
    // A walk goes on behind the lines that it began with.
    return [lines && !selection.resume ? await this.#linesOf(lines) : { start: START, end: undefined }];
  }

  async #placeOf({ from, to }: BlockRange): Promise<Stretch> {
    const start = await this.#startOf(from);
    if (!to) return { start, end: undefined };
    const end = await this.#startOf(to);
    if (end.offset > 0 || end.at === start.at) return { start, end };
    const before = await this.text(this.#numbers[end.at - 1] ?? 1);
    return { start, end: { at: end.at - 1, offset: before.text.length, line: end.line - before.lines } };
  }

  async #startOf({ section, block }: BlockPlace): Promise<SectionPosition> {
    const at = this.#numbers.indexOf(section);
    let line = 0;
    // Only line numbers need the sections before, which were looked at to find this one.
    for (const number of this.#context.selection.numbered ? this.#numbers.slice(0, at) : [])
      line += (await this.text(number)).lines;
    return { at, offset: (await this.text(section)).blockStart(block), line };
  }

  async *#stretch(start: SectionPosition, end: SectionPosition | undefined): AsyncGenerator<Part> {
    let { offset, line } = start;
    for (let at = start.at; at < this.#numbers.length; at += 1) {
      const number = this.#numbers[at] ?? 1;
      const text = await this.text(number);
      const stop = end && end.at === at ? end.offset : text.text.length;
      yield this.#part(number, text, offset, stop, undefined, line);
      yield* this.#picture(number, undefined);
      if (end && end.at === at) return;
      this.#texts.delete(number);
      this.#sections.delete(number);
      line += text.lines;
      offset = 0;
    }
  }

  /** The text of one section, as it is shown. */
  async text(number: number): Promise<SectionText> {
    const known = this.#texts.get(number);
    if (known) return known;
    throwIfAborted(this.#context.signal);
    const section = await this.#document.section(number);
    this.#sections.set(number, section);
    const { blocks, layout } = section;
    const at = (block: number): BlockAt => ({
      ...(this.#unit && { [this.#unit]: number }),
      block: block + 1,
      ...(layout?.boxes[block] && { box: layout.boxes[block] }),
    });
    const text =
      this.#context.selection.format === 'json'
        ? new SectionText(blocks, number === this.#count, this.#document.name, at)
        : this.#document.textOf(number, section);
    this.#texts.set(number, text);
    return text;
  }

  /**
   * Where to cut the text so that its view fits; a view without frame and numbers if nothing else would make progress.
   */
  #fit(
    number: number,
    text: SectionText,
    from: number,
    stop: number,
    room: Room,
    begun: boolean,
    line: number,
  ): { readonly cut: number; readonly dressed: boolean } {
    const { budget } = this.#context;
    let { tokens } = room;
    // The text around a stretch depends on where it is cut, so reduce the cut until the whole fits.
    for (let round = 0; round < 6 && tokens >= 1; round += 1) {
      const cut = Math.min(stop, text.cut(from, { ...room, tokens }, begun, budget));
      if (cut <= from && from < stop) break;
      const view = this.#view(number, text, from, cut, line);
      if (budget.fits(view, room.tokens, room.characters)) return { cut, dressed: true };
      const over = budget.count(view) - room.tokens;
      tokens = Math.min(tokens - Math.max(1, over), Math.ceil(tokens * 0.9));
    }
    return { cut: Math.min(stop, text.cut(from, room, begun, budget)), dressed: false };
  }

  /** The view of a stretch: its slide number, line numbers if requested, tables under their header. */
  #view(number: number, text: SectionText, from: number, to: number, line: number): string {
    const { all, numbered } = this.#context.selection;
    const mark = this.#unit === 'slide' && from === 0 && !all ? `<!-- slide ${number} -->\n\n` : '';
    return mark + (numbered ? numberedLines(text, from, to, line) : framed(text, from, to));
  }

  #part(
    number: number,
    text: SectionText,
    from: number,
    to: number,
    next: Next | undefined,
    line: number | undefined,
  ): TextPart {
    const content = text.text.slice(from, to);
    const view = line === undefined ? content : this.#view(number, text, from, to, line);
    this.#notes.record(number, this.#sections.get(number));
    const isAll = this.#context.selection.all && this.#context.selection.format !== 'json';
    return {
      kind: 'text',
      text: content,
      ...(view !== content && { view }),
      ...this.#boxes(number, text, from, to),
      ...(isAll && content === text.text && { blocks: textBlocksOf(text) }),
      shown: this.#extents(number, text, from, to),
      ...(next && { next }),
    };
  }

  #boxes(number: number, text: SectionText, from: number, to: number): Pick<TextPart, 'boxes'> {
    const layout = this.#sections.get(number)?.layout;
    if (!this.#context.selection.boxes || !layout) return {};
    const { width, height, boxes } = layout;
    const blocks = text.blocksIn(from, to).flatMap((block) => {
      const box = boxes[block.number];
      if (!box) return [];
      const [left, top, right, bottom] = box;
      return [{ from: block.from, to: block.to, left, top, right, bottom }];
    });
    return { boxes: { width, height, blocks } };
  }

  #extents(number: number, text: SectionText, from: number, to: number): Extent[] {
    const unit = this.#unit;
    const extents: Extent[] = unit ? [{ unit, from: number, to: number, of: this.#count }] : [];
    const whole = from === 0 && to === text.text.length;
    if (unit && whole) return extents;
    const of = text.lines;
    const first = text.lineAt(from);
    const last = to > from ? text.lineAt(to - 1) : first;
    const section = unit ? { name: `${unit} ${number}` } : {};
    if (of > 0) extents.push({ unit: 'line', from: first, to: Math.min(last, of), of, ...section });
    const inLine = (line: number, start: number, end: number, length: number): void => {
      const name = unit ? `line ${line} of ${unit} ${number}` : `line ${line}`;
      if (end > start) extents.push({ unit: 'character', from: start + 1, to: end, of: length, name });
      else if (length > 0) this.#context.whole({ unit: 'character', of: length, name });
    };
    const startLine = text.lineAround(from);
    const endLine = text.lineAround(Math.max(from, to - 1));
    if (!text.startsLine(from))
      inLine(
        first,
        from - startLine.from,
        Math.min(to, startLine.to) - startLine.from,
        startLine.to - startLine.from,
      );
    const startsHere = startLine.from === endLine.from && !text.startsLine(from);
    if (!text.startsLine(to) && to < endLine.to && !startsHere)
      inLine(last, 0, to - endLine.from, endLine.to - endLine.from);
    return extents;
  }

  async *#picture(number: number, next: Next | undefined): AsyncGenerator<Part, boolean> {
    const { detail, pages } = this.#context.selection;
    const unit = this.#unit;
    if (!detail || !pages || !unit) return false;
    const picture = await this.#document.picture(number, { detail });
    if (!picture) return false;
    const shown: Extent[] = [{ unit, from: number, to: number, of: this.#count }];
    yield { kind: 'binary', ...picture, shown, ...(next && { next }) };
    return true;
  }

  #next({ at, offset, line }: SectionPosition): Next | undefined {
    const number = this.#numbers[at];
    if (number === undefined) return undefined;
    // Addresses include the file name, so the offset is only valid for a name of the same length.
    const named = offset > 0 && this.#texts.get(number)?.addressed === true;
    const position = [number, offset, line, ...(named ? [this.#document.name.length] : [])];
    const following = offset === 0 ? at : at + 1;
    if (this.#unit) {
      if (following >= this.#numbers.length) return { position };
      const request = { pages: this.#pagesFrom(following) };
      return offset === 0 ? { position, request } : { position, skip: request };
    }
    const text = this.#texts.get(number);
    if (!text) return { position };
    const startsLine = text.startsLine(offset);
    const first = text.lineAt(offset) + (startsLine ? 0 : 1);
    if (first > text.lines) return { position };
    const request = { lines: first === text.lines ? `${first}` : `${first}-${text.lines}` };
    return startsLine ? { position, request } : { position, skip: request };
  }

  async #resumed(resume: Position): Promise<SectionPosition> {
    const fields = new PositionReader(resume, 'The cursor points to a place this document does not have.');
    const at = this.#numbers.indexOf(fields.count());
    fields.check(at >= 0);
    const offset = fields.count();
    const line = fields.count();
    if (fields.countOr(this.#document.name.length) !== this.#document.name.length)
      throw staleCursor('The cursor was created under another name of the file.');
    const { text } = await this.text(this.#numbers[at] ?? 1);
    fields.check(offset <= text.length && !isInsidePair(text, offset));
    return { at, offset, line };
  }

  /** Finds the start and end of the lines; lines count from the first selected section. */
  async #linesOf(range: Range): Promise<Stretch> {
    const open = 'last' in range || range.to === Number.POSITIVE_INFINITY;
    const counts: number[] = [];
    let total = 0;
    for (const number of this.#numbers) {
      const { lines } = await this.text(number);
      counts.push(lines);
      total += lines;
      // Whether the range starts inside is only known at the end; its end is known as soon as it is reached.
      if (!open && total >= range.to) break;
    }
    const { from, to } = resolveRange('lines', range, total);
    return { start: await this.#lineStart(from, counts), end: await this.#lineStart(to + 1, counts) };
  }

  async #lineStart(line: number, counts: readonly number[]): Promise<SectionPosition> {
    let before = 0;
    for (const [at, lines] of counts.entries()) {
      if (line <= before + lines || at === counts.length - 1) {
        const text = await this.text(this.#numbers[at] ?? 1);
        return { at, offset: text.lineStart(line - before), line: before };
      }
      before += lines;
    }
    return { at: 0, offset: 0, line: 0 };
  }
}
