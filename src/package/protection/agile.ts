// Agile encryption of Office 2010 and later ([MS-OFFCRYPTO] 2.3.4.10 to 2.3.4.15): an XML description, AES-CBC in
// segments of 4096 bytes.

import type { XmlElement } from '../tree.ts';
import { readXml } from '../tree.ts';
import {
  aes,
  BYTES_TOGETHER,
  type HashName,
  hashOf,
  type Lock,
  pause,
  spun,
  unknownScheme,
  word,
} from './key.ts';

/** Bytes encrypted under one initialization vector (2.3.4.15). */
const SEGMENT = 4096;
const AES_BLOCK = 16;
const MAX_XML = 256 * 1024;

/** Block keys: what a derived key is for (2.3.4.11). */
const VERIFIER_INPUT = Buffer.from('fea7d2763b4b9e79', 'hex');
const VERIFIER_VALUE = Buffer.from('d7aa0f6d3061344e', 'hex');
const PACKAGE_KEY = Buffer.from('146e0be7abacd0d6', 'hex');

const HASHES: Readonly<Record<string, HashName>> = {
  SHA1: 'sha1',
  'SHA-1': 'sha1',
  SHA256: 'sha256',
  'SHA-256': 'sha256',
  SHA384: 'sha384',
  'SHA-384': 'sha384',
  SHA512: 'sha512',
  'SHA-512': 'sha512',
};

/** How one key encrypts. */
interface Cipher {
  readonly hash: HashName;
  readonly keyBytes: number;
  readonly salt: Buffer;
}

/** `description`: the stream after its version. @throws {ReaderError} ENCRYPTED_FILE for an unknown scheme, CORRUPT_FILE */
export function agileLock(description: Buffer, signal: AbortSignal): Lock {
  const root = readXml(description.toString('utf8', 0, MAX_XML), () => undefined);
  const data = cipherOf(root.child('keyData'));
  // A document may also be opened by certificates; only a password has a number of spins.
  const encryptor = root
    .child('keyEncryptors')
    ?.elements('keyEncryptor')
    .map((one) => one.child('encryptedKey'))
    .find((one) => one?.get('spinCount') !== undefined);
  const own = cipherOf(encryptor);
  const spins = Number(encryptor?.get('spinCount'));
  if (!Number.isSafeInteger(spins) || spins < 0) throw unknownScheme();
  const held = (name: string): Buffer => Buffer.from(encryptor?.get(name) ?? '', 'base64');
  return {
    unlock: async (password) => {
      const salted = await spun(own.hash, { salt: own.salt, password, spins }, signal);
      const open = (purpose: Buffer, name: string): Buffer => {
        const key = sized(hashOf(own.hash, salted, purpose), own.keyBytes);
        return aes(key, held(name), sized(own.salt, AES_BLOCK));
      };
      const input = open(VERIFIER_INPUT, 'encryptedVerifierHashInput').subarray(0, own.salt.length);
      const expected = hashOf(own.hash, input);
      const value = open(VERIFIER_VALUE, 'encryptedVerifierHashValue').subarray(0, expected.length);
      if (!value.equals(expected)) return undefined;
      return sized(open(PACKAGE_KEY, 'encryptedKeyValue'), data.keyBytes);
    },
    decrypt: async (stream, key, size) => {
      const plain = Buffer.alloc(stream.length);
      for (let at = 0; at < stream.length; at += SEGMENT) {
        if (at % BYTES_TOGETHER === 0) await pause(signal);
        const iv = sized(hashOf(data.hash, data.salt, word(at / SEGMENT)), AES_BLOCK);
        aes(key, stream.subarray(at, at + SEGMENT), iv).copy(plain, at);
      }
      return plain.subarray(0, size);
    },
  };
}

function cipherOf(element: XmlElement | undefined): Cipher {
  const hash = HASHES[element?.get('hashAlgorithm') ?? ''];
  const bits = Number(element?.get('keyBits'));
  const salt = Buffer.from(element?.get('saltValue') ?? '', 'base64');
  const chained = element?.get('cipherChaining') === 'ChainingModeCBC';
  if (!hash || element?.get('cipherAlgorithm') !== 'AES' || !chained || salt.length === 0)
    throw unknownScheme();
  if (bits !== 128 && bits !== 192 && bits !== 256) throw unknownScheme();
  return { hash, keyBytes: bits / 8, salt };
}

/** Cut, or filled up with 0x36 (2.3.4.11, 2.3.4.12). */
function sized(bytes: Buffer, length: number): Buffer {
  return bytes.length >= length
    ? bytes.subarray(0, length)
    : Buffer.concat([bytes, Buffer.alloc(length - bytes.length, 0x36)]);
}
