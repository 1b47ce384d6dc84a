// Encryption of 7z archives: AES-256 in CBC mode under a key made by hashing the password many times (7-Zip 26,
// CPP/7zip/Crypto/7zAes.cpp).

import { createDecipheriv, createHash } from 'node:crypto';
import { type Bytes, cannotDecrypt, throwIfAborted } from '../../../src/contract/index.ts';
import type { ByteStream } from '../byte-stream.ts';
import { BrokenHeader } from './database.ts';

/** Hashes are 2 to this power. 7-Zip writes 19 and reads up to 24. */
const MAX_POWER = 24;
/** The power that stands for no hashing. */
const PLAIN_KEY = 0x3f;
const KEY_BYTES: Bytes = 32;
const BLOCK: Bytes = 16;
/** Rounds hashed between two looks at the signal. */
const ROUNDS_TOGETHER = 4096;
const READ_BYTES: Bytes = 256 * 1024;

export async function* aesPieces(
  input: ByteStream,
  properties: Uint8Array,
  password: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const { power, salt, iv } = readProperties(properties);
  const key = await keyOf(password, salt, power, signal);
  const decipher = createDecipheriv('aes-256-cbc', key, iv).setAutoPadding(false);
  for (;;) {
    throwIfAborted(signal);
    const piece = await input.take(READ_BYTES);
    const whole = piece.length - (piece.length % BLOCK);
    if (whole > 0) yield decipher.update(piece.subarray(0, whole));
    if (piece.length < READ_BYTES) return;
  }
}

interface Properties {
  readonly power: number;
  readonly salt: Uint8Array;
  readonly iv: Uint8Array;
}

function readProperties(properties: Uint8Array): Properties {
  const [first, second = 0] = properties;
  if (first === undefined) throw new BrokenHeader('AES properties');
  const saltBytes = (first >> 7) + (second >> 4);
  const ivBytes = ((first >> 6) & 1) + (second & 15);
  const from = first & 0xc0 ? 2 : 1;
  if (properties.length < from + saltBytes + ivBytes) throw new BrokenHeader('AES properties');
  const iv = Buffer.alloc(BLOCK);
  iv.set(properties.subarray(from + saltBytes, from + saltBytes + ivBytes));
  return { power: first & 0x3f, salt: properties.subarray(from, from + saltBytes), iv };
}

async function keyOf(
  password: string,
  salt: Uint8Array,
  power: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const secret = Buffer.concat([salt, Buffer.from(password, 'utf16le')]);
  if (power === PLAIN_KEY) return Buffer.concat([secret, Buffer.alloc(KEY_BYTES)], KEY_BYTES);
  if (power > MAX_POWER)
    throw cannotDecrypt(
      `The archive asks for 2^${power} hashes of its password; expected at most 2^${MAX_POWER}.`,
    );
  const rounds = 2 ** power;
  const together = Math.min(rounds, ROUNDS_TOGETHER);
  const round = secret.length + 8;
  const batch = Buffer.alloc(together * round);
  for (let index = 0; index < together; index += 1) batch.set(secret, index * round);
  const hash = createHash('sha256');
  for (let from = 0; from < rounds; from += together) {
    await new Promise((resolve) => setImmediate(resolve));
    throwIfAborted(signal);
    for (let index = 0; index < together; index += 1)
      batch.writeUInt32LE(from + index, index * round + secret.length);
    hash.update(batch);
  }
  return hash.digest();
}
