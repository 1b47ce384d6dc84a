// Writing the rows of an answer to an open file.

import { expect, it } from 'vitest';
import { unnamedFile } from '../../../src/disk/index.ts';
import type { Result } from '../../../src/isolated/query/duckdb.ts';
import { writeRows } from '../../../src/isolated/query/output.ts';

/** A result of one column, in chunks; ends with an error if `fails`. */
function resultOf(chunks: readonly (readonly string[])[], fails = false): Result {
  const left = [...chunks];
  return {
    columnNames: () => ['text'],
    columnTypes: () => ['VARCHAR'],
    fetchChunk: () => {
      const values = left.shift();
      if (!values && fails) return Promise.reject(new Error('ends here'));
      return Promise.resolve(values ? { rowCount: values.length, getColumns: () => [values] } : null);
    },
  };
}

it('replaces what an attempt before it left in the file', async () => {
  const file = await unnamedFile();
  try {
    const long = Array.from({ length: 50_000 }, (_, at) => `first ${at}`);
    await expect(writeRows(resultOf([long], true), file.fd, 1e9)).rejects.toThrow('ends here');
    expect((await file.stat()).size).toBeGreaterThan(0);
    const written = await writeRows(resultOf([['second'], ['third']]), file.fd, 1e9);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(100), 0, 100, 0);
    expect(buffer.subarray(0, bytesRead).toString()).toBe('text\nsecond\nthird\n');
    expect(written).toMatchObject({ rows: 2, bytes: bytesRead });
  } finally {
    await file.close();
  }
});

it('refuses more bytes than allowed', async () => {
  const file = await unnamedFile();
  try {
    await expect(writeRows(resultOf([['second']]), file.fd, 11)).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
    });
    await expect(writeRows(resultOf([['second']]), file.fd, 12)).resolves.toMatchObject({ bytes: 12 });
  } finally {
    await file.close();
  }
});
