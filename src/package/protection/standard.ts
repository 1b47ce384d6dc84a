// Standard encryption of Office 2007 ([MS-OFFCRYPTO] 2.3.4.5 to 2.3.4.9): a binary description, AES block by block.

import { aes, BYTES_TOGETHER, hashOf, type Lock, pause, spun, unknownScheme, word } from './key.ts';

/** The number of hashes is fixed (2.3.4.7). */
const SPINS = 50_000;
const SHA1_BYTES = 20;
/** `algID` of AES with 128, 192 and 256 bits, and `algIDHash` of SHA-1 (2.3.2). */
const AES_BYTES: Readonly<Record<number, number>> = { 26126: 16, 26127: 24, 26128: 32 };
const SHA1 = 0x8004;

/** `description`: the stream after its version and flags. @throws {ReaderError} ENCRYPTED_FILE for an unknown scheme */
export function standardLock(description: Buffer, signal: AbortSignal): Lock {
  const header = description.length >= 4 ? description.readUInt32LE(0) : 0;
  const at = 4 + header;
  // The header has eight fields before its name, the verifier a length, a salt, and two encrypted values.
  if (header < 32 || at + 4 + 16 + 16 + 4 + 32 > description.length) throw unknownScheme();
  const keyBytes = AES_BYTES[description.readUInt32LE(4 + 8)];
  const hash = description.readUInt32LE(4 + 12);
  if (keyBytes === undefined || (hash !== SHA1 && hash !== 0) || description.readUInt32LE(at) !== 16)
    throw unknownScheme();
  const salt = description.subarray(at + 4, at + 20);
  const verifier = description.subarray(at + 20, at + 36);
  const verifierHash = description.subarray(at + 40, at + 72);
  return {
    unlock: async (password) => {
      const salted = await spun('sha1', { salt, password, spins: SPINS }, signal);
      const final = hashOf('sha1', salted, word(0));
      const key = Buffer.concat([0x36, 0x5c].map((fill) => hashOf('sha1', masked(final, fill)))).subarray(
        0,
        keyBytes,
      );
      const expected = hashOf('sha1', aes(key, verifier));
      return aes(key, verifierHash).subarray(0, SHA1_BYTES).equals(expected) ? key : undefined;
    },
    decrypt: async (stream, key, size) => {
      const pieces: Buffer[] = [];
      for (let from = 0; from < stream.length; from += BYTES_TOGETHER) {
        await pause(signal);
        pieces.push(aes(key, stream.subarray(from, from + BYTES_TOGETHER)));
      }
      return Buffer.concat(pieces).subarray(0, size);
    },
  };
}

/** 64 bytes of `fill`, the first of them combined with the hash (2.3.4.7). */
function masked(hash: Buffer, fill: number): Buffer {
  const block = Buffer.alloc(64, fill);
  for (const [index, byte] of hash.entries()) block[index] = byte ^ fill;
  return block;
}
