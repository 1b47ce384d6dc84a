// Delimited text as a table: detects the dialect, counts exactly, reads records in place; never holds the file.

import {
  type OutlineLine,
  type Part,
  type ProcessContext,
  plural,
  type Source,
  type TextSource,
  type Warning,
} from '../../src/contract/index.ts';
import { type Cell, type Table, type TableRow, tableOutline, tableParts } from '../../src/table/index.ts';
import { DIALECT_BYTES, type FoundDialect, findDialect } from './csv-dialect.ts';
import { QUOTED_EMPTY } from './csv-fields.ts';
import { isHeader, looksLikeData } from './csv-header.ts';
import { type CsvIndex, indexCsv } from './csv-index.ts';
import { MAX_RECORD_BYTES } from './csv-records.ts';

/** The table's head and tail, the requested rows, or the next page of a walk. */
export async function* process(source: Source, context: ProcessContext): AsyncGenerator<Part> {
  const table = await openCsv(source, context);
  if (table) yield* tableParts(table, context);
}

/** Columns with a summary of their content. */
export async function* outline(source: Source, context: ProcessContext): AsyncGenerator<OutlineLine> {
  const table = await openCsv(source, context);
  if (table) yield* tableOutline(table, context);
}

/** Records compared to distinguish a header from data. */
const RECORDS_COMPARED = 20;

/** Undefined for a file without records. Reports facts, and warns about defects of the file. */
async function openCsv(source: Source, context: ProcessContext): Promise<Table | undefined> {
  const { selection, signal } = context;
  const text = await context.text(source);
  const head = await text.read(0, DIALECT_BYTES);
  const kinds = answerKinds(source.mimeType);
  const found = findDialect(head, head.length >= text.size, source.extension);
  const index = await indexCsv(text, kinds === undefined ? found : { ...found, marksEmpty: true }, signal);
  const { dialect } = index;
  if (index.records === 0) {
    context.describe({ rows: 0, columns: 0, header: false });
    return undefined;
  }
  const first: (readonly string[])[] = [];
  for await (const { fields, isTrimmed } of index.read(text, 1, signal)) {
    if (isTrimmed && !selection.outline) context.warn(TRIMMED);
    first.push(fields);
    if (first.length > RECORDS_COMPARED) break;
  }
  const [names = [], ...data] = first;
  const header = kinds !== undefined || (selection.header ?? isHeader(names, data)) ? names : undefined;
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
    ...(dialect.escape !== undefined && { escape: String.fromCharCode(dialect.escape) }),
    ...(dialect.initialSpaces && { initialSpaces: true }),
    ...(dialect.declared && { declared: true }),
    header: header !== undefined,
  });
  // An outline follows a read that already reported them.
  if (!selection.outline) {
    const isGuess = header !== undefined && kinds === undefined && selection.header === undefined;
    if (selection.resume === undefined)
      warnOfGuesses(dialect, isGuess && looksLikeData(names, data), context);
    warnOfQuotes(index, context);
    warnOfRaggedness(index, dialect, widths, context);
  }
  const ended = text.size === 0 || (await text.read(text.size - 1, 1))[0] === dialect.newline;
  const form = ended ? formOf(dialect, index, header !== undefined) : undefined;
  const bare = kinds === undefined ? undefined : new Set(names.filter((_, at) => kinds[at] === BARE_KIND));
  return new CsvTable({ text, index, header, rows, columns, form, bare }, context);
}

/** What must stay equal for existing rows to be unchanged when others are appended. */
function formOf(dialect: FoundDialect, { physicalLines, openQuotes }: CsvIndex, header: boolean): string {
  const { delimiter, quote, newline, start, escape: escaping, initialSpaces } = dialect;
  const flags = [
    header,
    quote === 39,
    newline === 13,
    start > 0,
    physicalLines,
    escaping !== undefined,
    initialSpaces,
  ];
  return `${delimiter}${flags.map((flag, at) => (flag ? 'hqrspei'[at] : '')).join('')}${openQuotes || ''}`;
}

/** What is known of a file before its rows are read. */
interface CsvFacts {
  readonly text: TextSource;
  readonly index: CsvIndex;
  readonly header: readonly string[] | undefined;
  readonly rows: number;
  readonly columns: number;
  /** Undefined if the last row has no line end, so that it may still grow. */
  readonly form: string | undefined;
  /** In the answer to a query, columns of numbers and truth values. */
  readonly bare: ReadonlySet<string> | undefined;
}

class CsvTable implements Table {
  readonly header: readonly string[] | undefined;
  readonly headerRow = 0;
  readonly rows: number;
  readonly columns: number;
  readonly form?: string;
  readonly hasNulls?: boolean;
  readonly bare?: ReadonlySet<string>;
  readonly #text: TextSource;
  readonly #index: CsvIndex;
  readonly #context: ProcessContext;

  constructor({ text, index, header, rows, columns, form, bare }: CsvFacts, context: ProcessContext) {
    this.#text = text;
    this.#index = index;
    this.header = header;
    this.rows = rows;
    this.columns = columns;
    this.#context = context;
    if (form !== undefined) this.form = form;
    if (bare === undefined) return;
    this.hasNulls = true;
    this.bare = bare;
  }

  async *read(from: number, to: number): AsyncGenerator<TableRow> {
    if (to < from) return;
    let number = from;
    for await (const { fields, bytes, isTrimmed } of this.#index.read(
      this.#text,
      from + (this.header ? 1 : 0),
      this.#context.signal,
    )) {
      if (bytes > MAX_RECORD_BYTES)
        this.#context.warn({
          code: 'SKIPPED_CONTENT',
          message: `Row ${number} takes ${bytes} bytes; only the first ${MAX_RECORD_BYTES} were read.`,
        });
      if (isTrimmed) this.#context.warn(TRIMMED);
      yield { number, cells: this.bare ? fields.map(cellOf) : fields };
      if (number >= to) return;
      number += 1;
    }
  }
}

/** The kinds of the columns of an answer to a query, as `src/query` declares them: a letter for each. */
const answerKinds = (mimeType: string | undefined): string | undefined =>
  /^text\/x-answer\.([tv]*)$/.exec(mimeType ?? '')?.[1];

/** A column of numbers or truth values. */
const BARE_KIND = 'v';

/** In an answer to a query, an empty field is missing, and quotes are an empty text. */
const cellOf = (field: string): Cell => (field === '' ? null : field === QUOTED_EMPTY ? '' : field);

const TRIMMED: Warning = {
  code: 'DIALECT_GUESSED',
  message: 'White space between a closing quote and the delimiter is left out.',
};

/** What was concluded from the content alone, on the first page of an answer. */
function warnOfGuesses(dialect: FoundDialect, isData: boolean, { warn }: ProcessContext): void {
  const rules = [
    ...(dialect.escape === undefined
      ? []
      : ['a backslash before a quote, delimiter or line end is left out']),
    ...(dialect.initialSpaces ? ['spaces before fields are left out'] : []),
  ];
  if (rules.length > 0) warn({ code: 'DIALECT_GUESSED', message: `Detected dialect: ${rules.join('; ')}.` });
  if (isData)
    warn({
      code: 'HEADER_GUESSED',
      message: 'The first record looks like data; set `header` to false to read it as a row.',
    });
}

function warnOfQuotes(index: CsvIndex, { warn }: ProcessContext): void {
  if (index.physicalLines) {
    warn({
      code: 'UNBALANCED_QUOTES',
      message: 'Unbalanced quotes; every line was read as a separate row.',
    });
    return;
  }
  const open = index.openQuotes;
  const stray = index.strayQuotes;
  if (open === 0 && stray === 0) return;
  const findings = [
    ...(open > 0
      ? [`${plural(open, 'field')} ${open === 1 ? 'opens' : 'open'} a quote that is never closed`]
      : []),
    ...(stray > 0
      ? [`${plural(stray, 'field')} ${stray === 1 ? 'has' : 'have'} text after a closing quote`]
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
    ? `${plural(short + long, 'record')} without the usual ${plural(usual, 'field')}: ${counts}; first at record ${index.ragged?.first ?? 1}.`
    : `Of ${plural(widths.length, 'record')} inspected, ${counts} than the usual ${plural(usual, 'field')}.`;
  warn({ code: 'RAGGED_ROWS', message: `${where} Missing fields are shown empty; extra fields are kept.` });
}
