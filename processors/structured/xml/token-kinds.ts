// The tokens of XML, and the error for malformed markup.

import type { Bytes } from '../../../src/contract/index.ts';

/** An error in the markup and its byte offset. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
  readonly position: Bytes;

  constructor(what: string, position: Bytes) {
    super(what);
    this.position = position;
  }
}

/**
 * `start` is the offset of the name; `valueStart` and `valueEnd` are inside the quotes; `units` is the value's length
 * in UTF-16.
 */
export interface Attribute {
  readonly start: Bytes;
  readonly nameEnd: Bytes;
  readonly valueStart: Bytes;
  readonly valueEnd: Bytes;
  readonly units: number;
}

/** A start tag. `attributes` holds the first of `count`; `attributesEnd` is the offset after the last quote. */
export interface OpenToken {
  readonly kind: 'open';
  readonly start: Bytes;
  readonly end: Bytes;
  readonly nameEnd: Bytes;
  /** True for `<name/>`. */
  readonly empty: boolean;
  readonly attributes: readonly Attribute[];
  readonly count: number;
  readonly attributesEnd: Bytes;
}

export interface CloseToken {
  readonly kind: 'close';
  readonly start: Bytes;
  readonly end: Bytes;
}

/** Text, or markup with a body: a comment, CDATA section or processing instruction. */
export interface BodyToken {
  readonly kind: 'text' | 'comment' | 'cdata' | 'instruction';
  readonly start: Bytes;
  readonly end: Bytes;
  readonly bodyStart: Bytes;
  readonly bodyEnd: Bytes;
}

export interface DoctypeToken {
  readonly kind: 'doctype';
  readonly start: Bytes;
  readonly end: Bytes;
}

interface EndToken {
  readonly kind: 'end';
  readonly start: Bytes;
  readonly end: Bytes;
}

export type Token = OpenToken | CloseToken | BodyToken | DoctypeToken | EndToken;
