// Finds where the content of elements ends and how many children they have, at scan speed, with a cache.

import { type Bytes, type Source, throwIfAborted } from '../../../src/contract/index.ts';
import { indexXmlChildren, locateXmlChild, XmlSkipper } from '../../../src/scan/index.ts';
import type { TextWindow } from '../text-window.ts';
import { Malformed, type OpenToken } from './token-kinds.ts';

/** The content of an element with an end tag. */
export interface Content {
  /** Offset after the start tag. */
  readonly start: Bytes;
  /** Offset of the end tag. */
  readonly close: Bytes;
  /** Offset after the end tag. */
  readonly end: Bytes;
  /** Direct child elements. */
  readonly children: number;
}

/** Longer contents are indexed by the scanner, so that a second call is free. */
const INDEXED_BYTES = 4 * 1024 * 1024;
const FIRST_BYTES = 4 * 1024;
const MOST_BYTES = 1024 * 1024;

/** Shorter contents are first searched in the loaded bytes; longer ones are cached. */
const NEAR_BYTES = 4 * 1024;
const REMEMBERED_BYTES = 1024;
const MAX_REMEMBERED = 10_000;

const LT = 0x3c;
const GT = 0x3e;
const SLASH = 0x2f;
const BANG = 0x21;
const QUESTION = 0x3f;
const DASH = 0x2d;
const DOUBLE = 0x22;
const SINGLE = 0x27;

/** Finds the contents of elements in one source. Not for concurrent use. */
export class Contents {
  readonly #source: Source;
  readonly #window: TextWindow;
  readonly #signal: AbortSignal;
  readonly #known = new Map<Bytes, Content>();

  constructor(source: Source, window: TextWindow, signal: AbortSignal) {
    this.#source = source;
    this.#window = window;
    this.#signal = signal;
  }

  /**
   * The content of the element whose start tag is `open`.
   * @throws {Malformed} if it is never closed
   */
  async of(open: OpenToken): Promise<Content> {
    if (open.empty) return { start: open.end, close: open.end, end: open.end, children: 0 };
    const known = this.#known.get(open.end);
    if (known) return known;
    const found = this.#near(open.end) ?? (await this.#skip(open.end)) ?? (await this.#index(open.end));
    if (!found) throw new Malformed('an element is not closed', open.start);
    if (found.end - found.start >= REMEMBERED_BYTES) {
      if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
      this.#known.set(open.end, found);
    }
    return found;
  }

  /** Offset of child `n` (1-based, must exist) of the element whose start tag is `open`. */
  async child(open: OpenToken, n: number): Promise<Bytes> {
    const index = await indexXmlChildren(this.#source, open.end, this.#signal);
    return locateXmlChild(this.#source, index, n, this.#signal);
  }

  /** Number of elements at all depths below `open`, and their depth (0 for none). Reads all of it. */
  async below(open: OpenToken): Promise<{ readonly elements: number; readonly depth: number }> {
    if (open.empty) return { elements: 0, depth: 0 };
    const index = await indexXmlChildren(this.#source, open.end, this.#signal);
    return { elements: index.elements, depth: index.maxDepth - 1 };
  }

  /** The content that starts at `start`, if it is short, plain and loaded; does not read. */
  #near(start: Bytes): Content | undefined {
    const { bytes, start: base } = this.#window;
    const stop = Math.min(bytes.length, start - base + NEAR_BYTES);
    let depth = 1;
    let children = 0;
    let at = start - base;
    if (at < 0) return undefined;
    for (;;) {
      while (at < stop && bytes[at] !== LT) at++;
      const tag = at++;
      const second = bytes[at];
      // Sections, instructions and long comments are left to the scanner.
      if (second === BANG && bytes[at + 1] === DASH && bytes[at + 2] === DASH) {
        at = commentEnd(bytes, at + 3, stop);
        if (at < stop) continue;
      }
      if (second === BANG || second === QUESTION) return undefined;
      let quote = 0;
      for (; at < stop; at++) {
        const byte = bytes[at] ?? 0;
        if (quote !== 0) {
          if (byte === quote) quote = 0;
        } else if (byte === GT) break;
        else if ((byte === DOUBLE || byte === SINGLE) && second !== SLASH) quote = byte;
      }
      if (at >= stop) return undefined;
      if (second === SLASH) {
        if (--depth === 0) return { start, close: base + tag, end: base + at + 1, children };
      } else {
        if (depth === 1) children++;
        if (bytes[at - 1] !== SLASH) depth++;
      }
    }
  }

  async #skip(start: Bytes): Promise<Content | undefined> {
    const skipper = new XmlSkipper();
    skipper.begin();
    let length = FIRST_BYTES;
    for (let at = start; at < this.#source.size && at - start < INDEXED_BYTES; ) {
      throwIfAborted(this.#signal);
      const held = at >= this.#window.start && at < this.#window.end;
      const from = held ? at - this.#window.start : 0;
      const bytes = held
        ? this.#window.bytes.subarray(from, from + length)
        : await this.#source.read(at, length);
      if (bytes.length === 0) return undefined;
      const past = skipper.push(bytes, 0);
      if (past >= 0) {
        // An end tag contains no other `<`.
        const close = bytes.lastIndexOf(LT, past - 1);
        if (close >= 0) return { start, close: at + close, end: at + past, children: skipper.children };
        return this.#content(start, at + past, skipper.children);
      }
      at += bytes.length;
      length = Math.min(MOST_BYTES, length * 4);
    }
    return undefined;
  }

  async #index(start: Bytes): Promise<Content | undefined> {
    const index = await indexXmlChildren(this.#source, start, this.#signal);
    return index.closed ? this.#content(start, index.end, index.count) : undefined;
  }

  /** The content up to an end tag that ends at `end` and starts in bytes that are not loaded. */
  async #content(start: Bytes, end: Bytes, children: number): Promise<Content> {
    for (let most = 256; ; most *= 16) {
      const from = Math.max(start, end - most);
      const found = (await this.#source.read(from, end - from)).lastIndexOf(LT);
      if (found >= 0) return { start, close: from + found, end, children };
      if (from === start) throw new Malformed('an end tag has no start', start);
    }
  }
}

/** Index after the `-->` that is next in `bytes` from `from` on; `stop` if there is none before it. */
function commentEnd(bytes: Uint8Array, from: number, stop: number): number {
  for (let at = from + 2; at < stop; at++)
    if (bytes[at] === GT && bytes[at - 1] === DASH && bytes[at - 2] === DASH) return at + 1;
  return stop;
}
