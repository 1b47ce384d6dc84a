// Delimited text as a table: finds the dialect, counts exactly, reads records where they lie; never holds the file.

import {
  type OutlineLine,
  type Part,
  type ProcessContext,
  plural,
  type Source,
  type TextSource,
} from '../../src/contract/index.ts';
import { cellType, type Table, type TableRow, tableOutline, tableParts } from '../../src/table/index.ts';
import { DIALECT_BYTES, type FoundDialect, findDialect } from './csv-dialect.ts';
import { type CsvIndex, indexCsv } from './csv-index.ts';
import { MAX_RECORD_BYTES } from './csv-records.ts';

/** The table's head and tail, the rows asked for, or the next page of a walk. */
export async function* process(source: Source, context: ProcessContext): AsyncGenerator<Part> {
  const table = await openCsv(source, context);
  if (table) yield* tableParts(table, context);
}

/** Columns with what they hold. */
export async function* outline(source: Source, context: ProcessContext): AsyncGenerator<OutlineLine> {
  const table = await openCsv(source, context);
  if (table) yield* tableOutline(table, context);
}

/** Records looked at to tell a header from data. */
const RECORDS_COMPARED = 20;

/** Undefined when the file holds no record. Tells the facts, and warns of what is wrong with the file. */
async function openCsv(source: Source, context: ProcessContext): Promise<Table | undefined> {
  const { signal } = context;
  const text = await context.text(source);
  const head = await text.read(0, DIALECT_BYTES);
  const dialect = findDialect(head, head.length >= text.size, source.extension);
  const index = await indexCsv(text, dialect, signal);
  if (index.records === 0) {
    context.describe({ rows: 0, columns: 0, header: false });
    return undefined;
  }
  const first: (readonly string[])[] = [];
  for await (const { fields } of index.read(text, 1, signal)) {
    first.push(fields);
    if (first.length > RECORDS_COMPARED) break;
  }
  const [names = [], ...data] = first;
  const header = isHeader(names, data) ? names : undefined;
  const rows = index.records - (header ? 1 : 0);
  const widths = first.map((fields) => fields.length);
  if (index.columns === undefined && index.records > first.length) {
    const from = Math.max(first.length, index.records - RECORDS_COMPARED) + 1;
    for await (const { fields } of index.read(text, from, signal)) widths.push(fields.length);
  }
  const columns = widths.reduce((most, width) => Math.max(most, width), index.columns ?? 0);
  context.describe({
    rows,
    columns,
    delimiter: String.fromCharCode(dialect.delimiter),
    quote: String.fromCharCode(dialect.quote),
    header: header !== undefined,
  });
  // An outline follows a read that has told them.
  if (!context.selection.outline) {
    warnOfQuotes(index, context);
    warnOfRaggedness(index, dialect, widths, context);
  }
  const ended = text.size === 0 || (await text.read(text.size - 1, 1))[0] === dialect.newline;
  const form = ended ? formOf(dialect, index, header !== undefined) : undefined;
  return new CsvTable({ text, index, header, rows, columns, form }, context);
}

/** What must stay for the rows of a file to stay as they are when others are added below them. */
function formOf(dialect: FoundDialect, { physicalLines, openQuotes }: CsvIndex, header: boolean): string {
  const { delimiter, quote, newline, start } = dialect;
  const flags = [header, quote === 39, newline === 13, start > 0, physicalLines];
  return `${delimiter}${flags.map((flag, at) => (flag ? 'hqrsp'[at] : '')).join('')}${openQuotes || ''}`;
}

/** What is known of a file before its rows are read. */
interface CsvFacts {
  readonly text: TextSource;
  readonly index: CsvIndex;
  readonly header: readonly string[] | undefined;
  readonly rows: number;
  readonly columns: number;
  /** Undefined where the last row has no end, so that it may grow itself. */
  readonly form: string | undefined;
}

class CsvTable implements Table {
  readonly header: readonly string[] | undefined;
  readonly headerRow = 0;
  readonly rows: number;
  readonly columns: number;
  readonly form?: string;
  readonly #text: TextSource;
  readonly #index: CsvIndex;
  readonly #context: ProcessContext;

  constructor({ text, index, header, rows, columns, form }: CsvFacts, context: ProcessContext) {
    this.#text = text;
    this.#index = index;
    this.header = header;
    this.rows = rows;
    this.columns = columns;
    this.#context = context;
    if (form !== undefined) this.form = form;
  }

  async *read(from: number, to: number): AsyncGenerator<TableRow> {
    if (to < from) return;
    let number = from;
    for await (const { fields, bytes } of this.#index.read(
      this.#text,
      from + (this.header ? 1 : 0),
      this.#context.signal,
    )) {
      if (bytes > MAX_RECORD_BYTES)
        this.#context.warn({
          code: 'SKIPPED_CONTENT',
          message: `Row ${number} takes ${bytes} bytes; its first ${MAX_RECORD_BYTES} were read, the rest was not.`,
        });
      yield { number, cells: fields };
      if (number >= to) return;
      number += 1;
    }
  }
}

/**
 * The first record names the columns unless it looks like the rows under it: a date or an address over others of its
 * kind, or nothing but numbers, and numbers under most of them.
 */
function isHeader(names: readonly string[], data: readonly (readonly string[])[]): boolean {
  const types = names.map(cellType);
  const filled = types.filter((type) => type !== 'empty');
  if (data.length === 0) return filled.length === 0 || filled.some((type) => type === 'text');
  const alike = types.filter((type, column) =>
    data.some((row) => sameKind(type, cellType(row[column] ?? ''))),
  );
  if (alike.some((type) => type === 'date' || type === 'address')) return false;
  if (filled.some((type) => type === 'text' || type === 'boolean')) return true;
  return alike.length * 2 < filled.length || filled.length === 0;
}

function sameKind(a: string, b: string): boolean {
  const numeric = (type: string): boolean => type === 'integer' || type === 'number';
  return a !== 'empty' && (a === b || (numeric(a) && numeric(b)));
}

function warnOfQuotes(index: CsvIndex, { warn }: ProcessContext): void {
  if (index.physicalLines) {
    warn({
      code: 'UNBALANCED_QUOTES',
      message: 'The quotes of this file do not pair up; every line was read as a row of its own.',
    });
    return;
  }
  const open = index.openQuotes;
  const stray = index.strayQuotes;
  if (open === 0 && stray === 0) return;
  const findings = [
    ...(open > 0
      ? [`${plural(open, 'field')} ${open === 1 ? 'opens' : 'open'} a quote that nothing closes`]
      : []),
    ...(stray > 0
      ? [`${plural(stray, 'field')} ${stray === 1 ? 'goes' : 'go'} on after a closing quote`]
      : []),
  ];
  warn({
    code: 'UNBALANCED_QUOTES',
    message: `${findings.join(', and ')}; read as plain characters.`,
  });
}

function warnOfRaggedness(
  index: CsvIndex,
  dialect: FoundDialect,
  widths: readonly number[],
  { warn }: ProcessContext,
): void {
  const usual = dialect.columns;
  const all = index.columns !== undefined;
  const short = all ? (index.ragged?.short ?? 0) : widths.filter((width) => width < usual).length;
  const long = all ? (index.ragged?.long ?? 0) : widths.filter((width) => width > usual).length;
  if (short + long === 0) return;
  const counts = [
    ...(short > 0 ? [`${short} with fewer`] : []),
    ...(long > 0 ? [`${long} with more`] : []),
  ].join(' and ');
  const where = all
    ? `The file has ${plural(short + long, 'record')} of another width than the usual ${plural(usual, 'field')}: ${counts}; record ${index.ragged?.first ?? 1} is the first.`
    : `Of the ${plural(widths.length, 'record')} looked at, ${counts} than the usual ${plural(usual, 'field')}.`;
  warn({ code: 'RAGGED_ROWS', message: `${where} Missing fields are shown empty; none is dropped.` });
}
