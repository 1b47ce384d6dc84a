// CSV, TSV and other delimited text, and how they are recognised. Reading is in `csv-table.ts`.

import { lazily, type Processor } from '../../src/contract/index.ts';

export const csv: Processor = {
  name: 'csv',
  fileType: 'csv',
  extensions: ['.csv', '.tsv', '.tab', '.psv', '.ssv'],
  mimeTypes: ['text/csv', 'text/tab-separated-values'],
  selects: ['rows', 'columns', 'header', 'bytes'],
  splits: 'records',
  formats: ['csv', 'markdown', 'json'],
  types: { '.tsv': 'text/tab-separated-values' },
  textual: true,
  // Only a position between two rows ends with the form of the rows.
  follows: (position) => typeof position.at(-1) === 'string',
  reads: (text, cutOff) => looksDelimited(text, cutOff) && 'maybe',
  ...lazily(() => import('./csv-table.ts')),
};

const LINES_COMPARED = 20;

/**
 * True if the first lines have the same count of one delimiter: two or more in at least 3 lines, or one in at least 6.
 * Commas and semicolons before a space are prose or code, and so are lines that end in one.
 */
function looksDelimited(text: string, cutOff: boolean): boolean {
  const lines = text.split(/\r\n|\n|\r/, LINES_COMPARED + 1);
  if (cutOff || lines.length > LINES_COMPARED) lines.pop();
  const filled = lines.filter((line) => line.trim() !== '');
  return [/\t/g, /,(?![ ]|$)/g, /;(?![ ]|$)/g].some((delimiter) => {
    const counts = new Set(filled.map((line) => countOutsideQuotes(line, delimiter)));
    const [count = 0] = counts;
    return counts.size === 1 && (count >= 2 ? filled.length >= 3 : count === 1 && filled.length >= 6);
  });
}

function countOutsideQuotes(line: string, delimiter: RegExp): number {
  return line.replace(/"(?:[^"]|"")*"/g, 'quoted').match(delimiter)?.length ?? 0;
}
