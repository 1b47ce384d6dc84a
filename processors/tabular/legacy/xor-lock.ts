// XOR obfuscation of Excel 95 and 97 ([MS-OFFCRYPTO] 2.3.7.1 to 2.3.7.3, "method 1").

import type { RecordLock } from './rc4-lock.ts';

const MAX_PASSWORD = 15;
const PADDING: readonly number[] = [
  0xbb, 0xff, 0xff, 0xba, 0xff, 0xff, 0xb9, 0x80, 0x00, 0xbe, 0x0f, 0x00, 0xbf, 0x0f, 0x00,
];
/** By the length of the password. */
const INITIAL: readonly number[] = [
  0xe1f0, 0x1d0f, 0xcc9c, 0x84c0, 0x110c, 0x0e10, 0xf1ce, 0x313e, 0x1872, 0xe139, 0xd40f, 0x84f9, 0x280c,
  0xa96a, 0x4ec3,
];
/** For each of the lower 7 bits of a character, the last character of the longest password last. */
const MATRIX: readonly number[] = [
  0xaefc, 0x4dd9, 0x9bb2, 0x2745, 0x4e8a, 0x9d14, 0x2a09, 0x7b61, 0xf6c2, 0xfda5, 0xeb6b, 0xc6f7, 0x9dcf,
  0x2bbf, 0x4563, 0x8ac6, 0x05ad, 0x0b5a, 0x16b4, 0x2d68, 0x5ad0, 0x0375, 0x06ea, 0x0dd4, 0x1ba8, 0x3750,
  0x6ea0, 0xdd40, 0xd849, 0xa0b3, 0x5147, 0xa28e, 0x553d, 0xaa7a, 0x44d5, 0x6f45, 0xde8a, 0xad35, 0x4a4b,
  0x9496, 0x390d, 0x721a, 0xeb23, 0xc667, 0x9cef, 0x29ff, 0x53fe, 0xa7fc, 0x5fd9, 0x47d3, 0x8fa6, 0x0f6d,
  0x1eda, 0x3db4, 0x7b68, 0xf6d0, 0xb861, 0x60e3, 0xc1c6, 0x93ad, 0x377b, 0x6ef6, 0xddec, 0x45a0, 0x8b40,
  0x06a1, 0x0d42, 0x1a84, 0x3508, 0x6a10, 0xaa51, 0x4483, 0x8906, 0x022d, 0x045a, 0x08b4, 0x1168, 0x76b4,
  0xed68, 0xcaf1, 0x85c3, 0x1ba7, 0x374e, 0x6e9c, 0x3730, 0x6e60, 0xdcc0, 0xa9a1, 0x4363, 0x86c6, 0x1dad,
  0x3331, 0x6662, 0xccc4, 0x89a9, 0x0373, 0x06e6, 0x0dcc, 0x1021, 0x2042, 0x4084, 0x8108, 0x1231, 0x2462,
  0x48c4,
];

/** `content`: key and verifier. Undefined for a wrong password. */
export function xorLock(content: Buffer, password: string): RecordLock | undefined {
  const bytes = singleBytes(password);
  if (bytes.length < 1 || bytes.length > MAX_PASSWORD) return undefined;
  const key = keyOf(bytes);
  if (content.readUInt16LE(0) !== key || content.readUInt16LE(2) !== verifierOf(bytes)) return undefined;
  const mask = maskOf(bytes, key);
  return {
    decrypt: (stream, first, start, end) => {
      // The mask starts at the end of the record.
      for (let at = first, index = end + first - start; at < end; at += 1, index += 1) {
        const byte = stream[at] ?? 0;
        stream[at] = (((byte << 3) | (byte >> 5)) & 255) ^ (mask[index & 15] ?? 0);
      }
    },
  };
}

/** Characters of Latin-1; Excel takes the code page of the system. */
const singleBytes = (password: string): Uint8Array =>
  Uint8Array.from(password, (character) => {
    const code = character.charCodeAt(0);
    return code & 255 || code >> 8;
  });

function keyOf(password: Uint8Array): number {
  let key = INITIAL[password.length - 1] ?? 0;
  let place = MATRIX.length - 1;
  for (let index = password.length - 1; index >= 0; index -= 1)
    for (let bit = 6; bit >= 0; bit -= 1, place -= 1)
      if ((password[index] ?? 0) & (1 << bit)) key ^= MATRIX[place] ?? 0;
  return key;
}

function verifierOf(password: Uint8Array): number {
  let verifier = 0;
  for (const byte of [password.length, ...password].reverse())
    verifier = (((verifier >> 14) & 1) | ((verifier * 2) & 0x7fff)) ^ byte;
  return verifier ^ 0xce4b;
}

/** The password and its padding, combined with the bytes of the key in turn. */
function maskOf(password: Uint8Array, key: number): Uint8Array {
  const padded = [...password, ...PADDING].slice(0, 16);
  return Uint8Array.from(padded, (byte, index) => {
    const mixed = byte ^ (index % 2 === 0 ? key & 255 : key >> 8);
    return (mixed >> 1) | ((mixed & 1) << 7);
  });
}
