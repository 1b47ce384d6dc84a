// Public interface of the database room: transactions over SQLite in one file, or over PostgreSQL. Defines no tables;
// each store brings its own migrations.

export {
  type Database,
  DatabaseUnavailable,
  type Migration,
  type Row,
  type Sql,
  type SqlValue,
} from './database.ts';
export { openPostgres, SCHEMA } from './postgres.ts';
export { openDatabase } from './sqlite.ts';
