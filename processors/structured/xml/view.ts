// Computes the byte ranges a view leaves out under given limits. The rest is the file's own text, so a view is exact
// wherever it has no mark. Independent of the budget.

import { type Bytes, plural, safeCut } from '../../../src/contract/index.ts';
import { decodeUtf8, isBlankByte } from '../byte-window.ts';
import { indexAfterUnits, type TextWindow } from '../text-window.ts';
import { CUT_WORTH, itemWeight, membersAt, restText, type TreeLimits } from '../tree/shape.ts';
import { assemble } from './assemble.ts';
import type { Content, Contents } from './content.ts';
import { extendPath, NODE_TESTS, stepOf } from './node-test.ts';
import { MAX_NAME_BYTES, type TokenReader } from './token.ts';
import { type BodyToken, Malformed, type OpenToken, type Token } from './token-kinds.ts';

/** `items`: child elements per element; `keys`: attributes per element. */
export interface ViewLimits extends TreeLimits {
  /** The beginning of the view, shown under looser limits. */
  readonly opening?: Opening;
  /** Omit most marks, for a budget that fits little more than the root's name. */
  readonly quiet?: 'prolog' | 'all';
}

export interface Opening extends TreeLimits {
  /** Bytes of the view. */
  readonly bytes: Bytes;
}

/** The subject of a view: the whole document, or one element. */
export interface Subject {
  readonly open: OpenToken;
  readonly content: Content;
  /** Pointer to the element. */
  readonly path: string;
  /** 0 and the file size for the document; otherwise the element's own range. */
  readonly start: Bytes;
  readonly end: Bytes;
}

/**
 * A range the view leaves out. `first` is the number, in `unit`, of the first thing in it, of `of` in total. A range of
 * elements includes the text and comments between them; if it has no elements, `of` is `first - 1`. An empty range is a
 * remark about the preceding one.
 */
export interface Cut {
  readonly start: Bytes;
  readonly end: Bytes;
  readonly unit: 'element' | 'character' | 'attribute';
  readonly path: string;
  readonly first: number;
  readonly of: number;
  /** The text that replaces it. */
  mark(glyph: string): string;
}

export interface View {
  readonly cuts: readonly Cut[];
  /** The deepest level of elements shown. */
  readonly levels: number;
  /** How much the view tells. */
  readonly worth: number;
}

/** Approximate length of a mark, so that a pass over nothing but marks also ends. */
const MARK_BYTES = 24;
/** A view of this length, and of each double of it, is checked on the way, so that a pass ends soon after its budget. */
const FIRST_CHECK_BYTES = 4 * 1024;
/** White space up to this length is shown unchanged even under a tighter text limit: it is indentation. */
const BLANK_UNITS = 200;
/** What is shown before the root element, and after it, for each child element that an element shows. */
const AROUND_BYTES = 20;

interface Frame {
  readonly name: string;
  readonly path: string;
  readonly content: Content;
  /** Elements seen so far, by name. */
  readonly names: Map<string, number>;
  /** Nodes of other kinds, by their node test. */
  readonly kinds: Map<string, number>;
  /** What one value in it is worth: elements of one name are like items of an array. */
  readonly weight: number;
  children: number;
  others: number;
}

function remark(text: string): (glyph: string) => string {
  return (glyph) => `<!-- ${glyph} ${text} -->`;
}

/** A mark without words. */
const alone = (glyph: string): string => glyph;

/** One pass over a document; create a new one for each. */
export class ViewPass {
  readonly #reader: TokenReader;
  readonly #window: TextWindow;
  readonly #contents: Contents;
  readonly #later: ViewLimits;
  /** The limits in force at the current position. */
  #limits: ViewLimits;
  readonly #cuts: Cut[] = [];
  readonly #frames: Frame[] = [];
  #cutBytes = 0;
  #levels = 0;
  #worth = 0;

  constructor(reader: TokenReader, contents: Contents, limits: ViewLimits) {
    this.#reader = reader;
    this.#window = reader.window;
    this.#contents = contents;
    this.#later = limits;
    this.#limits = { ...limits, ...limits.opening };
  }

  /**
   * The view, or undefined if it would exceed `most` bytes, or `isTooLong` says so of a beginning of its text.
   * @throws {Malformed}
   */
  async run(
    subject: Subject,
    most: Bytes,
    isTooLong: (beginning: string) => boolean,
  ): Promise<View | undefined> {
    const shown = (at: Bytes): Bytes => at - subject.start - this.#cutBytes;
    const over = (at: Bytes): boolean => shown(at) > most;
    if (subject.start < subject.open.start) await this.#around(subject.start, subject.open.start, 'before');
    let position = subject.open.start;
    let next = FIRST_CHECK_BYTES;
    do {
      if (over(position)) return undefined;
      if (shown(position) >= next) {
        if (isTooLong(await assemble(this.#window, { ...subject, end: position }, this.#cuts)))
          return undefined;
        next = 2 * shown(position);
      }
      if (shown(position) >= (this.#later.opening?.bytes ?? 0)) this.#limits = this.#later;
      position = await this.#step(await this.#reader.at(position, this.#limits.keys), subject);
    } while (this.#frames.length > 0);
    if (position < subject.end) await this.#around(position, subject.end, 'after');
    return over(subject.end) ? undefined : { cuts: this.#cuts, levels: this.#levels, worth: this.#worth };
  }

  /** `quiet` is the mark if there is no room for words. */
  #cut(cut: Cut, quiet: Cut['mark'] = () => ''): void {
    this.#cuts.push(this.#limits.quiet === 'all' ? { ...cut, mark: quiet } : cut);
    this.#cutBytes += cut.end - cut.start - MARK_BYTES;
  }

  /** Processes one token inside the root element, or the root itself; returns where to continue. */
  async #step(token: Token, subject: Subject): Promise<Bytes> {
    const frame = this.#frames.at(-1);
    switch (token.kind) {
      case 'open':
        return this.#open(token, frame, subject);
      case 'close':
        if (!frame || (await this.#reader.name(token)) !== frame.name)
          throw new Malformed('an end tag does not match its start tag', token.start);
        this.#frames.pop();
        return token.end;
      case 'doctype':
        throw new Malformed('a document type stands inside an element', token.start);
      case 'end':
        throw new Malformed('an element is not closed', subject.open.start);
      default: {
        if (!frame) throw new Malformed('text stands outside the root element', token.start);
        const blank =
          token.kind === 'text' && (await this.#window.skipBlank(token.start, token.end)) === token.end;
        if (!blank) {
          // Mixed content alternates text and elements, so it has at most one more text than elements.
          if (frame.others > 2 * this.#limits.items) return this.#leaveOut(frame, token.start);
          frame.others++;
          this.#worth += frame.weight;
        }
        await this.#body(token, blank, extendPath(frame.path, stepOf(NODE_TESTS[token.kind], frame.kinds)));
        return token.end;
      }
    }
  }

  async #open(token: OpenToken, parent: Frame | undefined, subject: Subject): Promise<Bytes> {
    if (parent) {
      const level = this.#frames.length;
      const allowed = level < this.#limits.depth ? membersAt(this.#limits, 'array', level) : 0;
      if (parent.children >= allowed) return this.#leaveOut(parent, token.start);
      parent.children++;
    }
    const name = await this.#reader.name(token);
    const path = parent ? extendPath(parent.path, stepOf(name, parent.names)) : subject.path;
    const weight = parent ? parent.weight * itemWeight((parent.names.get(name) ?? 1) - 1) : 1;
    this.#levels = Math.max(this.#levels, this.#frames.length + 1);
    this.#worth += weight * token.attributes.length;
    await this.#attributes(token, path);
    if (token.empty) return token.end;
    const content = parent ? await this.#contents.of(token) : subject.content;
    this.#frames.push({
      name,
      path,
      content,
      names: new Map(),
      kinds: new Map(),
      weight,
      children: 0,
      others: 0,
    });
    return token.end;
  }

  /** Leaves out the rest of an element's content from the node at `start` on. */
  async #leaveOut(frame: Frame, start: Bytes): Promise<Bytes> {
    const { close, children: of } = frame.content;
    const end = await this.#window.trimBlank(start, close);
    const hidden = of - frame.children;
    if (frame.children + frame.others === 0) this.#worth += frame.weight * CUT_WORTH;
    let text: string;
    if (hidden <= 0) text = plural(await this.#window.units(start, end), 'more character');
    else {
      text = restText(hidden, 'element', frame.children);
      if (frame.others > 0) text += ' and text';
    }
    this.#cut({
      start,
      end,
      unit: 'element',
      path: frame.path,
      first: frame.children + 1,
      of,
      mark: remark(text),
    });
    return close;
  }

  /** Shortens a text, comment, CDATA section or processing instruction to the limit. */
  async #body(token: BodyToken, blank: boolean, path: string): Promise<void> {
    const { bodyEnd: end, kind } = token;
    const bodyStart = kind === 'instruction' ? await this.#afterTarget(token) : token.bodyStart;
    const limit = blank ? Math.max(BLANK_UNITS, this.#limits.string) : this.#limits.string;
    if (end - bodyStart <= limit) return;
    const of = await this.#window.units(bodyStart, end);
    if (of <= limit) return;
    const shown = blank ? 0 : await this.#prefix(bodyStart, end, limit, kind === 'text');
    const start = blank ? bodyStart : await this.#after(bodyStart, end, shown);
    const hidden = plural(of - shown, 'more character');
    const cut = { start, end, unit: 'character', path, first: shown + 1, of } as const;
    if (blank) this.#cut({ ...cut, mark: remark(`${plural(of, 'character')} of white space`) });
    else if (kind === 'text') this.#cut({ ...cut, mark: (glyph) => glyph + remark(hidden)(glyph) }, alone);
    else if (kind === 'comment')
      this.#cut({ ...cut, mark: (glyph) => `${glyph} ${hidden} of this comment ` }, alone);
    else {
      this.#cut({ ...cut, mark: alone }, alone);
      this.#remark(token.end, hidden);
    }
  }

  /** Start of an instruction's text; its target is always shown. */
  async #afterTarget({ bodyStart, bodyEnd }: BodyToken): Promise<Bytes> {
    const head = await this.#window.slice(bodyStart, Math.min(bodyEnd, bodyStart + MAX_NAME_BYTES));
    const blank = head.findIndex(isBlankByte);
    return blank < 0 ? bodyEnd : bodyStart + blank + 1;
  }

  #remark(at: Bytes, text: string): void {
    this.#cut({
      start: at,
      end: at,
      unit: 'character',
      path: '',
      first: 1,
      of: 0,
      mark: remark(text),
    });
  }

  /** Shortens attribute values, omits attributes beyond the limit, and adds remarks after the tag. */
  async #attributes(tag: OpenToken, path: string): Promise<void> {
    const remarks: string[] = [];
    for (const { start, nameEnd, valueStart, valueEnd, units } of tag.attributes) {
      if (units <= this.#limits.string) continue;
      const shown = await this.#prefix(valueStart, valueEnd, this.#limits.string, true);
      const name = await this.#window.text(start, Math.min(nameEnd, start + 60));
      const cut = {
        start: await this.#after(valueStart, valueEnd, shown),
        end: valueEnd,
        unit: 'character',
        path: extendPath(path, `@${name}`),
        first: shown + 1,
        of: units,
        mark: alone,
      } as const;
      this.#cut(cut, alone);
      // A name may contain text that is not allowed in a comment.
      const label = name.includes('--') || name.endsWith('-') ? 'a value' : name;
      remarks.push(`${label}: ${plural(units - shown, 'more character')}`);
    }
    const kept = tag.attributes.length;
    if (tag.count > kept) {
      const last = tag.attributes.at(-1);
      this.#cut({
        start: last ? last.valueEnd + 1 : tag.nameEnd,
        end: tag.attributesEnd,
        unit: 'attribute',
        path,
        first: kept + 1,
        of: tag.count,
        mark: () => '',
      });
      remarks.push(restText(tag.count - kept, 'attribute', kept));
    }
    if (remarks.length > 0) this.#remark(tag.end, remarks.join('; '));
  }

  /** Handles what stands before or after the root element: its first nodes are shown, as far as there is room. */
  async #around(from: Bytes, to: Bytes, side: 'before' | 'after'): Promise<void> {
    const most = AROUND_BYTES * this.#limits.items;
    let start = -1;
    let end = from;
    for (let position = from; position < to; ) {
      const token = await this.#reader.at(position);
      if (token.kind === 'open') throw new Malformed('there is a second root element', token.start);
      if (token.kind === 'close') throw new Malformed('an end tag has no start tag', token.start);
      if (token.kind === 'end') break;
      const isText = token.kind === 'text';
      if (isText && (await this.#window.skipBlank(token.start, token.end)) < token.end)
        throw new Malformed('text stands outside the root element', token.start);
      position = token.end;
      if (isText && token.end - token.start <= BLANK_UNITS) continue;
      if (start < 0 && token.end - from > most) start = token.start;
      end = token.end;
      if (start >= 0) {
        end = this.#contents.around.get(from) ?? end;
        if (end > position) break;
      }
    }
    if (start < 0) return;
    this.#contents.around.set(from, end);
    const before = await this.#window.units(from, start);
    const hidden = await this.#window.units(start, end);
    const mark = remark(`${restText(hidden, 'character', before)} ${side} the root element`);
    this.#cut({
      start,
      end,
      unit: 'character',
      path: side === 'before' ? 'prolog' : 'epilog',
      first: before + 1,
      of: before + hidden,
      mark: this.#limits.quiet ? () => '' : mark,
    });
  }

  /** Number of UTF-16 units of `[from, to)` to show: at most `limit`, without splitting a character or reference. */
  async #prefix(from: Bytes, to: Bytes, limit: number, references: boolean): Promise<number> {
    const bytes = await this.#window.slice(from, Math.min(to, from + 3 * limit + 256));
    const text = decodeUtf8(bytes);
    let cut = limit === 0 ? 0 : safeCut(text, limit);
    if (cut > limit) cut = 0;
    if (!references) return cut;
    const ampersand = text.lastIndexOf('&', cut - 1);
    return cut > 0 && ampersand >= 0 && !text.slice(ampersand, cut).includes(';') ? ampersand : cut;
  }

  async #after(from: Bytes, to: Bytes, units: number): Promise<Bytes> {
    return from + indexAfterUnits(await this.#window.slice(from, Math.min(to, from + 3 * units + 4)), units);
  }
}
