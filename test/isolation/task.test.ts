// Work besides reading, done in a child: the same answers as in this process, and the same errors.

import { open, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fitImage } from '../../processors/image/fit/fit.ts';
import { createReadPool, type Pool, prepareAttachments } from '../../src/index.ts';
import { runTask } from '../../src/isolation/index.ts';

let pool: Pool;
beforeAll(() => {
  pool = createReadPool();
});
afterAll(() => pool.close());

const task = (name: string, input: unknown, body?: Uint8Array) =>
  runTask(pool, { name, input, user: 'ana', signal: new AbortController().signal, ...(body && { body }) });

describe('a task in a child', () => {
  it('scales a picture as this process does', async () => {
    const bytes = await readFile('fixtures/image/photo.jpg');
    const bounds = { maxBytes: 1_000_000, maxEdge: 20 };
    const here = await fitImage(bytes, bounds);
    const { output, body } = await task('fitImage', bounds, bytes);
    expect(Buffer.from(body ?? []).equals(Buffer.from(here.data))).toBe(true);
    expect(output).toMatchObject({ mimeType: here.mimeType, shown: here.shown });
  });

  it('fails with the error of the work', async () => {
    await expect(task('fitImage', { maxBytes: 1000 }, Buffer.from('not a picture'))).rejects.toMatchObject({
      code: 'UNSUPPORTED_FORMAT',
    });
    await expect(task('nothing', {})).rejects.toMatchObject({ code: 'INTERNAL' });
    await expect(
      task('countTokens', { encoding: 'cl100k_base' }, Buffer.from('hello world')),
    ).resolves.toEqual(expect.objectContaining({ output: 2 }));
  });

  it('does not inherit a closed file, whose number may be of another by now', async () => {
    const file = await open('fixtures/image/photo.jpg');
    await file.close();
    const other = await open('fixtures/tabular/orders.csv');
    const signal = new AbortController().signal;
    const run = runTask(pool, { name: 'countTokens', input: {}, files: [file], user: 'ana', signal });
    await expect(run).rejects.toThrow('A file was closed before the child that inherits it was started.');
    expect(pool.status.busy).toBe(0);
    await other.close();
  });

  it('prepares the same attachments', async () => {
    const files = ['fixtures/image/photo.jpg', 'fixtures/tabular/orders.csv'];
    const here = await prepareAttachments(files, { target: 'anthropic' });
    const there = await prepareAttachments(files, { target: 'anthropic', isolation: pool });
    expect(there).toEqual(here);
  });
});
