// Files of one session's private data: its revisions, the newest under its public name, and damaged ones set aside.
// Knows nothing of users or of the stored values.
//
// A revision exists once `<session>.json.revisions/<N>` does. The system lets only one writer create that name, so no
// lock is needed that a killed process could hold. Old names are kept as long as a late writer could still reuse them;
// the newest is never removed. `<session>.json` and `.bak` (the one before) are updated afterwards.

import { errnoOf } from '../../contract/index.ts';
import { type Directory, stagingName, sweep } from '../../disk/index.ts';
import { add, replace } from '../files/publish.ts';
import { MAX_BYTES, parseStored, type Stored } from './stored-revision.ts';

/** Minimum number of old revisions kept, and how long each is kept after the next one. */
const KEPT_REVISIONS = 2;
const KEPT_MS = 10_000;

/** A writer that took longer than this between listing the names and creating its own may have reused a name. */
const LATE_MS = KEPT_MS / 2;

const FILE_MODE = 0o600;

/** The state stored in a session's files. */
export interface State {
  readonly stored: Stored | undefined;
  readonly damaged: readonly string[];
  /** The highest revision number ever used. */
  readonly last: number;
}

/** The files of one session in its user's folder. */
export class SessionFiles {
  readonly #directory: Directory;
  readonly #name: string;

  constructor(directory: Directory, session: string) {
    this.#directory = directory;
    this.#name = `${session}.json`;
  }

  /** The newest undamaged state. Sets damaged files aside. */
  async load(): Promise<State> {
    const revisions = await this.#openRevisions(false);
    try {
      const numbers = revisions ? await numbersIn(revisions) : [];
      const damaged = new Set<number>();
      let stored: Stored | undefined;
      for (const number of numbers.toReversed()) {
        stored = await this.#read(revisions, String(number), number, damaged);
        if (stored) break;
      }
      const published = await this.#read(this.#directory, this.#name, undefined, damaged);
      // With the same number, the public file was edited by hand; with a lower one, it has not been updated yet.
      if (published && published.revision >= (stored?.revision ?? 0)) stored = published;
      stored ??= await this.#read(this.#directory, `${this.#name}.bak`, undefined, damaged);
      for (const number of await this.#damaged()) damaged.add(number);
      const last = Math.max(0, ...numbers, ...damaged, stored?.revision ?? 0);
      const names = [...damaged].sort((a, b) => a - b).map((number) => this.#aside(number));
      return { stored, damaged: names, last };
    } finally {
      revisions?.close();
    }
  }

  /** True unless another writer was faster. */
  async commit(revision: number, json: string): Promise<boolean> {
    const revisions = await this.#openRevisions(true);
    if (!revisions) return false;
    try {
      await sweep(revisions);
      const name = Buffer.from(String(revision));
      const staged = await writeStaged(revisions, json);
      const looked = performance.now();
      try {
        // The state passed to `change` may be outdated and its number free again, so check that it is still the newest.
        if ((await numbersIn(revisions)).some((number) => number >= revision)) return false;
        await add(revisions, staged, revisions, name);
      } catch (error) {
        if (errnoOf(error) === 'EEXIST') return false;
        throw error;
      } finally {
        await discard(revisions, staged);
      }
      const numbers = await numbersIn(revisions);
      if (performance.now() - looked > LATE_MS && numbers.some((number) => number > revision)) {
        await discard(revisions, name);
        return false;
      }
      await revisions.sync();
      await this.#publish(revisions, name, json);
      await removeOld(
        revisions,
        name,
        numbers.filter((number) => number < revision - KEPT_REVISIONS),
      );
      return true;
    } finally {
      revisions.close();
    }
  }

  /** Removes everything except the newest revision, and empties those whose names must be kept for a while. */
  async clear(): Promise<void> {
    const revisions = await this.#openRevisions(false);
    try {
      const numbers = revisions ? await numbersIn(revisions) : [];
      for (const number of numbers.slice(0, -1))
        if (revisions) await empty(revisions, Buffer.from(String(number)));
    } finally {
      revisions?.close();
    }
    const aside = (await this.#damaged()).map((number) => this.#aside(number));
    for (const name of [this.#name, `${this.#name}.bak`, ...aside])
      await discard(this.#directory, Buffer.from(name));
    await this.#directory.sync();
  }

  /** The revision is stored; this updates the public name. */
  async #publish(revisions: Directory, revision: Buffer, json: string): Promise<void> {
    const [name, backup] = [Buffer.from(this.#name), Buffer.from(`${this.#name}.bak`)];
    await putLink(this.#directory, name, this.#directory, backup).catch(() => undefined);
    try {
      await putLink(revisions, revision, this.#directory, name);
    } catch {
      const staged = await writeStaged(this.#directory, json); // a file system without hard links
      await replace(this.#directory, staged, this.#directory, name);
    }
    await this.#directory.sync();
  }

  async #openRevisions(make: boolean): Promise<Directory | undefined> {
    const name = Buffer.from(`${this.#name}.revisions`);
    try {
      return await this.#directory.enter(name);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
    if (!make) return undefined;
    try {
      await this.#directory.make(name, 0o700);
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
    return this.#directory.enter(name);
  }

  /** Undefined if the file is missing, or damaged, in which case it is set aside. */
  async #read(
    directory: Directory | undefined,
    name: string,
    number: number | undefined,
    damaged: Set<number>,
  ): Promise<Stored | undefined> {
    const text = directory && (await readText(directory, Buffer.from(name)));
    // An empty file is being written, belonged to a killed writer, or was deleted.
    if (!directory || text === undefined || text === '') return undefined;
    const stored = parseStored(text);
    if (stored && (number === undefined || stored.revision === number)) return stored;
    const found = await this.#setAside(directory, Buffer.from(name), number);
    if (found !== undefined) damaged.add(found);
    return undefined;
  }

  async #setAside(from: Directory, name: Buffer, number: number | undefined): Promise<number | undefined> {
    const others = await this.#damaged();
    for (let aside = number ?? Math.max(0, ...others) + 1; ; aside += 1) {
      try {
        await add(from, name, this.#directory, Buffer.from(this.#aside(aside)));
        return aside;
      } catch (error) {
        if (errnoOf(error) === 'ENOENT') return undefined; // someone else did
        if (errnoOf(error) !== 'EEXIST') throw error;
      }
    }
  }

  #aside(number: number): string {
    return `${this.#name}.damaged-${number}`;
  }

  async #damaged(): Promise<number[]> {
    const start = this.#aside(0).slice(0, -1);
    const found: number[] = [];
    for await (const { name } of this.#directory.entries()) {
      const text = name.toString('latin1');
      if (text.startsWith(start)) found.push(...numberOf(text.slice(start.length)));
    }
    return found;
  }
}

async function numbersIn(revisions: Directory): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { name } of revisions.entries()) numbers.push(...numberOf(name.toString('latin1')));
  return numbers.sort((a, b) => a - b);
}

/** Removes those of `numbers` created long enough before `newest`, by the clock of their file system. */
async function removeOld(revisions: Directory, newest: Buffer, numbers: readonly number[]): Promise<void> {
  const { mtimeMs: now } = await revisions.stat(newest);
  for (const number of numbers) {
    const name = Buffer.from(String(number));
    try {
      if (now - (await revisions.stat(name)).mtimeMs > KEPT_MS) await revisions.unlink(name);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error; // another writer removes them too
    }
  }
}

async function empty(revisions: Directory, name: Buffer): Promise<void> {
  await replace(revisions, await writeStaged(revisions, ''), revisions, name);
}

function numberOf(text: string): number[] {
  return /^[1-9]\d{0,14}$/.test(text) ? [Number(text)] : [];
}

async function readText(directory: Directory, name: Buffer): Promise<string | undefined> {
  try {
    const { handle, stats } = await directory.find(name);
    if (!handle) return undefined;
    try {
      if (stats.size > 2 * MAX_BYTES) return 'too large to be one of ours';
      return (await handle.readFile()).toString('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeStaged(directory: Directory, text: string): Promise<Buffer> {
  const name = stagingName();
  const handle = await directory.create(name, FILE_MODE);
  try {
    await handle.writeFile(text);
    await handle.sync();
    return name;
  } catch (error) {
    await discard(directory, name);
    throw error;
  } finally {
    await handle.close();
  }
}

/** Makes `toName` a link to `name`, replacing an existing file. */
async function putLink(from: Directory, name: Buffer, to: Directory, toName: Buffer): Promise<void> {
  const staged = stagingName();
  await from.link(name, to, staged);
  try {
    await replace(to, staged, to, toName);
  } finally {
    await discard(to, staged); // rename does nothing when both names are the same file
  }
}

async function discard(directory: Directory, name: Buffer): Promise<void> {
  try {
    await directory.unlink(name);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}
