// What every provider's rules are made of: blocks of exact shape, canonical base64, text that can be sent, and counts
// over the whole request. States no limit of its own.

import { audioFacts, type ImageFacts, imageFacts, pdfFacts } from './facts.ts';

/** Limits of one provider; what is left out is not limited. Bytes are of the file, unless they say base64. */
export interface Bounds {
  readonly imageTypes: readonly string[];
  readonly imageBytes?: number;
  readonly imageBase64?: number;
  readonly imageEdge?: number;
  /** More pictures (and PDF files) than `over` in a request: none may have a longer edge than `edge`. */
  readonly many?: { readonly over: number; readonly edge: number };
  readonly images?: number;
  readonly animated?: readonly string[];
  readonly pdfBytes?: number;
  readonly pdfTotalBytes?: number;
  readonly pdfPagesEach?: number;
  readonly pdfPages?: number;
  /** Pages and pictures together. */
  readonly media?: number;
  readonly documents?: number;
  /** The type a part may be declared with, by the type its bytes have. */
  readonly audioTypes: Readonly<Record<string, readonly string[]>>;
  readonly audioSeconds?: number;
  readonly requestBytes: number;
}

/** Media cost: the least that any documented rule of the provider's models gives. */
export interface TokenRule {
  image(facts: ImageFacts): number;
  pdfPage: number;
  audioSecond: number;
}

/** Gathers what is wrong with one request. */
export class Findings {
  readonly problems: string[] = [];
  readonly bounds: Bounds;
  readonly #rule: TokenRule;
  readonly #images: { readonly where: string; readonly facts: ImageFacts }[] = [];
  #pages = 0;
  #pdfBytes = 0;
  #documents = 0;
  #seconds = 0;
  /** Of media, by the provider's cheapest rule. */
  tokens = 0;
  /** Of text, joined nowhere: to be counted by the caller. */
  readonly texts: string[] = [];

  constructor(bounds: Bounds, rule: TokenRule) {
    this.bounds = bounds;
    this.#rule = rule;
  }

  add(where: string, problem: string): void {
    this.problems.push(`${where}: ${problem}`);
  }

  /** A text block's words. */
  text(where: string, text: unknown): void {
    if (typeof text !== 'string') {
      this.add(where, `text is ${typeof text}`);
      return;
    }
    if (text.trim() === '') this.add(where, 'text is empty or white space');
    if (!wellFormed(text)) this.add(where, 'text has a lone surrogate');
    this.texts.push(text);
  }

  /** The bytes of canonical base64 (RFC 4648, padded, no line breaks). */
  base64(where: string, data: unknown): Buffer | undefined {
    if (typeof data !== 'string' || data === '') {
      this.add(where, 'base64 data is missing');
      return undefined;
    }
    const end = data.slice(-4);
    const whole = !/[^A-Za-z0-9+/]/.test(data.replace(/={1,2}$/, '')) && data.length % 4 === 0;
    if (whole && Buffer.from(end, 'base64').toString('base64') === end) return Buffer.from(data, 'base64');
    this.add(where, 'base64 is not canonical');
    return undefined;
  }

  /** Of `data:type;base64,...`. */
  dataUrl(where: string, url: unknown): { readonly mimeType: string; readonly bytes: Buffer } | undefined {
    const [, mimeType, data] = /^data:([a-z]+\/[a-z0-9.+-]+);base64,(.*)$/s.exec(String(url)) ?? [];
    if (mimeType === undefined) {
      this.add(where, 'is no data URL of base64');
      return undefined;
    }
    const bytes = this.base64(where, data);
    return bytes && { mimeType, bytes };
  }

  async image(where: string, bytes: Uint8Array, declared: string): Promise<void> {
    const { imageTypes, imageBytes, imageBase64, imageEdge, animated } = this.bounds;
    const facts = await imageFacts(bytes);
    this.#images.push({ where, facts });
    this.tokens += facts.broken === undefined ? this.#rule.image(facts) : 0;
    if (facts.broken !== undefined) this.add(where, `picture does not decode: ${facts.broken}`);
    if (!imageTypes.includes(declared)) this.add(where, `${declared} is not accepted`);
    if (facts.mimeType !== declared) this.add(where, `is ${facts.mimeType}, declared ${declared}`);
    this.#most(where, 'bytes', bytes.length, imageBytes);
    this.#most(where, 'characters of base64', Math.ceil(bytes.length / 3) * 4, imageBase64);
    this.#most(where, 'pixels at the longer edge', Math.max(facts.width, facts.height), imageEdge);
    if (facts.frames > 1 && animated && !animated.includes(facts.mimeType))
      this.add(where, `${facts.mimeType} has ${facts.frames} frames`);
  }

  async pdf(where: string, bytes: Uint8Array): Promise<void> {
    const { pages, encrypted, broken } = await pdfFacts(bytes);
    if (encrypted) this.add(where, 'PDF is encrypted');
    if (broken !== undefined) this.add(where, `PDF does not open: ${broken}`);
    if (pages === 0) this.add(where, 'PDF has no page');
    this.#documents += 1;
    this.#pages += pages;
    this.#pdfBytes += bytes.length;
    this.tokens += pages * this.#rule.pdfPage;
    this.#most(where, 'bytes', bytes.length, this.bounds.pdfBytes);
    this.#most(where, 'pages', pages, this.bounds.pdfPagesEach);
  }

  async audio(where: string, bytes: Uint8Array, declared: string): Promise<void> {
    const { mimeType, seconds, broken } = await audioFacts(bytes);
    if (broken !== undefined) this.add(where, `recording does not play: ${broken}`);
    const allowed = this.bounds.audioTypes[mimeType];
    if (!allowed) this.add(where, `${mimeType} is not accepted`);
    else if (!allowed.includes(declared)) this.add(where, `is ${mimeType}, declared ${declared}`);
    this.#seconds += seconds;
    this.tokens += seconds * this.#rule.audioSecond;
  }

  /** What only the whole request can tell. `request` is what its body holds. */
  done(content: unknown, request: unknown): string[] {
    const { bounds } = this;
    if (!Array.isArray(content) || content.length === 0) this.add('content', 'has no block');
    const bytes = wireLength(request);
    this.#most('request', 'bytes', bytes, bounds.requestBytes);
    this.#most('request', 'pictures', this.#images.length, bounds.images);
    this.#most('request', 'PDF files', this.#documents, bounds.documents);
    this.#most('request', 'pages', this.#pages, bounds.pdfPages);
    this.#most('request', 'bytes of PDF', this.#pdfBytes, bounds.pdfTotalBytes);
    this.#most('request', 'pages and pictures', this.#pages + this.#images.length, bounds.media);
    this.#most('request', 'seconds of sound', this.#seconds, bounds.audioSeconds);
    if (bounds.many && this.#images.length + this.#documents > bounds.many.over)
      for (const { where, facts } of this.#images)
        this.#most(where, 'pixels, one of many', Math.max(facts.width, facts.height), bounds.many.edge);
    return this.problems;
  }

  #most(where: string, what: string, value: number, most: number | undefined): void {
    if (most !== undefined && value > most) this.add(where, `${value} ${what}, at most ${most}`);
  }
}

/** Bytes of a body as JSON; raw bytes count as the base64 that clients write. */
export function wireLength(value: unknown): number {
  if (value instanceof Uint8Array) return 2 + 4 * Math.ceil(value.length / 3);
  if (typeof value === 'string' && value.length > 10_000 && !/[^\w+/=:;,-]/.test(value))
    return value.length + 2;
  if (Array.isArray(value)) return 2 + Math.max(0, value.length - 1) + sum(value.map(wireLength));
  if (typeof value !== 'object' || value === null) return Buffer.byteLength(JSON.stringify(value));
  const fields = Object.entries(value);
  return (
    2 +
    Math.max(0, fields.length - 1) +
    sum(fields.map(([key, inner]) => wireLength(key) + 1 + wireLength(inner)))
  );
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** No lone surrogate: JSON readers outside JavaScript refuse them. */
export function wellFormed(text: string): boolean {
  return Buffer.from(text).toString() === text;
}

/** What a value may be, for `matches`. */
export type Shape = 'string' | 'bytes' | { readonly [key: string]: Shape } | readonly string[] | Optional;
class Optional {
  readonly shape: Shape;
  constructor(shape: Shape) {
    this.shape = shape;
  }
}

export function optional(shape: Shape): Optional {
  return new Optional(shape);
}

/** Of exactly this shape: no field missing, none besides. Lists are the strings that may stand there. */
export function matches(value: unknown, shape: Shape): boolean {
  if (shape === 'string') return typeof value === 'string';
  if (shape === 'bytes') return value instanceof Uint8Array;
  if (Array.isArray(shape)) return typeof value === 'string' && shape.includes(value);
  if (shape instanceof Optional) return value === undefined || matches(value, shape.shape);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const fields = new Map(Object.entries(value));
  for (const [key, inner] of Object.entries(shape)) {
    if (!(inner instanceof Optional) && !fields.has(key)) return false;
    if (fields.has(key) && !matches(fields.get(key), inner)) return false;
    fields.delete(key);
  }
  return fields.size === 0;
}

/** A value deep inside, by keys; undefined where there is none. */
export function at(value: unknown, ...keys: readonly string[]): unknown {
  let inner = value;
  for (const key of keys) {
    if (typeof inner !== 'object' || inner === null) return undefined;
    inner = new Map<string, unknown>(Object.entries(inner)).get(key);
  }
  return inner;
}

/** What is wrong with a request and, for the budget, what its parts are worth. */
export interface Verdict {
  readonly problems: readonly string[];
  readonly mediaTokens: number;
  readonly texts: readonly string[];
}

/** The rules of one provider's format. */
export interface ProviderRules {
  /** The whole request that `content` would be sent in, as the smallest useful one. */
  request(content: unknown): unknown;
  judge(content: unknown, request: unknown): Promise<Verdict>;
}

/** A judge that looks at each block. `block` tells what is wrong of one; its shape is its business. */
export function judgeOf(
  bounds: Bounds,
  rule: TokenRule,
  block: (value: unknown, where: string, findings: Findings) => Promise<void> | void,
): ProviderRules['judge'] {
  return async (content, request) => {
    const findings = new Findings(bounds, rule);
    if (Array.isArray(content))
      for (const [index, value] of content.entries()) await block(value, `content[${index}]`, findings);
    const problems = findings.done(content, request);
    return { problems, mediaTokens: findings.tokens, texts: findings.texts };
  };
}
