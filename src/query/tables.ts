// Opens the files of a query and finds their tables: a file with one is a table named like it, the tables of others are
// named by their addresses.

import { printAddress } from '../address/index.ts';
import { type ErrorCode, plural, quoted, ReaderError, type Warning } from '../contract/index.ts';
import type { TableGroup } from '../isolated/query/groups.ts';
import type { Input } from '../reader/index.ts';
import { NOTEBOOK, type OpenTable, readTable, tablesIn } from './converted.ts';
import {
  directContent,
  type Facts,
  handleFor,
  inspected,
  noteHeader,
  openFile,
  type QueriedFile,
} from './queried-file.ts';
import { isUsed, linesOf, type Room, textOf } from './room.ts';
import { TableNames } from './table-names.ts';
import { repeatedPaths } from './xml-records.ts';

/** The tables of a query; `close` closes their files. */
export interface OpenTables {
  readonly tables: readonly OpenTable[];
  /** Names of tables that the query does not use. */
  readonly unread: readonly (readonly string[])[];
  /** Files with several tables. */
  readonly groups: readonly TableGroup[];
  /** What is doubtful about the tables that are read. */
  readonly warnings: readonly Warning[];
  close(): Promise<void>;
}

const MAX_TABLES = 100;
/** Views and sheets that a note names. */
const MAX_NAMED = 5;
/** Errors of a file that do not matter to a query of other files. */
const UNREADABLE: ReadonlySet<ErrorCode> = new Set([
  'CORRUPT_FILE',
  'ENCRYPTED_FILE',
  'WRONG_PASSWORD',
  'LIMIT_EXCEEDED',
  'MISSING_DEPENDENCY',
]);

/** Opens `inputs`. @throws {ReaderError} for the first that cannot be opened or has no tables */
export async function openTables(
  inputs: readonly Input[],
  asked: Pick<Room, 'reader' | 'used' | 'inQuotes' | 'signal' | 'converts' | 'header'>,
): Promise<OpenTables> {
  const room: Room = { ...asked, names: new TableNames(), unread: [], groups: [], warnings: [], held: [] };
  const close = async (): Promise<void> => {
    await Promise.all(room.held.splice(0).map((one) => one()));
  };
  try {
    const tables: OpenTable[] = [];
    for (const input of inputs) for (const table of await tablesOf(input, room)) tables.push(table);
    if (tables.length > MAX_TABLES)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `The query uses ${plural(tables.length, 'table')}; expected at most ${MAX_TABLES}.`,
        'Use fewer tables in one query.',
      );
    const { unread, groups, warnings } = room;
    return { tables, unread, groups, warnings, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function tablesOf(input: Input, room: Room): Promise<OpenTable[]> {
  const file = await openFile(input, room);
  let facts: Facts;
  try {
    facts = await inspected(file, room);
  } catch (error) {
    // A file without tables is a mistake of the caller; one that cannot be read matters if the query uses it.
    if (!(error instanceof ReaderError) || !UNREADABLE.has(error.code)) throw error;
    const names = namesOf(file, room);
    if (await isUsed(names, room)) throw error;
    room.unread.push(names);
    return [];
  }
  if (file.place !== '') return [await readTable(file, facts, namesOf(file, room), room)];
  return [...(await tablesOfWhole(file, facts, room)), ...(await namedParts(file, facts, room))];
}

/** The tables at the places in a file that the query names by their addresses, unless the file has given them. */
async function namedParts(file: QueriedFile, facts: Facts, room: Room): Promise<OpenTable[]> {
  const starts = addressesIn(file, '#');
  const tables: OpenTable[] = [];
  for (const address of new Set(room.inQuotes)) {
    const start = starts.find((one) => address.startsWith(one));
    if (start === undefined || !(await isUsed([address], room))) continue;
    const place = address.slice(start.length - 1);
    const names = room.names.free(addressesIn(file, place));
    if (names.length > 0)
      tables.push(
        await readTable({ ...file, again: (at = place) => file.again(at), place }, facts, names, room),
      );
  }
  return tables;
}

async function tablesOfWhole(file: QueriedFile, facts: Facts, room: Room): Promise<OpenTable[]> {
  const content = room.converts ? undefined : await directContent(facts, file, room);
  if (content) {
    noteHeader(file.name, facts, room);
    return [
      {
        names: namesOf(file, room),
        bytes: file.opened.source.size,
        content,
        file: await handleFor(file, room),
      },
    ];
  }
  if (facts.metadata['entries'] !== undefined) return membersOf(file, room);
  if (facts.processor === 'xml') return elementTables(file, facts, room);
  nameNoTables(facts, file.name, room.warnings);
  const sheets = sheetsOf(facts);
  if (sheets.length > 1) return sheetTables(file, facts, sheets, room);
  return hasTables(facts, room)
    ? documentTables(file, facts, room)
    : [await readTable(file, facts, namesOf(file, room, sheets), room, sheets[0])];
}

function namesOf(
  { name, place, address }: QueriedFile,
  { names }: Room,
  aliases: readonly string[] = [],
): string[] {
  return names.take(name, [...(address === undefined ? [] : [address + place]), ...aliases], place);
}

/** True for documents, whose tables are parts of them. */
function hasTables({ processor }: Facts, { reader }: Room): boolean {
  const found = reader.processors.find(({ name }) => name === processor);
  return processor === NOTEBOOK || found?.selects.includes('table') === true;
}

/** The addresses of a part of `file`: as the caller wrote the file, and as messages name it. */
function addressesIn({ name, address }: QueriedFile, place: string): string[] {
  return [...(address === undefined ? [] : [address + place]), name + place];
}

/** A file with several tables, each with its name and its address. */
const groupOf = (
  names: readonly string[],
  tables: readonly { readonly names: readonly string[] }[],
  rows: readonly number[] = [],
): TableGroup => ({
  names,
  tables: tables.map(({ names: [name = '', address = name] }, at) => {
    const count = rows[at];
    return { name, address, ...(count !== undefined && { rows: count }) };
  }),
});

async function sheetTables(
  file: QueriedFile,
  facts: Facts,
  sheets: readonly string[],
  room: Room,
): Promise<OpenTable[]> {
  const named = sheets.map((sheet) => ({
    sheet,
    names: room.names.take(sheet, [
      ...addressesIn(file, printAddress('', { sheet })),
      ...addressesIn(file, `#${sheet}`),
    ]),
  }));
  const names = room.names.free(addressesIn(file, ''));
  room.groups.push(groupOf(names, named));
  const all = await isUsed(names, room);
  const tables: OpenTable[] = [];
  // A list has no notes on each table.
  const quiet = all ? { ...room, warnings: [] } : room;
  for (const { sheet, names: own } of named)
    if (all || (await isUsed(own, room))) tables.push(await readTable(file, facts, own, quiet, sheet));
    else room.unread.push(own);
  return tables;
}

/** The only table of a document, or all of them for `DESCRIBE`; without any, its lines. */
async function documentTables(file: QueriedFile, facts: Facts, room: Room): Promise<OpenTable[]> {
  const names = namesOf(file, room);
  if (!(await isUsed(names, room))) {
    room.unread.push(names);
    return [];
  }
  const warnings: Warning[] = [];
  const tables = await tablesIn(file, facts, { ...room, warnings });
  const [only] = tables;
  if (!only) return [await readTable(file, facts, names, room)];
  if (tables.length === 1) {
    room.warnings.push(...warnings);
    return [{ ...only, names }];
  }
  const numbered = tables.map((table, at) => {
    const place = `#table=${at + 1}`;
    return { ...table, names: room.names.take(file.name, addressesIn(file, place), place) };
  });
  room.groups.push(groupOf(names, numbered));
  return numbered;
}

/** The elements of XML that repeat, those of each path as a table; a document with one such path is named like the file. */
async function elementTables(file: QueriedFile, facts: Facts, room: Room): Promise<OpenTable[]> {
  const names = namesOf(file, room);
  if (!(await isUsed(names, room))) {
    room.unread.push(names);
    return [];
  }
  const { paths, of } = await repeatedPaths(textOf(file.again(''), {}, room));
  if (of > paths.length)
    room.warnings.push({
      code: 'SKIPPED_CONTENT',
      message: `Tables of ${quoted(file.name)}: ${paths.length} of ${of} paths of repeated elements; query another as FROM "${file.name}#/path".`,
    });
  const places = paths.map(({ path }) => `#${path}`);
  const [only = ''] = places;
  if (places.length < 2) return [await readTable({ ...file, place: only }, facts, names, room)];
  const tables: OpenTable[] = [];
  for (const place of places) {
    const own = room.names.take(file.name, addressesIn(file, place), place);
    tables.push(await readTable({ ...file, place }, facts, own, room));
  }
  const counts = paths.map(({ count }) => count);
  room.groups.push(groupOf(names, tables, counts));
  return tables;
}

/** The members of an archive that are tables, each opened if the query names it or asks for a list. */
async function membersOf(file: QueriedFile, room: Room): Promise<OpenTable[]> {
  const names = room.names.free(addressesIn(file, ''));
  const all = await isUsed(names, room);
  const tables: OpenTable[] = [];
  for (const path of await pathsIn(file, room)) {
    const own = [...new TableNames().take(path), ...addressesIn(file, `!/${path}`)];
    const inIt = addressesIn(file, `!/${path}#`);
    const isNamed = room.inQuotes.some((address) => inIt.some((start) => address.startsWith(start)));
    if (!all && !isNamed && !(await isUsed(own, room))) continue;
    try {
      tables.push(...(await tablesOf(file.again(`!/${path}`), all ? { ...room, warnings: [] } : room)));
    } catch (error) {
      // A list has tables only.
      if (!all || !(error instanceof ReaderError)) throw error;
    }
  }
  room.groups.push(groupOf(names, tables));
  return tables;
}

async function pathsIn(file: QueriedFile, room: Room): Promise<string[]> {
  const paths: string[] = [];
  for await (const line of linesOf(textOf(file.again(), { format: 'csv' }, room))) {
    const [, inQuotes, plain = ''] = /^(?:"((?:[^"]|"")*)"|([^,]*)),\d/.exec(line) ?? [];
    const path = inQuotes?.replaceAll('""', '"') ?? plain;
    if (path !== '') paths.push(path);
  }
  return paths;
}

/** The sheets of a workbook that have columns, or the tables of a database. Its views are not read. */
function sheetsOf({ metadata }: Facts): string[] {
  const { sheets } = metadata;
  return Array.isArray(sheets)
    ? sheets.flatMap((sheet: unknown) => (isTable(sheet) ? [sheet.name] : []))
    : [];
}

function isTable(sheet: unknown): sheet is { readonly name: string } {
  return isNamed(sheet) && 'rows' in sheet && !('columns' in sheet && sheet.columns === 0);
}

function isNamed(sheet: unknown): sheet is { readonly name: string } {
  return typeof sheet === 'object' && sheet !== null && 'name' in sheet && typeof sheet.name === 'string';
}

/** Names the views of a database and the sheets that are not tables of the query. */
function nameNoTables({ metadata }: Facts, name: string, warnings: Warning[]): void {
  const { sheets } = metadata;
  const others = (Array.isArray(sheets) ? sheets : []).flatMap((sheet: unknown) =>
    !isTable(sheet) && isNamed(sheet) ? [quoted(sheet.name)] : [],
  );
  if (others.length === 0) return;
  const more = others.length > MAX_NAMED ? ` and ${others.length - MAX_NAMED} more` : '';
  warnings.push({
    code: 'SKIPPED_CONTENT',
    message: `Not tables of the query: ${others.slice(0, MAX_NAMED).join(', ')}${more} of ${quoted(name)}; read the file to see what they hold.`,
  });
}
