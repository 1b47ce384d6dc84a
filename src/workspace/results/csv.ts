// Writes rows as CSV (RFC 4180, UTF-8, LF line ends): in one pass if the columns are known early, in two if one appears
// late. Not papaparse 5.7.1: it writes nested objects as `[object Object]` and collects no column facts (`npm run bench
// -- --only save` measures both).

import { FORMULAS, type Remarks } from './encodable.ts';
import type { Table } from './rows.ts';
import { marked, type TextSink } from './sink.ts';
import { JsonText, type Plain } from './value.ts';
import type { Rewrite, RowWriter } from './writer.ts';

/** Rows, and characters of rows, held back before the header is written; most columns are known by then. */
const HELD_ROWS = 1000;
const HELD_CHARACTERS = 4 * 1024 * 1024;

/**
 * Quotes more than RFC 4180 requires: other delimiters, so that no reader mistakes them for this file's; a byte order
 * mark, which readers strip; and surrounding spaces, which some strip.
 */
const QUOTED_INSIDE = /[",\n\r;\t|]/;
const QUOTED = /[",\n\r;\t|\ufeff]|^ | $/;

const BLANK = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const LINE_FEED = 0x0a;

const MARKED = marked(QUOTED_INSIDE);

/** Not empty, and no surrounding spaces. */
function isPlain(text: string): boolean {
  const { length } = text;
  return length > 0 && text.charCodeAt(0) !== BLANK && text.charCodeAt(length - 1) !== BLANK;
}

/** A sign in front of a number is not a formula. */
function isFormula(text: string): boolean {
  switch (text.charCodeAt(0)) {
    case 0x3d:
    case 0x40:
    case 0x09:
    case 0x0d:
      return text.length > 1;
    case 0x2b:
    case 0x2d:
      return text.length > 1 && Number.isNaN(Number(text));
    default:
      return false;
  }
}

function field(text: string): string {
  if (text === '') return '""';
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Nothing for a missing value, `""` for an empty string. */
function cell(value: Plain): string {
  switch (typeof value) {
    case 'string':
      return field(value);
    case 'number':
      return value === 0 && Object.is(value, -0) ? '-0' : `${value}`;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'bigint':
      return `${value}`;
    case 'undefined':
      return '';
    default:
      if (value === null) return '';
      return value instanceof JsonText ? field(value.text) : value.toISOString();
  }
}

/** From this row on (0-based, not counting the header) lines have this many columns. */
interface Stretch {
  readonly row: number;
  readonly columns: number;
}

/** How to rewrite the file when columns appeared after its header was written. */
interface Widening {
  readonly header: string;
  readonly columns: number;
  readonly stretches: readonly Stretch[];
}

export class CsvWriter implements RowWriter {
  readonly #table: Table;
  readonly #sink: TextSink;
  #held: { readonly line: string; readonly columns: number }[] | undefined = [];
  #heldCharacters = 0;
  #headerColumns = 0;
  readonly #stretches: Stretch[] = [];

  readonly #remarks: Remarks;

  constructor(table: Table, sink: TextSink, remarks: Remarks) {
    this.#remarks = remarks;
    this.#table = table;
    this.#sink = sink;
  }

  add(): void {
    const { names, values, rows } = this.#table;
    const columns = names.length;
    if (this.#held) {
      for (const value of values) this.#look(value);
      const line = values.map(cell).join(',');
      this.#held.push({ line, columns });
      this.#heldCharacters += line.length;
      if (this.#held.length >= HELD_ROWS || this.#heldCharacters >= HELD_CHARACTERS)
        this.#release(this.#held);
      return;
    }
    if (columns > (this.#stretches.at(-1)?.columns ?? this.#headerColumns))
      this.#stretches.push({ row: rows - 1, columns });
    const sink = this.#sink;
    for (let at = 0; at < columns; at += 1) {
      const value = values[at];
      if (at > 0) sink.addCode(COMMA);
      else if (columns === 1 && (value === undefined || value === null)) sink.add('""');
      if (value === undefined || value === null) continue;
      this.#look(value);
      // Fast path: most values are short strings that need no quotes.
      if (typeof value === 'string' && isPlain(value) && sink.addPlain(value, MARKED)) continue;
      sink.add(cell(value));
    }
    sink.addCode(LINE_FEED);
  }

  /**
   * A program that opens the file may run text that looks like a formula (OWASP, CSV Injection). The data is kept
   * unchanged.
   */
  #look(value: Plain): void {
    if (typeof value === 'string' && isFormula(value)) this.#remarks.add(FORMULAS, 'cell');
  }

  get full(): boolean {
    return this.#sink.full;
  }

  flush(): Promise<void> {
    return this.#sink.flush();
  }

  async finish(): Promise<Rewrite | undefined> {
    if (this.#held) this.#release(this.#held);
    await this.#sink.end();
    const columns = this.#table.names.length;
    if (columns === this.#headerColumns) return undefined;
    const widening: Widening = {
      header: headerOf(this.#table.names),
      columns,
      stretches: [{ row: -1, columns: this.#headerColumns }, ...this.#stretches],
    };
    return (staged) => widened(staged(0), widening);
  }

  #release(held: readonly { readonly line: string; readonly columns: number }[]): void {
    this.#held = undefined;
    const { names } = this.#table;
    this.#headerColumns = names.length;
    if (names.length === 0) {
      // Rows without columns write nothing, but still count as rows.
      if (held.length > 0) this.#sink.add(ended('').repeat(held.length + 1));
      return;
    }
    this.#sink.add(headerOf(names));
    for (const { line, columns } of held) this.#sink.add(ended(line + missing(columns, names.length)));
  }
}

function headerOf(names: readonly string[]): string {
  return `${names.map(field).join(',')}\n`;
}

/** Most readers skip an empty line. */
function ended(line: string): string {
  return line === '' ? '""\n' : `${line}\n`;
}

/** Pads a line of `columns` to `all` columns; a line of no columns still has one field. */
function missing(columns: number, all: number): string {
  return ','.repeat(Math.max(0, all - Math.max(columns, 1)));
}

/** Rewrites a file of `CsvWriter` with the complete header and every line padded to it. Streams in chunks. */
async function* widened(
  pieces: AsyncIterable<Uint8Array>,
  { header, columns, stretches }: Widening,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(header, 'utf8');
  let insideQuotes = false;
  // The header is row -1.
  let row = -1;
  let next = 1;
  let padding = Buffer.from(missing(stretches[0]?.columns ?? columns, columns));
  for await (const piece of pieces) {
    let from = row < 0 ? piece.length : 0;
    const out: Uint8Array[] = [];
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at];
      if (byte === QUOTE) insideQuotes = !insideQuotes;
      else if (byte === LINE_FEED && !insideQuotes) {
        if (row < 0) from = at + 1;
        else if (padding.length > 0) {
          out.push(piece.subarray(from, at), padding);
          from = at;
        }
        row += 1;
        const stretch = stretches[next];
        if (stretch?.row === row) {
          padding = Buffer.from(missing(stretch.columns, columns));
          next += 1;
        }
      }
    }
    out.push(piece.subarray(from));
    yield Buffer.concat(out);
  }
}
