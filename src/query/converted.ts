// Tables that the reader converts for a query: written to temporary files as CSV or JSON, with their header found.

import type { FileHandle } from 'node:fs/promises';
import { bytesOfFile, quoted, ReaderError, type Warning } from '../contract/index.ts';
import type { TableFile } from '../isolated/query/tables.ts';
import { type Input, targetsLeftOut, targetsOfData, wordsOfData } from '../reader/index.ts';
import { delimitedFacts, type Facts, noteHeader, type QueriedFile } from './queried-file.ts';
import { linesOf, type Pieces, type Room, recordOf, textOf, written } from './room.ts';
import { subtree, valuesAt } from './subtree.ts';

/** A table of a query, with the open file that holds it. */
export interface OpenTable extends Omit<TableFile, 'descriptor'> {
  readonly file: FileHandle;
}

type Table = Omit<OpenTable, 'names'>;

/** CSV as the reader writes it. */
const WRITTEN = { kind: 'csv', delimiter: ',', quote: '"' } as const;
/** Its tables are those of the web pages in the outputs of its cells. */
export const NOTEBOOK = 'notebook';
const OUTPUTS = '#/cells/*/outputs/*/data/text~1html';

/** The table of `file`, or its `sheet`. @throws {ReaderError} UNSUPPORTED_FORMAT for what has no rows */
export async function readTable(
  file: QueriedFile,
  facts: Facts,
  names: readonly string[],
  room: Room,
  sheet?: string,
): Promise<OpenTable> {
  return { names, ...(await tableOf(file, facts, room, sheet)) };
}

async function tableOf(
  file: QueriedFile,
  facts: Facts,
  room: Room,
  sheet: string | undefined,
): Promise<Table> {
  const { metadata, processor } = facts;
  const { place } = file;
  const [, table] = /^#table=(\d+)$/.exec(place) ?? [];
  if (table !== undefined) {
    const input = await documentOf(file, facts, room);
    const name = file.name + place;
    const told = (warning: Warning): void => {
      room.warnings.push({ ...warning, message: `${quoted(name)}: ${warning.message}` });
    };
    return cells(textOf(input, { format: 'csv', plain: true, table }, room, told), name, room);
  }
  const isPart = place.startsWith('#/');
  if (!isPart && (metadata['rows'] !== undefined || metadata['sheets'] !== undefined))
    return rows(file, facts, room, sheet);
  const found = room.reader.processors.find(({ name }) => name === processor);
  const { selects = [], textual = false } = found ?? {};
  if (selects.includes('pointer') && (processor !== NOTEBOOK || isPart))
    return {
      ...(await written(subtree(file, processor, room), file.name, room)),
      content: { kind: 'json', isPart: true },
    };
  if (textual && /^(?:$|#L-?\d)/.test(place)) return text(file, facts, room);
  throw new ReaderError(
    'UNSUPPORTED_FORMAT',
    `${quoted(file.name + place)} is read as ${processor}, which has no tables.`,
    'Read the file to see what it contains.',
  );
}

/** A delimited file, a sheet or a range of it, records. */
async function rows(file: QueriedFile, facts: Facts, room: Room, sheet?: string): Promise<Table> {
  const { processor, metadata } = facts;
  const isDelimited = processor === 'csv';
  const request = {
    format: 'csv',
    plain: true,
    ...(sheet !== undefined && { sheet }),
    ...(isDelimited && room.header !== undefined && { header: room.header }),
  } as const;
  const content = textOf(file.again(), request, room);
  if (Array.isArray(metadata['sheets']) && processor !== 'sqlite')
    return cells(content, file.name + (sheet === undefined ? file.place : `#${sheet}`), room);
  if (isDelimited) noteHeader(file.name, facts, room);
  return {
    ...(await written(content, file.name, room)),
    content: {
      ...WRITTEN,
      header: !isDelimited || (room.header ?? metadata['header'] === true),
      ...(processor === 'sqlite' && { nullText: 'NULL' }),
    },
  };
}

/** Cells whose first row may be a header. */
async function cells(content: Pieces, name: string, room: Room): Promise<Table> {
  const table = await written(content, name, room);
  const facts = await delimitedFacts(table.file, room);
  noteHeader(name, facts, room);
  return { ...table, content: { ...WRITTEN, header: room.header ?? facts.metadata['header'] === true } };
}

/** Delimited text as its records, any other as its lines. */
async function text(file: QueriedFile, facts: Facts, room: Room): Promise<Table> {
  const all = { format: 'text' } as const;
  if (file.place === '' && facts.processor === 'text') {
    const { file: handle } = await written(textOf(file.again(), all, room), file.name, room);
    const found = await delimitedFacts(handle, room);
    const { rows: records, columns } = found.metadata;
    const isTable = Number(columns) > 1 && Number(records) > 0;
    if (isTable && !found.doubts.has('RAGGED_ROWS') && !found.doubts.has('UNBALANCED_QUOTES'))
      return rows(
        { ...file, again: () => ({ name: 'table.csv', stream: bytesOfFile({ handle }) }) },
        found,
        room,
      );
  }
  const [, first = '1'] = /^#L(-?\d+)/.exec(file.place) ?? [];
  const from = Number(first) < 0 ? Number(facts.metadata['lines']) + Number(first) + 1 : Number(first);
  return {
    ...(await written(numbered(textOf(file.again(), all, room), Math.max(1, from)), file.name, room)),
    content: { ...WRITTEN, header: false, columns: LINE_COLUMNS },
  };
}

const LINE_COLUMNS = [
  { name: 'line_no', type: 'BIGINT' },
  { name: 'line', type: 'VARCHAR' },
] as const;

async function* numbered(pieces: AsyncIterable<string>, from: number): AsyncGenerator<string> {
  let number = from;
  for await (const line of linesOf(pieces)) yield recordOf([String(number++), line]);
}

/** All tables of a document, in one pass. */
export async function tablesIn(file: QueriedFile, facts: Facts, room: Room): Promise<Table[]> {
  const tables: Table[] = [];
  for await (const line of linesOf(textOf(await documentOf(file, facts, room), { format: 'json' }, room))) {
    const block: unknown = line.startsWith('{') ? JSON.parse(line) : undefined;
    if (!isTable(block)) continue;
    const rows = block.rows.map((row): unknown[] => (Array.isArray(row) ? row : []));
    const name = `${file.name}#table=${tables.length + 1}`;
    const targets = rows.flat().flatMap(targetsOfData).length;
    if (targets > 0)
      room.warnings.push({ code: 'SKIPPED_CONTENT', message: `${quoted(name)}: ${targetsLeftOut(targets)}` });
    const records = rows.map((row) => recordOf(row.map(wordsOfData)));
    tables.push(await cells(records, name, room));
  }
  return tables;
}

const isTable = (block: unknown): block is { readonly rows: readonly unknown[] } =>
  typeof block === 'object' &&
  block !== null &&
  'kind' in block &&
  block.kind === 'table' &&
  'rows' in block &&
  Array.isArray(block.rows);

/** What holds the tables: the file, or the web pages in the outputs of a notebook. */
async function documentOf(file: QueriedFile, { processor }: Facts, room: Room): Promise<Input> {
  if (processor !== NOTEBOOK) return file.again('');
  const pages: string[] = [];
  for await (const { value } of valuesAt(file.again(OUTPUTS), room)) {
    // The text of an output may be a list of its lines.
    const parts: unknown = value.startsWith('[') ? JSON.parse(value) : value;
    pages.push(Array.isArray(parts) ? parts.join('') : value);
  }
  return { name: 'outputs.html', bytes: Buffer.from(pages.join('\n')) };
}
