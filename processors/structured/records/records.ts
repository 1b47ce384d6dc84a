// Arrays of records as tables for `format` `csv` and `markdown`: one row per record, one column per key of any record.

import {
  type Bytes,
  type Position,
  type ProcessContext,
  quoted,
  ReaderError,
  type TextPart,
  type TextSource,
  throwIfAborted,
} from '../../../src/contract/index.ts';
import { type Table, type TableRow, tableParts } from '../../../src/table/index.ts';
import { cellOf, membersOf } from './members.ts';

/** The rest of a longer record is not read, as with CSV records. */
export const MAX_RECORD_BYTES: Bytes = 1024 * 1024;
/** Maximum columns of an Excel sheet (ECMA-376 part 1, 18.3.1.13): objects with more keys are not records. */
const MAX_KEYS = 16_384;

/** One record: its JSON text, or the start of a long one, valid until the next is read. */
export interface RecordBytes {
  readonly bytes: Uint8Array;
  /** Of the whole record. */
  readonly size: Bytes;
}

/** The records of a file, as each format provides them. */
export interface Records {
  /** Exact count. */
  readonly count: number;
  /** The pointer that parts add to `rows` in their continuation. */
  readonly pointer?: string;
  /** Yields records in order from number `from` (1-based) to the last. Stops when closed. */
  read(from: number): AsyncIterable<RecordBytes>;
}

/**
 * True if the request asks for a table.
 * @throws {ReaderError} BAD_INPUT for `columns` with `format` `json`
 */
export function asksForTable({ format, columns }: ProcessContext['selection']): boolean {
  if (format === 'json' && columns !== undefined)
    throw new ReaderError(
      'BAD_INPUT',
      '`columns` requires a table, but `format` is `json`.',
      'Set `format` to `csv` or `markdown`, or omit `columns`.',
    );
  return format === 'csv' || format === 'markdown' || columns !== undefined;
}

/**
 * Warns that the requested content cannot be a table; `array` is the pointer of an array that can. @throws
 * {ReaderError} BAD_INPUT if columns were requested
 */
export function warnOfNoTable({ selection, warn }: ProcessContext, found: string, array?: string): void {
  const { format = 'csv', columns } = selection;
  const hint = array === undefined ? undefined : `Set \`pointer\` to ${quoted(array)}.`;
  if (columns !== undefined)
    throw new ReaderError(
      'BAD_INPUT',
      `\`columns\` needs an array of objects; ${found}.`,
      hint ?? 'Omit `columns`.',
    );
  warn({
    code: 'IGNORED_FIELD',
    message: `\`format\` \`${format}\` needs an array of objects; ${found}.${hint === undefined ? '' : ` ${hint}`}`,
  });
}

/** Keyed by the pointer of their array; see `readKeys`. */
const KEYS = new WeakMap<TextSource, Map<string, readonly string[] | undefined>>();

async function keysOf(
  utf8: TextSource,
  records: Records,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const known = KEYS.get(utf8) ?? new Map<string, readonly string[] | undefined>();
  KEYS.set(utf8, known);
  const place = records.pointer ?? '';
  if (!known.has(place)) known.set(place, await readKeys(records, signal));
  return known.get(place);
}

/** The keys of all records, in file order. Undefined if an item is not an object, or there are too many keys. */
async function readKeys(records: Records, signal: AbortSignal): Promise<readonly string[] | undefined> {
  const keys = new Set<string>();
  for await (const { bytes, size } of records.read(1)) {
    throwIfAborted(signal);
    const members = membersOf(bytes, size > MAX_RECORD_BYTES);
    if (!members) return undefined;
    for (const { key } of members) keys.add(key);
    if (keys.size > MAX_KEYS) return undefined;
  }
  return keys.size === 0 ? undefined : [...keys];
}

/** The parts of a response about `records`; undefined if they do not form a table. */
export async function recordParts(
  utf8: TextSource,
  records: Records,
  context: ProcessContext,
  resume: Position | undefined = context.selection.resume,
): Promise<AsyncIterable<TextPart> | undefined> {
  const keys = await keysOf(utf8, records, context.signal);
  if (!keys) return undefined;
  context.describe({ rows: records.count, columns: keys.length });
  const parts = tableParts(new RecordTable(records, keys, context), context, { resume: resume ?? null });
  return pointed(parts, records.pointer);
}

/** Adds the pointer of the array to the continuation of each part. */
export async function* pointed(
  parts: AsyncIterable<TextPart>,
  pointer: string | undefined,
): AsyncGenerator<TextPart> {
  for await (const part of parts) {
    const { next } = part;
    const named = pointer !== undefined && next?.request !== undefined;
    yield named ? { ...part, next: { ...next, request: { pointer, ...next.request } } } : part;
  }
}

class RecordTable implements Table {
  readonly header: readonly string[];
  readonly headerRow = 0;
  readonly rows: number;
  readonly columns: number;
  readonly #records: Records;
  readonly #columnOf: ReadonlyMap<string, number>;
  readonly #context: ProcessContext;

  constructor(records: Records, keys: readonly string[], context: ProcessContext) {
    this.header = keys;
    this.rows = records.count;
    this.columns = keys.length;
    this.#records = records;
    this.#columnOf = new Map(keys.map((key, index) => [key, index]));
    this.#context = context;
  }

  async *read(from: number, to: number): AsyncGenerator<TableRow> {
    if (to < from) return;
    let number = from;
    for await (const record of this.#records.read(from)) {
      if (record.size > MAX_RECORD_BYTES)
        this.#context.warn({
          code: 'SKIPPED_CONTENT',
          message: `Record ${number} takes ${record.size} bytes; only the first ${MAX_RECORD_BYTES} were read.`,
        });
      yield { number, cells: this.#cells(record) };
      if (number >= to) return;
      number += 1;
    }
  }

  /** The first of duplicate keys counts, as in pointers. */
  #cells({ bytes, size }: RecordBytes): string[] {
    const values: (string | undefined)[] = [];
    for (const member of membersOf(bytes, size > MAX_RECORD_BYTES) ?? []) {
      const column = this.#columnOf.get(member.key);
      if (column !== undefined) values[column] ??= cellOf(bytes, member.from, member.to);
    }
    return Array.from(values, (value) => value ?? '');
  }
}
