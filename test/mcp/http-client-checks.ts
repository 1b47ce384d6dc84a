// What every official client can do over HTTP with tools and resources, and what it is kept from.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HttpServed, serveHttp, serverOver } from './http-server.ts';
import { type Connect, readToEnd, type Session, temporaryFolder, textOf, writeOrders } from './session.ts';

const folder = temporaryFolder();
let served: HttpServed;
let orders = '';

beforeAll(async () => {
  for (const user of ['ann', 'bob']) mkdirSync(join(folder.path, user));
  orders = writeOrders(join(folder.path, 'ann'), 5000);
  writeFileSync(join(folder.path, 'ann', 'same.txt'), 'of Ann\n');
  writeFileSync(join(folder.path, 'ann', 'shop.json'), '{"items":[{"price":1.5},{"price":2},{}]}');
  writeFileSync(join(folder.path, 'bob', 'same.txt'), 'of Bob\n');
  const line = 'the quick brown fox jumps over the lazy dog, again and again, until nobody looks any more\n';
  writeFileSync(join(folder.path, 'ann', 'large.txt'), line.repeat(500_000));
  served = await serveHttp(({ user }, lanes) => serverOver(join(folder.path, user), lanes));
});

afterAll(async () => {
  await served?.close();
  folder.remove();
});

export function checkHttpClient(name: string, connect: Connect): void {
  describe(name, () => {
    let ann: Session;
    let bob: Session;
    beforeAll(async () => {
      ann = await connect(served.url, 'ann');
      bob = await connect(served.url, 'bob');
    });
    afterAll(() => Promise.all([ann?.close(), bob?.close()]));

    test('lists the tools and reads a table to its end', async () => {
      expect((await ann.tools()).map(({ name }) => name)).toContain('read_file');
      expect(ann.instructions).toContain('`read_file`');
      const { text, calls } = await readToEnd(ann, 'orders.csv');
      expect(text).toBe(orders);
      expect(calls).toBeGreaterThan(5);
    });

    test('reads all values at the places of a pointer with a wildcard', async () => {
      const text = textOf(await ann.call('read_file', { path: 'shop.json', json_pointer: '/items/*/price' }));
      expect(text).toContain('2 matches of `/items/*/price`; 2 numbers from 1.5 to 2, sum 3.5');
      expect(text).toContain('/items/0/price,1.5\n/items/1/price,2\n');
    });

    test('sees the files of its own user and no others', async () => {
      expect(textOf(await ann.call('read_file', { path: 'same.txt' }))).toContain('of Ann');
      expect(textOf(await bob.call('read_file', { path: 'same.txt' }))).toContain('of Bob');
      expect(textOf(await bob.call('read_file', { path: 'orders.csv' }))).toContain('FILE_NOT_FOUND');
      const listed = (await bob.resources()).resources.map(({ name }) => name);
      expect(listed).toContain('same.txt');
      expect(listed).not.toContain('orders.csv');
      expect((await bob.read('workspace:///same.txt'))[0]?.text).toContain('of Bob');
    });

    test('keeps a result that the next request finds', async () => {
      const saved = await bob.call('save_result', { name: 'cities.csv', rows: [{ city: 'Oslo' }] });
      const path = /results\/cities[^\s`:,]*\.csv/.exec(textOf(saved))?.[0] ?? '';
      expect(textOf(await bob.call('read_file', { path }))).toContain('Oslo');
      expect(textOf(await ann.call('read_file', { path }))).toContain('FILE_NOT_FOUND');
    });

    test('receives progress of a long search', async () => {
      const progress: number[] = [];
      await ann.call(
        'search_files',
        { query: '[aeiou][b-y]{3,9}[0-9]', regex: true, path: 'large.txt' },
        { onprogress: (one) => progress.push(one.progress) },
      );
      expect(progress.length).toBeGreaterThan(1);
      expect(progress).toEqual([...progress].sort((a, b) => a - b));
    });

    test('receives the code of a missing resource', async () => {
      const error = await ann.read('workspace:///nowhere.txt').catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ data: { uri: 'workspace:///nowhere.txt' } });
      expect(String(error)).toContain('FILE_NOT_FOUND');
    });
  });
}
