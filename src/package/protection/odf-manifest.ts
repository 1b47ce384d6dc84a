// The manifest of an OpenDocument package (ODF 1.3 part 2, chapter 4), as far as it says how files are encrypted.

import { cannotDecrypt } from '../../contract/index.ts';
import { readXml, type XmlElement } from '../tree.ts';

/** How a file of the package is encrypted. */
export interface FileLock {
  readonly iv: Buffer;
  readonly salt: Buffer;
  readonly iterations: number;
  readonly keyBytes: number;
  /** Of the password. */
  readonly startHash: 'sha1' | 'sha256';
  /** Of the first 1024 bytes without encryption, still deflated; undefined if not stated. */
  readonly check: { readonly hash: 'sha1' | 'sha256'; readonly sum: Buffer } | undefined;
}

const HASHES: Readonly<Record<string, 'sha1' | 'sha256'>> = {
  SHA1: 'sha1',
  'http://www.w3.org/2000/09/xmldsig#sha1': 'sha1',
  // As LibreOffice writes it, and as XML Encryption has it.
  'http://www.w3.org/2000/09/xmldsig#sha256': 'sha256',
  'http://www.w3.org/2001/04/xmlenc#sha256': 'sha256',
};
const CHECKS: Readonly<Record<string, 'sha1' | 'sha256'>> = {
  'SHA1/1K': 'sha1',
  'urn:oasis:names:tc:opendocument:xmlns:manifest:1.0#sha1-1k': 'sha1',
  'urn:oasis:names:tc:opendocument:xmlns:manifest:1.0#sha256-1k': 'sha256',
};
const AES_CBC: Readonly<Record<string, number>> = {
  'http://www.w3.org/2001/04/xmlenc#aes128-cbc': 16,
  'http://www.w3.org/2001/04/xmlenc#aes192-cbc': 24,
  'http://www.w3.org/2001/04/xmlenc#aes256-cbc': 32,
};
const IV_BYTES = 16;

/** The encrypted files by name; empty for a package without a password. @throws {ReaderError} ENCRYPTED_FILE, CORRUPT_FILE */
export function fileLocks(manifest: string): ReadonlyMap<string, FileLock> {
  const locks = new Map<string, FileLock>();
  if (!manifest.includes('encryption-data')) return locks;
  for (const entry of readXml(manifest).elements('file-entry')) {
    const data = entry.child('encryption-data');
    const name = entry.get('full-path');
    if (data && name !== undefined) locks.set(name, lockOf(data));
  }
  return locks;
}

function lockOf(data: XmlElement): FileLock {
  const algorithm = data.child('algorithm');
  const derivation = data.child('key-derivation');
  const keyBytes = AES_CBC[algorithm?.get('algorithm-name') ?? ''];
  const startHash = HASHES[data.child('start-key-generation')?.get('start-key-generation-name') ?? 'SHA1'];
  const iv = bytesOf(algorithm, 'initialisation-vector');
  const iterations = Number(derivation?.get('iteration-count'));
  const isKnown = derivation?.get('key-derivation-name') === 'PBKDF2' && iv.length === IV_BYTES;
  if (!isKnown || keyBytes === undefined || !startHash || !Number.isSafeInteger(iterations) || iterations < 1)
    throw cannotDecrypt('The document is encrypted in a way that is not supported.');
  const hash = CHECKS[data.get('checksum-type') ?? ''];
  return {
    iv,
    salt: bytesOf(derivation, 'salt'),
    iterations,
    keyBytes,
    startHash,
    check: hash && { hash, sum: bytesOf(data, 'checksum') },
  };
}

const bytesOf = (element: XmlElement | undefined, name: string): Buffer =>
  Buffer.from(element?.get(name) ?? '', 'base64');
