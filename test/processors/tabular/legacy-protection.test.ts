// Excel 97 workbooks under a password, written by the rules of [MS-OFFCRYPTO]: XOR, RC4 and CryptoAPI.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decryptedWorkbook } from '../../../processors/tabular/legacy/protection.ts';
import { ReaderError } from '../../../src/contract/index.ts';
import { createReader } from '../../../src/index.ts';
import { CompoundFile } from '../../../src/package/index.ts';
import { compoundOf } from '../../support/compound.mjs';
import { memorySource, testContext } from '../../support/context.ts';
import { draws } from '../../support/draws.ts';
import { randomly } from '../../support/randomly.ts';

const FIXTURES = new URL('../../../fixtures/', import.meta.url);
const plainFile = readFileSync(new URL('tabular/parcels.xls', FIXTURES));
const locked = readFileSync(new URL('protected/parcels.xls', FIXTURES));

function workbookOf(bytes: Uint8Array): Buffer {
  const file = new CompoundFile(bytes);
  const entry = file.children(file.root).find(({ name }) => name === 'Workbook');
  return entry ? file.bytes(entry) : Buffer.alloc(0);
}
const plain = workbookOf(plainFile);

const half = (value: number): Buffer => Buffer.from([value & 255, value >> 8]);
const word = (value: number): Buffer => Buffer.concat([half(value & 0xffff), half(value >>> 16)]);
const hash = (name: string, ...pieces: Buffer[]): Buffer =>
  createHash(name).update(Buffer.concat(pieces)).digest();

/** The key stream of RC4. */
function rc4(key: Buffer, length: number): Buffer {
  const s = Array.from({ length: 256 }, (_, index) => index);
  const swap = (a: number, b: number): void => {
    [s[a], s[b]] = [s[b] ?? 0, s[a] ?? 0];
  };
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + (s[i] ?? 0) + (key[i % key.length] ?? 0)) % 256;
    swap(i, j);
  }
  let i = 0;
  let j = 0;
  return Buffer.from(
    Array.from({ length }, () => {
      i = (i + 1) % 256;
      j = (j + (s[i] ?? 0)) % 256;
      swap(i, j);
      return s[((s[i] ?? 0) + (s[j] ?? 0)) % 256] ?? 0;
    }),
  );
}
const combined = (bytes: Buffer, mask: Buffer): Buffer =>
  Buffer.from(bytes.map((byte, index) => byte ^ (mask[index] ?? 0)));

type Encrypt = (content: Buffer, at: number) => Buffer;

/** The stream with a `FilePass` after its first record, and the contents of records encrypted. */
function encrypted(pass: Buffer, encrypt: Encrypt): Buffer {
  const first = 4 + plain.readUInt16LE(2);
  const added = 4 + pass.length;
  const stream = Buffer.concat([
    plain.subarray(0, first),
    half(0x2f),
    half(pass.length),
    pass,
    plain.subarray(first),
  ]);
  for (let at = first + added; at + 4 <= stream.length; ) {
    const type = stream.readUInt16LE(at);
    const length = stream.readUInt16LE(at + 2);
    const content = stream.subarray(at + 4, at + 4 + length);
    if (type === 0x85) {
      // Positions of sheets move by the record that was added, and are not encrypted.
      content.writeUInt32LE(content.readUInt32LE(0) + added, 0);
      encrypt(content, at + 4).copy(content, 4, 4);
    } else if (![0x809, 0xe1].includes(type)) encrypt(content, at + 4).copy(content);
    at += 4 + length;
  }
  return Buffer.from(compoundOf([{ name: 'Workbook', data: stream }]));
}

/** RC4 with a key for each 1024 bytes. */
const byBlocks =
  (keyOf: (block: number) => Buffer): Encrypt =>
  (content, at) =>
    Buffer.from(
      content.map((byte, index) => {
        const place = at + index;
        const mask = rc4(keyOf(Math.floor(place / 1024)), 1024);
        return byte ^ (mask[place % 1024] ?? 0);
      }),
    );

const salt = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
const verifier = Buffer.from('0f0e0d0c0b0a09080706050403020100', 'hex');
const secret = Buffer.from('reader', 'utf16le');

function standard(): Buffer {
  const once = hash('md5', secret).subarray(0, 5);
  const base = hash(
    'md5',
    Buffer.concat(Array.from({ length: 16 }, () => Buffer.concat([once, salt]))),
  ).subarray(0, 5);
  const keyOf = (block: number): Buffer => hash('md5', base, word(block));
  const check = combined(Buffer.concat([verifier, hash('md5', verifier)]), rc4(keyOf(0), 32));
  return encrypted(Buffer.concat([half(1), half(1), half(1), salt, check]), byBlocks(keyOf));
}

function api(bits: number): Buffer {
  const base = hash('sha1', salt, secret);
  const keyOf = (block: number): Buffer => {
    const key = hash('sha1', base, word(block)).subarray(0, bits / 8);
    return bits === 40 ? Buffer.concat([key, Buffer.alloc(11)]) : key;
  };
  const check = combined(Buffer.concat([verifier, hash('sha1', verifier)]), rc4(keyOf(0), 36));
  const header = Buffer.concat([4, 0, 0x6801, 0x8004, bits, 1, 0, 0].map(word));
  const pass = [half(1), half(4), half(2), word(4), word(header.length), header, word(16), salt];
  return encrypted(
    Buffer.concat([...pass, check.subarray(0, 16), word(20), check.subarray(16)]),
    byBlocks(keyOf),
  );
}

/** The mask, key and verifier of `reader`, worked out by hand from 2.3.7.1 and 2.3.7.2. */
function obfuscated(): Buffer {
  const mask = Buffer.from('79aef02ef2259de3bf41bfe39c5c4043', 'hex');
  const pass = Buffer.from('0000803855da', 'hex');
  return encrypted(pass, (content, at) =>
    Buffer.from(
      content.map((byte, index) => {
        const mixed = byte ^ (mask[(at + content.length + index) % 16] ?? 0);
        return ((mixed >> 3) | (mixed << 5)) & 255;
      }),
    ),
  );
}

const FORMS = [
  ['RC4', standard()],
  ['CryptoAPI with 40 bits', api(40)],
  ['CryptoAPI with 128 bits', api(128)],
  ['XOR', obfuscated()],
] as const;

describe('an Excel 97 workbook under a password', () => {
  const reader = createReader({ environment: {}, cache: false });

  it.each(FORMS)('opens with it: %s', async (_, bytes) => {
    const expected = await reader.read({ name: 'parcels.xls', bytes: plainFile });
    const result = await reader.read({ name: 'parcels.xls', bytes }, { password: 'reader' });
    expect(result).toMatchObject({ success: true, metadata: { encrypted: true }, warnings: [] });
    expect(result.success && result.content).toEqual(expected.success && expected.content);
    expect(await reader.read({ name: 'parcels.xls', bytes }, { password: 'Reader' })).toMatchObject({
      error: { code: 'WRONG_PASSWORD' },
    });
    expect(await reader.read({ name: 'parcels.xls', bytes })).toMatchObject({
      error: { code: 'ENCRYPTED_FILE', hint: 'Pass the password with `password`.' },
    });
  });

  it('is left alone without one', async () => {
    expect(await decryptedWorkbook(memorySource(plainFile), testContext())).toBeUndefined();
  });

  it('terminates on damaged bytes', { timeout: 120_000 }, async () => {
    const random = randomly(5);
    const files = [locked, ...FORMS.map(([, bytes]) => bytes)];
    for (let round = 0; round < draws(400, 40); round += 1) {
      const bytes = Buffer.from(files[round % files.length] ?? locked);
      for (let flip = 0; flip < 1 + random() * 6; flip += 1) {
        const at = Math.floor(random() * (random() < 0.5 ? 1200 : bytes.length));
        bytes[at] = Math.floor(random() * 256);
      }
      await decryptedWorkbook(memorySource(bytes), testContext({ password: 'reader' })).catch(
        (error: unknown) => {
          if (!(error instanceof ReaderError)) throw error;
        },
      );
    }
  });
});
