// The files that hold the private data of one session: its revisions, the newest under the name others read, and what was
// damaged. It knows no user and decides nothing about what is stored.
//
// A revision is there as soon as `<session>.json.revisions/<N>` is: the system lets one writer make that name, so that no
// lock is needed that a killed process could hold. A name is kept for as long as a writer may come late with the state
// before it, the newest one for ever. `<session>.json`, and `.bak` of the one before, follow it.

import { errnoOf } from '../../contract/index.ts';
import { add, replace } from '../files/publish.ts';
import { stagingName, sweep } from '../files/staging.ts';
import type { Directory } from '../paths/directory.ts';
import { MAX_BYTES, parseStored, type Stored } from './stored-revision.ts';

/** Revisions kept besides the newest in any case, and how long every one is kept after the next. */
const KEPT_REVISIONS = 2;
const KEPT_MS = 10_000;

/** A writer that took longer from its look at the names to its own name may have found one free that was in use. */
const LATE_MS = KEPT_MS / 2;

const FILE_MODE = 0o600;

/** What the files of a session say. */
export interface State {
  readonly stored: Stored | undefined;
  readonly damaged: readonly string[];
  /** The highest number any revision had. */
  readonly last: number;
}

/** The files of one session in the folder of its user. */
export class SessionFiles {
  readonly #directory: Directory;
  readonly #name: string;

  constructor(directory: Directory, session: string) {
    this.#directory = directory;
    this.#name = `${session}.json`;
  }

  /** The newest state that is whole. Sets aside what is not. */
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
      // One of the same number was edited by hand; one of a lower number has only not followed yet.
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

  /** True when nobody came first. */
  async commit(revision: number, json: string): Promise<boolean> {
    const revisions = await this.#openRevisions(true);
    if (!revisions) return false;
    try {
      await sweep(revisions);
      const name = Buffer.from(String(revision));
      const staged = await writeStaged(revisions, json);
      const looked = performance.now();
      try {
        // What `change` was given may be long over, and its number free again: it must still be the newest.
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

  /** Removes everything but the newest revision, and empties those whose names must be kept for a while. */
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

  /** It is stored by now; what follows is only where others look for it. */
  async #publish(revisions: Directory, revision: Buffer, json: string): Promise<void> {
    const [name, backup] = [Buffer.from(this.#name), Buffer.from(`${this.#name}.bak`)];
    await putLink(this.#directory, name, this.#directory, backup).catch(() => undefined);
    try {
      await putLink(revisions, revision, this.#directory, name);
    } catch {
      const staged = await writeStaged(this.#directory, json); // a file system without second names
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

  /** Undefined for a file that is not there, or damaged: then it is set aside. */
  async #read(
    directory: Directory | undefined,
    name: string,
    number: number | undefined,
    damaged: Set<number>,
  ): Promise<Stored | undefined> {
    const text = directory && (await readText(directory, Buffer.from(name)));
    // An empty one is being put in place, or was when its writer was killed, or was deleted.
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
        if (errnoOf(error) === 'ENOENT') return undefined; // somebody else did
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

/** Those of `numbers` that were made long enough before `newest`, by the clock of their file system. */
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

/** Lets `toName` be the same file as `name`, whatever it was before. */
async function putLink(from: Directory, name: Buffer, to: Directory, toName: Buffer): Promise<void> {
  const staged = stagingName();
  await from.link(name, to, staged);
  try {
    await replace(to, staged, to, toName);
  } finally {
    await discard(to, staged); // nothing is renamed when both are the same file already
  }
}

async function discard(directory: Directory, name: Buffer): Promise<void> {
  try {
    await directory.unlink(name);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}
