// The columns that a CREATE TABLE statement declares, in the order in which rows store them. Expressions are skipped.

import { type SqlWord, sqlWords } from './sql-words.ts';

/** A column as declared. */
export interface TableColumn {
  readonly name: string;
  /** `VARCHAR(20)`; empty if none is declared. */
  readonly type: string;
  /** The value of rows written before the column was added; undefined for NULL. */
  readonly fallback: SqlWord | undefined;
  readonly isRequired: boolean;
  /** Virtual columns are computed when they are read, and not stored. */
  readonly generated: 'stored' | 'virtual' | undefined;
  readonly isKey: boolean;
}

/** What is known of a table from its statement. */
export interface TableShape {
  readonly columns: readonly TableColumn[];
  /** For each value of a stored row, the column it belongs to. */
  readonly stored: readonly number[];
  /** The column that is another name of the rowid. */
  readonly rowidColumn: number | undefined;
  readonly hasRowid: boolean;
  readonly isStrict: boolean;
}

/** Columns are limited to 32767 (SQLite limits, 2). */
const MAX_COLUMNS = 32_767;
const TABLE_CONSTRAINTS = new Set(['CONSTRAINT', 'PRIMARY', 'UNIQUE', 'CHECK', 'FOREIGN']);
const COLUMN_CONSTRAINTS = new Set(
  'CONSTRAINT PRIMARY NOT NULL UNIQUE CHECK DEFAULT COLLATE REFERENCES GENERATED AS ON DEFERRABLE'.split(' '),
);

/** Undefined for a statement that is not one of an ordinary table. */
export function tableShape(sql: string): TableShape | undefined {
  const words = sqlWords(sql);
  if (words[0]?.keyword !== 'CREATE' || !words.slice(1, 4).some(({ keyword }) => keyword === 'TABLE'))
    return undefined;
  const start = words.findIndex(({ kind }) => kind === 'open');
  const { items, end } = itemsOf(words, start);
  if (start < 0 || items.length === 0) return undefined;
  const columns: Declared[] = [];
  let key: readonly string[] = [];
  for (const item of items) {
    const [first] = item;
    if (!first) return undefined;
    if (first.kind === 'name' && TABLE_CONSTRAINTS.has(first.keyword)) key = keyOf(item) ?? key;
    else columns.push(columnOf(item));
  }
  if (columns.length === 0 || columns.length > MAX_COLUMNS) return undefined;
  const options = words.slice(end + 1).map(({ keyword }) => keyword);
  return shapeOf(columns, key, !options.includes('WITHOUT'), options.includes('STRICT'));
}

interface Declared extends TableColumn {
  /** `INTEGER PRIMARY KEY DESC` is not another name of the rowid, by a bug that SQLite keeps (CREATE TABLE, 5). */
  readonly isDescending: boolean;
}

/** The comma-separated items of the list that starts at `start`, and the place of its end. */
function itemsOf(words: readonly SqlWord[], start: number): { items: SqlWord[][]; end: number } {
  const items: SqlWord[][] = [[]];
  let depth = 0;
  for (let at = start; at >= 0 && at < words.length; at += 1) {
    const word = words[at];
    if (!word) break;
    if (word.kind === 'open') depth += 1;
    if (word.kind === 'close') depth -= 1;
    if (depth === 0) return { items, end: at };
    if (depth === 1 && word.kind === 'comma') items.push([]);
    else if (depth > 1 || word.kind !== 'open') items.at(-1)?.push(word);
  }
  return { items: [], end: words.length };
}

/** The columns of `PRIMARY KEY (a, b DESC)`. */
function keyOf(item: readonly SqlWord[]): string[] | undefined {
  const at = item.findIndex(
    ({ keyword }, index) => keyword === 'PRIMARY' && item[index + 1]?.keyword === 'KEY',
  );
  if (at < 0 || item[at + 2]?.kind !== 'open') return undefined;
  const { items } = itemsOf(item, at + 2);
  return items.map(([first]) => (first?.text ?? '').toLowerCase());
}

function columnOf(item: readonly SqlWord[]): Declared {
  let at = 1;
  const type: string[] = [];
  for (; at < item.length; at += 1) {
    const word = item[at];
    if (!word || COLUMN_CONSTRAINTS.has(word.keyword)) break;
    if (word.kind === 'open') {
      const end = endOf(item, at);
      const inner = item.slice(at + 1, end).map(({ text }) => text);
      type.push(`${type.pop() ?? ''}(${inner.join('')})`);
      at = end;
    } else type.push(word.text);
  }
  let fallback: SqlWord | undefined;
  let isRequired = false;
  let isKey = false;
  let isDescending = false;
  let generated: 'stored' | 'virtual' | undefined;
  for (; at < item.length; at += 1) {
    const word = item[at];
    if (word?.kind === 'open') at = endOf(item, at);
    else if (word?.keyword === 'PRIMARY') {
      isKey = true;
      isDescending = item[at + 2]?.keyword === 'DESC';
    } else if (word?.keyword === 'NOT' && item[at + 1]?.keyword === 'NULL') isRequired = true;
    else if (word?.keyword === 'AS') generated = 'virtual';
    else if (word?.keyword === 'STORED' && generated) generated = 'stored';
    else if (word?.keyword === 'DEFAULT') fallback = defaultOf(item, at + 1);
  }
  return {
    name: item[0]?.text ?? '',
    type: type.join(' '),
    fallback,
    isRequired,
    generated,
    isKey,
    isDescending,
  };
}

/** A literal; undefined for an expression, which ALTER TABLE does not accept for rows that exist. */
function defaultOf(item: readonly SqlWord[], at: number): SqlWord | undefined {
  const word = item[at];
  if (word?.kind === 'other' && /^[-+]$/.test(word.text)) {
    const number = item[at + 1];
    return number && { ...number, text: word.text === '-' ? `-${number.text}` : number.text };
  }
  return word?.kind === 'open' || word?.keyword === 'NULL' ? undefined : word;
}

function endOf(item: readonly SqlWord[], start: number): number {
  let depth = 0;
  for (let at = start; at < item.length; at += 1) {
    if (item[at]?.kind === 'open') depth += 1;
    if (item[at]?.kind === 'close') depth -= 1;
    if (depth === 0) return at;
  }
  return item.length;
}

function shapeOf(
  columns: readonly Declared[],
  stated: readonly string[],
  hasRowid: boolean,
  isStrict: boolean,
): TableShape {
  const places = new Map(columns.map(({ name }, index) => [name.toLowerCase(), index]));
  const own = columns.flatMap(({ isKey }, index) => (isKey ? [index] : []));
  const key = own.length > 0 ? own : stated.flatMap((name) => places.get(name) ?? []);
  const all = columns.flatMap(({ generated }, index) => (generated === 'virtual' ? [] : [index]));
  // Rows of a table WITHOUT ROWID start with the key.
  const stored = hasRowid ? all : [...new Set([...key, ...all])];
  const [first] = key;
  const only = key.length === 1 && first !== undefined ? columns[first] : undefined;
  const isAlias = hasRowid && only?.type.toUpperCase() === 'INTEGER' && !only.isDescending;
  return {
    columns: columns.map((column, index) => ({ ...column, isKey: key.includes(index) })),
    stored,
    rowidColumn: isAlias ? first : undefined,
    hasRowid,
    isStrict,
  };
}
