// Resolves names one component at a time, each relative to an open directory. Links are read and walked here rather
// than followed by the system, so nothing outside the root is ever opened.

import { isAscii } from 'node:buffer';
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import {
  type Attempt,
  errnoOf,
  foldedName,
  nearPaths,
  quoted,
  ReaderError,
  systemError,
} from '../../contract/index.ts';
import { type Directory, isReserved } from '../../disk/index.ts';
import { bytesShown, reservedName, shownName } from './names.ts';
import { escapes, namesAbove, namesOf } from './paths.ts';

/** Same limit as Linux (path_resolution(7)). */
const MAX_LINKS = 40;

/** Maximum components walked for one path, including those of its links. */
const MAX_STEPS = 4096;

/** Maximum levels below the root that listings and searches enter and new folders may have. */
export const MAX_DEPTH = 128;

/** Maximum entries searched for a name with another spelling. */
const MAX_SPELLED = 100_000;

/** How a walk ends and what it may do on its way. */
export interface Walk {
  readonly mount: string;
  /** The root's absolute path on this host, if links may use it. */
  readonly host?: string | undefined;
  /**
   * `file`: open it, following links. `target`: where it is or would be, following links. `entry`: the place of the
   * name itself, which may be a link. `folder`: a directory.
   */
  readonly end: 'file' | 'target' | 'entry' | 'folder';
  /** Creates missing folders. Implies `spelling` `exact`. */
  readonly create?: boolean;
  /**
   * For a missing name. `alike` (default): use the only entry that looks the same; `near`: only suggest similar names;
   * `exact`: neither, at no cost.
   */
  readonly spelling?: 'alike' | 'near' | 'exact';
  /** For a `target`: if a folder is missing, end in the deepest existing one. */
  readonly partial?: boolean;
  /** Called for each folder created, deepest last, with the link-free names that lead to it from the root. */
  readonly onMade?: (directory: Directory, name: Buffer, path: readonly Buffer[]) => Promise<void>;
}

/** Where a walk ended. */
export interface Place {
  /** Open; the caller closes it. */
  readonly directory: Directory;
  /** In `directory`; undefined for `directory` itself. */
  readonly name: Buffer | undefined;
  /** Undefined if nothing exists there. */
  readonly stats: BigIntStats | undefined;
  /** Set for a regular file when the walk's end is `file`; the caller closes it. */
  readonly handle: FileHandle | undefined;
  /** Number of names not walked because they do not exist; 0 if the place exists. */
  readonly missing: number;
  /** The names of the path in their actual spelling, as shown to a model. */
  readonly shown: readonly string[];
}

interface Step {
  readonly name: Buffer;
  /** The step comes from the requested path, not from a link or a repeated walk. */
  readonly asked: boolean;
  /** The actual spelling of the name was looked up. */
  readonly spelled?: boolean;
}

/**
 * Walks `names` from `root`. Closes `root` unless the walk ends there.
 * @throws {ReaderError} PATH_ESCAPES_WORKSPACE, BAD_INPUT, FILE_NOT_FOUND, ACCESS_DENIED; system errors
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
  /** The link-free names that lead from the root to `#current`, or to where `#current` should be when `#stale`. */
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

  /** Takes one step: to the next component, or to the end. */
  async #take(step: Step): Promise<Place | undefined> {
    const { end } = this.#how;
    const last = this.#pending.length === 0 && end !== 'folder';
    // Try the name that is shown as this text first: every shown name must lead back to its own file.
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

  /** Prepends the link's target to the pending names. A name that is not a link was not a directory. */
  async #through(step: Step, error: unknown): Promise<undefined> {
    if (!this.#current.raceSafe && (await this.#current.stat(step.name)).isSymbolicLink())
      throw new ReaderError(
        'ACCESS_DENIED',
        `${quoted(this.#path)} leads through a link, which this system cannot follow safely.`,
        'Name the target of the link directly.',
      );
    let target: Buffer;
    try {
      target = await this.#current.readlink(step.name);
    } catch (linkError) {
      if (errnoOf(linkError) !== 'EINVAL') throw linkError;
      // It may have changed since the last check: look again.
      const stats = await this.#current.stat(step.name);
      if (error !== undefined && !stats.isDirectory() && !stats.isSymbolicLink()) throw error;
      this.#pending.push(step);
      return;
    }
    this.#links += 1;
    if (this.#links > MAX_LINKS)
      throw new ReaderError(
        'NOT_A_FILE',
        `${quoted(this.#path)} is part of a loop of links.`,
        'Name a file that is not part of the loop.',
      );
    this.#shownAs(step);
    this.#pending.push(...this.#stepsOf(target).reverse());
  }

  #stepsOf(target: Buffer): Step[] {
    // latin1 preserves every byte, and a slash stays a slash.
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

  /** Handles a missing name: tries another spelling, creates a folder, or gives up. */
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
    // Each folder is synced, which takes milliseconds: a path of a few thousand names would take minutes.
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
      if (errnoOf(error) !== 'EEXIST') throw error; // someone else created it
    }
  }

  /** The bytes of the entry shown as `name`, if it exists. */
  async #bytesOf(name: Buffer): Promise<Buffer | undefined> {
    const bytes = bytesShown(name.toString('utf8'));
    if (bytes === undefined || isReserved(bytes)) return undefined;
    try {
      await this.#current.stat(bytes);
      return bytes;
    } catch {
      return undefined; // the error is reported for the name as requested
    }
  }

  /**
   * The only entry that differs from `name` by Unicode form, kind of space or kind of quotation mark: models often
   * write the plain ASCII form of what they were shown.
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
      throw error; // a folder that may be entered but not listed
    }
    const [only] = alike;
    if (only && alike.length === 1 && seen <= MAX_SPELLED && this.#how.spelling !== 'near') return only;
    const above = this.#shown.map((shown) => `${shown}/`).join('');
    const rest = this.#pending
      .toReversed()
      .flatMap((step) => (step.asked ? [step.name.toString('utf8')] : []));
    const near = await nearPaths([wanted, ...rest], (folder) =>
      folder.length === 0 ? others : this.#namesBelow(folder),
    );
    throw new NotFound(
      near.map((names) => above + names.join('/')),
      error,
    );
  }

  /** The names in a folder below `#current`, as shown; none if it is not a folder. Follows no links. */
  async *#namesBelow(folder: readonly string[]): AsyncGenerator<string> {
    let directory = this.#current;
    try {
      for (const shown of folder) {
        const entered = await directory.enter(bytesShown(shown) ?? Buffer.from(shown));
        if (directory !== this.#current) directory.close();
        directory = entered;
      }
      for await (const entry of directory.entries()) if (!isReserved(entry.name)) yield shownName(entry.name);
    } catch {
      // a file, a link, or a folder that may not be listed: nothing to suggest
    } finally {
      if (directory !== this.#current) directory.close();
    }
  }

  /**
   * Restarts from the root, down to where the `..` of a link left off: a directory may have been moved since it was
   * entered.
   */
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

/** A missing name, with similar names that may have been meant. */
export class NotFound extends Error {
  readonly code = 'ENOENT';
  readonly near: readonly string[];

  constructor(near: readonly string[], cause: unknown) {
    super('not found', { cause });
    this.near = near;
  }
}

/** Converts a file system error to one a model can act on, with names similar to a missing one. */
export const pathError = (error: unknown, path: string, attempt: Attempt): ReaderError =>
  systemError(error, path, attempt, error instanceof NotFound ? error.near : []);
