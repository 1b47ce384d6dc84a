// Tracks what is left of a request as files are added and removed: tokens, bytes, pictures, documents, pages. Only
// counts; makes no decisions.

import { type Bytes, plural, type Tokens } from '../contract/index.ts';
import type { Limits, LimitValues } from '../models/index.ts';

/**
 * What the conversation already contains and sends again with the attachments, because limits apply to the whole
 * request.
 */
export interface Held {
  readonly images?: number;
  /** PDF files. */
  readonly documents?: number;
  /** Of these documents. */
  readonly pages?: number;
  /** Of the request body. */
  readonly requestBytes?: Bytes;
  /** Of recordings. */
  readonly audioSeconds?: number;
}

/** Reserved for everything around the attachments in a request: model, options, the caller's own text. */
const ENVELOPE: Bytes = 64 * 1024;
/** Maximum bytes of names and types around the data of one part. */
export const AROUND_PART: Bytes = 4096;

const INFINITE = Number.POSITIVE_INFINITY;

/** Length of `bytes` bytes as base64 (RFC 4648, with padding). */
export function base64Length(bytes: Bytes): Bytes {
  return Math.ceil(bytes / 3) * 4;
}

/** How much of a request has been used. */
export interface Taken {
  readonly tokens: Tokens;
  readonly bytes: Bytes;
  readonly images: number;
  readonly documents: number;
  readonly pages: number;
  readonly documentBytes: Bytes;
  readonly seconds: number;
  /** Pictures and, where they count, documents. */
  readonly many: number;
}

const NOTHING: Taken = {
  tokens: 0,
  bytes: 0,
  images: 0,
  documents: 0,
  pages: 0,
  documentBytes: 0,
  seconds: 0,
  many: 0,
};

function sum(a: Taken, b: Taken, sign: 1 | -1): Taken {
  return {
    tokens: a.tokens + sign * b.tokens,
    bytes: a.bytes + sign * b.bytes,
    images: a.images + sign * b.images,
    documents: a.documents + sign * b.documents,
    pages: a.pages + sign * b.pages,
    documentBytes: a.documentBytes + sign * b.documentBytes,
    seconds: a.seconds + sign * b.seconds,
    many: a.many + sign * b.many,
  };
}

/** What is left of the request. */
export class Allowance {
  readonly limits: Limits;
  readonly #room: Omit<Taken, 'many'>;
  #taken: Taken;
  #crowded = false;

  constructor(limits: Limits, tokens: Tokens, held: Held) {
    this.limits = limits;
    this.#room = {
      tokens,
      bytes: limits.requestBytes.value - ENVELOPE - (held.requestBytes ?? 0),
      images: left(limits.images.value, held.images),
      documents: left(limits.pdfFiles.value, held.documents),
      pages: left(limits.pdfPages.value, held.pages),
      documentBytes: limits.pdfTotalBytes.value ?? INFINITE,
      seconds: left(limits.audioSeconds.value, held.audioSeconds),
    };
    const many = (held.images ?? 0) + (limits.manyCountsDocuments.value ? (held.documents ?? 0) : 0);
    this.#taken = { ...NOTHING, many };
  }

  get tokens(): Tokens {
    return Math.max(0, this.#room.tokens - this.#taken.tokens);
  }

  get bytes(): Bytes {
    return Math.max(0, this.#room.bytes - this.#taken.bytes);
  }

  get images(): number {
    return this.#room.images - this.#taken.images;
  }

  get documents(): number {
    return this.#room.documents - this.#taken.documents;
  }

  /** Everything used so far. */
  get taken(): Taken {
    return this.#taken;
  }

  /** What was used since `before`. */
  since(before: Taken): Taken {
    return sum(this.#taken, before, -1);
  }

  take(taken: Taken): void {
    this.#taken = sum(this.#taken, taken, 1);
  }

  giveBack(taken: Taken): void {
    this.#taken = sum(this.#taken, taken, -1);
  }

  /** Announces how many pictures and documents may follow, so that the first ones already obey the limits for many. */
  expect(images: number, documents: number): void {
    const { manyImages, manyCountsDocuments } = this.limits;
    const coming = images + (manyCountsDocuments.value ? documents : 0);
    this.#crowded = manyImages.value !== null && images > 0 && this.#taken.many + coming > manyImages.value;
  }

  /** The longest edge a picture may have now. */
  get edge(): number {
    const { imageEdge, manyImagesEdge } = this.limits;
    const edge = imageEdge.value ?? INFINITE;
    return this.#crowded ? Math.min(edge, manyImagesEdge.value ?? edge) : edge;
  }

  /** True if one more, unannounced picture exceeds no limit on their number. */
  get another(): boolean {
    const { manyImages } = this.limits;
    return (
      this.images > 0 && (this.#crowded || manyImages.value === null || this.#taken.many < manyImages.value)
    );
  }

  /** Why a PDF of this size cannot be included unchanged; undefined if it can. */
  refusesDocument(bytes: Bytes, pages: number): string | undefined {
    const { pdfBytes, pdfPages, pdfFiles } = this.limits;
    if (this.documents < 1) return `the request accepts ${plural(pdfFiles.value ?? 0, 'PDF file')}`;
    if (bytes > (pdfBytes.value ?? INFINITE))
      return `it has ${bytes} bytes, more than the ${pdfBytes.value} accepted for a PDF file`;
    if (bytes > this.#room.documentBytes - this.#taken.documentBytes)
      return 'the PDF files together exceed the limit of the request';
    const pagesLeft = this.#room.pages - this.#taken.pages;
    if (pages > pagesLeft)
      return pages > (pdfPages.value ?? INFINITE)
        ? `it has ${plural(pages, 'page')}, more than the ${pdfPages.value} accepted`
        : `only ${pagesLeft} of the ${pdfPages.value} pages accepted in the request are left`;
    if (base64Length(bytes) + AROUND_PART > this.bytes) return 'the request would be too large';
    return undefined;
  }

  /** Why a recording cannot be included unchanged; undefined if it can. */
  refusesSound(bytes: Bytes, seconds: number): string | undefined {
    const { audioBytes } = this.limits;
    if (bytes > (audioBytes.value ?? INFINITE))
      return `it has ${bytes} bytes, more than the ${audioBytes.value} accepted for a recording`;
    if (seconds > this.#room.seconds - this.#taken.seconds)
      return 'the recordings together exceed the duration limit of the request';
    if (base64Length(bytes) + AROUND_PART > this.bytes) return 'the request would be too large';
    return undefined;
  }

  takeTokens(tokens: Tokens): void {
    this.take({ ...NOTHING, tokens });
  }

  takeBytes(bytes: Bytes): void {
    this.take({ ...NOTHING, bytes });
  }

  takeText(text: string): void {
    this.takeBytes(jsonBytes(text) + AROUND_PART);
  }

  takeImage(bytes: Bytes): void {
    this.take({ ...NOTHING, images: 1, many: 1, bytes: base64Length(bytes) + AROUND_PART });
  }

  takeDocument(bytes: Bytes, pages: number): void {
    this.take({
      ...NOTHING,
      documents: 1,
      many: this.limits.manyCountsDocuments.value ? 1 : 0,
      pages,
      documentBytes: bytes,
      bytes: base64Length(bytes) + AROUND_PART,
    });
  }

  takeSound(bytes: Bytes, seconds: number): void {
    this.take({ ...NOTHING, seconds, bytes: base64Length(bytes) + AROUND_PART });
  }
}

function left(limit: LimitValues['images'], held: number | undefined): number {
  return Math.max(0, (limit ?? INFINITE) - (held ?? 0));
}

/** Bytes of `text` as JSON. */
export function jsonBytes(text: string): Bytes {
  return Buffer.byteLength(JSON.stringify(text));
}
