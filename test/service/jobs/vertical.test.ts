import { expect, test } from 'vitest';
import { createReader } from '../../../src/index.ts';
import { trial } from './trial.ts';

test('a job of uploaded files has one result per file, which can be fetched repeatedly', async () => {
  const { queue, submit, blob, work, ended } = await trial();
  const reader = createReader();
  work(async (item, signal) => {
    const result = await reader.read({ path: item.file ?? '', name: item.name }, { signal });
    return result.success
      ? { json: JSON.stringify(result) }
      : { json: JSON.stringify(result), error: result.error };
  });
  const job = await submit({
    items: [
      await blob('a.csv', 'x,y\n1,2\n'),
      await blob('b.xlsx', 'PK\u0003\u0004 broken'),
      await blob('c.csv', 'x,y\n3,4\n'),
    ],
  });
  const done = await ended(job);
  expect(done.status).toBe('done');
  expect(done.counts).toMatchObject({ total: 3, succeeded: 2, failed: 1 });
  const first = await queue.results('ada', job.id, { after: 0, limit: 10 });
  expect(first.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  expect(JSON.parse(first.find(({ index }) => index === 0)?.json ?? '')).toMatchObject({
    success: true,
    fileType: 'csv',
  });
  expect(await queue.results('ada', job.id, { after: 0, limit: 10 })).toEqual(first);
  expect((await queue.events('ada', job.id, { after: 2, limit: 10 })).map(({ type }) => type)).toEqual([
    'item',
    'done',
  ]);
});
