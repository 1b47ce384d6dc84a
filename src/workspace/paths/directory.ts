// An open directory and what can be done with a name in it, never through a link: the one place that makes system paths.
// Where the system cannot open relative to a descriptor (`descriptor.ts`), names are joined to the path, which a race can
// beat.

import { type BigIntStats, closeSync, constants, fstat, open as openDescriptor } from 'node:fs';
import {
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  opendir,
  readlink,
  rename,
  rmdir,
  unlink,
} from 'node:fs/promises';
import { promisify } from 'node:util';
import { descriptorPath, O_PATH } from './descriptor.ts';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;

/** Entries the system is asked for at a time. */
const ENTRIES_AT_A_TIME = 1024;

const SLASH = Buffer.from('/');

const openAt = promisify(openDescriptor);
const statOf: (descriptor: number, options: { readonly bigint: true }) => Promise<BigIntStats> =
  promisify(fstat);

export type EntryKind = 'file' | 'directory' | 'link' | 'other';

export interface DirectoryEntry {
  readonly name: Buffer;
  readonly kind: EntryKind;
}

/** What lies under a name; `handle` when it is a regular file, which the caller closes. */
export interface Found {
  readonly stats: BigIntStats;
  readonly handle?: FileHandle;
}

/** Throws what the system throws. Whoever opened or entered it closes it; a name is one name, never a path. */
export class Directory {
  readonly raceSafe: boolean;
  readonly #descriptor: number;
  readonly #path: Buffer;
  #uses = 0;
  #closing = false;
  #closed = false;

  private constructor(descriptor: number, path: Buffer, safe: boolean) {
    this.raceSafe = safe;
    this.#descriptor = descriptor;
    this.#path = safe ? Buffer.from(descriptorPath(descriptor)) : path;
  }

  /** Opens a path of the host, links followed: one that the operator names. */
  static async open(path: string, safe: boolean): Promise<Directory> {
    const descriptor = await openAt(path, (safe ? O_PATH : O_RDONLY) | O_DIRECTORY);
    return new Directory(descriptor, Buffer.from(path), safe);
  }

  /** ENOTDIR or ELOOP for a link. */
  enter(name: Buffer): Promise<Directory> {
    return this.#at(name, async (path) => {
      const flags = (this.raceSafe ? O_PATH : O_RDONLY) | O_DIRECTORY | O_NOFOLLOW;
      return new Directory(await openAt(path, flags), path, this.raceSafe);
    });
  }

  /** Opens a regular file for reading; of anything else only what it is. */
  find(name: Buffer): Promise<Found> {
    return this.#at(name, (path) => (this.raceSafe ? findSafely(path) : findByPath(path)));
  }

  stat(name: Buffer): Promise<BigIntStats> {
    return this.#at(name, (path) => lstat(path, { bigint: true }));
  }

  ownStats(): Promise<BigIntStats> {
    return this.#use(() => statOf(this.#descriptor, { bigint: true }));
  }

  readlink(name: Buffer): Promise<Buffer> {
    return this.#at(name, (path) => readlink(path, { encoding: 'buffer' }));
  }

  /** A new file, open for reading and writing; EEXIST when anything is there, a link too. */
  create(name: Buffer, mode: number): Promise<FileHandle> {
    return this.#at(name, (path) => open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode));
  }

  make(name: Buffer, mode: number): Promise<void> {
    return this.#at(name, async (path) => {
      await mkdir(path, { mode });
    });
  }

  unlink(name: Buffer): Promise<void> {
    return this.#at(name, (path) => unlink(path));
  }

  removeFolder(name: Buffer): Promise<void> {
    return this.#at(name, (path) => rmdir(path));
  }

  rename(name: Buffer, to: Directory, toName: Buffer): Promise<void> {
    return this.#at(name, (path) => to.#at(toName, (toPath) => rename(path, toPath)));
  }

  /** A second name of the same file; EEXIST when anything is there. */
  link(name: Buffer, to: Directory, toName: Buffer): Promise<void> {
    return this.#at(name, (path) => to.#at(toName, (toPath) => link(path, toPath)));
  }

  /** In no order, without `.` and `..`. */
  async *entries(): AsyncGenerator<DirectoryEntry> {
    this.#begin();
    try {
      // @types/node knows no 'buffer' here; Node gives names as bytes then.
      const options = { encoding: 'buffer' as BufferEncoding, bufferSize: ENTRIES_AT_A_TIME };
      for await (const entry of await opendir(this.#path, options)) {
        const name = entry.name as unknown as Buffer;
        yield { name, kind: kindOf(entry) ?? kindOf(await this.stat(name)) ?? 'other' };
      }
    } finally {
      this.#end();
    }
  }

  /** Makes what was done to names in it last through a loss of power. Systems that cannot do so are let pass. */
  sync(): Promise<void> {
    return this.#use(async () => {
      // What was done is done: a folder that may be written to and not read is no reason to say otherwise, and some file
      // systems know no sync of a directory.
      const handle = await open(this.#path, O_RDONLY | O_DIRECTORY).catch(() => undefined);
      await handle?.sync().catch(() => undefined);
      await handle?.close();
    });
  }

  /** May be called more than once. Waits for what is under way, because its descriptor's number would name another file. */
  close(): void {
    this.#closing = true;
    if (this.#uses > 0 || this.#closed) return;
    this.#closed = true;
    closeSync(this.#descriptor);
  }

  #at<T>(name: Buffer, work: (path: Buffer) => Promise<T>): Promise<T> {
    return this.#use(() => work(Buffer.concat([this.#path, SLASH, name])));
  }

  async #use<T>(work: () => Promise<T>): Promise<T> {
    this.#begin();
    try {
      return await work();
    } finally {
      this.#end();
    }
  }

  #begin(): void {
    if (this.#closing) throw new Error('The directory is closed.');
    this.#uses += 1;
  }

  #end(): void {
    this.#uses -= 1;
    if (this.#closing) this.close();
  }
}

/** Looks at the very thing that is then opened: what is no regular file is never opened at all. */
async function findSafely(path: Buffer): Promise<Found> {
  const descriptor = await openAt(path, O_PATH | O_NOFOLLOW);
  try {
    const stats = await statOf(descriptor, { bigint: true });
    if (!stats.isFile()) return { stats };
    const handle = await open(descriptorPath(descriptor), O_RDONLY | O_NONBLOCK | O_NOCTTY);
    return { stats, handle };
  } finally {
    closeSync(descriptor);
  }
}

async function findByPath(path: Buffer): Promise<Found> {
  const seen = await lstat(path, { bigint: true });
  if (!seen.isFile()) return { stats: seen };
  const handle = await open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  const stats = await handle.stat({ bigint: true });
  if (stats.isFile()) return { stats, handle };
  await handle.close();
  return { stats };
}

interface Kinds {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
  isFIFO(): boolean;
  isSocket(): boolean;
  isBlockDevice(): boolean;
  isCharacterDevice(): boolean;
}

/** Undefined where the file system does not tell with the names. */
export function kindOf(stats: Kinds): EntryKind | undefined {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  if (stats.isSymbolicLink()) return 'link';
  return stats.isFIFO() || stats.isSocket() || stats.isBlockDevice() || stats.isCharacterDevice()
    ? 'other'
    : undefined;
}
