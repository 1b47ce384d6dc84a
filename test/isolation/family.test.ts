// Which child works on what: one that has loaded the format before, and one that was prepared while it stood by.

import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { createPool, type Lease, type Pool } from '../../src/isolation/index.ts';

let pool: Pool;
afterEach(() => pool.close());

const prepared: (readonly string[])[] = [];
let standsBy: () => void = () => undefined;

function poolOf(size: number): Pool {
  prepared.length = 0;
  pool = createPool({
    program: {
      file: fileURLToPath(new URL('mock-child.mjs', import.meta.url)),
      limits: { memoryBytes: 1_500_000 * 1024, cpuSeconds: 120 },
    },
    size,
    maxQueued: 10,
    maxMilliseconds: 60_000,
    prepare: (families) => {
      prepared.push(families);
      standsBy();
      return { kind: 'prepare', processors: families };
    },
  });
  return pool;
}

const lease = (family: string): Promise<Lease> =>
  pool.lease({ signal: new AbortController().signal, user: '', content: family, family });

/** The number of the leased process, and whether it was told to prepare. */
async function stateOf(held: Lease): Promise<unknown> {
  await held.send({ kind: 'task', name: 'state', input: null });
  return (await held.receive()).head['output'];
}

it('prefers the child that has worked on the same format', async () => {
  poolOf(2);
  const csv = await lease('csv');
  const pdf = await lease('pdf');
  const [csvState, pdfState] = [await stateOf(csv), await stateOf(pdf)];
  expect(csvState).not.toEqual(pdfState);
  // The one given back last is taken where neither knows the format.
  await csv.release(true);
  await pdf.release(true);
  const second = await lease('csv');
  expect(await stateOf(second)).toEqual(csvState);
  await second.release(true);
  const third = await lease('pdf');
  expect(await stateOf(third)).toEqual(pdfState);
  await third.release(true);
});

it('prepares the child that stands by for the formats asked for last', async () => {
  poolOf(2);
  const ready = new Promise<void>((resolve) => {
    standsBy = resolve;
  });
  await (await lease('mock')).release(true);
  const busy = await lease('csv');
  await ready;
  expect(prepared).toEqual([['mock', 'csv']]);
  const next = await lease('mock');
  expect(await stateOf(next)).toMatchObject({ prepared: true });
  expect(await stateOf(busy)).toMatchObject({ prepared: false });
  await next.release(true);
  await busy.release(true);
});
