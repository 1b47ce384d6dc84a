// Workbooks of Excel 5 to 2003 under a password ([MS-XLS] 2.2.10): their records are decrypted in place, so that what
// reads them sees a file without protection.

import {
  cannotDecrypt,
  type EntryContext,
  passwordNeeded,
  type Source,
  wrongPassword,
} from '../../../src/contract/index.ts';
import { CompoundFile } from '../../../src/package/index.ts';
import { apiLock, type RecordLock, standardLock } from './rc4-lock.ts';
import { xorLock } from './xor-lock.ts';

/** Excel protects workbooks against changes with this one, and opens them without asking. */
const DEFAULT_PASSWORD = 'VelvetSweatshop';
const HEADER_BYTES = 512;
const DIRECTORY_BYTES = 4096;
const ENTRY_BYTES = 128;
/** `FilePass` follows the first record, or `WriteProtect` after it. */
const HEAD_BYTES = 64;
/** [MS-XLS] 2.3, and the BOF record of each version. */
const BOF = 0x0809;
const WRITE_PROTECT = 0x0086;
const FILE_PASS = 0x002f;
const BOUND_SHEET = 0x0085;
/** Records whose content is not encrypted: UsrExcl, FileLock, InterfaceHdr, RRDInfo, RRDHead and the above. */
const PLAIN: ReadonlySet<number> = new Set([BOF, FILE_PASS, 0x0194, 0x0195, 0x00e1, 0x0196, 0x0138]);
/** The position of a sheet, at the start of its `BoundSheet8`. */
const PLAIN_OF_SHEET = 4;
/** The workbook is Excel 97 or later. */
const BIFF8 = 0x0600;
const NAMES: readonly string[] = ['Workbook', 'Book'];

/** The file without encryption; undefined if it is not an encrypted workbook. @throws {ReaderError} as `decrypt` */
export async function decryptedWorkbook(
  source: Source,
  context: EntryContext,
): Promise<Uint8Array | undefined> {
  if (!(await mayBeEncrypted(source))) return undefined;
  const file = new CompoundFile(await source.bytes());
  const children = file.children(file.root);
  const entry = NAMES.map((name) => children.find((child) => child.name === name && !child.folder)).find(
    Boolean,
  );
  if (!entry) return undefined;
  const stream = file.bytes(entry);
  const pass = filePass(stream);
  if (!pass) return undefined;
  const lock = unlocked(pass, context);
  decryptRecords(stream, pass.end, lock);
  // A record without meaning takes its place.
  stream.writeUInt16LE(WRITE_PROTECT, pass.start);
  return file.withBytes(entry, stream);
}

/** Looks at the start of the directory and of the stream that it names. */
async function mayBeEncrypted(source: Source): Promise<boolean> {
  const header = Buffer.from(await source.read(0, HEADER_BYTES));
  if (header.length < HEADER_BYTES) return false;
  const sector = header.readUInt16LE(30) === 12 ? 4096 : 512;
  const at = (index: number): number => Math.min((index + 1) * sector, source.size);
  const directory = Buffer.from(await source.read(at(header.readUInt32LE(48)), DIRECTORY_BYTES));
  for (let from = 0; from + ENTRY_BYTES <= directory.length; from += ENTRY_BYTES) {
    const name = directory.toString('utf16le', from, from + 18).split('\0')[0] ?? '';
    if (!NAMES.includes(name)) continue;
    const start = await source.read(at(directory.readUInt32LE(from + 116)), HEAD_BYTES);
    if (filePass(Buffer.from(start))) return true;
  }
  return false;
}

interface FilePass {
  readonly start: number;
  readonly end: number;
  readonly content: Buffer;
  readonly isBiff8: boolean;
}

/** The record that says how a stream is encrypted. */
function filePass(stream: Buffer): FilePass | undefined {
  if (stream.length < 6 || stream.readUInt16LE(0) !== BOF) return undefined;
  const isBiff8 = stream.readUInt16LE(4) === BIFF8;
  for (let at = 4 + stream.readUInt16LE(2), steps = 0; at + 4 <= stream.length && steps < 2; steps += 1) {
    const type = stream.readUInt16LE(at);
    const end = at + 4 + stream.readUInt16LE(at + 2);
    if (type === FILE_PASS) return { start: at, end, content: stream.subarray(at + 4, end), isBiff8 };
    if (type !== WRITE_PROTECT) return undefined;
    at = end;
  }
  return undefined;
}

function unlocked(pass: FilePass, context: EntryContext): RecordLock {
  const open = lockOf(pass, DEFAULT_PASSWORD);
  if (open) return open;
  const password = context.password();
  if (!password) throw passwordNeeded('The workbook is protected with a password.');
  const lock = lockOf(pass, password);
  if (!lock) throw wrongPassword('The password does not open the workbook.');
  return lock;
}

/** Undefined for a wrong password. */
function lockOf({ content, isBiff8 }: FilePass, password: string): RecordLock | undefined {
  const type = isBiff8 && content.length >= 2 ? content.readUInt16LE(0) : 0;
  const rest = isBiff8 ? content.subarray(2) : content;
  if (type === 0 && rest.length >= 4) return xorLock(rest, password);
  if (type === 1 && rest.length >= 4) {
    const [major, minor] = [rest.readUInt16LE(0), rest.readUInt16LE(2)];
    if (major === 1 && minor === 1) return standardLock(rest.subarray(4), password);
    if (major >= 2 && major <= 4 && minor === 2) return apiLock(rest.subarray(8), password);
  }
  throw cannotDecrypt('The workbook is encrypted in a way that is not supported.');
}

/** Decrypts the contents of the records from `from` on, in place. */
function decryptRecords(stream: Buffer, from: number, lock: RecordLock): void {
  for (let at = from; at + 4 <= stream.length; ) {
    const type = stream.readUInt16LE(at);
    const start = at + 4;
    const end = Math.min(start + stream.readUInt16LE(at + 2), stream.length);
    const first = start + (type === BOUND_SHEET ? PLAIN_OF_SHEET : 0);
    if (!PLAIN.has(type) && first < end) lock.decrypt(stream, first, start, end);
    at = end;
  }
}
