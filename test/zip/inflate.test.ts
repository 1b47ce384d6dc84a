import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gathered, InflateMeter, inflateRaw } from '../../src/zip/index.ts';
import { memorySource } from '../support/context.ts';

const signal = new AbortController().signal;
const LIMITS = { maxInflatedBytes: 64 * 1024 * 1024, maxInflateRatio: 200 };
const tooMany = (): never => {
  throw new Error('too many');
};

interface Inflated {
  readonly bytes: Buffer;
  readonly state: string;
  readonly consumed: number;
}

async function inflated(packed: Uint8Array, from = 0, to = packed.length): Promise<Inflated> {
  let counted = 0;
  const count = (piece: Uint8Array): void => {
    counted += piece.length;
  };
  const { bytes, end } = await gathered(
    inflateRaw(memorySource(packed), { from, to }, count, signal),
    1e9,
    tooMany,
  );
  expect(counted).toBe(bytes.length);
  return { bytes, ...end };
}

/** Deflates to blocks of codes, in which damage shows at once, of more than a few writes. */
const LONG = Buffer.from(Array.from({ length: 300_000 }, (_, index) => Math.sin(index)).join('\n'));

describe('deflate data', () => {
  it('ends by its own last block, wherever it is in the file and whatever follows', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 3000 }),
        fc.nat(40_000),
        fc.uint8Array({ maxLength: 50 }),
        async (data, before, after) => {
          const packed = deflateRawSync(data);
          const file = Buffer.concat([Buffer.alloc(before, 7), packed, after]);
          const result = await inflated(file, before);
          expect(result).toEqual({
            bytes: Buffer.from(data),
            state: 'ended',
            consumed: packed.length,
          });
        },
      ),
      { numRuns: 100 },
    );
  });

  it('that is cut off gives all that its bytes hold', async () => {
    const packed = deflateRawSync(LONG);
    for (const share of [0, 0.1, 0.5, 0.99]) {
      const { bytes, state } = await inflated(packed.subarray(0, Math.floor(packed.length * share)));
      expect(state).toBe('short');
      expect(LONG.subarray(0, bytes.length).equals(bytes)).toBe(true);
      expect(bytes.length).toBeGreaterThan(LONG.length * (share - 0.02));
    }
    expect((await inflated(packed, 0, packed.length + 10)).state).toBe('ended');
  });

  it('that is damaged gives all before the damage, once', async () => {
    const packed = deflateRawSync(LONG);
    for (const share of [0.05, 0.4, 0.95]) {
      const at = Math.floor(packed.length * share);
      const damaged = Buffer.from(packed);
      damaged.fill(0xff, at, at + 10_000);
      const { bytes, state } = await inflated(damaged);
      expect(state).toBe('broken');
      const intact = (await inflated(packed.subarray(0, at - 64))).bytes;
      expect(bytes.subarray(0, intact.length).equals(intact)).toBe(true);
    }
  });

  it('is inflated no further than its caller reads', async () => {
    const packed = deflateRawSync(Buffer.alloc(256 * 1024 * 1024), { level: 1 });
    let read = 0;
    const whole = memorySource(packed);
    const source = {
      ...whole,
      size: whole.size,
      name: whole.name,
      read: (at: number, length: number) => {
        read += length;
        return whole.read(at, length);
      },
    };
    const pieces = inflateRaw(
      source as typeof whole, // a stand-in for the three members that are used
      { from: 0, to: packed.length },
      () => undefined,
      signal,
    );
    for await (const piece of pieces) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
    expect(read).toBeLessThan(packed.length / 2);
  });

  it('ends with an abort before it ends with a limit', async () => {
    const stop = new AbortController();
    const packed = deflateRawSync(Buffer.alloc(4 * 1024 * 1024));
    const pieces = inflateRaw(
      memorySource(packed),
      { from: 0, to: packed.length },
      () => stop.abort(),
      stop.signal,
    );
    await expect(gathered(pieces, 1e9, tooMany)).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('InflateMeter', () => {
  it('counts an entry that is read twice with its longer pass', () => {
    const meter = new InflateMeter(LIMITS, 'a.zip');
    const piece = new Uint8Array(1000);
    const passes = [meter.pass('a', 1000), meter.pass('a', 1000), meter.pass('b', 1000)] as const;
    passes[0](piece);
    passes[0](piece);
    passes[1](piece);
    passes[2](piece);
    expect(meter.inflated).toBe(3000);
  });
});
