// Rows as JSON Lines, or as a JSON array with an item a line; each as it was given. What one value becomes is in
// result-value.ts.

import type { Table } from './result-rows.ts';
import type { TextSink } from './result-sink.ts';
import { jsonOf, jsonString, type Plain, type Remarks } from './result-value.ts';
import type { RowWriter } from './result-writer.ts';

export class JsonRowWriter implements RowWriter {
  readonly #table: Table;
  readonly #sink: TextSink;
  readonly #remarks: Remarks;
  readonly #array: boolean;
  readonly #named: boolean;
  readonly #prefixes: string[] = [];
  #rows = 0;

  /** `array` for one JSON array; `named` to write rows that are arrays as objects by column. */
  constructor(table: Table, sink: TextSink, remarks: Remarks, array: boolean, named: boolean) {
    this.#table = table;
    this.#sink = sink;
    this.#remarks = remarks;
    this.#array = array;
    this.#named = named;
  }

  /** Writes the row the table has just read. */
  add(): void {
    const line = this.#row();
    if (this.#array) this.#sink.add(this.#rows === 0 ? `[\n${line}` : `,\n${line}`);
    else this.#sink.add(`${line}\n`);
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

  #row(): string {
    const { values, order, count, shape } = this.#table;
    if (shape === 'value') return count === 0 ? 'null' : this.#value(values[order[0] ?? 0]);
    const list = shape === 'array' && !this.#named;
    let text = list ? '[' : '{';
    let first = true;
    for (let at = 0; at < count; at += 1) {
      const column = order[at] ?? 0;
      const value = values[column];
      if (value === undefined && !list) continue;
      if (!first) text += ',';
      first = false;
      if (!list) text += this.#prefix(column);
      text += this.#value(value);
    }
    return `${text}${list ? ']' : '}'}`;
  }

  #value(value: Plain): string {
    return jsonOf(value, this.#remarks);
  }

  #prefix(column: number): string {
    const known = this.#prefixes[column];
    if (known !== undefined) return known;
    const prefix = `${jsonString(this.#table.nameOf(column))}:`;
    // Columns past those of the table are other ones in every row.
    if (column < this.#table.names.length) this.#prefixes[column] = prefix;
    return prefix;
  }
}
