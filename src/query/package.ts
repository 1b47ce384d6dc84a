// Finds the optional package `@duckdb/node-api`, without loading it.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Environment, ReaderError } from '../contract/index.ts';

/** Where to look for DuckDB. */
export interface DuckDbPlace {
  /** A folder whose `node_modules` has `@duckdb/node-api`. Default: LECTERN_DUCKDB, else where lectern is installed. */
  readonly from?: string | URL;
  /** Default: that of the process. */
  readonly environment?: Environment;
}

/**
 * The file of `@duckdb/node-api`. Not looked for in the working directory, which may hold code of others.
 * @throws {ReaderError} MISSING_DEPENDENCY
 */
export function findDuckDb({ from, environment = process.env }: DuckDbPlace = {}): string {
  const folder = from ?? (environment['LECTERN_DUCKDB'] || undefined);
  const base =
    folder === undefined
      ? import.meta.url
      : join(folder instanceof URL ? fileURLToPath(folder) : folder, 'index.js');
  try {
    if (process.platform === 'win32') throw new TypeError('A child process inherits no files on Windows.');
    return createRequire(base).resolve('@duckdb/node-api');
  } catch (cause) {
    throw new ReaderError(
      'MISSING_DEPENDENCY',
      'SQL queries need the package `@duckdb/node-api`, on Linux or macOS.',
      'Run `npm install @duckdb/node-api` where lectern is installed, or set LECTERN_DUCKDB to a folder that has it.',
      cause,
    );
  }
}

/** True if queries can run here. */
export function hasDuckDb(place: DuckDbPlace = {}): boolean {
  try {
    findDuckDb(place);
    return true;
  } catch {
    return false;
  }
}
