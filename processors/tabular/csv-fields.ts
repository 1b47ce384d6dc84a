// Splits a record of delimited text into fields.

/** A text that no file has, for quotes with nothing between them where they differ from an empty field. */
export const QUOTED_EMPTY = '\uD800';

/**
 * The fields of one record without its line end. A field with unbalanced quotes is returned unchanged. `empty`: the
 * text of quotes with nothing between them.
 */
export function splitFields(record: string, delimiter: string, quote: string, empty = ''): string[] {
  if (!record.includes(quote)) return record.split(delimiter);
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    if (record[at] === quote) {
      const close = closingQuote(record, at + 1, quote);
      const after = close < 0 ? close : skipSpace(record, close + 1, delimiter);
      if (close >= 0 && (after === record.length || record[after] === delimiter)) {
        fields.push(close === at + 1 ? empty : record.slice(at + 1, close).replaceAll(quote + quote, quote));
        if (after === record.length) return fields;
        at = after + 1;
        continue;
      }
      // Delimiters between the quotes still belong to the field; an unclosed quote is ignored.
      const end = record.indexOf(delimiter, close < 0 ? at : close);
      if (end < 0) {
        fields.push(record.slice(at));
        return fields;
      }
      fields.push(record.slice(at, end));
      at = end + 1;
      continue;
    }
    const end = record.indexOf(delimiter, at);
    if (end < 0) {
      fields.push(record.slice(at));
      return fields;
    }
    fields.push(record.slice(at, end));
    at = end + 1;
  }
}

function closingQuote(record: string, from: number, quote: string): number {
  let at = record.indexOf(quote, from);
  while (at >= 0 && record[at + 1] === quote) at = record.indexOf(quote, at + 2);
  return at;
}

/** Skips spaces after a closing quote, but not a tab delimiter. */
function skipSpace(record: string, from: number, delimiter: string): number {
  let at = from;
  while ((record[at] === ' ' || record[at] === '\t' || record[at] === '\r') && record[at] !== delimiter)
    at += 1;
  return at;
}
