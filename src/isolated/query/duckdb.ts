// The parts of `@duckdb/node-api` that a query uses. The package is optional, so its own types are not available here.

/** The module. */
export interface DuckDb {
  readonly DuckDBInstance: {
    create(path: string, settings: Readonly<Record<string, string>>): Promise<Instance>;
  };
}

interface Instance {
  connect(): Promise<Connection>;
}

export interface Connection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getRowObjects(): readonly Readonly<Record<string, unknown>>[] }>;
  extractStatements(sql: string): Promise<{
    readonly count: number;
    prepare(index: number): Promise<Prepared>;
  }>;
}

export interface Prepared {
  /** `duckdb_statement_type`. */
  readonly statementType: number;
  readonly parameterCount: number;
  stream(): Promise<Result>;
}

export interface Result {
  columnNames(): readonly string[];
  columnTypes(): readonly { toString(): string }[];
  /** Null or empty at the end. */
  fetchChunk(): Promise<Chunk | null>;
}

export interface Chunk {
  readonly rowCount: number;
  getColumns(): readonly (readonly unknown[])[];
}

/** `DUCKDB_STATEMENT_TYPE_SELECT` of duckdb.h; also of `VALUES`, `DESCRIBE`, `SUMMARIZE` and `SHOW`. */
export const SELECT = 1;

/** `text` as a string of SQL. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
/** `name` as a quoted identifier of SQL. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
