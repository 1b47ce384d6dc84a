// The tokens of XML, and where XML is malformed.

import type { Bytes } from '../../../src/contract/index.ts';

/** What is wrong with the markup, and at which byte. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
  readonly position: Bytes;

  constructor(what: string, position: Bytes) {
    super(what);
    this.position = position;
  }
}

/** `start` is the name's; `valueStart` and `valueEnd` lie inside the quotes; `units` is the value's length in UTF-16. */
export interface Attribute {
  readonly start: Bytes;
  readonly nameEnd: Bytes;
  readonly valueStart: Bytes;
  readonly valueEnd: Bytes;
  readonly units: number;
}

/** A start tag. `attributes` are the first of `count`; `attributesEnd` is one past the last one's quote. */
export interface OpenToken {
  readonly kind: 'open';
  readonly start: Bytes;
  readonly end: Bytes;
  readonly nameEnd: Bytes;
  /** Written `<name/>`. */
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

/** Text, or markup with a body: a comment, a CDATA section, a processing instruction. */
export interface BodyToken {
  readonly kind: 'text' | 'comment' | 'cdata' | 'instruction';
  readonly start: Bytes;
  readonly end: Bytes;
  readonly bodyStart: Bytes;
  readonly bodyEnd: Bytes;
}

/** `subsetStart` and `subsetEnd` lie inside the brackets; both are `end` where there are none. */
export interface DoctypeToken {
  readonly kind: 'doctype';
  readonly start: Bytes;
  readonly end: Bytes;
  readonly subsetStart: Bytes;
  readonly subsetEnd: Bytes;
}

interface EndToken {
  readonly kind: 'end';
  readonly start: Bytes;
  readonly end: Bytes;
}

export type Token = OpenToken | CloseToken | BodyToken | DoctypeToken | EndToken;
