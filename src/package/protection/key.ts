// What both schemes of Office encryption need: a password hashed many times without blocking the process, and AES
// without padding.

import { createDecipheriv, createHash } from 'node:crypto';
import { cannotDecrypt, ReaderError, throwIfAborted } from '../../contract/index.ts';

/** Turns a password into the key of the package; undefined for a wrong one. */
export interface Lock {
  unlock(password: string): Promise<Buffer | undefined>;
  /** The package without encryption, at most `size` bytes. */
  decrypt(stream: Buffer, key: Buffer, size: number): Promise<Buffer>;
}

export type HashName = 'sha1' | 'sha256' | 'sha384' | 'sha512';

/** Office uses 100 000; more than this would take minutes for every attempt. */
export const MAX_SPINS = 10_000_000;
/** Hashes between two looks at the signal: some milliseconds. */
const SPINS_TOGETHER = 10_000;
/** Bytes decrypted between two looks at the signal. */
export const BYTES_TOGETHER: number = 4 * 1024 * 1024;

export function hashOf(name: HashName, ...pieces: readonly Uint8Array[]): Buffer {
  const hash = createHash(name);
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
}

export function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

/**
 * The salted password, hashed `spins` more times with a counter ([MS-OFFCRYPTO] 2.3.4.7, 2.3.4.11).
 * @throws {ReaderError} LIMIT_EXCEEDED, ABORTED
 */
export async function spun(
  name: HashName,
  { salt, password, spins }: { readonly salt: Buffer; readonly password: string; readonly spins: number },
  signal: AbortSignal,
): Promise<Buffer> {
  if (spins > MAX_SPINS)
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `The document asks for ${spins} hashes of its password; expected at most ${MAX_SPINS}.`,
      'Save a copy without protection, and read that.',
    );
  const first = hashOf(name, salt, Buffer.from(password, 'utf16le'));
  const block = Buffer.concat([word(0), first]);
  for (let spin = 0; spin < spins; spin += 1) {
    if (spin % SPINS_TOGETHER === 0) await pause(signal);
    block.writeUInt32LE(spin);
    createHash(name).update(block).digest().copy(block, 4);
  }
  return block.subarray(4);
}

/** Lets other work run. @throws {ReaderError} ABORTED */
export async function pause(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  throwIfAborted(signal);
}

/** AES of whole blocks; a remainder is dropped. Without `iv`: each block on its own (ECB). */
export function aes(key: Buffer, data: Uint8Array, iv?: Buffer): Buffer {
  const bits = key.length * 8;
  if (bits !== 128 && bits !== 192 && bits !== 256) throw unknownScheme();
  const decipher = createDecipheriv(`aes-${bits}-${iv ? 'cbc' : 'ecb'}`, key, iv ?? null).setAutoPadding(
    false,
  );
  const whole = data.subarray(0, data.length - (data.length % 16));
  return Buffer.concat([decipher.update(whole), decipher.final()]);
}

export const unknownScheme = (): ReaderError =>
  cannotDecrypt('The document is encrypted in a way that is not supported.');
