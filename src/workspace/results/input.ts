// What a caller gives to be saved: told apart into text, bytes, one value, or items that come one by one. Takes no more
// from a source than its first item.

import { types } from 'node:util';
import { ReaderError } from '../../contract/index.ts';

/** What was given. */
export type Given =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array | Blob }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'items'; readonly items: Items };

/** Items that come one by one, with a look at the first. */
export class Items {
  /** Taken from the source, the one looked at included. */
  taken = 0;
  /** The caller still has all of them. */
  readonly kept: boolean;
  /** They are bytes or text, even if there are none. */
  readonly bytes: boolean;
  readonly #source: Iterable<unknown> | AsyncIterable<unknown>;
  #iterator: Iterator<unknown> | AsyncIterator<unknown> | undefined;
  #first: IteratorResult<unknown> | undefined;
  #ended = false;

  constructor(source: Iterable<unknown> | AsyncIterable<unknown>) {
    this.#source = source;
    this.kept = Array.isArray(source) || types.isSet(source);
    this.bytes = 'readableObjectMode' in source && source.readableObjectMode === false;
  }

  /** Looks at the first item, which `each` visits all the same. @throws {ReaderError} BAD_INPUT when the source fails */
  async first(): Promise<IteratorResult<unknown>> {
    if (this.#first) return this.#first;
    try {
      this.#first = await this.#begin().next();
    } catch (error) {
      throw this.#failed(error);
    }
    this.#count(this.#first);
    return this.#first;
  }

  /**
   * Visits every item in turn until the end or `close`; waits where a visit returns a promise. What the source gives at once is
   * visited at once, so that 10 million rows do not wait 10 million times.
   * @throws {ReaderError} BAD_INPUT when the source fails, and what `visit` throws
   */
  async each(visit: (item: unknown) => Promise<void> | undefined): Promise<void> {
    const iterator = this.#begin();
    const waits = Symbol.asyncIterator in this.#source;
    let result = await this.first();
    while (!result.done && !this.#ended) {
      const visiting = visit(result.value);
      if (visiting) await visiting;
      if (this.#ended) return;
      try {
        const next = iterator.next();
        // Only an iterator that was not asked to be asynchronous gives its result at once.
        result = waits ? await next : (next as IteratorResult<unknown>);
      } catch (error) {
        throw this.#failed(error);
      }
      this.#count(result);
    }
  }

  /** True unless what the caller still has holds something else than rows. */
  everyRow(isRow: (item: unknown) => boolean): boolean {
    if (!this.kept) return isRow(this.#first?.value);
    let rows = 0;
    for (const item of this.#source as Iterable<unknown>) {
      if (isRow(item)) rows += 1;
      else if (item !== null && item !== undefined) return false;
    }
    return rows > 0;
  }

  /** Tells the source that no more is wanted. Does not wait: a source may never answer. */
  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    try {
      const returned: unknown = this.#iterator?.return?.();
      if (returned instanceof Promise) returned.catch(() => undefined);
    } catch {
      // What a source says when it is sent away changes nothing.
    }
  }

  #begin(): Iterator<unknown> | AsyncIterator<unknown> {
    this.#iterator ??=
      Symbol.asyncIterator in this.#source
        ? this.#source[Symbol.asyncIterator]()
        : this.#source[Symbol.iterator]();
    return this.#iterator;
  }

  #count(result: IteratorResult<unknown>): void {
    if (result.done) this.#ended = true;
    else this.taken += 1;
  }

  #failed(error: unknown): ReaderError {
    this.#ended = true;
    if (error instanceof ReaderError) return error;
    // What the source says may hold anything, its password too: it is the cause, and no part of the message.
    return new ReaderError(
      'BAD_INPUT',
      'The source failed before its end.',
      'Look into what gives the rows.',
      error,
    );
  }
}

/** What `input` is. A promise is waited for. @throws {ReaderError} BAD_INPUT for nothing, or what is no data */
export async function givenBy(input: unknown): Promise<Given> {
  const value: unknown = await input;
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol')
    throw new ReaderError(
      'BAD_INPUT',
      value === undefined
        ? 'There is nothing to save: the input is `undefined`.'
        : `A value of type \`${typeof value}\` cannot be saved.`,
      'Give rows, text, bytes, a stream or a JSON value.',
    );
  if (typeof value === 'string') return { kind: 'text', text: value };
  if (typeof value !== 'object' || value === null) return { kind: 'value', value };
  if (types.isUint8Array(value)) return { kind: 'bytes', bytes: value };
  if (types.isAnyArrayBuffer(value)) return { kind: 'bytes', bytes: new Uint8Array(value) };
  if (value instanceof Blob) return { kind: 'bytes', bytes: value };
  // A Map and the text in a box can be walked through, and are values all the same.
  if (types.isMap(value) || types.isTypedArray(value) || types.isBoxedPrimitive(value))
    return { kind: 'value', value };
  if (isIterable(value)) return { kind: 'items', items: new Items(value) };
  if (isAsyncIterable(value)) return { kind: 'items', items: new Items(value) };
  return { kind: 'value', value };
}

function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value && typeof value[Symbol.iterator] === 'function';
}

function isAsyncIterable(value: object): value is AsyncIterable<unknown> {
  return Symbol.asyncIterator in value && typeof value[Symbol.asyncIterator] === 'function';
}

/** An item of a stream that is bytes or text. */
export function contentOf(item: unknown): string | Uint8Array | undefined {
  if (typeof item === 'string' || types.isUint8Array(item)) return item;
  return types.isAnyArrayBuffer(item) ? new Uint8Array(item) : undefined;
}

/** True for what is a row on sight: an object or array that is no single value. */
export function isRow(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !types.isDate(value) &&
    !types.isBoxedPrimitive(value) &&
    contentOf(value) === undefined
  );
}
