// Time and peak memory of a pointer with wildcards, of `jq` (where it is installed) and of `JSON.parse`, each in a
// process of its own, on a file it makes under the system's temporary folder. Run by hand after a build:
// `node test/bench/pointers.mjs [megabytes]`.

import { spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const bytes = Number(process.argv[2] ?? 300) * 1e6;
const folder = await mkdtemp(join(tmpdir(), 'lectern-pointers-'));
const path = join(folder, 'orders.json');

async function write() {
  const file = createWriteStream(path);
  let text = '{"version":1,"items":[';
  for (let id = 0, size = 0; size < bytes; id += 1) {
    const order = {
      id,
      name: `Person ${id % 9973}, "KG"`,
      address: { city: 'Łódź', zip: String(10_000 + (id % 8999)) },
      tags: ['a', `b${id % 30}`],
      price: ((id * 7919) % 100_000) / 100,
      note: id % 3 === 0 ? `note ${id}` : null,
    };
    const item = `${id === 0 ? '' : ','}${JSON.stringify(order)}`;
    text += item;
    size += item.length;
    if (text.length < 1e6) continue;
    if (!file.write(text)) await new Promise((resume) => file.once('drain', resume));
    text = '';
  }
  await new Promise((end) => file.end(`${text}]}\n`, end));
}

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));
const parse = `const { items } = JSON.parse(require('fs').readFileSync(${JSON.stringify(path)}, 'utf8'));
let sum = 0; for (const { price } of items) sum += price; console.log(items.length, sum)`;
const contestants = [
  ...['/items/*/price', '/items/*/tags/*', '/items/*'].map((pointer) => ({
    name: `lectern ${pointer}`,
    command: [
      process.execPath,
      main,
      'read',
      path,
      '--pointer',
      pointer,
      '--max-tokens',
      '200',
      '--no-cache',
    ],
  })),
  { name: 'jq length, add', command: ['jq', '-c', '[.items[].price] | [length, add, min, max]', path] },
  { name: 'JSON.parse', command: [process.execPath, '-e', parse] },
];

try {
  await write();
  console.log('| | seconds | processor seconds | peak memory, MB | first line |\n|---|---|---|---|---|');
  for (const { name, command } of contestants) {
    const started = performance.now();
    const { stdout, stderr, error } = spawnSync('/usr/bin/time', ['-f', '%U %S %M', ...command], {
      encoding: 'utf8',
    });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const [user = 0, system = 0, kilobytes = 0] = (stderr ?? '')
      .trim()
      .split('\n')
      .at(-1)
      .split(' ')
      .map(Number);
    const line = error ? error.message : (stdout.split('\n', 1)[0] ?? '').slice(0, 60);
    console.log(
      `| ${name} | ${seconds} | ${(user + system).toFixed(1)} | ${Math.round(kilobytes / 1024)} | ${line} |`,
    );
  }
} finally {
  await rm(folder, { recursive: true });
}
