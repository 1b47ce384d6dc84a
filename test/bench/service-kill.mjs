// `node test/bench/service-kill.mjs --times N`: SIGKILL of the service at random instants during uploads, workspace
// writes and cache writes, and a restart on the same data folder. What was acknowledged must be there as it was sent,
// what was not is there whole or not at all, nothing of an upload is left, and the database is sound.

import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ask } from '../hostile/service/client.mjs';
import { startProcess } from '../hostile/service/process.mjs';

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '200' },
    dist: { type: 'string', default: fileURLToPath(new URL('../../dist', import.meta.url)) },
    'most-ms': { type: 'string', default: '400' },
  },
});

const dataDir = mkdtempSync(join(tmpdir(), 'lectern-kill-'));
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const WRITERS = 4;
/** Of every file that was sent: the hashes it may have. Acknowledged ones have one. */
const sent = new Map();
const acknowledged = new Map();
let next = 0;
let reads = 0;
let checked = 0;
const faults = [];

/** Writes new files and replaces old ones, until the service is gone. */
async function write(service) {
  for (;;) {
    const again = next > 10 && Math.random() < 0.3;
    const path = again ? `f${Math.floor(Math.random() * next)}.bin` : `f${next++}.bin`;
    if (busy.has(path)) continue;
    busy.add(path);
    const body = randomBytes(1 + Math.floor(Math.random() * 600_000));
    const hash = sha256(body);
    const may = sent.get(path) ?? new Set();
    sent.set(path, may.add(hash));
    try {
      const { status } = await ask(service, {
        method: 'PUT',
        path: `/v1/workspaces/s/files/${path}?overwrite=true`,
        body,
      });
      if (status !== 200 && status !== 201) return;
      acknowledged.set(path, hash);
      sent.set(path, new Set([hash]));
    } catch {
      return;
    } finally {
      busy.delete(path);
    }
  }
}
const busy = new Set();

/** Reads that spool to disk and fill the cache of conversions, or are answered from it: always the same text. */
async function read(service) {
  for (;;) {
    const seed = Math.random() < 0.5 ? reads++ : Math.floor(Math.random() * (reads + 1));
    const body = `<title>${seed}</title>${Array.from({ length: 6000 }, (_, at) => `<p>Paragraph ${at * seed} of a page.</p>\n`).join('')}`;
    try {
      const { status, text } = await ask(service, {
        method: 'POST',
        path: '/v1/read?name=a.html&maxTokens=500',
        body,
      });
      if (status !== 200) faults.push(`a read answers ${status}: ${text.slice(0, 200)}`);
      else if ((answers.get(seed) ?? text) !== text) faults.push(`page ${seed} was read differently before`);
      else answers.set(seed, text);
    } catch {
      return;
    }
  }
}
const answers = new Map();

async function verify(service) {
  for (const [path, may] of sent) {
    if (may.size === 1 && acknowledged.has(path) && Math.random() > 0.2 && verified.get(path) === [...may][0])
      continue;
    const { status, bytes } = await getBytes(service, path);
    const hash = status === 200 ? sha256(bytes) : undefined;
    checked += 1;
    if (hash === undefined && acknowledged.has(path)) faults.push(`${path} was acknowledged and is gone`);
    else if (hash !== undefined && !may.has(hash)) faults.push(`${path} is half written`);
    if (hash === undefined) continue;
    // From now on it is what is there.
    acknowledged.set(path, hash);
    sent.set(path, new Set([hash]));
    verified.set(path, hash);
  }
}
const verified = new Map();

async function getBytes({ url }, path) {
  const response = await fetch(`${url}/v1/workspaces/s/files/${path}`);
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
}

let service = await startProcess({ dataDir, dist: values.dist });
const begun = performance.now();
for (let time = 1; time <= Number(values.times); time += 1) {
  const lanes = [...Array.from({ length: WRITERS }, () => write(service)), read(service), read(service)];
  await new Promise((resolve) => setTimeout(resolve, Math.random() * Number(values['most-ms'])));
  service.signal('SIGKILL');
  await service.ended;
  await Promise.all(lanes);
  service = await startProcess({ dataDir, dist: values.dist });
  const left = service.uploads();
  if (left.length > 0) faults.push(`${left.length} uploads were left after kill ${time}`);
  await verify(service);
}
const { status } = await ask(service, { method: 'POST', path: '/v1/read?name=a.txt', body: 'text' });
if (status !== 200) faults.push(`a read answers ${status} in the end`);
await service.end();

const { openDatabase } = await import(
  pathToFileURL(join(values.dist, 'modules/src/service/database.js')).href
);
const database = await openDatabase(join(dataDir, 'service'));
const integrity = await database.integrity();
await database.close();
if (integrity !== 'ok') faults.push(`the database says: ${integrity}`);
rmSync(dataDir, { recursive: true, force: true });

console.log(
  `${values.times} kills in ${((performance.now() - begun) / 1000).toFixed(0)} s: ${sent.size} files sent, ${acknowledged.size} there and whole (${checked} checks), ${reads} reads, database ${integrity}`,
);
for (const fault of faults.slice(0, 20)) console.log(`FAULT: ${fault}`);
process.exit(faults.length > 0 ? 1 : 0);
