// Office Open XML under a password: a compound file whose stream `EncryptedPackage` is the package ([MS-OFFCRYPTO]
// 2.3.4.4).

import { createHash } from 'node:crypto';
import {
  cannotDecrypt,
  createContentMap,
  passwordNeeded,
  ReaderError,
  type Source,
  wrongPassword,
} from '../../contract/index.ts';
import { CompoundFile } from '../compound.ts';
import { agileLock } from './agile.ts';
import { type Lock, unknownScheme } from './key.ts';
import { standardLock } from './standard.ts';

export interface DecryptContext {
  readonly signal: AbortSignal;
  password(): string | undefined;
}

/** Excel encrypts workbooks that are protected against changes only with this one, and opens them without asking. */
const DEFAULT_PASSWORD = 'VelvetSweatshop';

const HEADER_BYTES = 512;
const DIRECTORY_BYTES = 64 * 1024;
const STREAM = Buffer.from('EncryptedPackage', 'utf16le');
/** The length of the package comes before it. */
const SIZE_BYTES = 8;

/** True if the start of the directory of the compound file names an encrypted package. */
export async function isEncryptedPackage(source: Source): Promise<boolean> {
  const header = await source.read(0, HEADER_BYTES);
  if (header.length < HEADER_BYTES) return false;
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  if (view.getUint32(0, true) !== 0xe011cfd0) return false;
  const shift = view.getUint16(30, true) === 12 ? 12 : 9;
  const at = (view.getUint32(48, true) + 1) * 2 ** shift;
  const directory = await source.read(Math.min(at, source.size), DIRECTORY_BYTES);
  return Buffer.from(directory.buffer, directory.byteOffset, directory.byteLength).includes(STREAM);
}

/**
 * The package inside an encrypted Office file, held in memory.
 * @throws {ReaderError} ENCRYPTED_FILE, WRONG_PASSWORD, CORRUPT_FILE, LIMIT_EXCEEDED, ABORTED
 */
export async function decryptedPackage(
  source: Source,
  { signal, password: take }: DecryptContext,
): Promise<Uint8Array> {
  const file = new CompoundFile(await source.bytes());
  const children = file.children(file.root);
  const stream = (name: string): Buffer | undefined => {
    const entry = children.find((child) => child.name === name && !child.folder);
    return entry && file.bytes(entry);
  };
  const content = stream('EncryptedPackage');
  const info = stream('EncryptionInfo');
  if (!content || content.length < SIZE_BYTES) throw damaged();
  if (!info)
    throw cannotDecrypt('The document is protected by rights management, which a password does not open.');
  const lock = lockOf(info, signal);
  const key = await keyOf(lock, info, take);
  // The upper half of the length is 0: the file itself is in memory.
  const size = content.readUInt32LE(0);
  return lock.decrypt(content.subarray(SIZE_BYTES), key, size);
}

/** By the description of the encryption: what the default password gives, which takes 100 000 hashes to find out. */
const TRIED = createContentMap<Buffer | 'refused'>({ most: 1000 });

async function keyOf(lock: Lock, info: Buffer, take: () => string | undefined): Promise<Buffer> {
  const id = createHash('sha256').update(info).digest('hex');
  const open = TRIED.get(id) ?? (await lock.unlock(DEFAULT_PASSWORD)) ?? 'refused';
  TRIED.set(id, open);
  if (open !== 'refused') return open;
  const password = take();
  if (!password) throw passwordNeeded('The document is protected with a password.');
  const key = await lock.unlock(password);
  if (!key) throw wrongPassword('The password does not open the document.');
  return key;
}

/** The scheme by its version ([MS-OFFCRYPTO] 2.3.4.5, 2.3.4.10). */
function lockOf(info: Buffer, signal: AbortSignal): Lock {
  if (info.length < 8) throw damaged();
  const major = info.readUInt16LE(0);
  const minor = info.readUInt16LE(2);
  if (major === 4 && minor === 4) return agileLock(info.subarray(8), signal);
  if (major >= 2 && major <= 4 && minor === 2) return standardLock(info.subarray(8), signal);
  throw unknownScheme();
}

const damaged = (): ReaderError =>
  new ReaderError(
    'CORRUPT_FILE',
    'The encrypted document is damaged: the description of its encryption is incomplete.',
    'Check that the file was saved or transferred completely.',
  );
