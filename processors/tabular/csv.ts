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
  reads: delimited,
  ...lazily(() => import('./csv-table.ts')),
};

const LINES_COMPARED = 20;
/** Maximum length of a record with a quoted line break. */
const MAX_RECORD = 2000;
/** Share of lines like the first that makes a table of a text whose rows are asked for. */
const LEAST_ALIKE = 0.8;
/** Commas and semicolons before a space are prose or code, and so are lines that end in one. */
const DELIMITERS = [/\t/g, /,(?![ ]|$)/g, /;(?![ ]|$)/g];

/**
 * `maybe` if the first lines have the same count of one delimiter: two or more in at least 3 lines, or one in at least
 * 6; `asked` if most of them do, also with `|`.
 */
function delimited(text: string, cutOff: boolean): 'maybe' | 'asked' | false {
  const filled = firstRecords(text, cutOff);
  /** Delimiters on the first line, and the lines that have as many. */
  const alike = (delimiter: RegExp): readonly [count: number, lines: number] => {
    const [count = 0, ...others] = filled.map((line) => countOutsideQuotes(line, delimiter));
    return [count, 1 + others.filter((other) => other === count).length];
  };
  const isSure = ([count, same]: ReturnType<typeof alike>): boolean =>
    same === filled.length && (count >= 2 ? same >= 3 : count === 1 && same >= 6);
  if (DELIMITERS.map(alike).some(isSure)) return 'maybe';
  const isLikely = ([count, same]: ReturnType<typeof alike>): boolean =>
    count > 0 && same >= Math.max(2, LEAST_ALIKE * filled.length);
  return [...DELIMITERS, /\|/g].map(alike).some(isLikely) && 'asked';
}

/** The first records that are not blank; a quoted field may have line breaks. */
function firstRecords(text: string, cutOff: boolean): string[] {
  const records: string[] = [];
  let open = '';
  for (const line of text.split(/\r\n|\n|\r/, 2 * LINES_COMPARED)) {
    const record = open === '' ? line : `${open}\n${line}`;
    const isOpen = /(?:^|[\t,;|])"/.test(record) && (record.match(/"/g)?.length ?? 0) % 2 === 1;
    open = isOpen && record.length <= MAX_RECORD ? record : '';
    if (open === '') records.push(record);
    if (records.length > LINES_COMPARED) break;
  }
  if (open !== '') records.push(open);
  if (cutOff || records.length > LINES_COMPARED) records.pop();
  return records.filter((record) => record.trim() !== '');
}

function countOutsideQuotes(line: string, delimiter: RegExp): number {
  return line.replace(/"(?:[^"]|"")*"/g, 'quoted').match(delimiter)?.length ?? 0;
}
