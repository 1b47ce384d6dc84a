// SQL over files of a test with the real DuckDB, in real child processes.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createReader, type Input, type Reader } from '../../../src/index.ts';
import { createQueryEngine, type Query, type QueryEngine, type QueryRows } from '../../../src/query/index.ts';

/** An engine, a reader and a folder for files. */
export class QueryTrial {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'query-test-'));
  /** Ends what hangs; a busy machine may need more than the default. */
  readonly engine: QueryEngine = createQueryEngine({
    from: import.meta.dirname,
    limits: { maxQueryMilliseconds: 600_000 },
  });
  readonly reader: Reader = createReader({ cache: false });

  /** Writes a file, and gives its path. */
  readonly file = (name: string, content: string | Uint8Array): string => {
    const path = join(this.folder, name);
    writeFileSync(path, content);
    return path;
  };

  readonly run = async <T>(
    files: readonly Input[],
    sql: string,
    use: (rows: QueryRows) => Promise<T>,
    options: Pick<Query, 'header'> = {},
  ): Promise<T> => {
    const rows = await this.engine.run({ sql, files, reader: this.reader, ...options });
    try {
      return await use(rows);
    } finally {
      await rows.close();
    }
  };

  /** All rows as CSV. */
  readonly csv = (sql: string, ...files: readonly Input[]): Promise<string> => this.run(files, sql, textOf);

  async end(): Promise<void> {
    await this.engine.close();
    rmSync(this.folder, { recursive: true });
  }
}

/** All rows as CSV. */
export async function textOf(rows: QueryRows): Promise<string> {
  let text = '';
  for await (const chunk of rows.chunks()) text += Buffer.from(chunk).toString();
  return text;
}
