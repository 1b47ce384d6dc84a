// Writes rows as an XLSX workbook (ECMA-376 transitional) in one pass, starting a new sheet when one is full. Strings
// are written inline and never as formulas. Not exceljs 4.4.0: its streaming writer drops control characters and cannot
// add a late column to the header (`npm run bench -- --only save` measures both).

import { pipeline, Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { columnLetters, plural, quoted, ReaderError } from '../../contract/index.ts';
import { type EntryPlace, ZipWriter } from '../../zip/index.ts';
import type { Remarks } from './encodable.ts';
import type { Table } from './rows.ts';
import { type ByteTarget, TextSink } from './sink.ts';
import { JsonText, type Plain } from './value.ts';
import type { Rewrite, RowWriter, Staged } from './writer.ts';
import {
  CONTENT_TYPES,
  dateXml,
  MARKED,
  NAMESPACE,
  PACKAGE,
  PROLOG,
  RELATIONS,
  ROOT_RELATIONS,
  STYLES,
  TEXT_END,
  TEXT_START,
  textXml,
  xmlOf,
} from './xlsx-xml.ts';

/** Rows of a worksheet, and characters of a cell: Excel's specifications and limits (support.microsoft.com). */
const MOST_ROWS = 1_048_576;
const MOST_CELL_CHARACTERS = 32_767;
/** A sheet with more XML than this continues on the next, long before a ZIP entry is full. */
const MOST_SHEET_BYTES = 2 * 1024 ** 3;
/** Maximum number of sheets, far more than any program opens. */
const MOST_SHEETS = 1000;
/** As in CSV: rows, and bytes of them, held back before the header is written. */
const HELD_ROWS = 1000;
const HELD_BYTES = 4 * 1024 * 1024;
const sheetName = (number: number): string => (number === 1 ? 'Data' : `Data ${number}`);
const sheetPart = (number: number): string => `xl/worksheets/sheet${number}.xml`;

/** A written sheet: its position, and the length of the part before its rows. */
interface Sheet {
  readonly place: EntryPlace;
  readonly headBytes: number;
}

export class XlsxWriter implements RowWriter {
  readonly #table: Table;
  readonly #remarks: Remarks;
  readonly #zip: ZipWriter;
  readonly #letters: string[] = [];
  readonly #sheets: Sheet[] = [];
  #sink: TextSink;
  /** Rows of the sheet, including the header. */
  #rows = 1;
  /** The header is written, so rows need not wait. */
  #begun = false;
  #headBytes = 0;
  #leastColumns = Number.POSITIVE_INFINITY;

  constructor(table: Table, target: ByteTarget, remarks: Remarks) {
    this.#table = table;
    this.#remarks = remarks;
    this.#zip = new ZipWriter(target);
    this.#sink = new TextSink(this.#zip, remarks);
  }

  add(): void {
    const { order, count, values } = this.#table;
    this.#rows += 1;
    const row = this.#rows;
    this.#sink.add(`<row r="${row}">`);
    // Cells must be in column order; rows may provide them in any order.
    if (isRising(order, count))
      for (let at = 0; at < count; at += 1) {
        const column = order[at] ?? 0;
        this.#add(column, row, values[column]);
      }
    else for (let column = 0; column < values.length; column += 1) this.#add(column, row, values[column]);
    this.#sink.add('</row>');
  }

  get full(): boolean {
    if (!this.#begun) return this.#rows > HELD_ROWS || this.#sink.gathered >= HELD_BYTES;
    return this.#sink.full || this.#rows >= MOST_ROWS;
  }

  async flush(): Promise<void> {
    await this.#begin();
    await this.#sink.flush();
    if (this.#rows < MOST_ROWS && this.#sink.bytes < MOST_SHEET_BYTES) return;
    await this.#endSheet();
    if (this.#sheets.length >= MOST_SHEETS)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `The rows need more than ${plural(MOST_SHEETS, 'sheet')}, the maximum for an XLSX file.`,
        'Save them as CSV or JSON Lines.',
      );
  }

  async finish(): Promise<Rewrite | undefined> {
    // Do not add an empty sheet after one that the last row filled.
    if (this.#rows > 1 || this.#sheets.length === 0) {
      await this.#begin();
      await this.#endSheet();
    }
    if (this.#sheets.length > 1)
      this.#remarks.tell(
        `The rows are split over ${plural(this.#sheets.length, 'sheet')}, each with the header.`,
      );
    await this.#finish(this.#zip, this.#sheets.length);
    if (this.#leastColumns >= this.#table.names.length) return undefined;
    return (staged) => this.#widened(staged);
  }

  /** Starts the sheet by writing its header and the rows held back. */
  async #begin(): Promise<void> {
    if (this.#begun) return;
    this.#begun = true;
    const number = this.#sheets.length + 1;
    if (number === 1) await addParts(this.#zip);
    await this.#zip.begin(sheetPart(number));
    const head = Buffer.from(this.#head(number));
    this.#headBytes = head.length;
    this.#leastColumns = Math.min(this.#leastColumns, this.#table.names.length);
    await this.#zip.write(head);
  }

  async #endSheet(): Promise<void> {
    this.#sink.add('</sheetData></worksheet>');
    await this.#sink.end();
    this.#sheets.push({ place: await this.#zip.end(), headBytes: this.#headBytes });
    this.#sink = new TextSink(this.#zip, this.#remarks);
    this.#begun = false;
    this.#rows = 1;
  }

  /** Everything of a sheet up to its first data row. */
  #head(sheet: number): string {
    const selected = sheet === 1 ? ' tabSelected="1"' : '';
    const cells = this.#table.names.map((name, column) => {
      if (name.length > MOST_CELL_CHARACTERS)
        throw tooLong(`The name of column ${column + 1}, ${quoted(name)}`, name);
      return `<c r="${this.#lettersOf(column)}1"${textXml(name)}`;
    });
    return `${PROLOG}<worksheet xmlns="${NAMESPACE}"><sheetViews><sheetView${selected} workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData><row r="1">${cells.join('')}</row>`;
  }

  async #finish(zip: ZipWriter, sheets: number): Promise<void> {
    const numbers = Array.from({ length: sheets }, (_, index) => index + 1);
    const listed = numbers.map(
      (number) => `<sheet name="${sheetName(number)}" sheetId="${number}" r:id="rId${number}"/>`,
    );
    const related = numbers.map(
      (number) =>
        `<Relationship Id="rId${number}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${number}.xml"/>`,
    );
    await zip.add(
      'xl/workbook.xml',
      `${PROLOG}<workbook xmlns="${NAMESPACE}" xmlns:r="${RELATIONS}"><sheets>${listed.join('')}</sheets></workbook>`,
    );
    await zip.add(
      'xl/_rels/workbook.xml.rels',
      `${PROLOG}<Relationships xmlns="${PACKAGE}/relationships">${related.join('')}<Relationship Id="rId${sheets + 1}" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
    );
    await zip.finish();
  }

  /** The same workbook, with the header of all columns on each sheet. */
  async *#widened(staged: Staged): AsyncGenerator<Uint8Array> {
    const out: Uint8Array[] = [];
    const zip = new ZipWriter({
      write: (bytes) => {
        out.push(bytes);
        return Promise.resolve();
      },
    });
    await addParts(zip);
    for (const [index, { place, headBytes }] of this.#sheets.entries()) {
      await zip.begin(sheetPart(index + 1));
      await zip.write(Buffer.from(this.#head(index + 1)));
      let skip = headBytes;
      const inflated = createInflateRaw();
      // The reader of the inflated stream gets the error.
      pipeline(Readable.from(staged(place.from, place.to)), inflated, () => undefined);
      for await (const bytes of inflated as AsyncIterable<Uint8Array>) {
        const skipped = Math.min(skip, bytes.length);
        skip -= skipped;
        if (skipped < bytes.length) await zip.write(bytes.subarray(skipped));
        yield* out.splice(0);
      }
      await zip.end();
    }
    await this.#finish(zip, this.#sheets.length);
    yield* out;
  }

  #add(column: number, row: number, value: Plain): void {
    if (value === undefined || value === null) return;
    const sink = this.#sink;
    sink.add('<c r="');
    sink.add(this.#lettersOf(column));
    sink.add(`${row}"`);
    if (typeof value === 'string') this.#addText(column, value);
    else sink.add(this.#valueXml(column, value));
  }

  #addText(column: number, text: string): void {
    const sink = this.#sink;
    sink.add(TEXT_START);
    if (sink.addPlain(text, MARKED)) sink.add(TEXT_END);
    else sink.add(this.#checked(column, text) + TEXT_END);
  }

  #valueXml(column: number, value: number | bigint | boolean | Date | JsonText): string {
    switch (typeof value) {
      case 'number':
        if (Number.isFinite(value)) return `><v>${Object.is(value, -0) ? '-0' : value}</v></c>`;
        this.#remarks.add('`NaN` and `Infinity`, which a sheet cannot represent, are written as text');
        return textXml(`${value}`);
      case 'bigint':
        if (value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER)
          return `><v>${value}</v></c>`;
        this.#remarks.add('Integers beyond 2^53 are written as text to keep every digit');
        return `${TEXT_START}${this.#checked(column, `${value}`)}${TEXT_END}`;
      case 'boolean':
        return ` t="b"><v>${value ? 1 : 0}</v></c>`;
      default:
        if (value instanceof JsonText) return `${TEXT_START}${this.#checked(column, value.text)}${TEXT_END}`;
        return dateXml(value);
    }
  }

  /** `text` as XML. @throws {ReaderError} LIMIT_EXCEEDED for more than a cell holds */
  #checked(column: number, text: string): string {
    if (text.length > MOST_CELL_CHARACTERS) {
      const { rows, names } = this.#table;
      throw tooLong(`Row ${rows}, column ${quoted(names[column] ?? '')}`, text);
    }
    return xmlOf(text);
  }

  #lettersOf(column: number): string {
    const known = this.#letters[column];
    if (known !== undefined) return known;
    const letters = columnLetters(column + 1);
    this.#letters[column] = letters;
    return letters;
  }
}

function tooLong(place: string, text: string): ReaderError {
  return new ReaderError(
    'LIMIT_EXCEEDED',
    `${place} has ${plural(text.length, 'character')}; an XLSX cell holds at most ${MOST_CELL_CHARACTERS}.`,
    'Save it as CSV or JSON Lines, which have no limit on text length.',
  );
}

function isRising(order: readonly number[], count: number): boolean {
  for (let at = 1; at < count; at += 1) if ((order[at] ?? 0) <= (order[at - 1] ?? 0)) return false;
  return true;
}

async function addParts(zip: ZipWriter): Promise<void> {
  await zip.add('[Content_Types].xml', CONTENT_TYPES);
  await zip.add('_rels/.rels', ROOT_RELATIONS);
  await zip.add('xl/styles.xml', STYLES);
}
