// Writes entries into a cache without end, for a test that kills it; prints a character after each.

import { createHash } from 'node:crypto';
import { createDiskCache } from '../../dist/modules/src/cache/index.js';

const [, , directory, seed] = process.argv;
const cache = createDiskCache({ directory });
for (let i = 0; ; i += 1) {
  const key = `${createHash('sha256')
    .update(`shared ${i % 40}`)
    .digest('hex')}.pdf-0.sections-1`;
  await cache.put(key, Buffer.from(`${seed}:${i};`.repeat(1 + ((i * 7919) % 4000))));
  process.stdout.write('.');
}
