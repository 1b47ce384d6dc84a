// What is left of a request while files are put into it: tokens, bytes, pictures, documents, pages. Counts; decides
// nothing.

import { type Bytes, plural, type Tokens } from '../contract/index.ts';
import type { Limits, LimitValues } from './limit.ts';

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

/** The room that is left. */
export class Allowance {
  readonly limits: Limits;
  #tokens: Tokens;
  #bytes: Bytes;
  #images: number;
  #documents: number;
  #pages: number;
  #documentBytes: Bytes;
  #seconds: number;
  /** Pictures and, where they count, documents so far. */
  #many: number;
  #crowded = false;

  constructor(limits: Limits, tokens: Tokens, held: Held) {
    this.limits = limits;
    this.#tokens = tokens;
    this.#bytes = Math.max(0, limits.requestBytes.value - ENVELOPE - (held.requestBytes ?? 0));
    this.#images = left(limits.images.value, held.images);
    this.#documents = left(limits.pdfFiles.value, held.documents);
    this.#pages = left(limits.pdfPages.value, held.pages);
    this.#documentBytes = limits.pdfTotalBytes.value ?? INFINITE;
    this.#seconds = left(limits.audioSeconds.value, held.audioSeconds);
    this.#many = (held.images ?? 0) + (limits.manyCountsDocuments.value ? (held.documents ?? 0) : 0);
  }

  get tokens(): Tokens {
    return Math.max(0, this.#tokens);
  }

  get bytes(): Bytes {
    return Math.max(0, this.#bytes);
  }

  get images(): number {
    return this.#images;
  }

  get documents(): number {
    return this.#documents;
  }

  /** Tells how many pictures and documents may come, so that the first already keep to what many of them may have. */
  expect(images: number, documents: number): void {
    const { manyImages, manyCountsDocuments } = this.limits;
    const coming = images + (manyCountsDocuments.value ? documents : 0);
    this.#crowded = manyImages.value !== null && images > 0 && this.#many + coming > manyImages.value;
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
    return this.#images > 0 && (this.#crowded || manyImages.value === null || this.#many < manyImages.value);
  }

  /** Why a PDF of this size cannot go as it is; undefined when it can. */
  refusesDocument(bytes: Bytes, pages: number): string | undefined {
    const { pdfBytes, pdfPages, pdfFiles } = this.limits;
    if (this.#documents < 1) return `the request takes ${plural(pdfFiles.value ?? 0, 'PDF file')}`;
    if (bytes > (pdfBytes.value ?? INFINITE))
      return `it has ${bytes} bytes of at most ${pdfBytes.value} for a PDF file`;
    if (bytes > this.#documentBytes) return 'the PDF files together have more bytes than the request takes';
    if (pages > this.#pages)
      return pages > (pdfPages.value ?? INFINITE)
        ? `it has ${plural(pages, 'page')} of at most ${pdfPages.value}`
        : `of the ${pdfPages.value} pages that the request takes ${this.#pages} are left`;
    if (base64Length(bytes) + AROUND_PART > this.#bytes) return 'the request would have too many bytes';
    return undefined;
  }

  /** Why a recording cannot go as it is; undefined when it can. */
  refusesSound(bytes: Bytes, seconds: number): string | undefined {
    const { audioBytes } = this.limits;
    if (bytes > (audioBytes.value ?? INFINITE))
      return `it has ${bytes} bytes of at most ${audioBytes.value} for a recording`;
    if (seconds > this.#seconds) return 'the recordings together are longer than the request takes';
    if (base64Length(bytes) + AROUND_PART > this.#bytes) return 'the request would have too many bytes';
    return undefined;
  }

  takeTokens(tokens: Tokens): void {
    this.#tokens -= tokens;
  }

  takeBytes(bytes: Bytes): void {
    this.#bytes -= bytes;
  }

  takeText(text: string): void {
    this.#bytes -= jsonBytes(text) + AROUND_PART;
  }

  takeImage(bytes: Bytes): void {
    this.#images -= 1;
    this.#many += 1;
    this.#bytes -= base64Length(bytes) + AROUND_PART;
  }

  takeDocument(bytes: Bytes, pages: number): void {
    this.#documents -= 1;
    if (this.limits.manyCountsDocuments.value) this.#many += 1;
    this.#pages -= pages;
    this.#documentBytes -= bytes;
    this.#bytes -= base64Length(bytes) + AROUND_PART;
  }

  takeSound(bytes: Bytes, seconds: number): void {
    this.#seconds -= seconds;
    this.#bytes -= base64Length(bytes) + AROUND_PART;
  }
}

function left(limit: LimitValues['images'], held: number | undefined): number {
  return Math.max(0, (limit ?? INFINITE) - (held ?? 0));
}

/** Bytes of `text` as JSON. */
export function jsonBytes(text: string): Bytes {
  return Buffer.byteLength(JSON.stringify(text));
}
