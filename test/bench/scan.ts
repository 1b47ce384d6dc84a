// Measures the scan room against `wc -l` on 1 GB files it makes under the system's temporary folder, and prints a
// Markdown table. Run by hand: `node test/bench/scan.ts [megabytes]` (Node 20: `npx jiti test/bench/scan.ts`).

import { spawnSync } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Source } from '../../src/contract/index.ts';
import { indexJsonItems, indexLines, indexRecords, indexXmlChildren, locate } from '../../src/scan/index.ts';
import { type Kernel, openKernel, type Pass, scalarKernel } from '../../src/scan/kernel.ts';
import { nestedStart, recordStart } from '../../src/scan/state.ts';

const MIB = 1024 * 1024;
const ROUNDS = 5;
const signal = new AbortController().signal;

async function source(path: string): Promise<Source & { close(): Promise<void> }> {
  const file = await open(path);
  const { size } = await file.stat();
  const readInto = async (target: Uint8Array, position: number): Promise<number> =>
    (await file.read(target, 0, target.length, position)).bytesRead;
  const read = async (position: number, length: number): Promise<Uint8Array> => {
    const target = new Uint8Array(Math.max(0, Math.min(length, size - position)));
    return target.subarray(0, await readInto(target, position));
  };
  return {
    name: 'bench',
    extension: '',
    mimeType: undefined,
    size,
    identity: async () => `${path} ${Math.random()}`,
    readInto,
    read,
    bytes: () => read(0, size),
    chunks: async function* () {
      yield await read(0, size);
    },
    close: () => file.close(),
  };
}

/** Repeats rows made by `row` to about `bytes`, between a head and a tail. */
async function write(path: string, bytes: number, head: string, tail: string, row: (n: number) => string) {
  const rows: string[] = [];
  for (let n = 0, length = 0; length < 4 * MIB; n++) {
    const text = row(n);
    rows.push(text);
    length += text.length;
  }
  const block = Buffer.from(rows.join(''));
  const file = await open(path, 'w');
  await file.write(head);
  for (let written = 0; written < bytes; written += block.length) await file.write(block);
  await file.write(tail);
  await file.close();
}

async function fastest(work: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    await work();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

/** Bytes a second of a pass over memory alone, in GB/s. */
function rate(kernel: Kernel, pass: Pass, start: Float64Array, sample: Uint8Array): number {
  kernel.input.set(sample, 64);
  let best = Number.POSITIVE_INFINITY;
  // Many short runs, so that the fastest is one that nothing interrupted.
  for (let i = 0; i < (kernel.simd ? 1000 : 50); i++) {
    kernel.state.set(start);
    const begun = performance.now();
    kernel.run(pass, 64, 64 + sample.length);
    best = Math.min(best, performance.now() - begun);
  }
  return sample.length / best / 1e6;
}

const megabytes = Number(process.argv[2] ?? 1000);
const folder = await mkdtemp(join(tmpdir(), 'lectern-scan-'));
try {
  const bytes = megabytes * 1e6;
  const csv = join(folder, 'rows.csv');
  const json = join(folder, 'items.json');
  const xml = join(folder, 'items.xml');
  await write(csv, bytes, 'id,name,place,note,amount\n', '', (n) =>
    n % 7
      ? `${n},name ${n},Springfield,plain note,${n * 3}.50\n`
      : `${n},"Doe, Jane","a ""quoted"" place","two\nlines",1\n`,
  );
  await write(
    json,
    bytes,
    '[',
    '0]',
    (n) =>
      `${JSON.stringify({ id: n, name: `name ${n}`, tags: ['a', 'b'], note: 'it said "no"', at: { x: n, y: 1.5 } })},\n`,
  );
  await write(
    xml,
    bytes,
    '<rows>',
    '</rows>',
    (n) =>
      `<row id="${n}" kind='plain'><name>name ${n}</name><place/><!-- note --><amount unit="EUR">${n}.50</amount></row>\n`,
  );

  const records = recordStart({ newline: 10, quote: 34, delimiter: 44, skipBlank: true });
  const passes: [string, string, number, Pass, Float64Array, (from: Source) => Promise<unknown>][] = [
    [
      'lines',
      csv,
      0,
      'lines',
      recordStart({ newline: 10 }),
      (from) => indexLines(from, { newline: 10, signal }),
    ],
    [
      'records',
      csv,
      0,
      'records',
      records,
      (from) => indexRecords(from, { newline: 10, quote: 34, delimiter: 44, skipBlank: true, signal }),
    ],
    ['JSON items', json, 1, 'json', nestedStart(), (from) => indexJsonItems(from, 0, signal)],
    ['XML children', xml, 6, 'xml', nestedStart(), (from) => indexXmlChildren(from, 6, signal)],
  ];
  console.log('| pass | scalar GB/s | SIMD GB/s | file ms | `wc -l` ms | ratio |');
  console.log('|---|---|---|---|---|---|');
  for (const [name, path, inside, pass, start, index] of passes) {
    const from = await source(path);
    const wc = await fastest(async () => spawnSync('wc', ['-l', path]));
    const total = await fastest(() => index(from));
    const sample = await from.read(inside, MIB);
    const slow = rate(scalarKernel(), pass, start, sample);
    const fast = rate(openKernel(), pass, start, sample);
    console.log(
      `| ${name} | ${slow.toFixed(2)} | ${fast.toFixed(2)} | ${total.toFixed(0)} | ${wc.toFixed(0)} | ${(total / wc).toFixed(2)} |`,
    );
    await from.close();
  }
  const from = await source(csv);
  const index = await indexRecords(from, { newline: 10, quote: 34, signal });
  const far = await fastest(() => locate(from, index, Math.floor(index.count * 0.9), signal));
  console.log(
    `\nlocate far record: ${far.toFixed(2)} ms; resident ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MiB`,
  );
  await from.close();
} finally {
  await rm(folder, { recursive: true });
}
