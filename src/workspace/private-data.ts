// Data of a session that its sandbox must not see: one JSON value by user and session, replaced as a whole, lost neither to
// a crash nor to another writer.
//
// A revision is there as soon as `<session>.json.revisions/<N>` is: the system lets one writer make that name, so that no
// lock is needed that a killed process could hold. A name is kept for as long as a writer may come late with the state
// before it, the newest one for ever. `<session>.json`, and `.bak` of the one before, follow it.

import { setTimeout as delay } from 'node:timers/promises';
import { checkId, errnoOf, quoted, ReaderError } from '../contract/index.ts';
import { add, replace } from './files/publish.ts';
import { stagingName, sweep } from './files/staging.ts';
import type { Directory } from './paths/directory.ts';
import { dataDirectory, privateDataRoot } from './paths/layout.ts';
import { pathError } from './paths/walk.ts';

/** A value and its place in the order of values. */
export interface PrivateRecord {
  /** From 1 on; grows with every update. */
  readonly revision: number;
  /** A JSON value. */
  readonly data: unknown;
  /** Names of damaged files that were set aside; empty as a rule. The data is the newest that was not damaged. */
  readonly damaged: readonly string[];
}

/** Private data of all sessions. */
export interface PrivateData {
  /** @throws {ReaderError} CORRUPT_FILE when nothing of it could be read, BAD_INPUT */
  read(user: string, session: string): Promise<PrivateRecord | undefined>;
  /**
   * Replaces the data by what `change` makes of it; `undefined` is what it gets when there is none. `change` runs again when
   * another writer came first.
   * @throws {ReaderError} CONFLICT when `revision` is given and is not the current one (0: there must be none, or none
   * that could be read), BAD_INPUT for what is no JSON, CORRUPT_FILE, LIMIT_EXCEEDED, BUSY
   */
  update(
    user: string,
    session: string,
    change: (data: unknown) => unknown,
    options?: { readonly revision?: number },
  ): Promise<PrivateRecord>;
  /** Sessions of the user that have some, in order. */
  list(user: string): Promise<readonly string[]>;
  /** Removes the data and what was set aside. An update that is under way does not bring it back. */
  delete(user: string, session: string): Promise<void>;
}

export interface PrivateDataOptions {
  /** Holds `workspaces/`. Default: LECTERN_DATA_DIR, else `./data`. */
  readonly dataDir?: string;
  /** Where the data directory comes from. Default: nowhere. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Bytes of one value as JSON. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Tries of one update, each after another writer came first, and the longest pause between two. */
const MAX_TRIES = 1000;
const MAX_PAUSE_MS = 20;

/** Revisions kept besides the newest in any case, and how long every one is kept after the next. */
const KEPT_REVISIONS = 2;
const KEPT_MS = 10_000;

/** A writer that took longer from its look at the names to its own name may have found one free that was in use. */
const LATE_MS = KEPT_MS / 2;

const FILE_MODE = 0o600;

/** Private data below `<dataDir>/workspaces/_private-data/`, which no workspace reaches. Nothing is made before it is used. */
export function createPrivateData({ dataDir, environment = {} }: PrivateDataOptions = {}): PrivateData {
  const base = dataDirectory(dataDir, environment);
  const at = async <T>(
    user: string,
    session: string,
    make: boolean,
    work: (files: SessionFiles) => Promise<T>,
  ): Promise<T | undefined> => {
    const root = privateDataRoot(base, checkId('user', user));
    checkId('session', session);
    let directory: Directory | undefined;
    try {
      directory = make ? await root.make() : await root.open();
      return directory && (await work(new SessionFiles(directory, session)));
    } catch (error) {
      throw pathError(error, `${session}.json`, 'change');
    } finally {
      directory?.close();
    }
  };
  return {
    read: (user, session) => at(user, session, false, async (files) => recordOf(await files.load())),
    update: async (user, session, change, { revision } = {}) => {
      const record = await at(user, session, true, (files) => update(files, change, revision));
      if (!record) throw new Error('The folder was made and is not there.');
      return record;
    },
    list: async (user) => {
      const directory = await privateDataRoot(base, checkId('user', user)).open();
      if (!directory) return [];
      try {
        return await sessionsIn(directory);
      } catch (error) {
        throw pathError(error, 'private data', 'change');
      } finally {
        directory.close();
      }
    },
    delete: async (user, session) => {
      await at(user, session, false, (files) => remove(files));
    },
  };
}

/** What is stored. */
interface Stored {
  readonly revision: number;
  readonly data: unknown;
  /** It was deleted; nothing but the number is left. */
  readonly deleted: boolean;
}

interface State {
  readonly stored: Stored | undefined;
  readonly damaged: readonly string[];
  /** The highest number any revision had. */
  readonly last: number;
}

function recordOf(state: State): PrivateRecord | undefined {
  const { stored, damaged } = state;
  if (stored) return stored.deleted ? undefined : { revision: stored.revision, data: stored.data, damaged };
  if (damaged.length > 0) throw corrupt(damaged);
  return undefined;
}

function corrupt(damaged: readonly string[]): ReaderError {
  return new ReaderError(
    'CORRUPT_FILE',
    `The private data is damaged; it was set aside as ${damaged.map(quoted).join(', ')}.`,
    'Repair it, or update with `revision: 0` to start anew.',
  );
}

async function update(
  files: SessionFiles,
  change: (data: unknown) => unknown,
  expected: number | undefined,
): Promise<PrivateRecord> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { stored, damaged, last } = await files.load();
    const current = stored && !stored.deleted ? stored.revision : 0;
    if (!stored && damaged.length > 0 && expected !== 0) throw corrupt(damaged);
    if (expected !== undefined && expected !== current) throw stale(expected, current);
    const data = await change(stored?.data);
    const revision = last + 1;
    if (await files.commit(revision, jsonOf(revision, data))) return { revision, data, damaged };
    await delay(Math.random() * MAX_PAUSE_MS);
  }
  throw new ReaderError(
    'BUSY',
    'The private data is changed by others without a pause.',
    'Try again when less is under way.',
  );
}

function stale(expected: number, current: number): ReaderError {
  return new ReaderError(
    'CONFLICT',
    `The private data has revision ${current}; expected ${expected}.`,
    'Read it again, then update.',
  );
}

function jsonOf(revision: number, data: unknown): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(data);
  } catch (error) {
    throw notJson('holds what JSON has no form for', error);
  }
  if (json === undefined) throw notJson(`is a value of type \`${typeof data}\``, undefined);
  if (Buffer.byteLength(json) > MAX_BYTES)
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `The private data has more than ${MAX_BYTES} bytes as JSON.`,
      'Keep large data in files of the workspace.',
    );
  return `{"revision":${revision},"data":${json}}\n`;
}

function notJson(found: string, cause: unknown): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    `The private data ${found}; expected a JSON value.`,
    'Return an object, array, string, number, boolean or null.',
    cause,
  );
}

async function remove(files: SessionFiles): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { stored, last } = await files.load();
    if (!stored && last === 0) return;
    if (stored?.deleted || (await files.commit(last + 1, `{"revision":${last + 1},"deleted":true}\n`)))
      return files.clear();
    await delay(Math.random() * MAX_PAUSE_MS);
  }
}

async function sessionsIn(directory: Directory): Promise<string[]> {
  const sessions = new Set<string>();
  for await (const { name } of directory.entries()) {
    const [, session] = /^(.+)\.json(?:\.revisions)?$/.exec(name.toString('latin1')) ?? [];
    if (session !== undefined) sessions.add(session);
  }
  const found: string[] = [];
  for (const session of [...sessions].sort()) {
    const { stored } = await new SessionFiles(directory, session).load();
    if (stored && !stored.deleted) found.push(session);
  }
  return found;
}

/** The files of one session in the folder of its user. */
class SessionFiles {
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

function parseStored(text: string): Stored | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('revision' in value)) return undefined;
  const { revision } = value;
  if (typeof revision !== 'number' || !Number.isSafeInteger(revision) || revision < 1) return undefined;
  if ('data' in value) return { revision, data: value.data, deleted: false };
  return 'deleted' in value && value.deleted === true
    ? { revision, data: undefined, deleted: true }
    : undefined;
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
