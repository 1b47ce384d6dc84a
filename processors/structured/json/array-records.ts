// The items of a JSON array as table records, read one by one in place.

import {
  type Part,
  type ProcessContext,
  quoted,
  type TextSource,
  throwIfAborted,
} from '../../../src/contract/index.ts';
import { indexJsonItems, type JsonItemIndex, locateJsonItem } from '../../../src/scan/index.ts';
import {
  asksForTable,
  MAX_RECORD_BYTES,
  type RecordBytes,
  type Records,
  recordParts,
  warnOfNoTable,
} from '../records/records.ts';
import { pointerTo } from '../tree/extents.ts';
import type { Node } from '../tree/node.ts';
import { JsonCursor, JsonSyntaxError } from './cursor.ts';
import { findPointer } from './pointer.ts';
import { BYTE } from './raw.ts';
import { readTree } from './tree.ts';

/** Search limits for an array of objects if `pointer` names something else. */
const LOOKED_AT = { depth: 4, items: 1, keys: 50, string: 0 };
const LOOKED_AT_CAPACITY = 200_000;

/**
 * The table parts if the request asks for a table and `pointer` names an array of objects. Otherwise undefined, with a
 * warning if a table was requested; also undefined for invalid JSON.
 * @throws {ReaderError} BAD_INPUT if the pointer is not found, or `columns` are requested of something else
 */
export async function arrayTable(
  utf8: TextSource,
  context: ProcessContext,
): Promise<AsyncIterable<Part> | undefined> {
  if (!asksForTable(context.selection)) return undefined;
  const { signal, selection } = context;
  const pointer = selection.pointer ?? '';
  const cursor = new JsonCursor(utf8, signal);
  try {
    await findPointer(cursor, pointer, utf8, signal);
    const place = pointer === '' ? 'the document' : quoted(pointer);
    if ((await cursor.expect('a value')) !== BYTE.openArray) {
      const { node } = await readTree(cursor, LOOKED_AT, LOOKED_AT_CAPACITY);
      warnOfNoTable(context, `${place} is not one`, arrayIn(node, pointer));
      return undefined;
    }
    const items = await indexJsonItems(utf8, cursor.at, signal);
    const parts = await recordParts(utf8, new ArrayRecords(utf8, items, selection.pointer, signal), context);
    if (!parts) warnOfNoTable(context, `the items of ${place} are not all objects`);
    return parts;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined; // the reading that follows reports where
    throw error;
  }
}

/** The pointer of the outermost array whose first item is an object. */
function arrayIn(root: Node, pointer: string): string | undefined {
  let level: { readonly node: Node; readonly at: string }[] = [{ node: root, at: pointer }];
  while (level.length > 0) {
    const found = level.find(({ node }) => node.kind === 'array' && isObject(node.items[0]));
    if (found) return found.at;
    level = level.flatMap(({ node, at }) =>
      node.kind === 'object'
        ? node.entries.map(({ key, value }) => ({ node: value, at: pointerTo(at, key) }))
        : [],
    );
  }
  return undefined;
}

const isObject = (node: Node | undefined): boolean =>
  node?.kind === 'object' || (node?.kind === 'cut' && node.what === 'object');

class ArrayRecords implements Records {
  readonly pointer?: string;
  readonly #utf8: TextSource;
  readonly #items: JsonItemIndex;
  readonly #signal: AbortSignal;

  constructor(utf8: TextSource, items: JsonItemIndex, pointer: string | undefined, signal: AbortSignal) {
    this.#utf8 = utf8;
    this.#items = items;
    this.#signal = signal;
    if (pointer !== undefined && pointer !== '') this.pointer = pointer;
  }

  get count(): number {
    return this.#items.count;
  }

  async *read(from: number): AsyncGenerator<RecordBytes> {
    const { count } = this.#items;
    if (from > count) return;
    const cursor = new JsonCursor(this.#utf8, this.#signal);
    cursor.at = await locateJsonItem(this.#utf8, this.#items, from, this.#signal);
    for (let number = from; number <= count; number += 1) {
      throwIfAborted(this.#signal);
      await cursor.expect('a value');
      const start = cursor.at;
      await cursor.skip();
      const size = cursor.at - start;
      const { window } = cursor;
      const held =
        start >= window.start && cursor.at <= window.end
          ? window.bytes.subarray(start - window.start, cursor.at - window.start)
          : await this.#utf8.read(start, Math.min(size, MAX_RECORD_BYTES));
      yield { bytes: held.subarray(0, MAX_RECORD_BYTES), size };
      if ((await cursor.peek()) === BYTE.comma) cursor.at += 1;
    }
  }
}
