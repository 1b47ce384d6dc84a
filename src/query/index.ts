// SQL over files, in a child process. Needs the optional package `@duckdb/node-api`.

export { createQueryEngine, type Query, type QueryEngine, type QueryEngineOptions } from './engine.ts';
export { filesNamedIn } from './found-files.ts';
export { type DuckDbPlace, hasDuckDb } from './package.ts';
export type { QueryReader } from './room.ts';
export { type QueryColumn, type QueryFacts, QueryRows, type ShowRequest } from './rows.ts';
export { isParquet, type SavePlace, type ShownRows, showAndSave } from './saving.ts';
