// Classifies the input of a save: text, bytes, a single value, or a sequence of items. Reads at most the first item of
// a source.

import { types } from 'node:util';
import { ReaderError } from '../../contract/index.ts';

/** The classified input. */
export type Given =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array | Blob }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'items'; readonly items: Items };

/** A sequence of items whose first can be inspected. */
export class Items {
  /** Items taken from the source, including the inspected one. */
  taken = 0;
  /** The caller still holds all items. */
  readonly kept: boolean;
  /** The items are bytes or text, even if there are none. */
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

  /** The first item, which `each` still visits. @throws {ReaderError} BAD_INPUT when the source fails */
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
   * Visits every item until the end or `close`. Waits only when a visit returns a promise, and visits synchronous items
   * without waiting, so that 10 million rows do not wait 10 million times.
   * @throws {ReaderError} BAD_INPUT when the source fails, and errors of `visit`
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
        // A synchronous iterator returns its result directly.
        result = waits ? await next : (next as IteratorResult<unknown>);
      } catch (error) {
        throw this.#failed(error);
      }
      this.#count(result);
    }
  }

  /** False only if the items the caller still holds include something other than rows. */
  everyRow(isRow: (item: unknown) => boolean): boolean {
    if (!this.kept) return isRow(this.#first?.value);
    let rows = 0;
    for (const item of this.#source as Iterable<unknown>) {
      if (isRow(item)) rows += 1;
      else if (item !== null && item !== undefined) return false;
    }
    return rows > 0;
  }

  /** Tells the source to stop. Does not wait, because a source may never answer. */
  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    try {
      const returned: unknown = this.#iterator?.return?.();
      if (returned instanceof Promise) returned.catch(() => undefined);
    } catch {
      // Errors of a source that is being closed are ignored.
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
    // The source's error may contain anything, even a password: keep it as the cause, not in the message.
    return new ReaderError(
      'BAD_INPUT',
      'The source failed before its end.',
      'Check the source of the rows.',
      error,
    );
  }
}

/** Classifies `input`. Awaits a promise. @throws {ReaderError} BAD_INPUT for `undefined` or unsupported values */
export async function givenBy(input: unknown): Promise<Given> {
  const value: unknown = await input;
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol')
    throw new ReaderError(
      'BAD_INPUT',
      value === undefined
        ? 'There is nothing to save: the input is `undefined`.'
        : `A value of type \`${typeof value}\` cannot be saved.`,
      'Pass rows, text, bytes, a stream or a JSON value.',
    );
  if (typeof value === 'string') return { kind: 'text', text: value };
  if (typeof value !== 'object' || value === null) return { kind: 'value', value };
  if (types.isUint8Array(value)) return { kind: 'bytes', bytes: value };
  if (types.isAnyArrayBuffer(value)) return { kind: 'bytes', bytes: new Uint8Array(value) };
  if (value instanceof Blob) return { kind: 'bytes', bytes: value };
  // A Map and a boxed string are iterable, but count as single values.
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

/** The item as content if it is bytes or text. */
export function contentOf(item: unknown): string | Uint8Array | undefined {
  if (typeof item === 'string' || types.isUint8Array(item)) return item;
  return types.isAnyArrayBuffer(item) ? new Uint8Array(item) : undefined;
}

/** True for an object or array that is not a single value. */
export function isRow(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !types.isDate(value) &&
    !types.isBoxedPrimitive(value) &&
    contentOf(value) === undefined
  );
}
