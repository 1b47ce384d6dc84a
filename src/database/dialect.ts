// Statements are written for SQLite. This is the only place that knows how PostgreSQL differs.

import { createHash } from 'node:crypto';
import type { SqlValue } from './database.ts';

/** Literals, quoted names, comments, parameters, and the column `user`, which is a function in PostgreSQL. */
const TOKENS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\?|\buser\b/g;

/** Numbers the parameters and gives them a type: PostgreSQL takes that of `? + 1` for an integer of 32 bits. */
export function toPostgres(sql: string, parameters: readonly SqlValue[] = []): string {
  let number = 0;
  return sql.replace(TOKENS, (token) => {
    if (token === 'user') return '"user"';
    if (token !== '?') return token;
    const value = parameters[number];
    number += 1;
    return `$${number}${value === null || value === undefined ? '' : typeOf(value)}`;
  });
}

function typeOf(value: string | number): string {
  if (typeof value === 'string') return '::text';
  return Number.isInteger(value) ? '::bigint' : '::float8';
}

/** Types of columns: SQLite's integers have 64 bits, and its texts compare by their bytes. */
export function tablesToPostgres(sql: string): string {
  return toPostgres(sql)
    .replaceAll(/\) STRICT(?:, WITHOUT ROWID)?/g, ')')
    .replaceAll('INTEGER PRIMARY KEY AUTOINCREMENT', 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY')
    .replaceAll(/\bINTEGER\b/g, 'BIGINT')
    .replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"');
}

/** The transaction with the write lock of SQLite holds every row already. */
export const toSqlite = (sql: string): string => sql.replace(/ FOR UPDATE(?: SKIP LOCKED)?$/, '');

/** The number of an advisory lock. */
export function lockNumber(name: string): bigint {
  return createHash('sha256').update(`lectern ${name}`).digest().readBigInt64BE();
}
