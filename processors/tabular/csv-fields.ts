// Splits a record of delimited text into fields.

import type { Dialect } from './csv-records.ts';

/** A text that no file has, for quotes with nothing between them where they differ from an empty field. */
export const QUOTED_EMPTY = '\uD800';

/** Splits the records of one dialect. */
export class FieldSplitter {
  readonly #delimiter: string;
  readonly #quote: string;
  readonly #escape: string | undefined;
  readonly #escapes: RegExp;
  readonly #doubledOrEscapes: RegExp;
  readonly #skipsSpaces: boolean;
  readonly #empty: string;
  /** Number of fields so far that were split without the white space after their closing quote. */
  trimmed = 0;

  constructor({ delimiter, quote, escape: byte, initialSpaces = false, marksEmpty = false }: Dialect) {
    this.#delimiter = String.fromCharCode(delimiter);
    this.#quote = String.fromCharCode(quote);
    this.#escape = byte === undefined ? undefined : String.fromCharCode(byte);
    const pattern = this.#escape === undefined ? '(?!)' : `\\${this.#escape}([^])`;
    this.#escapes = new RegExp(pattern, 'g');
    this.#doubledOrEscapes = new RegExp(`${pattern}|${this.#quote}${this.#quote}`, 'g');
    this.#skipsSpaces = initialSpaces;
    this.#empty = marksEmpty ? QUOTED_EMPTY : '';
  }

  /** The fields of one record without its line end. A field with unbalanced quotes is returned unchanged. */
  split(record: string): string[] {
    const delimiter = this.#delimiter;
    const quote = this.#quote;
    if (!this.#skipsSpaces && !this.#mayEscape(record) && !record.includes(quote))
      return record.split(delimiter);
    const fields: string[] = [];
    let at = 0;
    for (;;) {
      if (this.#skipsSpaces) while (record[at] === ' ' && delimiter !== ' ') at += 1;
      if (record[at] === quote) {
        const close = this.#closingQuote(record, at + 1);
        const after = close < 0 ? close : skipSpace(record, close + 1, delimiter);
        if (close >= 0 && (after === record.length || record[after] === delimiter)) {
          if (after > close + 1 && /[ \t]/.test(record.slice(close + 1, after))) this.trimmed += 1;
          fields.push(close === at + 1 ? this.#empty : this.#unquoted(record.slice(at + 1, close)));
          if (after === record.length) return fields;
          at = after + 1;
          continue;
        }
        // Delimiters between the quotes still belong to the field; an unclosed quote is ignored.
        const end = this.#find(record, delimiter, close < 0 ? at : close);
        fields.push(this.#plain(end < 0 ? record.slice(at) : record.slice(at, end)));
        if (end < 0) return fields;
        at = end + 1;
        continue;
      }
      const end = this.#find(record, delimiter, at);
      fields.push(this.#plain(end < 0 ? record.slice(at) : record.slice(at, end)));
      if (end < 0) return fields;
      at = end + 1;
    }
  }

  #closingQuote(record: string, from: number): number {
    const quote = this.#quote;
    let at = this.#find(record, quote, from);
    while (at >= 0 && record[at + 1] === quote) at = this.#find(record, quote, at + 2);
    return at;
  }

  /** The next `wanted` at or after `from` that is not escaped, or -1. */
  #find(record: string, wanted: string, from: number): number {
    let at = record.indexOf(wanted, from);
    while (at >= 0 && this.#isEscaped(record, at)) at = record.indexOf(wanted, at + 1);
    return at;
  }

  #isEscaped(record: string, at: number): boolean {
    if (this.#escape === undefined) return false;
    let start = at;
    while (record[start - 1] === this.#escape) start -= 1;
    return (at - start) % 2 === 1;
  }

  #mayEscape(text: string): boolean {
    return this.#escape !== undefined && text.includes(this.#escape);
  }

  #unquoted(text: string): string {
    const quote = this.#quote;
    return this.#mayEscape(text)
      ? text.replace(this.#doubledOrEscapes, this.#unescaped)
      : text.replaceAll(quote + quote, quote);
  }

  #plain(text: string): string {
    return this.#mayEscape(text) ? text.replace(this.#escapes, this.#unescaped) : text;
  }

  /** An escape before any other character, as in `\N` and `C:\temp`, is text. */
  readonly #unescaped = (two: string, next: string = this.#quote): string =>
    next === this.#escape || next === this.#quote || next === this.#delimiter || /[\r\n]/.test(next)
      ? next
      : two;
}

/** Skips spaces after a closing quote, but not a tab delimiter. */
function skipSpace(record: string, from: number, delimiter: string): number {
  let at = from;
  while ((record[at] === ' ' || record[at] === '\t' || record[at] === '\r') && record[at] !== delimiter)
    at += 1;
  return at;
}
