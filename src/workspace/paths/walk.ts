// From names to what they lead to: one component after the other, each relative to an open directory and never through a
// link of the system's own following. Links are read and walked here, so that nothing outside is ever opened.

import { isAscii } from 'node:buffer';
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import {
  type Attempt,
  errnoOf,
  foldedName,
  nearNames,
  quoted,
  ReaderError,
  systemError,
} from '../../contract/index.ts';
import type { Directory } from './directory.ts';
import { bytesShown, isReserved, reservedName, shownName } from './names.ts';
import { escapes, namesAbove, namesOf } from './paths.ts';

/** As many links as Linux itself follows (path_resolution(7)). */
const MAX_LINKS = 40;

/** Components walked for one path, those of its links among them. */
const MAX_STEPS = 4096;

/** Levels below the root that listings and searches enter, and where new folders may be. */
export const MAX_DEPTH = 128;

/** Entries looked at for a name that is spelled otherwise. */
const MAX_SPELLED = 100_000;

/** How a walk ends and what it may do on its way. */
export interface Walk {
  readonly mount: string;
  /** Where links, too, may say the root is: its absolute path on this host. */
  readonly host?: string | undefined;
  /**
   * `file`: open it, links followed. `target`: where it is or would be, links followed. `entry`: where the name itself
   * lies, which may be a link. `folder`: a directory.
   */
  readonly end: 'file' | 'target' | 'entry' | 'folder';
  /** Makes the folders that are missing. Implies `spelling` `exact`. */
  readonly create?: boolean;
  /**
   * Of a name that is not there. `alike` (default): takes the only one that looks the same; `near`: only tells which may have
   * been meant; `exact`: neither, which costs nothing.
   */
  readonly spelling?: 'alike' | 'near' | 'exact';
  /** For a `target`: where a folder is missing, ends in the deepest one there is. */
  readonly partial?: boolean;
  /** Told of each folder made, deepest last, and of the names that lead to it from the root without a link. */
  readonly onMade?: (directory: Directory, name: Buffer, path: readonly Buffer[]) => Promise<void>;
}

/** Where a walk came to. */
export interface Place {
  /** Open; the caller closes it. */
  readonly directory: Directory;
  /** In `directory`; undefined for `directory` itself. */
  readonly name: Buffer | undefined;
  /** Undefined for nothing. */
  readonly stats: BigIntStats | undefined;
  /** Of a regular file when the walk was for a `file`; the caller closes it. */
  readonly handle: FileHandle | undefined;
  /** Names that were not walked because there is nothing: 0 when there is something. */
  readonly missing: number;
  /** The names of the path as they are spelled there, shown. */
  readonly shown: readonly string[];
}

interface Step {
  readonly name: Buffer;
  /** From the path itself, not from a link or from walking again. */
  readonly asked: boolean;
  /** The name was found to be spelled so. */
  readonly spelled?: boolean;
}

/**
 * Walks `names` from `root`, which it closes unless it is where the walk ends.
 * @throws {ReaderError} PATH_ESCAPES_WORKSPACE, BAD_INPUT, FILE_NOT_FOUND, ACCESS_DENIED; and what the system throws
 */
export async function walk(root: Directory, names: readonly string[], how: Walk): Promise<Place> {
  const walker = new Walker(root, names, how);
  try {
    return await walker.run();
  } finally {
    walker.close();
  }
}

class Walker {
  readonly #root: Directory;
  readonly #how: Walk;
  readonly #path: string;
  readonly #pending: Step[];
  #current: Directory;
  /** What leads from the root to `#current`, no links; to where `#current` should be when `#stale`. */
  #names: Buffer[] = [];
  #stale = false;
  readonly #shown: string[] = [];
  #links = 0;
  #handedOut: Directory | undefined;

  constructor(root: Directory, names: readonly string[], how: Walk) {
    this.#root = root;
    this.#current = root;
    this.#how = how;
    this.#path = names.join('/');
    this.#pending = names.map((name) => ({ name: Buffer.from(name), asked: true })).reverse();
  }

  close(): void {
    if (this.#current !== this.#root) this.#leave();
    if (this.#root !== this.#handedOut) this.#root.close();
  }

  async run(): Promise<Place> {
    for (let steps = 0; steps < MAX_STEPS; steps += 1) {
      if (this.#stale && (this.#pending.length === 0 || !isUp(this.#pending.at(-1)))) this.#again();
      const step = this.#pending.pop();
      if (step === undefined) return this.#arrived(undefined, await this.#current.ownStats());
      if (isUp(step)) {
        if (this.#names.pop() === undefined) throw escapes(this.#path, this.#how.mount);
        this.#stale = true;
        continue;
      }
      const place = await this.#take(step);
      if (place) return place;
    }
    throw new ReaderError(
      'BAD_INPUT',
      `The path ${quoted(this.#path)} leads through more than ${MAX_STEPS} folders.`,
      'Name the file by a shorter path.',
    );
  }

  /** One component: on to the next, or there. */
  async #take(step: Step): Promise<Place | undefined> {
    const { end } = this.#how;
    const last = this.#pending.length === 0 && end !== 'folder';
    // What is shown as this name comes first: every name that is shown leads back to its own file.
    const shown = step.asked && step.spelled !== true ? await this.#bytesOf(step.name) : undefined;
    if (shown) {
      this.#pending.push({ name: shown, asked: true, spelled: true });
      return undefined;
    }
    try {
      if (isReserved(step.name)) throw this.#reserved();
      if (last) return await this.#look(step);
      const entered = await this.#current.enter(step.name);
      this.#leave();
      this.#current = entered;
      this.#went(step);
      return undefined;
    } catch (error) {
      const code = errnoOf(error);
      if (code === 'ENOTDIR' || code === 'ELOOP') return this.#through(step, error);
      if (code === 'ENOENT') return this.#missing(step, error, last);
      throw error;
    }
  }

  async #look(step: Step): Promise<Place | undefined> {
    const { end } = this.#how;
    const { stats, handle } =
      end === 'file'
        ? await this.#current.find(step.name)
        : { stats: await this.#current.stat(step.name), handle: undefined };
    if (stats.isSymbolicLink() && end !== 'entry') return this.#through(step, undefined);
    this.#shownAs(step);
    return this.#arrived(step.name, stats, handle);
  }

  /** Puts what the link names before what is still to come; a name that is no link was no directory. */
  async #through(step: Step, error: unknown): Promise<undefined> {
    if (!this.#current.raceSafe && (await this.#current.stat(step.name)).isSymbolicLink())
      throw new ReaderError(
        'ACCESS_DENIED',
        `${quoted(this.#path)} leads through a link, which this system cannot follow safely.`,
        'Name the file that the link leads to.',
      );
    let target: Buffer;
    try {
      target = await this.#current.readlink(step.name);
    } catch (linkError) {
      if (errnoOf(linkError) !== 'EINVAL') throw linkError;
      // It may have been a link, or no directory, a moment ago only: then it is looked at again.
      const stats = await this.#current.stat(step.name);
      if (error !== undefined && !stats.isDirectory() && !stats.isSymbolicLink()) throw error;
      this.#pending.push(step);
      return;
    }
    this.#links += 1;
    if (this.#links > MAX_LINKS)
      throw new ReaderError(
        'NOT_A_FILE',
        `${quoted(this.#path)} is a loop of links.`,
        'Name what the links should lead to.',
      );
    this.#shownAs(step);
    this.#pending.push(...this.#stepsOf(target).reverse());
  }

  #stepsOf(target: Buffer): Step[] {
    // latin1 keeps every byte, and a slash is a slash in it.
    const path = target.toString('latin1');
    let names = namesOf(path);
    if (path.startsWith('/')) {
      const { mount, host } = this.#how;
      const above = namesAbove(names, mount, host, (name) => Buffer.from(name).toString('latin1'));
      if (!above) throw escapes(this.#path, mount);
      names = names.slice(above.length);
      this.#names = [];
      this.#stale = true;
    }
    return names.map((name) => ({ name: Buffer.from(name, 'latin1'), asked: false }));
  }

  /** Another spelling of a name that is not there, a new folder, or nothing. */
  async #missing(step: Step, error: unknown, last: boolean): Promise<Place | undefined> {
    const { create = false, partial = false, spelling: rule } = this.#how;
    const exact = create || rule === 'exact';
    if (step.asked && step.spelled !== true && !exact) {
      this.#pending.push({ name: await this.#alike(step.name, error), asked: true, spelled: true });
      return undefined;
    }
    if (partial || (last && create)) {
      this.#shownAs(step);
      for (const left of this.#pending.toReversed()) this.#shownAs(left);
      return this.#arrived(step.name, undefined);
    }
    if (!create) throw error;
    await this.#make(step.name);
    this.#pending.push(step);
    return undefined;
  }

  async #make(name: Buffer): Promise<void> {
    // Each is made durably, which takes milliseconds: a path of a few thousand names would take minutes.
    if (this.#names.length + this.#pending.length > MAX_DEPTH)
      throw new ReaderError(
        'BAD_INPUT',
        `The path ${quoted(this.#path)} is more than ${MAX_DEPTH} levels deep.`,
        'Use a path with fewer folders.',
      );
    try {
      await this.#current.make(name, 0o777);
      await this.#how.onMade?.(this.#current, name, [...this.#names, name]);
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error; // somebody else made it
    }
  }

  /** The name that `name` shows, if it is there. */
  async #bytesOf(name: Buffer): Promise<Buffer | undefined> {
    const bytes = bytesShown(name.toString('utf8'));
    if (bytes === undefined || isReserved(bytes)) return undefined;
    try {
      await this.#current.stat(bytes);
      return bytes;
    } catch {
      return undefined; // why not is told of the name as it was asked for
    }
  }

  /**
   * The only name that differs from `name` by Unicode form, kind of blank or of quotation mark: models write a plain one
   * in place of what they were shown.
   * @throws {NotFound}
   */
  async #alike(name: Buffer, error: unknown): Promise<Buffer> {
    const wanted = name.toString('utf8');
    const folded = foldedName(wanted);
    const plain = isAscii(name) && !/\s/.test(wanted);
    const alike: Buffer[] = [];
    const others: string[] = [];
    let seen = 0;
    try {
      for await (const entry of this.#current.entries()) {
        seen += 1;
        if (seen > MAX_SPELLED) break;
        if (isReserved(entry.name)) continue;
        if (others.length < MAX_NEAR_ENTRIES) others.push(shownName(entry.name));
        if (!(plain && isAscii(entry.name)) && foldedName(entry.name.toString('utf8')) === folded)
          alike.push(entry.name);
      }
    } catch {
      throw error; // a folder that may be entered and not listed
    }
    const [only] = alike;
    if (only && alike.length === 1 && seen <= MAX_SPELLED && this.#how.spelling !== 'near') return only;
    const above = this.#shown.map((shown) => `${shown}/`).join('');
    throw new NotFound(
      (await nearNames(wanted, others)).map((near) => above + near),
      error,
    );
  }

  /** Back to the root, and down to where a `..` of a link left off: a directory may have been moved since it was entered. */
  #again(): void {
    this.#pending.push(...this.#names.map((name) => ({ name, asked: false })).reverse());
    this.#names = [];
    this.#stale = false;
    this.#leave();
    this.#current = this.#root;
  }

  #leave(): void {
    if (this.#current !== this.#root && this.#current !== this.#handedOut) this.#current.close();
  }

  #went(step: Step): void {
    this.#names.push(step.name);
    this.#shownAs(step);
  }

  #shownAs(step: Step): void {
    if (step.asked) this.#shown.push(shownName(step.name));
  }

  #arrived(name: Buffer | undefined, stats: BigIntStats | undefined, handle?: FileHandle): Place {
    this.#handedOut = this.#current;
    const missing = stats ? 0 : this.#pending.length + 1;
    return { directory: this.#current, name, stats, handle, missing, shown: this.#shown };
  }

  #reserved(): Error {
    if (this.#how.create !== true) return Object.assign(new Error('reserved'), { code: 'ENOENT' });
    return reservedName(this.#path);
  }
}

const MAX_NEAR_ENTRIES = 5000;
const UP = Buffer.from('..');

function isUp(step: Step | undefined): boolean {
  return step?.name.equals(UP) === true;
}

/** What a name that is not there may have meant. */
export class NotFound extends Error {
  readonly code = 'ENOENT';
  readonly near: readonly string[];

  constructor(near: readonly string[], cause: unknown) {
    super('not found', { cause });
    this.near = near;
  }
}

/** `error` of the file system as one a model can act on, with names near one that was not found. */
export const pathError = (error: unknown, path: string, attempt: Attempt): ReaderError =>
  systemError(error, path, attempt, error instanceof NotFound ? error.near : []);
