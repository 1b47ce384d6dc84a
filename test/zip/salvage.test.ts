import { randomBytes } from 'node:crypto';
import { crc32, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReaderError } from '../../src/contract/index.ts';
import { ZipFile } from '../../src/package/index.ts';
import { memorySource } from '../support/context.ts';
import { draws } from '../support/draws.ts';
import { zipOf } from '../support/zip.ts';

const warn = (): void => undefined;
const LIMITS = { maxInflatedBytes: 64 * 1024 * 1024, maxInflateRatio: 200, maxBytesInMemory: 2 ** 28 };
const signal = new AbortController().signal;
const open = (bytes: Uint8Array, limits = LIMITS): Promise<ZipFile> =>
  ZipFile.open(memorySource(bytes, 'a.zip'), { limits, signal, warn });

type Descriptor = 'none' | 'signed' | 'bare' | 'wide';

interface Made {
  readonly name: string;
  readonly data: Buffer;
  readonly stored: boolean;
  readonly descriptor: Descriptor;
}

/** A zip file, its sizes before or behind the data as each member says, and where its directory begins. */
function made(members: readonly Made[]): { readonly bytes: Buffer; readonly directory: number } {
  const pieces: Buffer[] = [];
  for (const { name, data, stored, descriptor } of members) {
    const packed = stored ? data : deflateRawSync(data);
    const follows = descriptor !== 'none';
    const head = Buffer.alloc(30);
    head.write('PK\u0003\u0004', 0, 'latin1');
    head.writeUInt16LE(follows ? 8 : 0, 6);
    head.writeUInt16LE(stored ? 0 : 8, 8);
    head.writeUInt32LE(follows ? 0 : crc32(data), 14);
    head.writeUInt32LE(follows ? 0 : packed.length, 18);
    head.writeUInt32LE(follows ? 0 : data.length, 22);
    head.writeUInt16LE(Buffer.byteLength(name), 26);
    pieces.push(head, Buffer.from(name), packed);
    if (!follows) continue;
    const wide = descriptor === 'wide';
    const tail = Buffer.alloc(wide ? 24 : 16);
    tail.write('PK\u0007\u0008', 0, 'latin1');
    tail.writeUInt32LE(crc32(data), 4);
    tail.writeUInt32LE(packed.length, 8);
    tail.writeUInt32LE(data.length, wide ? 16 : 12);
    pieces.push(descriptor === 'bare' ? tail.subarray(4) : tail);
  }
  const local = Buffer.concat(pieces);
  const whole = zipOf(members.map(({ name, data, stored }) => ({ name, data, stored })));
  const own = whole.indexOf('PK\u0001\u0002', 0, 'latin1');
  return {
    bytes: Buffer.concat([local, whole.subarray(own < 0 ? whole.length : own)]),
    directory: local.length,
  };
}

const content = fc.oneof(
  fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ maxLength: 600 }).map((text) => Buffer.from(text.repeat(20))),
  // What a careless search for signatures would stumble over.
  fc
    .constantFrom('PK', 'PK\u0003\u0004', 'PK\u0007\u0008', 'PK\u0001\u0002')
    .map((mark) => Buffer.from(mark.repeat(9))),
);
const members = fc
  .array(
    fc.record({
      data: content,
      stored: fc.boolean(),
      descriptor: fc.constantFrom<Descriptor>('none', 'signed', 'bare', 'wide'),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((list) => list.map((member, index): Made => ({ ...member, name: `part-${index}.xml` })));

async function opened(bytes: Uint8Array): Promise<ZipFile | undefined> {
  try {
    return await open(bytes);
  } catch (error) {
    if (error instanceof ReaderError && error.code === 'CORRUPT_FILE') return undefined;
    throw error;
  }
}

describe('a zip file whose directory is missing', () => {
  it('gives entries that are those of the whole, or the beginning of one and marked so', async () => {
    await fc.assert(
      fc.asyncProperty(members, fc.double({ min: 0, max: 1, noNaN: true }), async (list, share) => {
        const { bytes, directory } = made(list);
        const at = Math.floor(share * Math.min(directory + 60, bytes.length - 22));
        const zip = await opened(bytes.subarray(0, at));
        if (!zip) return;
        expect(zip.salvaged).toBe(true);
        const names = [...zip.entries.keys()];
        expect(names).toEqual(list.slice(0, names.length).map(({ name }) => name));
        for (const [index, entry] of [...zip.entries.values()].entries()) {
          const original = list[index]?.data ?? Buffer.alloc(0);
          const got = await zip.bytes(entry, 1e9, signal);
          const bare = list[index]?.stored && list[index]?.descriptor === 'bare';
          if (!entry.cut) expect(got.equals(original)).toBe(true);
          else if (!bare) expect(original.subarray(0, got.length).equals(got)).toBe(true);
        }
      }),
      { numRuns: draws(600) },
    );
  });

  it.each<Descriptor>(['none', 'signed', 'bare', 'wide'])(
    'loses nothing but what is cut off (descriptor: %s)',
    async (descriptor) => {
      const list = ['a', 'b', 'c'].map(
        (name): Made => ({
          name,
          data: Buffer.from(randomBytes(300_000).toString('hex')),
          stored: name === 'b',
          descriptor,
        }),
      );
      const { bytes, directory } = made(list);
      const zip = await open(bytes.subarray(0, directory));
      expect([...zip.entries.values()].map(({ cut }) => cut)).toEqual([false, false, false]);
      const short = await open(bytes.subarray(0, directory - 100_000));
      const last = short.get('c');
      expect(last?.cut).toBe(true);
      const got = last ? await short.bytes(last, 1e9, signal) : Buffer.alloc(0);
      expect(got.length).toBeGreaterThan(300_000);
      expect(list[2]?.data.subarray(0, got.length).equals(got)).toBe(true);
    },
  );

  it('takes the directory of a zip inside it for what it is', async () => {
    const inner = zipOf([{ name: 'inner.txt', data: 'inside' }]);
    for (const descriptor of ['none', 'signed'] as const) {
      const { bytes, directory } = made([
        { name: 'first.txt', data: Buffer.from('first'), stored: false, descriptor },
        { name: 'inner.zip', data: inner, stored: true, descriptor },
        { name: 'last.txt', data: randomBytes(500), stored: true, descriptor },
      ]);
      for (const lost of [1, 100, 400, 520]) {
        const zip = await open(bytes.subarray(0, directory - lost));
        expect(zip.salvaged).toBe(true);
        expect([...zip.entries.keys()].slice(0, 2)).toEqual(['first.txt', 'inner.zip']);
      }
    }
  });

  it('goes on behind an entry whose sizes are lies, which it marks', async () => {
    const { bytes, directory } = made([
      { name: 'a', data: Buffer.from('aaaa'), stored: true, descriptor: 'signed' },
      { name: 'b', data: Buffer.from('bbbb'), stored: true, descriptor: 'none' },
    ]);
    bytes.writeUInt32LE(999, 30 + 1 + 4 + 8);
    const zip = await open(bytes.subarray(0, directory));
    expect([...zip.entries.values()].map(({ name, cut }) => [name, cut])).toEqual([
      ['a', true],
      ['b', false],
    ]);
  });

  it('holds what inflates too far by the bytes that come out', async () => {
    const { bytes, directory } = made([
      { name: 'bomb', data: Buffer.alloc(32 * 1024 * 1024), stored: false, descriptor: 'none' },
    ]);
    for (const end of [directory, directory - 2000]) {
      const zip = await open(bytes.subarray(0, end));
      const bomb = zip.get('bomb');
      await expect(bomb && zip.bytes(bomb, 1e9, signal)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    }
  });

  it('reads the file a few times over at most, whatever it holds', async () => {
    const header = Buffer.alloc(31);
    header.write('PK\u0003\u0004', 0, 'latin1');
    header.writeUInt16LE(8, 6);
    header.writeUInt16LE(1, 26);
    const bytes = Buffer.concat(Array.from({ length: 60_000 }, () => header));
    const source = memorySource(bytes, 'a.zip');
    let read = 0;
    const counting = {
      ...source,
      name: source.name,
      size: source.size,
      read: (at: number, length: number) => {
        read += length;
        return source.read(at, length);
      },
    };
    await ZipFile.open(counting as typeof source, { limits: LIMITS, signal, warn }).catch(
      (error: unknown) => {
        expect(error).toBeInstanceOf(ReaderError);
      },
    );
    expect(read).toBeLessThan(12 * bytes.length);
  });

  it('has limits on entries, and is corrupt still where nothing is found', async () => {
    const many = made(
      Array.from({ length: 10_001 }, (_, index) => ({
        name: String(index),
        data: Buffer.from('x'),
        stored: true,
        descriptor: 'none' as const,
      })),
    );
    await expect(open(many.bytes.subarray(0, many.directory))).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
    });
    for (const bytes of [
      Buffer.from('PK\u0003\u0004'),
      Buffer.from('PK\u0003\u0004'.repeat(40)),
      Buffer.alloc(99, 1),
    ])
      await expect(open(bytes)).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
  });
});
