// The rows of a query, as CSV in a temporary file, and how they are shown.

import type { FileHandle } from 'node:fs/promises';
import { bytesOfFile, OWN, oneLine, plural, ReaderError, type Warning } from '../contract/index.ts';
import type { FileExtractionResult, ReadRequest } from '../reader/index.ts';
import type { QueryReader } from './room.ts';

/** A column. `type` is that of DuckDB. */
export interface QueryColumn {
  readonly name: string;
  readonly type: string;
}

/** What is known about the rows. */
export interface QueryFacts {
  readonly rows: number;
  readonly columns: readonly QueryColumn[];
  /** Size of the rows as CSV. */
  readonly bytes: number;
  /** What `DESCRIBE` says, which is shown in place of its rows unless they are asked for. */
  readonly description?: string;
  /** The tables of the query; names as they are written in SQL. */
  readonly tables: readonly { readonly name: string; readonly columns: readonly QueryColumn[] }[];
}

/** How rows are shown: as in a read. */
export type ShowRequest = Pick<ReadRequest, 'maxTokens' | 'cursor' | 'rows' | 'format' | 'signal'>;

const NAME = 'answer.csv';
/** Rows up to this size are read in memory. */
const MEMORY_BYTES = 32 * 1024 * 1024;
const MAX_COLUMNS = 50;
/** Types whose values are numbers or truth values, which JSON writes without quotes. */
const BARE_TYPE =
  /^(?:BOOLEAN|U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL\(\d+,\s?\d+\))$/;

export class QueryRows {
  readonly facts: QueryFacts;
  readonly #file: FileHandle;
  readonly #reader: Pick<QueryReader, 'read' | 'count' | 'limits'>;
  readonly #parquet: FileHandle | undefined;
  readonly #warnings: readonly Warning[];

  constructor(
    file: FileHandle,
    facts: QueryFacts,
    reader: Pick<QueryReader, 'read' | 'count' | 'limits'>,
    parquet: FileHandle | undefined,
    warnings: readonly Warning[] = [],
  ) {
    this.#file = file;
    this.facts = facts;
    this.#reader = reader;
    this.#parquet = parquet;
    this.#warnings = warnings;
  }

  /** All rows as CSV with a header; a missing value is an empty field, an empty text `""`. */
  chunks(): AsyncIterable<Uint8Array> {
    return bytesOfFile({ handle: this.#file });
  }

  /** All rows as Parquet. @throws {ReaderError} BAD_INPUT unless the query asked for it */
  parquet(): AsyncIterable<Uint8Array> {
    if (!this.#parquet)
      throw new ReaderError(
        'BAD_INPUT',
        'The query did not ask for Parquet.',
        'Set `parquet` of the query to true.',
      );
    return bytesOfFile({ handle: this.#parquet });
  }

  /** The rows within a budget, below what is doubtful, their number and their columns. Never throws, like `read`. */
  async show(request: ShowRequest = {}): Promise<FileExtractionResult> {
    const { count, limits } = this.#reader;
    const { maxTokens = limits.maxTokensPerFile } = request;
    const isFirst = request.cursor === undefined && request.rows === undefined;
    const notes = this.#warnings.map(({ message }) => `${OWN.note}${oneLine(message)}]\n`).join('');
    // What would take much of the budget is left out.
    const shown = isFirst
      ? [notes + (isDescribed(this.facts, request) ? '' : this.#head()), notes].find(
          (head) => head !== '' && count(head) * 3 <= maxTokens,
        )
      : undefined;
    const cost = shown === undefined ? 0 : count(shown);
    const answer = await this.#read({ ...request, maxTokens: maxTokens - cost });
    return answer.success
      ? { ...answer, warnings: [...this.#warnings, ...answer.warnings], text: `${shown ?? ''}${answer.text}` }
      : answer;
  }

  /** Idempotent. Ends iterations of `chunks` and `parquet` with an error. */
  async close(): Promise<void> {
    await Promise.all([this.#file.close(), this.#parquet?.close()]);
  }

  async #read(request: ShowRequest): Promise<FileExtractionResult> {
    if (isDescribed(this.facts, request))
      return this.#reader.read({ name: 'tables.txt', bytes: Buffer.from(this.facts.description) }, request);
    const kinds = this.facts.columns.map(({ type }) => (BARE_TYPE.test(type) ? 'v' : 't')).join('');
    const mimeType = `text/x-answer.${kinds}` as const;
    if (this.facts.bytes > MEMORY_BYTES)
      return this.#reader.read({ name: NAME, mimeType, stream: this.chunks() }, request);
    const bytes = Buffer.alloc(this.facts.bytes);
    const { bytesRead } = await this.#file.read(bytes, 0, bytes.length, 0);
    return this.#reader.read({ name: NAME, mimeType, bytes: bytes.subarray(0, bytesRead) }, request);
  }

  /** Empty for a single row, which says it all. */
  #head(): string {
    const { rows, columns } = this.facts;
    if (rows === 1) return '';
    const names = columns.slice(0, MAX_COLUMNS).map(({ name, type }) => `${oneLine(name)} ${type}`);
    const more = columns.length > MAX_COLUMNS ? ` and ${columns.length - MAX_COLUMNS} more` : '';
    return `${OWN.note}${plural(rows, 'row')}: ${names.join(', ')}${more}.]\n`;
  }
}

/** True if the rows are shown as a description. */
const isDescribed = (
  facts: QueryFacts,
  { format, rows }: ShowRequest,
): facts is QueryFacts & { readonly description: string } =>
  facts.description !== undefined && format === undefined && rows === undefined;
