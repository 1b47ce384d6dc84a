// The pages of one column chunk: found by their headers, one small read each, and read and decompressed when a row in
// them is wanted. Every size in a header is checked before anything is allocated.

import type { ColumnMetaData, PageHeader, SchemaTree } from 'hyparquet';
import { type Bytes, type Source, throwIfAborted } from '../../../src/contract/index.ts';
import { decompressed } from './codecs.ts';
import type { Library } from './library.ts';
import { checkDataPage, checkDataPageV2, MAX_PAGE_VALUES, type Shape } from './page-check.ts';
import { BrokenThrift, thriftEnd } from './thrift-check.ts';

/** Bytes read to find a page header, which has some 30; statistics may make it longer. */
const HEADER_BYTES: Bytes = 512;
const MAX_HEADER_BYTES: Bytes = 1024 * 1024;
/** Pages of a chunk; a gigabyte in pages of 8 KiB. */
const MAX_PAGES = 131_072;
/** What is read of a chunk only to count the rows of lists. */
const MAX_COUNTED_BYTES: Bytes = 128 * 1024 * 1024;

/** Thrown where a chunk costs more to read than it is worth. */
export class TooCostly extends Error {
  override readonly name = 'TooCostly';
}

/** Thrown for a page that exceeds a limit; its message says which. */
export class PageTooLarge extends Error {
  override readonly name = 'PageTooLarge';
}

/** A data page. */
interface Page {
  readonly header: PageHeader;
  /** Of its content, after the header. */
  readonly start: Bytes;
  /** Rows of the group before it. */
  readonly rowStart: number;
  readonly rows: number;
  /** False if it starts inside a list that the page before started. */
  readonly startsRow: boolean;
}

type DataPageHeaderV2 = NonNullable<PageHeader['data_page_header_v2']>;
type Decoder = Parameters<Library['readPage']>[2];
export type Values = NonNullable<ReturnType<Library['readPage']>['data']>;

/** Values of consecutive rows of a leaf. */
export interface Stretch {
  readonly rowStart: number;
  readonly values: Values;
}

/** What a chunk's reading needs to know. */
export interface ChunkOptions {
  readonly library: Library;
  readonly source: Source;
  readonly signal: AbortSignal;
  readonly meta: ColumnMetaData;
  /** From the root of the physical schema to the leaf. */
  readonly path: readonly SchemaTree[];
  readonly rows: number;
  /** Values of the last read kept for the next. */
  readonly mostKept: number;
  /** A page is held packed and decompressed. */
  readonly maxBytesInMemory: Bytes;
}

/** One column chunk. */
export class ColumnChunk {
  readonly #options: ChunkOptions;
  readonly #shape: Shape;
  readonly #decoder: Decoder;
  readonly #pages: Page[] = [];
  readonly #end: Bytes;
  #next: Bytes;
  #rows = 0;
  #counted: Bytes = 0;
  #dictionary: Values | undefined;
  #kept: Stretch | undefined;
  #dictionaryPage: { readonly header: PageHeader; readonly start: Bytes } | undefined;

  constructor(options: ChunkOptions) {
    const { library, source, meta, path } = options;
    const element = path.at(-1)?.element ?? { name: '' };
    const schemaPath = [...path];
    this.#options = options;
    this.#shape = {
      repetition: library.getMaxRepetitionLevel(schemaPath),
      definition: library.getMaxDefinitionLevel(schemaPath),
      isBoolean: meta.type === 'BOOLEAN',
      isInt32: meta.type === 'INT32',
      typeLength: element.type_length ?? 0,
    };
    this.#decoder = {
      pathInSchema: meta.path_in_schema,
      type: meta.type,
      element,
      schemaPath,
      // Pages are decompressed here.
      codec: 'UNCOMPRESSED',
      utf8: false,
      parsers: { ...library.DEFAULT_PARSERS, timestampFromNanoseconds: (value: bigint) => value },
    };
    const dictionary = Number(meta.dictionary_page_offset ?? 0n);
    const data = Number(meta.data_page_offset);
    // Some writers state 0 for a missing dictionary.
    this.#next = dictionary > 0 && dictionary < data ? dictionary : data;
    this.#end = Math.min(this.#next + Number(meta.total_compressed_size), source.size);
    if (!(this.#next >= 4 && this.#end >= this.#next)) throw new Error('column chunk outside the file');
  }

  /** The values of rows `from` to `to` (exclusive, 0-based in the group) and their neighbours on the same pages. */
  async read(from: number, to: number): Promise<Stretch> {
    const kept = this.#kept;
    if (kept && kept.rowStart <= from && kept.rowStart + kept.values.length >= to) return kept;
    this.#kept = undefined;
    const stretch = await this.#fresh(from, to);
    if (stretch.values.length <= this.#options.mostKept) this.#kept = stretch;
    return stretch;
  }

  async #fresh(from: number, to: number): Promise<Stretch> {
    await this.#find(to);
    const pages = this.#pages;
    let first = pages.findIndex(({ rowStart, rows }) => rowStart + rows > from);
    while (first > 0 && !pages[first]?.startsRow) first -= 1;
    if (first < 0) return { rowStart: this.#rows, values: [] };
    let last = first;
    while (last + 1 < pages.length && ((pages[last + 1]?.rowStart ?? 0) < to || !pages[last + 1]?.startsRow))
      last += 1;
    await this.#loadDictionary();
    const parts: Values[] = [];
    for (const page of pages.slice(first, last + 1)) {
      throwIfAborted(this.#options.signal);
      const bytes = await this.#content(page.header, page.start);
      const previous = page.startsRow ? undefined : parts.at(-1);
      const { data } = this.#decode(page.header, bytes, previous);
      if (data && data !== previous) parts.push(data);
    }
    return { rowStart: pages[first]?.rowStart ?? 0, values: joined(parts) };
  }

  /** Finds pages until they hold `rows` rows, and the one after it if that may belong to the last row. */
  async #find(rows: number): Promise<void> {
    const { source, signal, library } = this.#options;
    const isListOfV1 = (): boolean =>
      this.#shape.repetition > 0 && this.#pages.at(-1)?.header.type === 'DATA_PAGE';
    while (this.#next < this.#end && (this.#rows < rows || (isListOfV1() && this.#rows === rows))) {
      throwIfAborted(signal);
      const { header, length } = await this.#header(source, library);
      const start = this.#next + length;
      this.#next = start + header.compressed_page_size;
      if (header.type === 'DICTIONARY_PAGE') this.#dictionaryPage ??= { header, start };
      else if (header.type !== 'INDEX_PAGE') await this.#add(header, start);
    }
  }

  async #header(source: Source, library: Library): Promise<{ header: PageHeader; length: number }> {
    const left = this.#end - this.#next;
    for (let size = HEADER_BYTES; ; size *= 8) {
      const bytes = await source.read(this.#next, Math.min(size, left));
      try {
        const length = thriftEnd(bytes, 0);
        const view = new DataView(bytes.buffer, bytes.byteOffset, length);
        const header = library.parquetHeader({ view, offset: 0 });
        checkHeader(header, left - length, this.#options.maxBytesInMemory);
        return { header, length };
      } catch (error) {
        if (!(error instanceof BrokenThrift && error.short) || size >= Math.min(left, MAX_HEADER_BYTES))
          throw error;
      }
    }
  }

  async #add(header: PageHeader, start: Bytes): Promise<void> {
    if (this.#pages.length >= MAX_PAGES) throw new TooCostly('pages');
    const count = header.data_page_header?.num_values ?? header.data_page_header_v2?.num_values ?? 0;
    let rows = count;
    let startsRow = true;
    if (this.#shape.repetition > 0) {
      if (header.data_page_header_v2) rows = header.data_page_header_v2.num_rows;
      else ({ rows, startsRow } = await this.#countRows(header, start));
    }
    if (!(rows >= 0 && rows <= count)) throw new Error('page with more rows than values');
    if (this.#rows + rows > this.#options.rows) throw new Error('column with more rows than its group');
    this.#pages.push({ header, start, rowStart: this.#rows, rows, startsRow });
    this.#rows += rows;
  }

  /** The rows that start in a page of lists, whose header counts values only. */
  async #countRows(header: PageHeader, start: Bytes): Promise<{ rows: number; startsRow: boolean }> {
    this.#counted += header.uncompressed_page_size;
    if (this.#counted > MAX_COUNTED_BYTES) throw new TooCostly('lists');
    const count = header.data_page_header?.num_values ?? 0;
    const bytes = await this.#content(header, start);
    const levels = new Uint8Array(count);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const width = 32 - Math.clz32(this.#shape.repetition);
    this.#options.library.readRleBitPackedHybrid({ view, offset: 0 }, width, levels);
    let rows = 0;
    for (const level of levels) if (level === 0) rows += 1;
    return { rows, startsRow: levels[0] === 0 || count === 0 };
  }

  /** A page's content as hyparquet's decoders take it without decompressing, checked. */
  async #content(header: PageHeader, start: Bytes): Promise<Uint8Array> {
    const { source, library, meta } = this.#options;
    const packed = await source.read(start, header.compressed_page_size);
    if (packed.length < header.compressed_page_size) throw new Error('page ends early');
    const v2 = header.data_page_header_v2;
    if (header.type !== 'DATA_PAGE_V2' || !v2) {
      const bytes = await decompressed(meta.codec, packed, header.uncompressed_page_size, library);
      if (header.data_page_header) checkDataPage(bytes, header.data_page_header, this.#shape, library);
      return bytes;
    }
    const levels = v2.repetition_levels_byte_length + v2.definition_levels_byte_length;
    const rest = header.uncompressed_page_size - levels;
    let bytes = packed;
    if (v2.is_compressed !== false && rest > 0) {
      const values = await decompressed(meta.codec, packed.subarray(levels), rest, library);
      bytes = Buffer.concat([packed.subarray(0, levels), values]);
    }
    checkDataPageV2(bytes, v2, this.#shape, library);
    return bytes;
  }

  async #loadDictionary(): Promise<void> {
    const page = this.#dictionaryPage;
    if (this.#dictionary || !page) return;
    const bytes = await this.#content(page.header, page.start);
    const { data } = this.#decode(page.header, bytes, undefined);
    if (data) this.#dictionary = this.#options.library.convert(data, this.#decoder);
  }

  #decode(header: PageHeader, bytes: Uint8Array, previous: Values | undefined): { data?: Values } {
    // Decoders alias the buffer, and integers in it must be aligned.
    const own = bytes.byteOffset === 0 ? bytes : Uint8Array.from(bytes);
    const reader = { view: new DataView(own.buffer, 0, own.length), offset: 0 };
    const size = own.length;
    const unpacked: PageHeader = {
      ...header,
      compressed_page_size: size,
      uncompressed_page_size: size,
      ...(header.data_page_header_v2 && {
        data_page_header_v2: {
          ...header.data_page_header_v2,
          is_compressed: false,
          num_nulls: this.#nulls(header.data_page_header_v2, reader.view),
        },
      }),
    };
    return this.#options.library.readPage(reader, unpacked, this.#decoder, this.#dictionary, previous, 0);
  }

  /** Values that are not stored. Arrow states the nulls of a list's elements only, not its empty lists. */
  #nulls(header: DataPageHeaderV2, view: DataView): number {
    const { definition } = this.#shape;
    if (definition === 0 || header.definition_levels_byte_length === 0) return header.num_nulls;
    const levels = new Uint8Array(header.num_values);
    const reader = { view, offset: header.repetition_levels_byte_length };
    const length = header.definition_levels_byte_length;
    this.#options.library.readRleBitPackedHybrid(reader, 32 - Math.clz32(definition), levels, length);
    let nulls = 0;
    for (const level of levels) if (level !== definition) nulls += 1;
    return nulls;
  }
}

/** @throws for sizes and counts that no writer produces, and PageTooLarge for those that exceed a limit. */
function checkHeader(header: PageHeader, left: Bytes, maxBytesInMemory: Bytes): void {
  const { compressed_page_size: packed, uncompressed_page_size: size, data_page_header_v2: v2 } = header;
  const counts = [
    header.data_page_header?.num_values,
    header.dictionary_page_header?.num_values,
    v2?.num_values,
    v2?.num_rows,
    v2?.num_nulls,
  ];
  const isCount = (value: number | undefined): boolean => value === undefined || value >= 0;
  const levels = v2 ? [v2.repetition_levels_byte_length, v2.definition_levels_byte_length] : [];
  const levelBytes = levels.reduce((sum, length) => (length >= 0 ? sum + length : Number.NaN), 0);
  const known =
    (header.type === 'DATA_PAGE' && header.data_page_header) ||
    (header.type === 'DATA_PAGE_V2' && v2) ||
    (header.type === 'DICTIONARY_PAGE' && header.dictionary_page_header) ||
    header.type === 'INDEX_PAGE';
  if (!known || !(packed >= 0 && packed <= left) || !(size >= 0)) throw new Error('invalid page header');
  if (!counts.every(isCount) || !(levelBytes <= Math.min(packed, size)))
    throw new Error('invalid page header');
  const most = Math.floor(maxBytesInMemory / 2);
  if (size > most)
    throw new PageTooLarge(`a page of it has ${size} bytes, and half of \`maxBytesInMemory\` is ${most}`);
  const values = Math.max(...counts.map((count) => count ?? 0));
  if (values > MAX_PAGE_VALUES)
    throw new PageTooLarge(`a page of it has ${values} values, and the limit is ${MAX_PAGE_VALUES}`);
}

function joined(parts: readonly Values[]): Values {
  const [first] = parts;
  if (parts.length <= 1) return first ?? [];
  const all: unknown[] = [];
  for (const part of parts) for (const value of part) all.push(value);
  return all;
}
