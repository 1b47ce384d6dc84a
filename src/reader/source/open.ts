// Opens an input as a Source, after checks. Accepts only regular files and bytes passed in; never opens anything
// remote, or anything named inside a file.

import type { FileHandle } from 'node:fs/promises';
import { splitAddress, splitMember } from '../../address/index.ts';
import {
  type Files,
  type Limits,
  type LocalFile,
  ReaderError,
  type RemoteFile,
  type Source,
  tellsSize,
  throwIfAborted,
} from '../../contract/index.ts';
import { FileSource } from './file.ts';
import { closeOnce, holdAll, piecesOf, toItsEnd } from './hold.ts';
import { HOST_FILES } from './host-files.ts';
import {
  cleanMimeType,
  extensionOf,
  type Input,
  safeName,
  toName,
  toPath,
  type Unwrapped,
  unwrap,
} from './input.ts';
import { BlobSource, MemorySource } from './memory.ts';
import type { Label } from './random-access.ts';
import { StoredSource } from './stored.ts';

/** A Source with what only its opener knows. `close` is idempotent. */
export interface Opened {
  readonly source: Source;
  readonly modified: Date | undefined;
  /** The path requested inside it; `''` lists its contents. */
  readonly entry?: string;
  /** The place in it that the address names, percent-encoded. */
  readonly fragment?: string;
  changed(): Promise<boolean>;
  close(): Promise<void>;
}

/** The open file behind it, which `Opened.close` closes; undefined for bytes in memory. */
export const handleOf = ({ source }: Opened): FileHandle | undefined =>
  source instanceof FileSource ? source.handle : undefined;

const NEVER_CHANGES = {
  modified: undefined,
  changed: () => Promise.resolve(false),
  close: () => Promise.resolve(),
};

/**
 * Opens `input`, whose path may also be an address: `report.pdf#page=2`.
 * @throws {ReaderError} BAD_INPUT, FILE_NOT_FOUND, NOT_A_FILE, ACCESS_DENIED, LIMIT_EXCEEDED (a stream), ABORTED
 */
export async function openAddress(
  input: Input,
  limits: Limits,
  signal: AbortSignal,
  files: Files = HOST_FILES,
): Promise<Opened> {
  return await open(input, limits, signal, files, true);
}

/** Opens `input`, a whole file: `#` is part of its name. @throws {ReaderError} as `openAddress` */
export async function open(
  input: Input,
  limits: Limits,
  signal: AbortSignal,
  files: Files = HOST_FILES,
  asAddress = false,
): Promise<Opened> {
  throwIfAborted(signal);
  const { entry, place, ...rest } = unwrap(input);
  if (place !== undefined && !asAddress)
    throw new ReaderError(
      'BAD_INPUT',
      'Only a whole file can be taken here, not a place in it.',
      'Pass the whole file.',
    );
  const opened = await openGiven(rest, limits, signal, files, asAddress);
  if (place !== undefined && opened.fragment !== undefined) {
    await opened.close();
    throw twoPlaces();
  }
  return {
    ...opened,
    ...(entry !== undefined && { entry }),
    ...(place !== undefined && { fragment: place.replace(/^#/, '') }),
  };
}

/** The error of an input that names a place twice, of which one would be passed over in silence. */
export const twoPlaces = (): ReaderError =>
  new ReaderError('BAD_INPUT', 'The input names two places in the file.', 'Name the place once.');

async function openGiven(
  { given, name, mimeType, sha256 }: Unwrapped,
  limits: Limits,
  signal: AbortSignal,
  files: Files,
  asAddress: boolean,
): Promise<Opened> {
  const label = (fallback: string): Label => {
    const shown = name ?? fallback;
    return {
      name: shown,
      extension: extensionOf(shown),
      mimeType: cleanMimeType(mimeType),
      maxBytesInMemory: limits.maxBytesInMemory,
      ...(sha256 !== undefined && { sha256 }),
    };
  };
  if (typeof given === 'string' || given instanceof URL) {
    const path = files === HOST_FILES ? toPath(given) : toName(given);
    const hash = /^file:/.test(String(given)) && files === HOST_FILES ? new URL(given).hash.slice(1) : '';
    const { outer, entry, fragment = hash } = await splitPath(path, files, asAddress);
    const file = await files.open(outer);
    const opened =
      'remote' in file
        ? openedRemote(file, label(file.name), signal)
        : await openedFile(file, label(file.name), limits, signal);
    return {
      ...opened,
      ...(entry !== undefined && { entry }),
      ...(asAddress && fragment !== '' && { fragment }),
    };
  }
  if (given instanceof Uint8Array || given instanceof ArrayBuffer)
    return {
      ...NEVER_CHANGES,
      source: new MemorySource(label('bytes'), given instanceof ArrayBuffer ? new Uint8Array(given) : given),
    };
  if (given instanceof Blob) {
    const blobLabel = label(given instanceof File ? safeName(given.name) : 'blob');
    const declared = blobLabel.mimeType ?? cleanMimeType(given.type);
    return {
      ...NEVER_CHANGES,
      source: new BlobSource({ ...blobLabel, mimeType: declared }, given),
    };
  }
  const streamed = label('stream');
  const held = await holdAll(piecesOf(given, streamed.name, signal), streamed, limits, signal);
  return { ...NEVER_CHANGES, ...held };
}

/**
 * Splits `archive.zip!/dir/file.csv` into the file to open and the path inside it, and an address into the file and the
 * place; a file with that literal name takes precedence.
 */
async function splitPath(
  path: string,
  files: Files,
  asAddress: boolean,
): Promise<{ readonly outer: string; readonly entry?: string; readonly fragment?: string }> {
  const [member, place] = [path.includes('!/'), asAddress && path.includes('#')];
  if (!member && !place) return { outer: path };
  const inner = await splitMember(path, files);
  if (inner.member !== undefined && inner.member !== '') return { outer: inner.path, entry: inner.member };
  const { path: outer, fragment } = place ? await splitAddress(path, files) : { path };
  if (fragment !== undefined) return { outer, fragment };
  return { outer: inner.path, ...(inner.member !== undefined && { entry: inner.member }) };
}

/** A stored object: its version cannot change under the read, which fails instead. */
function openedRemote({ remote }: RemoteFile, label: Label, signal: AbortSignal): Opened {
  return {
    ...NEVER_CHANGES,
    source: new StoredSource(label, remote, signal),
    modified: label.sha256 === undefined ? remote.modified : undefined,
  };
}

/** A file that does not report its size is read to its end at once. Closes the handle on failure. */
async function openedFile(
  { handle, stats }: LocalFile,
  label: Label,
  limits: Limits,
  signal: AbortSignal,
): Promise<Opened> {
  const file = new FileSource(label, handle, stats);
  const close = closeOnce(handle);
  const facts = {
    modified: label.sha256 === undefined ? file.modified : undefined,
    changed: () => file.changed(),
  };
  if (tellsSize(stats)) return { ...facts, source: file, close };
  try {
    const held = await holdAll(toItsEnd(handle, label.name, limits), label, limits, signal);
    return {
      ...facts,
      source: held.source,
      close: async () => {
        await held.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
