// Writes rows as JSON Lines, or as a JSON array with one item per line; each row is written as it was given. `value.ts`
// converts single values.

import type { Remarks } from './encodable.ts';
import type { Table } from './rows.ts';
import { marked, type TextSink } from './sink.ts';
import { jsonOf, jsonString, type Plain } from './value.ts';
import type { RowWriter } from './writer.ts';

/** Characters JSON escapes in a string (RFC 8259, section 7). */
const ESCAPED = marked(/["\\\p{Cc}]/u);

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

export class JsonRowWriter implements RowWriter {
  readonly #table: Table;
  readonly #sink: TextSink;
  readonly #remarks: Remarks;
  readonly #array: boolean;
  readonly #named: boolean;
  readonly #prefixes: string[] = [];
  #rows = 0;

  /** `array` writes one JSON array; `named` writes rows given as arrays as objects by column. */
  constructor(table: Table, sink: TextSink, remarks: Remarks, array: boolean, named: boolean) {
    this.#table = table;
    this.#sink = sink;
    this.#remarks = remarks;
    this.#array = array;
    this.#named = named;
  }

  add(): void {
    if (this.#array) this.#sink.add(this.#rows === 0 ? '[\n' : ',\n');
    this.#addRow();
    if (!this.#array) this.#sink.addCode(LINE_FEED);
    this.#rows += 1;
  }

  get full(): boolean {
    return this.#sink.full;
  }

  flush(): Promise<void> {
    return this.#sink.flush();
  }

  async finish(): Promise<undefined> {
    if (this.#array) this.#sink.add(this.#rows === 0 ? '[]\n' : '\n]\n');
    await this.#sink.end();
  }

  #addRow(): void {
    const { values, order, count, shape } = this.#table;
    const sink = this.#sink;
    if (shape === 'value') {
      this.#addValue(count === 0 ? null : values[order[0] ?? 0]);
      return;
    }
    const list = shape === 'array' && !this.#named;
    sink.addCode(list ? OPEN_LIST : OPEN_OBJECT);
    let first = true;
    for (let at = 0; at < count; at += 1) {
      const column = order[at] ?? 0;
      const value = values[column];
      if (value === undefined && !list) continue;
      if (!first) sink.addCode(COMMA);
      first = false;
      if (!list) sink.add(this.#prefix(column));
      this.#addValue(value);
    }
    sink.addCode(list ? CLOSE_LIST : CLOSE_OBJECT);
  }

  #addValue(value: Plain): void {
    const sink = this.#sink;
    if (typeof value !== 'string') sink.add(jsonOf(value, this.#remarks));
    else {
      sink.addCode(QUOTE);
      if (sink.addPlain(value, ESCAPED)) sink.addCode(QUOTE);
      else sink.add(jsonString(value, this.#remarks).slice(1));
    }
  }

  #prefix(column: number): string {
    const known = this.#prefixes[column];
    if (known !== undefined) return known;
    const prefix = `${jsonString(this.#table.nameOf(column), this.#remarks)}:`;
    // Columns beyond the table differ from row to row.
    if (column < this.#table.names.length) this.#prefixes[column] = prefix;
    return prefix;
  }
}
