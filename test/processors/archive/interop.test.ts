// Archives of another writer, read as that writer meant them.

import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { expect, it } from 'vitest';
import { createReader } from '../../../src/index.ts';
import { contentOf, readOk } from '../../support/walk.ts';

it('reads what tar-stream packs, whatever the names', async () => {
  const names = ['a.txt', `${'long/'.repeat(60)}name.txt`, 'größe 日本.txt', 'with, comma.txt'];
  const archive = pack();
  for (const name of names) archive.entry({ name, mtime: new Date(0) }, `text of ${name}`);
  archive.finalize();
  const bytes = await buffer(archive);
  const reader = createReader({ environment: {} });
  expect(await readOk(reader, { name: 'a.tar', bytes })).toMatchObject({
    metadata: { entries: names.length },
  });
  for (const entry of names)
    expect(contentOf([await readOk(reader, { name: 'a.tar', bytes, entry })])).toBe(`text of ${entry}`);
});
