// Reads a document or an element into a tree of what limits keep: its own text in memory, with the places of elements,
// attributes and texts in it. The rest is skipped at scan speed and counted.

import { type Bytes, safeCut } from '../../../src/contract/index.ts';
import { bytesOf, decodeUtf8 } from '../byte-window.ts';
import type { ElisionLimits } from '../elision.ts';
import type { TextWindow } from '../text-window.ts';
import type { Content } from './content.ts';
import type { Subject, XmlDocument } from './document.ts';
import { extendPath, NODE_TESTS, stepOf } from './node-test.ts';
import { MAX_NAME_BYTES } from './token.ts';
import { type BodyToken, Malformed, type OpenToken } from './token-kinds.ts';

/** A part of the text. `of` is its full length in UTF-16 units, of which only the beginning may be held. */
export interface XmlSpan {
  readonly from: number;
  readonly to: number;
  readonly of: number;
}

/** The value of an attribute. */
export interface XmlAttribute extends XmlSpan {
  readonly name: string;
}

/** The content of a text, comment, CDATA section or processing instruction, which is at `start` to `end`. */
export interface XmlBody extends XmlSpan {
  readonly kind: BodyToken['kind'];
  readonly start: number;
  readonly end: number;
  readonly path: string;
  /** White space alone. */
  readonly blank: boolean;
}

export interface XmlElement {
  readonly kind: 'element';
  readonly name: string;
  readonly path: string;
  readonly start: number;
  /** End of its name, its start tag, and its attributes. */
  readonly nameEnd: number;
  readonly tagEnd: number;
  readonly attributesEnd: number;
  readonly attributes: readonly XmlAttribute[];
  readonly attributeCount: number;
  readonly items: readonly (XmlElement | XmlBody)[];
  /** Child elements, held or not. */
  readonly children: number;
  /** What is not held of its content; without child elements, with its true length. */
  readonly rest: XmlSpan | undefined;
  /** Start of its end tag. */
  readonly close: number;
}

/** What stands before or after the root element. */
export interface XmlAround {
  readonly from: number;
  /** Long white space, comments and the like. */
  readonly tokens: readonly XmlSpan[];
  /** What is not held. */
  readonly rest: XmlSpan | undefined;
}

export interface XmlTree {
  readonly text: string;
  /** The limits that it was read under. */
  readonly limits: ElisionLimits;
  readonly before: XmlAround;
  readonly root: XmlElement;
  readonly after: XmlAround;
  /** The byte of the file that the unit of `text` at an offset comes from; `offset` is not inside a part left out. */
  byteAt(offset: number): Promise<Bytes>;
}

/** White space up to this length is shown unchanged even under a tighter text limit: it is indentation. */
export const BLANK_UNITS = 200;
/** What is shown before the root element, and after it, for each child element that an element shows. */
export const AROUND_UNITS = 20;
/** In place of what is not held. A cut always covers it. */
const HOLE = '\0';

/** The tree of `subject` under `limits`; undefined if its text has more than `capacity` units. @throws {Malformed} */
export async function readXml(
  document: XmlDocument,
  subject: Subject,
  limits: ElisionLimits,
  capacity: number,
): Promise<XmlTree | undefined> {
  try {
    return await new TreeReader(document, limits, capacity).read(subject);
  } catch (error) {
    if (error instanceof Full) return undefined;
    throw error;
  }
}

/** Ends a reading whose text is too long. */
class Full extends Error {}

class TreeReader {
  readonly #document: XmlDocument;
  readonly #window: TextWindow;
  readonly #limits: ElisionLimits;
  readonly #capacity: number;
  readonly #pieces: string[] = [];
  /** Where each piece starts, in the text and in the file. */
  readonly #offsets: number[] = [];
  readonly #bytes: Bytes[] = [];
  #length = 0;

  constructor(document: XmlDocument, limits: ElisionLimits, capacity: number) {
    this.#document = document;
    this.#window = document.window;
    this.#limits = limits;
    this.#capacity = capacity;
  }

  async read({ start, end, open, content, path }: Subject): Promise<XmlTree> {
    const before = await this.#around(start, open.start);
    const again = await this.#document.reader.at(open.start, this.#limits.keys);
    const root = await this.#element(again.kind === 'open' ? again : open, content, path, 1);
    const after = await this.#around(content.end, end);
    this.#piece('', end);
    const text = this.#pieces.join('');
    return { text, limits: this.#limits, before, root, after, byteAt: (offset) => this.#byteAt(offset) };
  }

  #piece(text: string, at: Bytes): void {
    this.#pieces.push(text);
    this.#offsets.push(this.#length);
    this.#bytes.push(at);
    this.#length += text.length;
    if (this.#length > this.#capacity) throw new Full();
  }

  async #add(from: Bytes, to: Bytes): Promise<void> {
    if (to - from > 3 * (this.#capacity - this.#length)) throw new Full();
    if (to > from) this.#piece(await this.#window.text(from, to), from);
  }

  async #byteAt(offset: number): Promise<Bytes> {
    const index = this.#offsets.findLastIndex((start) => start <= offset);
    const start = this.#bytes[index] ?? 0;
    const text = this.#pieces[index] ?? '';
    const units = offset - (this.#offsets[index] ?? 0);
    if (units === 0 || !text.includes('\ufffd')) return start + Buffer.byteLength(text.slice(0, units));
    return start + bytesOf(await this.#window.slice(start, this.#bytes[index + 1] ?? start), text, units);
  }

  /** Adds `[from, to)`, which has `of` units, 0 if few; if they are more than `limit`, only the beginning. */
  async #span(from: Bytes, to: Bytes, of: number, limit: number): Promise<XmlSpan> {
    const start = this.#length;
    const most = limit + 2;
    if (of <= most) await this.#add(from, to);
    else {
      const text = decodeUtf8(await this.#window.slice(from, Math.min(to, from + 3 * most + 4)));
      this.#piece(text.slice(0, safeCut(text, most)), from);
      this.#piece(HOLE, from);
    }
    return { from: start, to: this.#length, of: of || this.#length - start };
  }

  async #element(open: OpenToken, content: Content, path: string, level: number): Promise<XmlElement> {
    const { reader } = this.#document;
    const tag = await this.#tag(open);
    const name = await reader.name(open);
    const items: (XmlElement | XmlBody)[] = [];
    const names = new Map<string, number>();
    const kinds = new Map<string, number>();
    const { depth, items: most, keys } = this.#limits;
    let children = 0;
    let others = 0;
    let rest: XmlSpan | undefined;
    for (let position = open.end; position < content.close; ) {
      const token = await reader.at(position, keys);
      if (token.kind === 'doctype' || token.kind === 'end' || token.kind === 'close')
        throw new Malformed('an element is not closed', open.start);
      const isOpen = token.kind === 'open';
      const blank = token.kind === 'text' && (await this.#isBlank(token));
      // Mixed content alternates text and elements, so it has at most one more text than elements.
      if (isOpen ? level >= depth || children >= most : !blank && others > 2 * most) {
        rest = await this.#rest(token.start, content, children);
        break;
      }
      position = token.end;
      if (isOpen) {
        children++;
        const inner = await this.#document.contents.of(token);
        const at = extendPath(path, stepOf(await reader.name(token), names));
        items.push(await this.#element(token, inner, at, level + 1));
        position = inner.end;
        continue;
      }
      if (!blank) others++;
      items.push(await this.#body(token, blank, extendPath(path, stepOf(NODE_TESTS[token.kind], kinds))));
    }
    const close = this.#length;
    if (!open.empty) await this.#close(name, content);
    return { kind: 'element', name, path, ...tag, items, children: content.children, rest, close };
  }

  async #close(name: string, { close, end }: Content): Promise<void> {
    const token = await this.#document.reader.at(close);
    if (token.kind !== 'close' || (await this.#document.reader.name(token)) !== name)
      throw new Malformed('an end tag does not match its start tag', close);
    await this.#add(close, end);
  }

  async #isBlank({ start, end }: BodyToken): Promise<boolean> {
    return (await this.#window.skipBlank(start, end)) === end;
  }

  async #rest(start: Bytes, { close, children }: Content, shown: number): Promise<XmlSpan> {
    const end = await this.#window.trimBlank(start, close);
    const from = this.#length;
    const of = children > shown ? 1 : await this.#window.units(start, end);
    this.#piece(HOLE, start);
    await this.#add(end, close);
    return { from, to: from + 1, of };
  }

  async #tag(
    open: OpenToken,
  ): Promise<
    Pick<XmlElement, 'start' | 'nameEnd' | 'tagEnd' | 'attributesEnd' | 'attributes' | 'attributeCount'>
  > {
    const start = this.#length;
    await this.#add(open.start, open.nameEnd);
    const nameEnd = this.#length;
    const attributes: XmlAttribute[] = [];
    let at = open.nameEnd;
    for (const { start, nameEnd, valueStart, valueEnd, units } of open.attributes) {
      await this.#add(at, valueStart);
      const name = await this.#window.text(start, Math.min(nameEnd, start + 60));
      attributes.push({ name, ...(await this.#span(valueStart, valueEnd, units, this.#limits.string)) });
      at = valueEnd;
    }
    if (open.attributes.length > 0) await this.#add(at, ++at);
    if (open.count > open.attributes.length) {
      this.#piece(HOLE, at);
      at = open.attributesEnd;
    }
    const attributesEnd = this.#length;
    await this.#add(at, open.end);
    return { start, nameEnd, attributes, attributeCount: open.count, attributesEnd, tagEnd: this.#length };
  }

  async #body(token: BodyToken, blank: boolean, path: string): Promise<XmlBody> {
    const { kind, bodyEnd } = token;
    const start = this.#length;
    const from = kind === 'instruction' ? await this.#afterTarget(token) : token.bodyStart;
    await this.#add(token.start, from);
    const limit = blank ? Math.max(BLANK_UNITS, this.#limits.string) : this.#limits.string;
    const of = bodyEnd - from <= limit ? 0 : await this.#window.units(from, bodyEnd);
    const span = await this.#span(from, bodyEnd, of, limit);
    await this.#add(bodyEnd, token.end);
    return { kind, start, end: this.#length, path, blank, ...span };
  }

  /** Start of an instruction's text; its target is always shown. */
  async #afterTarget({ bodyStart, bodyEnd }: BodyToken): Promise<Bytes> {
    const head = await this.#window.text(bodyStart, Math.min(bodyEnd, bodyStart + MAX_NAME_BYTES));
    const blank = /[ \t\r\n]/.exec(head)?.index ?? -1;
    return blank < 0 ? bodyEnd : bodyStart + Buffer.byteLength(head.slice(0, blank)) + 1;
  }

  /** Reads what stands around the root element: its first nodes. All of it is checked. */
  async #around(from: Bytes, to: Bytes): Promise<XmlAround> {
    const first = this.#length;
    const most = AROUND_UNITS * this.#limits.items;
    const tokens: XmlSpan[] = [];
    let hole = -1;
    let end = from;
    for (let position = from; position < to; ) {
      const token = await this.#document.reader.at(position);
      if (token.kind === 'open') throw new Malformed('there is a second root element', token.start);
      if (token.kind === 'close') throw new Malformed('an end tag has no start tag', token.start);
      if (token.kind === 'end') break;
      if (token.kind === 'text' && !(await this.#isBlank(token)))
        throw new Malformed('text stands outside the root element', token.start);
      const isShort = token.kind === 'text' && token.end - token.start <= BLANK_UNITS;
      position = token.end;
      if (hole < 0 && !isShort && token.end - from > most) hole = token.start;
      if (hole < 0) {
        const start = this.#length;
        await this.#add(token.start, token.end);
        if (!isShort) tokens.push({ from: start, to: this.#length, of: this.#length - start });
      } else if (!isShort) end = position;
    }
    if (hole < 0) return { from: first, tokens, rest: undefined };
    const at = this.#length;
    const of = await this.#window.units(hole, end);
    this.#piece(HOLE, hole);
    await this.#add(end, to);
    return { from: first, tokens, rest: { from: at, to: at + 1, of } };
  }
}
