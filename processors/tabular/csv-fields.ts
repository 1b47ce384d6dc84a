// The fields of one record of delimited text.

/** The fields of one record, its line end removed. A field whose quotes do not hold is given as it stands. */
export function splitFields(record: string, delimiter: string, quote: string): string[] {
  if (!record.includes(quote)) return record.split(delimiter);
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    if (record[at] === quote) {
      const close = closingQuote(record, at + 1, quote);
      const after = close < 0 ? close : skipSpace(record, close + 1, delimiter);
      if (close >= 0 && (after === record.length || record[after] === delimiter)) {
        fields.push(record.slice(at + 1, close).replaceAll(quote + quote, quote));
        if (after === record.length) return fields;
        at = after + 1;
        continue;
      }
      // Delimiters between the quotes still belong to the field; an unclosed quote holds nothing together.
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

/** Spaces after a closing quote; a tab that delimits is none. */
function skipSpace(record: string, from: number, delimiter: string): number {
  let at = from;
  while ((record[at] === ' ' || record[at] === '\t' || record[at] === '\r') && record[at] !== delimiter)
    at += 1;
  return at;
}
