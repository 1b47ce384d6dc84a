// `node test/bench/remote.mjs`: a CSV file of 50 GB in object storage, read by ranges, as bytes fetched and time for each
// request. Its content is computed by the S3 server of the tests. Runs what was built.

import { register } from 'node:module';
import { parseArgs } from 'node:util';
import { openBlobs } from '../../dist/modules/src/blobs/index.js';
import { createReader } from '../../dist/src/index.js';

register('../support/typescript-loader.mjs', import.meta.url);
const { startS3Server } = await import('../support/s3-server.ts');

const { values } = parseArgs({ options: { gigabytes: { type: 'string', default: '50' } } });
const LINE = 64;
const HEADER = 'id,customer,amount,note'.padEnd(LINE - 1, '_');
const rows = Math.floor((Number(values.gigabytes) * 1e9) / LINE) - 1;
const lineOf = (n) =>
  n === 0 ? HEADER : `${n},customer ${n % 977},${(n * 7) % 10_000},`.padEnd(LINE - 1, 'x');
const server = await startS3Server();
server.generate('bucket', 'big.csv', {
  bytes: (rows + 1) * LINE,
  read: (position, length) => {
    const first = Math.floor(position / LINE);
    const last = Math.ceil((position + length) / LINE);
    let text = '';
    for (let n = first; n < last; n += 1) text += `${lineOf(n)}\n`;
    return Buffer.from(text).subarray(position - first * LINE, position - first * LINE + length);
  },
});
const blobs = await openBlobs('s3://bucket', { environment: server.environment });
const facts = await blobs.stat('big.csv');
const workspace = {
  open: (name) =>
    Promise.resolve({
      name,
      remote: {
        size: facts.bytes,
        modified: facts.modified,
        version: facts.version,
        stream: (from, to, signal) =>
          blobs.stream(name, { from, to, version: facts.version, ...(signal && { signal }) }),
      },
    }),
  kind: (name) => Promise.resolve(name === 'big.csv' ? 'file' : undefined),
};
const reader = createReader({ workspace, cache: false, isolation: 'process' });
await reader.read({ name: 'warm.csv', bytes: Buffer.from('a,b\n1,2\n') });

const middle = Math.floor(rows / 2);
let cursor;
const requests = [
  ['first answer', () => ({ maxTokens: 5000 })],
  ['its continuation by cursor', () => ({ maxTokens: 5000, cursor })],
  ['rows from the middle', () => ({ bytes: `${middle * LINE}-${middle * LINE + 20_000}`, maxTokens: 5000 })],
  ['the end', () => ({ bytes: '-20000', maxTokens: 5000 })],
];
console.log(`${(facts.bytes / 1e9).toFixed(1)} GB, ${rows} rows`);
console.log(
  '| request | requests to the store | KB fetched | seconds | first row shown |\n|---|---|---|---|---|',
);
for (const [name, request] of requests) {
  server.reset();
  const started = performance.now();
  const result = await reader.read('big.csv', request());
  const seconds = (performance.now() - started) / 1000;
  if (!result.success) throw new Error(result.error.message);
  cursor ??= result.truncation?.next?.cursor;
  const shown = /^(\d+),customer/m.exec(result.text)?.[1];
  console.log(
    `| ${name} | ${server.requests.length} | ${Math.round(server.sent / 1000)} | ${seconds.toFixed(2)} | ${shown} |`,
  );
}
await reader.close();
await server.close();
