// What is left of a request while files are put into it and taken out again: tokens, bytes, pictures, documents, pages.
// Counts; decides nothing.

import { type Bytes, plural, type Tokens } from '../contract/index.ts';
import type { Limits, LimitValues } from '../models/index.ts';

/** What a conversation already holds that is sent again with the attachments: limits are of the whole request. */
export interface Held {
  readonly images?: number;
  /** PDF files. */
  readonly documents?: number;
  /** Of these documents. */
  readonly pages?: number;
  /** Of the request's body. */
  readonly requestBytes?: Bytes;
  /** Of recordings. */
  readonly audioSeconds?: number;
}

/** For what stands around the attachments in a request: model, options, the caller's own words. */
const ENVELOPE: Bytes = 64 * 1024;
/** For the names and types around the data of one part, at most. */
export const AROUND_PART: Bytes = 4096;

const INFINITE = Number.POSITIVE_INFINITY;

/** Length of `bytes` bytes as base64 (RFC 4648, with padding). */
export function base64Length(bytes: Bytes): Bytes {
  return Math.ceil(bytes / 3) * 4;
}

/** What was taken of a request's room. */
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

/** The room that is left. */
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

  /** All that was taken so far. */
  get taken(): Taken {
    return this.#taken;
  }

  /** What was taken since all of it was `before`. */
  since(before: Taken): Taken {
    return sum(this.#taken, before, -1);
  }

  take(taken: Taken): void {
    this.#taken = sum(this.#taken, taken, 1);
  }

  giveBack(taken: Taken): void {
    this.#taken = sum(this.#taken, taken, -1);
  }

  /** Tells how many pictures and documents may come, so that the first already keep to what many of them may have. */
  expect(images: number, documents: number): void {
    const { manyImages, manyCountsDocuments } = this.limits;
    const coming = images + (manyCountsDocuments.value ? documents : 0);
    this.#crowded = manyImages.value !== null && images > 0 && this.#taken.many + coming > manyImages.value;
  }

  /** The longest edge that a picture may have now. */
  get edge(): number {
    const { imageEdge, manyImagesEdge } = this.limits;
    const edge = imageEdge.value ?? INFINITE;
    return this.#crowded ? Math.min(edge, manyImagesEdge.value ?? edge) : edge;
  }

  /** True when one more picture that nobody expected breaks no bound on many. */
  get another(): boolean {
    const { manyImages } = this.limits;
    return (
      this.images > 0 && (this.#crowded || manyImages.value === null || this.#taken.many < manyImages.value)
    );
  }

  /** Why a PDF of this size cannot go as it is; undefined when it can. */
  refusesDocument(bytes: Bytes, pages: number): string | undefined {
    const { pdfBytes, pdfPages, pdfFiles } = this.limits;
    if (this.documents < 1) return `the request takes ${plural(pdfFiles.value ?? 0, 'PDF file')}`;
    if (bytes > (pdfBytes.value ?? INFINITE))
      return `it has ${bytes} bytes of at most ${pdfBytes.value} for a PDF file`;
    if (bytes > this.#room.documentBytes - this.#taken.documentBytes)
      return 'the PDF files together have more bytes than the request takes';
    const pagesLeft = this.#room.pages - this.#taken.pages;
    if (pages > pagesLeft)
      return pages > (pdfPages.value ?? INFINITE)
        ? `it has ${plural(pages, 'page')} of at most ${pdfPages.value}`
        : `of the ${pdfPages.value} pages that the request takes ${pagesLeft} are left`;
    if (base64Length(bytes) + AROUND_PART > this.bytes) return 'the request would have too many bytes';
    return undefined;
  }

  /** Why a recording cannot go as it is; undefined when it can. */
  refusesSound(bytes: Bytes, seconds: number): string | undefined {
    const { audioBytes } = this.limits;
    if (bytes > (audioBytes.value ?? INFINITE))
      return `it has ${bytes} bytes of at most ${audioBytes.value} for a recording`;
    if (seconds > this.#room.seconds - this.#taken.seconds)
      return 'the recordings together are longer than the request takes';
    if (base64Length(bytes) + AROUND_PART > this.bytes) return 'the request would have too many bytes';
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
