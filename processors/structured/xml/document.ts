// An open XML document: finds its root, any element by pointer, and the line and column of a byte. Nothing that was
// skipped is cached.

import { type Bytes, NotThisFormat, type TextSource } from '../../../src/contract/index.ts';
import { placeOf } from '../stretch.ts';
import { TextWindow } from '../text-window.ts';
import { type Content, Contents } from './content.ts';
import { doctypeFault } from './doctype.ts';
import { extendPath } from './node-test.ts';
import { TokenReader } from './token.ts';
import { Malformed, type OpenToken } from './token-kinds.ts';

/** UTF-16 units of a document type; the grammar of a longer one is not checked. */
const MAX_CHECKED_DOCTYPE = 256 * 1024;

interface Doctype {
  readonly external: boolean;
  readonly validated: boolean;
}

/** A part of a document: all of it, or one element. */
export interface Subject {
  readonly open: OpenToken;
  readonly content: Content;
  /** Pointer to the element. */
  readonly path: string;
  /** 0 and the file size for the document; otherwise the element's own range. */
  readonly start: Bytes;
  readonly end: Bytes;
}

export class XmlDocument {
  readonly source: TextSource;
  readonly window: TextWindow;
  readonly reader: TokenReader;
  readonly contents: Contents;
  readonly #signal: AbortSignal;

  constructor(source: TextSource, signal: AbortSignal) {
    this.source = source;
    this.#signal = signal;
    this.window = new TextWindow(source, signal);
    this.reader = new TokenReader(this.window);
    this.contents = new Contents(source, this.window, signal);
  }

  /**
   * The document around its root element.
   * @throws {Malformed}
   */
  async root(): Promise<Subject> {
    for (let position = 0; ; ) {
      const token = await this.reader.at(position);
      switch (token.kind) {
        case 'open': {
          const path = `/${await this.reader.name(token)}`;
          const content = await this.contents.of(token);
          return {
            open: token,
            content,
            path: extendPath('', path.slice(1)),
            start: 0,
            end: this.window.size,
          };
        }
        case 'end':
          throw new Malformed('there is no root element', token.start);
        case 'close':
        case 'cdata':
          throw new Malformed('the root element does not come first', token.start);
        case 'text':
          if ((await this.window.skipBlank(token.start, token.end)) < token.end)
            throw new Malformed('text stands before the root element', token.start);
      }
      position = token.end;
    }
  }

  /**
   * Validates the document type declaration before the root, if it has at most `most` bytes.
   * @returns whether it refers to external files, and whether it was validated; undefined if there is no declaration
   * @throws {NotThisFormat}
   */
  async doctype(root: Subject, most: Bytes): Promise<Doctype | undefined> {
    for (let position = 0; position < root.open.start; ) {
      const token = await this.reader.at(position);
      position = token.end;
      if (token.kind !== 'doctype') continue;
      if (token.end - token.start > most) return { external: false, validated: false };
      const text = await this.window.text(token.start, token.end);
      const validated = text.length <= MAX_CHECKED_DOCTYPE;
      const fault = validated ? doctypeFault(text) : undefined;
      if (fault !== undefined) {
        const { line, column } = await this.place(token.start + Buffer.byteLength(text.slice(0, fault)));
        throw notWellFormed('a declaration of the document type is not valid', line, column);
      }
      return { external: /\b(?:SYSTEM|PUBLIC)\b/.test(text), validated };
    }
    return undefined;
  }

  /** @throws {NotThisFormat} in place of `error`, with line and column */
  async reject(error: Malformed): Promise<never> {
    const { line, column } = await this.place(error.position);
    throw notWellFormed(error.message, line, column);
  }

  /** 1-based line and column (in characters) of a byte. */
  place(position: Bytes): Promise<{ readonly line: number; readonly column: number }> {
    return placeOf(this.source, position, this.#signal);
  }
}

/** The rejection of a file that is not well-formed. */
export function notWellFormed(what: string, line?: number, column?: number): NotThisFormat {
  const place = line === undefined ? '' : ` at line ${line}, column ${column}`;
  return new NotThisFormat({ code: 'INVALID_SYNTAX', message: `Not well-formed XML: ${what}${place}.` });
}
