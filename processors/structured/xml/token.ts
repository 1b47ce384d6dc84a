// Reads XML markup one token at a time by byte offset: finds where each token ends, however long it is, without
// interpreting it. Checks only what it relies on; `validate.ts` checks the rest.

import type { Bytes } from '../../../src/contract/index.ts';
import { isBlankByte } from '../byte-window.ts';
import type { TextWindow } from '../text-window.ts';
import {
  type Attribute,
  type BodyToken,
  type CloseToken,
  type DoctypeToken,
  Malformed,
  type OpenToken,
  type Token,
} from './token-kinds.ts';

const LT = 0x3c;
const GT = 0x3e;
const SLASH = 0x2f;
const BANG = 0x21;
const QUESTION = 0x3f;
const EQUALS = 0x3d;
const DASH = 0x2d;
const DOUBLE = 0x22;
const SINGLE = 0x27;
/** Longest name held in memory, in bytes; longer ones are compared by their beginning. */
export const MAX_NAME_BYTES = 1024;

/** Reads tokens anywhere in a source. Not for concurrent use. */
export class TokenReader {
  readonly window: TextWindow;

  constructor(window: TextWindow) {
    this.window = window;
  }

  /**
   * The token at `position`, which must be the start of a token. Records the first `keep` attributes of a tag.
   * @throws {Malformed}
   */
  async at(position: Bytes, keep = 0): Promise<Token> {
    return this.#near(position) ?? this.#read(position, keep);
  }

  /** A text, end tag or node with a body that is completely in the loaded bytes; most tokens are. */
  #near(start: Bytes): CloseToken | BodyToken | undefined {
    const { bytes, start: base } = this.window;
    const at = start - base;
    if (at < 0 || at >= bytes.length) return undefined;
    if (bytes[at] !== LT) {
      const next = bytes.indexOf(LT, at);
      if (next < 0) return undefined;
      return { kind: 'text', start, end: base + next, bodyStart: start, bodyEnd: base + next };
    }
    if (bytes[at + 1] === SLASH) {
      const close = bytes.indexOf(GT, at + 2);
      return close < 0 ? undefined : { kind: 'close', start, end: base + close + 1 };
    }
    const instruction = bytes[at + 1] === QUESTION;
    if (!instruction && !(bytes[at + 1] === BANG && bytes[at + 2] === DASH && bytes[at + 3] === DASH))
      return undefined;
    const lead = instruction ? 2 : 4;
    const tail = instruction ? 1 : 2;
    const before = instruction ? QUESTION : DASH;
    for (let close = at + lead + tail - 1; ; ) {
      close = bytes.indexOf(GT, close + 1);
      if (close < 0) return undefined;
      if (bytes[close - 1] !== before || bytes[close - tail] !== before) continue;
      const kind = instruction ? 'instruction' : 'comment';
      const end = base + close + 1;
      return { kind, start, end, bodyStart: start + lead, bodyEnd: base + close - tail };
    }
  }

  async #read(position: Bytes, keep: number): Promise<Token> {
    const { window } = this;
    const byte = await window.byteAt(position);
    if (byte < 0) return { kind: 'end', start: position, end: position };
    if (byte !== LT) {
      const next = await window.find(LT, position);
      const end = next < 0 ? window.size : next;
      return { kind: 'text', start: position, end, bodyStart: position, bodyEnd: end };
    }
    switch (await window.byteAt(position + 1)) {
      case SLASH: {
        const end = await window.find(GT, position + 2);
        if (end < 0) throw new Malformed('an end tag is not finished', position);
        return { kind: 'close', start: position, end: end + 1 };
      }
      case QUESTION:
        return this.#body('instruction', position, 2, '?>');
      case BANG:
        if (await window.startsWith('<!--', position)) return this.#body('comment', position, 4, '-->');
        if (await window.startsWith('<![CDATA[', position)) return this.#body('cdata', position, 9, ']]>');
        if (await window.startsWith('<!DOCTYPE', position)) return this.#doctype(position);
        throw new Malformed('`<!` starts no comment, CDATA section or document type', position);
      case -1:
        throw new Malformed('a tag is not finished', position);
      default:
        return this.#open(position, keep);
    }
  }

  /** The name in a tag that starts at `start`, cut at 1024 bytes. */
  async name(token: OpenToken | CloseToken): Promise<string> {
    const from = token.start + (token.kind === 'close' ? 2 : 1);
    if (token.kind === 'open') return this.window.text(from, Math.min(token.nameEnd, from + MAX_NAME_BYTES));
    const bytes = await this.window.slice(from, Math.min(token.end - 1, from + MAX_NAME_BYTES));
    let end = 0;
    while (end < bytes.length && !isBlankByte(bytes[end] ?? 0)) end++;
    return this.window.text(from, from + end);
  }

  async #body(kind: BodyToken['kind'], start: Bytes, lead: number, closing: string): Promise<BodyToken> {
    const end = await this.window.findClosing(closing, start + lead);
    if (end < 0) throw new Malformed(`${UNFINISHED[kind]} is not closed by \`${closing}\``, start);
    return { kind, start, end, bodyStart: start + lead, bodyEnd: end - closing.length };
  }

  async #open(start: Bytes, keep: number): Promise<OpenToken> {
    const { window } = this;
    const attributes: Attribute[] = [];
    let count = 0;
    let state: number = State.Name;
    let nameEnd = start + 1;
    let attributeStart = 0;
    let attributeNameEnd = 0;
    let valueStart = 0;
    let units = 0;
    let attributesEnd = 0;
    for (let position = start + 1; await window.load(position, 1); position = window.end) {
      const { bytes, start: base } = window;
      for (let index = position - base; index < bytes.length; index++) {
        const byte = bytes[index] ?? 0;
        const at = base + index;
        if (state === State.Double || state === State.Single) {
          if (byte === (state === State.Double ? DOUBLE : SINGLE)) {
            if (count < keep)
              attributes.push({
                start: attributeStart,
                nameEnd: attributeNameEnd,
                valueStart,
                valueEnd: at,
                units,
              });
            count++;
            attributesEnd = at + 1;
            state = State.AfterValue;
          } else if (byte === LT) throw new Malformed('`<` stands in an attribute value', at);
          else if (byte < 0x80) units++;
          else if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1;
          continue;
        }
        const blank = isBlankByte(byte);
        if (byte === GT) {
          if (state === State.AttributeName || state === State.BeforeEquals || state === State.BeforeValue)
            throw new Malformed('an attribute has no quoted value', attributeStart);
          if (state === State.Name) nameEnd = at;
          if (nameEnd === start + 1) throw new Malformed('a tag has no name', start);
          return {
            kind: 'open',
            start,
            end: at + 1,
            nameEnd,
            empty: state === State.Slash,
            attributes,
            count,
            attributesEnd: count === 0 ? nameEnd : attributesEnd,
          };
        }
        if (byte === LT || state === State.Slash)
          throw new Malformed(
            byte === LT ? '`<` stands inside a tag' : '`/` in a tag is not followed by `>`',
            at,
          );
        switch (state) {
          case State.Name:
            if (blank || byte === SLASH) {
              nameEnd = at;
              state = blank ? State.Between : State.Slash;
            }
            break;
          case State.AfterValue:
            if (blank) state = State.Between;
            else if (byte === SLASH) state = State.Slash;
            else throw new Malformed('no white space between attributes', at);
            break;
          case State.Between:
            if (byte === SLASH) state = State.Slash;
            else if (!blank) {
              attributeStart = at;
              state = State.AttributeName;
            }
            break;
          case State.AttributeName:
          case State.BeforeEquals:
            if (byte === EQUALS) {
              if (state === State.AttributeName) attributeNameEnd = at;
              state = State.BeforeValue;
            } else if (blank) {
              if (state === State.AttributeName) attributeNameEnd = at;
              state = State.BeforeEquals;
            } else if (state === State.BeforeEquals || byte === DOUBLE || byte === SINGLE)
              throw new Malformed('an attribute has no quoted value', attributeStart);
            break;
          case State.BeforeValue:
            if (byte === DOUBLE || byte === SINGLE) {
              state = byte === DOUBLE ? State.Double : State.Single;
              valueStart = at + 1;
              units = 0;
            } else if (!blank) throw new Malformed('an attribute value is not quoted', at);
            break;
        }
      }
    }
    throw new Malformed('a tag is not finished', start);
  }

  async #doctype(start: Bytes): Promise<DoctypeToken> {
    const { window } = this;
    let subset: 'none' | 'open' | 'closed' = 'none';
    let inDeclaration = false;
    for (let position = start + 9; ; ) {
      const at = await this.#nextOf(position, subset === 'open' ? SUBSET_STOPS : HEADER_STOPS);
      if (at < 0) throw new Malformed('the document type declaration is not finished', start);
      const byte = await window.byteAt(at);
      position = at + 1;
      if (byte === DOUBLE || byte === SINGLE) {
        if (subset === 'open' && !inDeclaration) continue;
        const close = await window.find(byte, at + 1);
        if (close < 0) throw new Malformed('a quoted text in the document type is not closed', at);
        position = close + 1;
      } else if (subset !== 'open') {
        if (byte === GT) return { kind: 'doctype', start, end: at + 1 };
        if (byte === OPEN_BRACKET && subset === 'none') subset = 'open';
        else throw new Malformed('the document type declaration is malformed', at);
      } else if (byte === LT) {
        const comment = await window.startsWith('<!--', at);
        if (comment || (await window.byteAt(at + 1)) === QUESTION) {
          position = await window.findClosing(comment ? '-->' : '?>', at + (comment ? 4 : 2));
          if (position < 0) throw new Malformed('the document type declaration is not finished', at);
        } else inDeclaration = true;
      } else if (byte === GT) {
        inDeclaration = false;
      } else if (byte === CLOSE_BRACKET && !inDeclaration) subset = 'closed';
    }
  }

  /** Offset of the next byte from `position` on that is marked in `stops`; -1 if there is none. */
  async #nextOf(position: Bytes, stops: Uint8Array): Promise<Bytes> {
    const { window } = this;
    for (let at = position; await window.load(at, 1); at = window.end) {
      const { bytes } = window;
      for (let index = at - window.start; index < bytes.length; index++)
        if (stops[bytes[index] ?? 0] === 1) return window.start + index;
    }
    return -1;
  }
}

const UNFINISHED: Readonly<Record<BodyToken['kind'], string>> = {
  text: 'text',
  comment: 'a comment',
  cdata: 'a CDATA section',
  instruction: 'a processing instruction',
};

const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

function stopsAt(text: string): Uint8Array {
  const stops = new Uint8Array(256);
  for (const character of text) stops[character.charCodeAt(0)] = 1;
  return stops;
}

const HEADER_STOPS = stopsAt(`"'[<>`);
const SUBSET_STOPS = stopsAt(`"'<>]`);

/** Parser state inside a start tag. */
const State = {
  Name: 0,
  Between: 1,
  AttributeName: 2,
  BeforeEquals: 3,
  BeforeValue: 4,
  Double: 5,
  Single: 6,
  AfterValue: 7,
  Slash: 8,
} as const;
