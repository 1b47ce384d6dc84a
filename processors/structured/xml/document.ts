// An open XML document: finds its root, any element by pointer, and the line and column of a byte. Nothing that was
// skipped is cached.

import {
  type Bytes,
  NotThisFormat,
  quoted,
  ReaderError,
  type TextSource,
} from '../../../src/contract/index.ts';
import { placeOf } from '../stretch.ts';
import { Contents } from './content.ts';
import { doctypeFault } from './doctype.ts';
import { extendPath } from './node-test.ts';
import { TokenReader } from './token.ts';
import { type Attribute, Malformed, type OpenToken } from './token-kinds.ts';
import type { Subject } from './view.ts';
import { TextWindow } from './window.ts';

const MAX_SEGMENTS = 1000;
const MAX_NEAR_NAMES = 10;

/** UTF-16 units of a document type; the grammar of a longer one is not checked. */
const MAX_CHECKED_DOCTYPE = 256 * 1024;

/** Maximum attributes searched for a name. */
export const MAX_ATTRIBUTES = 10_000;

const POINTER_HINT =
  'Write `/root/child[2]/name` (the second `child`), `/root/3` (the third child element), `/root/@id` (an attribute), or `*` for all: `/root/*`, `/root/child[*]/@id`.';

/** An attribute found by pointer. */
export interface FoundAttribute {
  readonly attribute: Attribute;
  readonly path: string;
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
   * @returns whether it refers to external files, or undefined if there is no declaration
   * @throws {NotThisFormat}
   */
  async doctype(root: Subject, most: Bytes): Promise<{ readonly external: boolean } | undefined> {
    for (let position = 0; position < root.open.start; ) {
      const token = await this.reader.at(position);
      position = token.end;
      if (token.kind !== 'doctype') continue;
      if (token.end - token.start > most) return { external: false };
      const text = await this.window.text(token.start, token.end);
      const fault = text.length <= MAX_CHECKED_DOCTYPE ? doctypeFault(text) : undefined;
      if (fault !== undefined) {
        const { line, column } = await this.place(token.start + Buffer.byteLength(text.slice(0, fault)));
        throw notWellFormed('a declaration of the document type is not valid', line, column);
      }
      return { external: /\b(?:SYSTEM|PUBLIC)\b/.test(text) };
    }
    return undefined;
  }

  /** The element whose start tag is at `start`, as a subject of its own. */
  async element(start: Bytes, path: string): Promise<Subject> {
    const token = await this.reader.at(start);
    if (token.kind !== 'open') throw new Malformed('no element starts here', start);
    const content = await this.contents.of(token);
    return { open: token, content, path, start, end: content.end };
  }

  /**
   * Resolves a pointer: RFC 6901 over elements. The first segment is the root element. A segment is an element name
   * (the first such child; if no name is equal, one without a prefix matches any prefix), a name with a number
   * `name[3]`, or a plain number (the n-th child element, from 1); a last segment `@name` is an attribute. `''` is the
   * whole document.
   * @throws {ReaderError} BAD_INPUT with the deepest element found and similar names
   */
  async find(root: Subject, pointer: string): Promise<Subject | FoundAttribute> {
    if (pointer === '' || pointer === '/') return root;
    const [first = '', ...rest] = segmentsOf(pointer);
    const rootName = await this.reader.name(root.open);
    const wanted = parseSegment(first);
    if (!(wanted.name === undefined || isNamed(rootName, wanted.name)) || wanted.number !== 1)
      throw notFound(pointer, '', [rootName], 1);
    let subject: Subject = root;
    for (const [index, segment] of rest.entries()) {
      if (segment.startsWith('@') && index === rest.length - 1)
        return this.#attribute(subject, segment, pointer);
      subject = await this.#child(subject, segment, pointer);
    }
    return subject === root ? { ...root, start: root.open.start, end: root.content.end } : subject;
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

  async #attribute(subject: Subject, segment: string, pointer: string): Promise<FoundAttribute> {
    const token = await this.reader.at(subject.open.start, MAX_ATTRIBUTES);
    const names: string[] = [];
    if (token.kind === 'open')
      for (const attribute of token.attributes) {
        const name = await this.window.text(
          attribute.start,
          Math.min(attribute.nameEnd, attribute.start + 1024),
        );
        if (isNamed(name, segment.slice(1))) return { attribute, path: extendPath(subject.path, `@${name}`) };
        if (names.length < MAX_NEAR_NAMES) names.push(`@${name}`);
      }
    throw notFound(pointer, subject.path, names, undefined);
  }

  async #child(subject: Subject, segment: string, pointer: string): Promise<Subject> {
    const { name, number } = parseSegment(segment);
    const { children } = subject.content;
    const names = new Set<string>();
    if (name === undefined) {
      if (number >= 1 && number <= children)
        return this.element(
          await this.contents.child(subject.open, number),
          extendPath(subject.path, String(number)),
        );
    } else if (children > 0) {
      let seen = 0;
      let seenUnprefixed = 0;
      let unprefixed: Bytes | undefined;
      for (let position = subject.open.end; position < subject.content.close; ) {
        const token = await this.reader.at(position);
        position = token.end;
        if (token.kind === 'end' || token.kind === 'close') break;
        if (token.kind !== 'open') continue;
        const found = await this.reader.name(token);
        if (found === name && ++seen === number)
          return this.element(token.start, extendPath(subject.path, segment));
        if (isNamed(found, name) && ++seenUnprefixed === number) unprefixed = token.start;
        if (names.size < MAX_NEAR_NAMES) names.add(found);
        position = await this.#past(token);
      }
      if (seen === 0 && unprefixed !== undefined)
        return this.element(unprefixed, extendPath(subject.path, segment));
    }
    throw notFound(pointer, subject.path, [...names], children);
  }

  async #past(token: OpenToken): Promise<Bytes> {
    return token.empty ? token.end : (await this.contents.of(token)).end;
  }
}

/** The rejection of a file that is not well-formed. */
export function notWellFormed(what: string, line?: number, column?: number): NotThisFormat {
  const place = line === undefined ? '' : ` at line ${line}, column ${column}`;
  return new NotThisFormat({ code: 'INVALID_SYNTAX', message: `Not well-formed XML: ${what}${place}.` });
}

/** The unescaped segments of a pointer. @throws {ReaderError} BAD_INPUT */
export function segmentsOf(pointer: string): string[] {
  if (!pointer.startsWith('/'))
    throw new ReaderError(
      'BAD_INPUT',
      `\`pointer\` is ${quoted(pointer)}; expected it to start with \`/\`.`,
      POINTER_HINT,
    );
  const segments = pointer.slice(1).split('/');
  if (segments.length > MAX_SEGMENTS)
    throw new ReaderError('BAD_INPUT', `\`pointer\` has more than ${MAX_SEGMENTS} segments.`, POINTER_HINT);
  return segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function parseSegment(segment: string): { readonly name: string | undefined; readonly number: number } {
  if (/^\d{1,15}$/.test(segment)) return { name: undefined, number: Number(segment) };
  const indexed = /^(.+)\[(\d{1,15})\]$/s.exec(segment);
  return indexed ? { name: indexed[1] ?? '', number: Number(indexed[2]) } : { name: segment, number: 1 };
}

export function isNamed(found: string, wanted: string): boolean {
  return found === wanted || (!wanted.includes(':') && found.slice(found.indexOf(':') + 1) === wanted);
}

export function notFound(
  pointer: string,
  deepest: string,
  names: readonly string[],
  children: number | undefined,
): ReaderError {
  const near = names.length > 0 ? `, among them ${names.map(quoted).join(', ')}` : '';
  const inside = deepest === '' ? 'the document' : quoted(deepest);
  const holds = children === undefined ? 'attributes' : children === 1 ? '1 element' : `${children} elements`;
  return new ReaderError(
    'BAD_INPUT',
    `\`pointer\` ${quoted(pointer)} was not found: ${inside} has ${holds}${near}.`,
    POINTER_HINT,
  );
}
