// Arrays of records as tables, for `format` `csv` and `markdown`: a record is a row, and every key of any record a column.

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

/** Of a longer record the rest is not read, as of a CSV record. */
export const MAX_RECORD_BYTES: Bytes = 1024 * 1024;
/** Columns of the widest Excel sheet (ECMA-376 part 1, 18.3.1.13): more keys are not the shape of records. */
const MAX_KEYS = 16_384;

/** One record: its JSON text, or the start of a long one. */
export interface RecordText {
  readonly text: string;
  readonly bytes: Bytes;
}

/** Records of one kind of file. */
export interface Records {
  /** Exact. */
  readonly count: number;
  /** What parts name beside `rows` to ask for them again. */
  readonly pointer?: string;
  /** Records `from` (1-based) to the last, in order. Stops when it is closed. */
  read(from: number): AsyncIterable<RecordText>;
}

/**
 * True when a request asks for a table where the file holds records.
 * @throws {ReaderError} BAD_INPUT for columns of JSON
 */
export function asksForTable({ format, columns }: ProcessContext['selection']): boolean {
  if (format === 'json' && columns !== undefined)
    throw new ReaderError(
      'BAD_INPUT',
      '`columns` chooses columns of a table, and `format` is `json`.',
      'Set `format` to `csv` or `markdown`, or leave `columns` out.',
    );
  return format === 'csv' || format === 'markdown' || columns !== undefined;
}

/** Warns that what is asked for cannot be a table; `array` is the pointer of one that can. @throws {ReaderError} BAD_INPUT when columns of it are asked for */
export function warnOfNoTable({ selection, warn }: ProcessContext, found: string, array?: string): void {
  const { format = 'csv', columns } = selection;
  const hint = array === undefined ? undefined : `Set \`pointer\` to ${quoted(array)}.`;
  if (columns !== undefined)
    throw new ReaderError(
      'BAD_INPUT',
      `\`columns\` needs an array of objects; ${found}.`,
      hint ?? 'Leave `columns` out.',
    );
  warn({
    code: 'IGNORED_FIELD',
    message: `\`format\` \`${format}\` needs an array of objects; ${found}.${hint === undefined ? '' : ` ${hint}`}`,
  });
}

/** By the pointer of their array; see `readKeys`. */
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

/** The keys of all records, in the order of the file. Undefined where an item is not an object, or there are too many keys. */
async function readKeys(records: Records, signal: AbortSignal): Promise<readonly string[] | undefined> {
  const keys = new Set<string>();
  for await (const { text, bytes } of records.read(1)) {
    throwIfAborted(signal);
    const members = membersOf(text, bytes > MAX_RECORD_BYTES);
    if (!members) return undefined;
    for (const { key } of members) keys.add(key);
    if (keys.size > MAX_KEYS) return undefined;
  }
  return keys.size === 0 ? undefined : [...keys];
}

/** The parts of an answer about `records`; undefined where they do not make a table. */
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

/** Parts whose continuation names the array. */
async function* pointed(
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
      if (record.bytes > MAX_RECORD_BYTES)
        this.#context.warn({
          code: 'SKIPPED_CONTENT',
          message: `Record ${number} takes ${record.bytes} bytes; its first ${MAX_RECORD_BYTES} were read, the rest was not.`,
        });
      yield { number, cells: this.#cells(record) };
      if (number >= to) return;
      number += 1;
    }
  }

  /** Of equal keys the last counts, as in most parsers. */
  #cells({ text, bytes }: RecordText): string[] {
    const values: (string | undefined)[] = [];
    for (const member of membersOf(text, bytes > MAX_RECORD_BYTES) ?? []) {
      const column = this.#columnOf.get(member.key);
      if (column !== undefined) values[column] = cellOf(text.slice(member.from, member.to));
    }
    return Array.from(values, (value) => value ?? '');
  }
}
