// Decrypts the packed data of one entry in memory: WinZip AES (AE-1, AE-2) and the traditional encryption of PKWARE
// (APPNOTE 6.1).

import { createCipheriv, createHmac, type Hmac, pbkdf2Sync } from 'node:crypto';
import { crc32 } from 'node:zlib';
import {
  type Bytes,
  cannotDecrypt,
  passwordNeeded,
  quoted,
  ReaderError,
  type Source,
  throwIfAborted,
  visibleName,
  wrongPassword,
} from '../contract/index.ts';
import { corrupt, type ZipLocal } from './directory.ts';
import { isStrong, type ZipAes, type ZipData } from './entry.ts';
import { AES, DESCRIPTOR_FLAG } from './format.ts';

/** The packed data of an entry without encryption. */
export interface Decrypted {
  readonly source: Pick<Source, 'read'>;
  readonly compressedSize: Bytes;
  readonly method: number;
  /** The content can be compared with the checksum of the directory. */
  readonly hasChecksum: boolean;
  /** The data is authenticated: damage behind it is not the password's. */
  readonly isCertain: boolean;
}

interface DecryptContext {
  readonly limits: { readonly maxBytesInMemory: Bytes };
  readonly signal: AbortSignal;
  password(): string | undefined;
}

const READ_BYTES = 1024 * 1024;

/**
 * Reads and decrypts the data that begins at `local.start`.
 * @throws {ReaderError} ENCRYPTED_FILE, WRONG_PASSWORD, CORRUPT_FILE, LIMIT_EXCEEDED, ABORTED
 */
export async function decryptedEntry(
  source: Source,
  entry: ZipData,
  local: ZipLocal,
  context: DecryptContext,
): Promise<Decrypted> {
  const name = quoted(visibleName(entry.name));
  if (isStrong(local) || (entry.method === AES && !entry.aes))
    throw cannotDecrypt(`The entry ${name} of the zip file is encrypted in a way that is not supported.`);
  const password = context.password();
  if (!password) throw passwordNeeded(`The entry ${name} of the zip file is encrypted.`);
  const { maxBytesInMemory } = context.limits;
  if (entry.compressedSize > maxBytesInMemory)
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `The encrypted entry ${name} has ${entry.compressedSize} bytes; expected at most ${maxBytesInMemory} (limit \`maxBytesInMemory\`).`,
      'Extract it with another program, and read the result.',
    );
  const data = Buffer.from(await source.read(local.start, entry.compressedSize));
  const plain = entry.aes
    ? aesDecrypted(data, entry.aes, { password, name }, context.signal)
    : traditional(data, entry, local, { password, name }, context.signal);
  return {
    source: { read: (at, length) => Promise.resolve(Uint8Array.from(plain.subarray(at, at + length))) },
    compressedSize: plain.length,
    method: entry.aes?.method ?? entry.method,
    hasChecksum: entry.aes?.version !== 2,
    isCertain: entry.aes !== undefined,
  };
}

interface Key {
  readonly password: string;
  /** Of the entry, quoted. */
  readonly name: string;
}

/** The content does not match its checksum, although the password passed a check of one byte. */
export const doubtfulPassword = (name: string): ReaderError =>
  wrongPassword(`The password does not open the entry ${name}, or its data is damaged.`);

// WinZip AES: salt, two bytes to check the password, data in counter mode, and the first ten bytes of an HMAC of it.
const SPINS = 1000;
const CHECK_BYTES = 2;
const HMAC_BYTES = 10;
const BLOCK = 16;

function aesDecrypted(
  data: Buffer,
  { strength }: ZipAes,
  { password, name }: Key,
  signal: AbortSignal,
): Buffer {
  if (strength < 1 || strength > 3)
    throw cannotDecrypt(`The entry ${name} of the zip file is encrypted in a way that is not supported.`);
  const keyBytes = 8 + 8 * strength;
  const saltBytes = keyBytes / 2;
  const head = saltBytes + CHECK_BYTES;
  if (data.length < head + HMAC_BYTES) throw corrupt(`The encrypted entry ${name} is cut off.`);
  const derived = pbkdf2Sync(
    password,
    data.subarray(0, saltBytes),
    SPINS,
    2 * keyBytes + CHECK_BYTES,
    'sha1',
  );
  if (!derived.subarray(2 * keyBytes).equals(data.subarray(saltBytes, head)))
    throw wrongPassword(`The password does not open the entry ${name}.`);
  const hmac = createHmac('sha1', derived.subarray(keyBytes, 2 * keyBytes));
  const body = data.subarray(head, data.length - HMAC_BYTES);
  inCounterMode(body, derived.subarray(0, keyBytes), hmac, signal);
  // The check of two bytes passes by chance for one wrong password in 65 536.
  if (
    !hmac
      .digest()
      .subarray(0, HMAC_BYTES)
      .equals(data.subarray(data.length - HMAC_BYTES))
  )
    throw doubtfulPassword(name);
  return body;
}

/** Decrypts in place. The counter is little-endian and starts at 1, unlike in the counter mode of OpenSSL. */
function inCounterMode(body: Buffer, key: Buffer, hmac: Hmac, signal: AbortSignal): void {
  const cipher = createCipheriv(`aes-${key.length * 8}-ecb`, key, null).setAutoPadding(false);
  const counters = Buffer.alloc(Math.min(READ_BYTES, Math.ceil(body.length / BLOCK) * BLOCK));
  for (let at = 0; at < body.length; at += READ_BYTES) {
    throwIfAborted(signal);
    const piece = body.subarray(at, at + READ_BYTES);
    hmac.update(piece);
    for (let block = 0; block * BLOCK < piece.length; block += 1)
      counters.writeUIntLE(at / BLOCK + block + 1, block * BLOCK, 6);
    const stream = cipher.update(counters.subarray(0, Math.ceil(piece.length / BLOCK) * BLOCK));
    for (let i = 0; i < piece.length; i += 1) piece[i] = (piece[i] ?? 0) ^ (stream[i] ?? 0);
  }
}

// Traditional encryption: three 32-bit keys updated with each byte; the last of twelve bytes in front checks the password.
const HEAD_BYTES = 12;

function traditional(
  data: Buffer,
  { crc }: ZipData,
  { flags, time }: ZipLocal,
  { password, name }: Key,
  signal: AbortSignal,
): Buffer {
  if (data.length < HEAD_BYTES) throw corrupt(`The encrypted entry ${name} is cut off.`);
  // With a descriptor after the data, the writer did not know the checksum yet and used the time.
  const checks = [crc >>> 24, ...((flags & DESCRIPTOR_FLAG) === 0 ? [] : [time >>> 8])];
  for (const bytes of encodings(password)) {
    const keys = new Keys(bytes);
    const head = Buffer.from(data.subarray(0, HEAD_BYTES));
    keys.decrypt(head);
    if (!checks.includes(head[HEAD_BYTES - 1] ?? -1)) continue;
    const body = data.subarray(HEAD_BYTES);
    for (let at = 0; at < body.length; at += READ_BYTES) {
      throwIfAborted(signal);
      keys.decrypt(body.subarray(at, at + READ_BYTES));
    }
    return body;
  }
  throw wrongPassword(`The password does not open the entry ${name}.`);
}

/** Writers use UTF-8, or the code page of their system. */
function encodings(password: string): readonly Buffer[] {
  const utf8 = Buffer.from(password);
  return utf8.length === password.length ? [utf8] : [utf8, Buffer.from(password, 'latin1')];
}

/** The CRC-32 of one byte, from each state of its last eight bits (APPNOTE 6.1.5). */
const CRC_TABLE: Uint32Array = Uint32Array.from(
  { length: 256 },
  (_, byte) =>
    // From the state 0xff, which the function inverts before and after.
    (crc32(Buffer.of(byte), 0xffffffff) ^ 0xffffffff) >>> 0,
);

class Keys {
  #a = 0x12345678;
  #b = 0x23456789;
  #c = 0x34567890;

  constructor(password: Uint8Array) {
    for (const byte of password) this.#update(byte);
  }

  decrypt(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += 1) {
      const word = (this.#c & 0xffff) | 2;
      const plain = (bytes[at] ?? 0) ^ ((Math.imul(word, word ^ 1) >>> 8) & 0xff);
      bytes[at] = plain;
      this.#update(plain);
    }
  }

  #update(byte: number): void {
    this.#a = step(this.#a, byte);
    this.#b = (Math.imul((this.#b + (this.#a & 0xff)) | 0, 134775813) + 1) | 0;
    this.#c = step(this.#c, this.#b >>> 24);
  }
}

const step = (crc: number, byte: number): number => (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
