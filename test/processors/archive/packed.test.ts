// Files packed with bzip2, xz and Zstandard: what is read, what damage leaves, and where bombs end.

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bzip2, xz, zstd } from '../../../processors/archive/archive.ts';
import { crc64 } from '../../../processors/archive/packed/crc64.ts';
import { Xxh64 } from '../../../processors/archive/packed/xxh64.ts';
import { type Processor, ReaderError } from '../../../src/contract/index.ts';
import { createReader } from '../../../src/index.ts';
import { memorySource, testContext } from '../../support/context.ts';
import { draws } from '../../support/draws.ts';
import { randomly } from '../../support/randomly.ts';

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../../fixtures/archive/${name}`, import.meta.url));
const reader = createReader({ environment: {} });
const cities = gunzipSync(fixture('cities.csv.gz'));

/** 40 MB of zeros by `bzip2 -9`. */
const BZIP2_BOMB = Buffer.from(
  '425a6839314159265359d8ecddfe01325f4008c00000100008200030cc09aa69a04a515b501294578bb9229c28486c766eff00',
  'hex',
);
/** 6 MB of zeros by `xz -9`. */
const XZ_BOMB = Buffer.from(
  '/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM//8RAWxdAABv/f//o7f/Rz5IFXI5YVG4kijmo4YH+e7kHoLTL8U6PAFLsX7JiopNL6MN2X+m44wjEVPgWRjFdYrid/i2lH8MasDedElk4ulcU7IE2PdEDKtfDW1G6eXDdoi3llestk3haR1v+0uIEGxCy4g/XACP0E6vJiiUcR89jyThcJ6nI1/sKMuF0ZWYin4qkfIndfcZwAaYTZj92K/VkA/EJVP49ZE2MQWlsO5vwXBNRwzRkRGqrWAdus6xJxhcWYbpZlJYvul2rFnk5VsFCPnH2q38+1IrdM0eWyBC+d1TPfgpZAk7gMsqbN+1O/DEvS5fqg8+S2ZCkBMO/xCT+HF4WfgLzf+VKEYPqfx83vuaMC5WwI+F84OBwGXEJVP49ZE2MQWlsO5vwXBNRwzRkRGqrWAdus6xJxhcWYbpZlJYvul2rFnk5VsFCPnH2q38+1IrdM0eWyBC+d1TPfgpZAk7gMsqbN+1O/DEvEgn5lif/xABKwDsc1On/b6ufDEan7eNMW5wnqcjX+woy4XRlZiKfiqR8id19xnABphNmP3Yr9WQD8QlU/j1kTYxBaWw7m/BcE1HDNGREaqtYB26zrEnGFxZhulmUli+6XasWeTlWwUI+cfarfz7Uit0zR5bIEL53VM9+ClkCTuAyyps37U78MS9Ll+qDz5LZkKQEw7/EJP4cXhZ+AvN/5UoRg+p/Hze+5owLlbAj4Xzg4HAZcQlU/j1kTYxBaWw7m/BcE1HDNGREaqtYB26zrEnGFxZhulmUli+6XasWeTlWwUI+cfarfz7Uit0zR5bIEL53VM9+ClkCTuAyyps37U78MS9Ll+qDz5LZkKQEw7/EJP4cXhZ+AvN/5UoRg+p/Hze+5owLlbAj4Xzg4HAZcQlUQ8/spuPXAEDAOxzU6f9vq58MRqft40xbnCepyNf7CjLhdGVmIp+KpHyJ3X3GcAGmE2Y/div1ZAPxCVT+PWRNjEFpbDub8FwTUcM0ZERqq1gHbrOsScYXFmG6WZSWL7pdqxZ5OVbBQj5x9qt/PtSK3TNHlsgQvndUz34KWQJO4DLKmzftTvwxL0uX6oPPktmQpATDv8Qk/hxeFn4C83/lShGD6n8fN77mjAuVsCPhfODgcBlxCVT+PWRNjEFpbDub8FwTUcM0ZERqq1gHbrOsScYXFmG6WZSWL7pdqxZ5OVbBQj5x9qt/PtSK3TNHlsgQvndUz34KWQJO4DLKmzftTvwxL0uX6oPO1XoxgAAAAALEaXsxekk5QABwgeAm+4CFum5H7HEZ/sCAAAAAARZWg==',
  'base64',
);
/** A frame with blocks of 128 KiB of the same byte, in 4 bytes each. */
const ZSTD_BOMB = Buffer.concat([
  Buffer.from('28b52ffd0058', 'hex'),
  ...Array.from({ length: 200 }, (_, block) => Buffer.from([block === 199 ? 3 : 2, 0, 0x10, 0x41])),
]);

async function unwrapped(
  processor: Processor,
  bytes: Uint8Array,
): Promise<{ content: Buffer | undefined; warnings: string }> {
  const context = testContext();
  const entry = await processor.unwrap?.(memorySource(bytes, 'a.csv.bz2'), context);
  return {
    content: entry && Buffer.from(entry.bytes),
    warnings: context.warnings.map(({ message }) => message).join(' '),
  };
}

describe('a packed file', () => {
  it('is read as the file inside', async () => {
    expect(await reader.read({ name: 'cities.csv.bz2', bytes: fixture('cities.csv.bz2') })).toMatchObject({
      processor: 'csv',
      metadata: { rows: 40, compression: 'bzip2' },
      warnings: [],
    });
  });

  it('in several streams is read to its end, and what follows is reported', async () => {
    const twice = Buffer.concat([fixture('cities.csv.bz2'), fixture('cities.csv.bz2')]);
    expect(await unwrapped(bzip2, twice)).toEqual({ content: Buffer.concat([cities, cities]), warnings: '' });
    expect((await unwrapped(bzip2, Buffer.concat([twice, Buffer.from('junk')]))).warnings).toContain(
      '4 bytes after the bzip2 data are not shown',
    );
  });

  it.each(['backup.tar.xz', 'parts.tar.zst'])(
    'with a tar archive is listed, and gives its entries: %s',
    async (name) => {
      const path = name.startsWith('backup') ? 'backup/file-7.txt' : 'parts/part-3.csv';
      const listing = await reader.read({ name, bytes: fixture(name) });
      expect(JSON.stringify(listing)).toContain(path);
      expect(
        await reader.read({ name: `${name}!/${path}`, bytes: fixture(name) }).catch(String),
      ).toBeDefined();
      const processor = name.endsWith('xz') ? xz : zstd;
      const entry = await processor.entry?.(memorySource(fixture(name), name), path, testContext());
      expect(entry && 'bytes' in entry && Buffer.from(entry.bytes).toString()).toBe(
        name.startsWith('backup') ? '7\n' : cities.toString(),
      );
    },
  );

  it.each([
    ['bzip2', bzip2, BZIP2_BOMB],
    ['xz', xz, XZ_BOMB],
    ['zstd', zstd, ZSTD_BOMB],
  ])('is not unpacked past the limits: %s', async (_, processor, bytes) => {
    await expect(unwrapped(processor, bytes)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  it('is refused if it asks for a window larger than memory should hold', async () => {
    const bytes = Buffer.from(ZSTD_BOMB);
    bytes[5] = 0xf0;
    await expect(unwrapped(zstd, bytes)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  it('is read up to where it is damaged, with a warning', async () => {
    const whole = fixture('cities.csv.bz2');
    const sum = Buffer.from(whole);
    sum[10] = (sum[10] ?? 0) ^ 1;
    expect((await unwrapped(bzip2, sum)).warnings).toContain('checksum');
    await expect(unwrapped(bzip2, whole.subarray(0, 60))).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
  });

  it('gives what xz unpacks before a cut', async () => {
    const whole = readFileSync(new URL('samples/delta.xz', import.meta.url));
    const code = readFileSync(new URL('samples/code.bin', import.meta.url));
    const { content, warnings } = await unwrapped(xz, whole.subarray(0, 1200));
    expect(warnings).toMatch(/^The xz data is cut off after \d+ bytes; the rest is missing\.$/);
    expect(content?.length).toBeGreaterThan(1000);
    expect(content?.equals(code.subarray(0, content.length))).toBe(true);
  });

  it('is reported if it does not match the checksum of its Zstandard frame', async () => {
    // By `zstd --check`.
    const frame = Buffer.from(
      '28b52ffd0458dd0000a86162636465666768303132333435363738396162630100030b17a92f7d13',
      'hex',
    );
    const text = `${'abcdefgh'.repeat(4)}0123456789abc`;
    expect(await unwrapped(zstd, frame)).toEqual({ content: Buffer.from(text), warnings: '' });
    frame[14] = 0x58;
    const { content, warnings } = await unwrapped(zstd, frame);
    expect(content?.length).toBe(text.length);
    expect(warnings).toContain('The checksum of the Zstandard data does not match');
  });

  it.each([
    ['bzip2', bzip2, fixture('cities.csv.bz2')],
    ['xz', xz, fixture('backup.tar.xz')],
    ['zstd', zstd, fixture('parts.tar.zst')],
  ])('terminates on damaged bytes: %s', { timeout: 120_000 }, async (_, processor, whole) => {
    const random = randomly(3);
    for (let round = 0; round < draws(3000, 200); round += 1) {
      const bytes = Buffer.from(whole);
      for (let flip = 0; flip < 1 + random() * 4; flip += 1) {
        const at = Math.floor(random() * bytes.length * (random() < 0.4 ? 0.1 : 1));
        bytes[at] =
          random() < 0.5 ? (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8)) : Math.floor(random() * 256);
      }
      const file = random() < 0.2 ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes;
      await unwrapped(processor, file).catch((error: unknown) => {
        if (!(error instanceof ReaderError)) throw error;
      });
    }
  });
});

it('sums as CRC-64 does', () => {
  expect(crc64(Buffer.from('123456789'))).toBe(0x995dc9bbdf1939fan);
  expect(crc64(Buffer.from('6789'), crc64(Buffer.from('12345')))).toBe(0x995dc9bbdf1939fan);
});

it('sums as XXH64 does', () => {
  const sum = (...pieces: string[]): string => {
    const hash = new Xxh64();
    for (const piece of pieces) hash.add(Buffer.from(piece));
    return hash.low32().toString(16);
  };
  // From `zstd --check`.
  expect(sum()).toBe('51d8e999');
  expect(sum('12345')).toBe('ad64fb6');
  expect(sum('1234', '', '56789')).toBe('40e6ae83');
  expect(sum('abcdefgh'.repeat(3), 'abcdefgh01', '23456789abc')).toBe('137d2fa9');
  expect(sum('xy'.repeat(999), 'xy')).toBe('888a43ac');
});
