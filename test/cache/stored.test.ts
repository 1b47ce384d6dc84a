import { expect, onTestFinished, test } from 'vitest';
import { openBlobs } from '../../src/blobs/index.ts';
import { createMemoryCache, createStoredCache } from '../../src/cache/index.ts';
import { startS3Server } from '../support/s3-server.ts';

test('conversions of one node are used by the others', async () => {
  const server = await startS3Server();
  onTestFinished(() => server.close());
  const storage = await openBlobs('s3://bucket/direct', { environment: server.environment });
  const key = 'ab12-test';
  const payload = Buffer.from('converted');
  const a = createStoredCache({ storage, local: createMemoryCache() });
  await a.put(key, payload);
  const local = createMemoryCache();
  const b = createStoredCache({ storage, local });
  expect(Buffer.from((await b.get(key)) ?? [])).toEqual(payload);
  expect(await local.get(key)).toBeDefined();
  // What is damaged, missing, or cannot be fetched is converted again.
  await storage.put(`cache/v1/${key}`, Buffer.from('damaged'));
  expect(await createStoredCache({ storage }).get(key)).toBeUndefined();
  expect(await b.get(key)).toBeDefined();
  expect(await b.get('ab12-none')).toBeUndefined();
  server.fail({ status: 403, code: 'AccessDenied' }, { times: 1000 });
  await b.put('ab12-denied', payload);
  // A storage that failed is left alone for a while.
  const before = server.requests.length;
  await b.put('ab12-denied', payload);
  expect(await b.get('ab12-other')).toBeUndefined();
  expect(server.requests.length).toBe(before);
  server.recover();
  expect(await createStoredCache({ storage }).get('ab12-denied')).toBeUndefined();
  expect(await b.prune()).toBe(0);
  server.date('bucket', `direct/cache/v1/${key}`, new Date(0));
  expect(await b.prune()).toBe(1);
});
