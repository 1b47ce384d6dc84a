// RC4 of binary Office files ([MS-OFFCRYPTO] 2.3.5 and 2.3.6): a key for each block of 1024 bytes. Node.js has no RC4
// without a legacy provider of OpenSSL.

import { createHash } from 'node:crypto';
import { cannotDecrypt } from '../../../src/contract/index.ts';

/** Decrypts the records of a stream. */
export interface RecordLock {
  /** In place, `stream` from `first` to before `end`; the record's content starts at `start`. Only goes forward. */
  decrypt(stream: Buffer, first: number, start: number, end: number): void;
}

const BLOCK_BYTES = 1024;
const SHA1_BYTES = 20;
/** `AlgID` of RC4 and `AlgIDHash` of SHA-1 ([MS-OFFCRYPTO] 2.3.2). */
const RC4 = 0x6801;
const SHA1 = 0x8004;
/** Of the header up to its name. */
const API_HEADER_BYTES = 32;

type KeyOf = (block: number) => Buffer;

/** The first 40 bits of an MD5 (2.3.6.2). `content`: salt, verifier and its hash. Undefined for a wrong password. */
export function standardLock(content: Buffer, password: string): RecordLock | undefined {
  if (content.length < 48) throw damaged();
  const salt = content.subarray(0, 16);
  const once = hash('md5', Buffer.from(password, 'utf16le')).subarray(0, 5);
  const many = Buffer.concat(Array.from({ length: 16 }, () => [once, salt]).flat());
  const base = hash('md5', many).subarray(0, 5);
  const keyOf: KeyOf = (block) => hash('md5', base, word(block));
  return checked(keyOf, 'md5', content.subarray(16, 32), content.subarray(32, 48));
}

/** CryptoAPI (2.3.5.2). `content`: from the size of the header on. Undefined for a wrong password. */
export function apiLock(content: Buffer, password: string): RecordLock | undefined {
  const header = content.length >= 4 ? content.readUInt32LE(0) : 0;
  const at = 4 + header;
  if (header < API_HEADER_BYTES || at + 4 + 16 + 16 + 4 + SHA1_BYTES > content.length) throw damaged();
  const bits = content.readUInt32LE(4 + 16) || 40;
  const isKnown = content.readUInt32LE(4 + 8) === RC4 && content.readUInt32LE(4 + 12) === SHA1;
  if (!isKnown || bits % 8 !== 0 || bits < 40 || bits > 128 || content.readUInt32LE(at) !== 16)
    throw damaged();
  const base = hash('sha1', content.subarray(at + 4, at + 20), Buffer.from(password, 'utf16le'));
  const keyOf: KeyOf = (block) => {
    const key = hash('sha1', base, word(block)).subarray(0, bits / 8);
    // A key of 40 bits is used as one of 128.
    return bits === 40 ? Buffer.concat([key, Buffer.alloc(11)]) : key;
  };
  return checked(keyOf, 'sha1', content.subarray(at + 20, at + 36), content.subarray(at + 40, at + 60));
}

function checked(keyOf: KeyOf, name: string, verifier: Buffer, stated: Buffer): RecordLock | undefined {
  const check = Buffer.concat([verifier, stated]);
  new Rc4(keyOf(0)).apply(check, 0, check.length);
  return hash(name, check.subarray(0, 16)).equals(check.subarray(16)) ? recordsOf(keyOf) : undefined;
}

function recordsOf(keyOf: KeyOf): RecordLock {
  let cipher: Rc4 | undefined;
  let block = -1;
  let position = 0;
  return {
    decrypt: (stream, first, _, end) => {
      for (let at = first; at < end; ) {
        const own = Math.floor(at / BLOCK_BYTES);
        if (!cipher || own !== block) {
          cipher = new Rc4(keyOf(own));
          block = own;
          position = own * BLOCK_BYTES;
        }
        // What is not encrypted takes its part of the key stream.
        cipher.skip(at - position);
        const to = Math.min(end, (own + 1) * BLOCK_BYTES);
        cipher.apply(stream, at, to);
        position = to;
        at = to;
      }
    },
  };
}

class Rc4 {
  readonly #state: Uint8Array = Uint8Array.from({ length: 256 }, (_, index) => index);
  #i = 0;
  #j = 0;

  constructor(key: Uint8Array) {
    const state = this.#state;
    for (let i = 0, j = 0; i < 256; i += 1) {
      const value = state[i] ?? 0;
      j = (j + value + (key[i % key.length] ?? 0)) & 255;
      state[i] = state[j] ?? 0;
      state[j] = value;
    }
  }

  skip(length: number): void {
    for (let step = 0; step < length; step += 1) this.#next();
  }

  apply(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; at += 1) bytes[at] = (bytes[at] ?? 0) ^ this.#next();
  }

  #next(): number {
    const state = this.#state;
    this.#i = (this.#i + 1) & 255;
    const first = state[this.#i] ?? 0;
    this.#j = (this.#j + first) & 255;
    const second = state[this.#j] ?? 0;
    state[this.#i] = second;
    state[this.#j] = first;
    return state[(first + second) & 255] ?? 0;
  }
}

function hash(name: string, ...pieces: readonly Uint8Array[]): Buffer {
  const sum = createHash(name);
  for (const piece of pieces) sum.update(piece);
  return sum.digest();
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

const damaged = (): Error => cannotDecrypt('The workbook is encrypted in a way that is not supported.');
