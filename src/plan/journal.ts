// Stores the changes of a plan: a log of all changes, and a snapshot so that opening need not read the whole log. After a
// crash at any moment the plan is as after the last acknowledged change, or after the one in progress.

import { changed, type PlanChange } from './change.ts';
import type { Loop, LoopGuardState } from './loops/guard.ts';
import type { Step } from './loops/step.ts';
import type { PlanStorage } from './storage.ts';
import {
  type Fields,
  isFields,
  isStoredAction,
  isStoredCount,
  isStoredGuard,
  isStoredStep,
  isStoredTree,
} from './stored.ts';
import { EMPTY_PLAN, type PlanTree } from './tree.ts';

const STATE = 'state.json';
const LOG = 'history.jsonl';
const LOOPS = 'loops.json';
/** A snapshot costs three disk writes and grows with the plan. Actions are frequent, so this many share one. */
const ACTIONS_A_SNAPSHOT = 16;

/** A line of the log. */
export interface LogEntry {
  /** Starts at 1, without gaps. */
  readonly revision: number;
  /** ISO 8601. */
  readonly at: string;
  readonly change: PlanChange;
  /** What the loop guard observed with it. */
  readonly step?: Step;
}

interface Snapshot {
  readonly version: 1;
  readonly revision: number;
  /** Bytes of the log up to and including that revision. */
  readonly logBytes: number;
  readonly tree: PlanTree;
  readonly guard: LoopGuardState | undefined;
}

/** What `load` found. */
export interface Recovered {
  readonly tree: PlanTree;
  /** From the snapshot; the steps of `replayed` follow it. */
  readonly guard: LoopGuardState | undefined;
  readonly replayed: readonly LogEntry[];
  /** New names of damaged files. */
  readonly damaged: readonly string[];
  /** The snapshot does not describe the log, and must be replaced before the next change. */
  readonly outdated: boolean;
}

export class Journal {
  readonly #storage: PlanStorage;
  #revision = 0;
  #logBytes = 0;
  /** The log ends inside a line. */
  #torn = false;
  #loops = '';
  /** Actions in the log but not in the snapshot. */
  #unsavedActions = 0;
  /** The error of the last snapshot, until one succeeds. Its changes are in the log. */
  #unsaved: unknown;

  constructor(storage: PlanStorage) {
    this.#storage = storage;
  }

  get revision(): number {
    return this.#revision;
  }

  /** @throws what the storage throws */
  async load(): Promise<Recovered> {
    const damaged: string[] = [];
    const text = await this.#storage.read(STATE);
    const snapshot = text === undefined ? undefined : parsedSnapshot(text);
    if (text !== undefined && !snapshot) damaged.push(await this.#storage.setAside(STATE));
    this.#loops = (await this.#storage.read(LOOPS)) ?? '';
    if (this.#loops !== '' && !Array.isArray(parsed(this.#loops))) {
      damaged.push(await this.#storage.setAside(LOOPS));
      this.#loops = '';
    }
    const start = snapshot ?? { revision: 0, logBytes: 0, tree: EMPTY_PLAN, guard: undefined };
    const { log, fits } = await this.#logAfter(start.logBytes);
    const { entries, tree, whole } = replayed(start.tree, start.revision, log);
    this.#revision = start.revision + entries.length;
    this.#torn = log !== '' && !log.endsWith('\n');
    this.#logBytes = start.logBytes + Buffer.byteLength(log);
    if (!fits || !whole) {
      if ((await this.#storage.read(LOG)) !== undefined) damaged.push(await this.#storage.setAside(LOG));
      this.#logBytes = 0;
      this.#torn = false;
    }
    return {
      tree,
      guard: start.guard,
      replayed: entries,
      damaged,
      outdated: !fits || entries.length > 0 || damaged.length > 0,
    };
  }

  /** The log from byte `from` on; all of it when it does not fit the snapshot, which ended after a whole line. */
  async #logAfter(from: number): Promise<{ readonly log: string; readonly fits: boolean }> {
    if (from > 0) {
      const rest = await this.#storage.read(LOG, from - 1);
      if (rest?.startsWith('\n')) return { log: rest.slice(1), fits: true };
    }
    return { log: (await this.#storage.read(LOG)) ?? '', fits: from === 0 };
  }

  /**
   * Makes `change` durable. When it throws, the change was not made.
   * @param after the tree and the guard with the change
   */
  async commit(
    entry: Omit<LogEntry, 'revision'>,
    after: { readonly tree: PlanTree; readonly guard: LoopGuardState; readonly loops: readonly Loop[] },
  ): Promise<void> {
    const line = `${JSON.stringify({ revision: this.#revision + 1, ...entry })}\n`;
    const lead = this.#torn ? '\n' : '';
    // Until the line is known to be complete.
    this.#torn = true;
    const { bytes } = await this.#storage.append(LOG, lead + line);
    this.#torn = false;
    this.#revision += 1;
    this.#logBytes = bytes;
    this.#unsavedActions = entry.change.type === 'action' ? this.#unsavedActions + 1 : 0;
    if (this.#unsavedActions % ACTIONS_A_SNAPSHOT === 0)
      await this.save(after.tree, after.guard, after.loops);
  }

  /** Writes the snapshot. `flush` reports an error. */
  async save(tree: PlanTree, guard: LoopGuardState, loops: readonly Loop[]): Promise<void> {
    const snapshot: Snapshot = {
      version: 1,
      revision: this.#revision,
      logBytes: this.#logBytes,
      tree,
      guard,
    };
    try {
      await this.#storage.write(STATE, `${JSON.stringify(snapshot, null, 1)}\n`);
      const list = `${JSON.stringify(loops, null, 1)}\n`;
      if (list !== this.#loops && (loops.length > 0 || this.#loops !== ''))
        await this.#storage.write(LOOPS, list);
      this.#loops = list;
      this.#unsaved = undefined;
    } catch (error) {
      this.#unsaved = error;
    }
  }

  /** @throws the error of the last snapshot */
  flush(): void {
    if (this.#unsaved !== undefined) throw this.#unsaved;
  }
}

/** The entries of `log` after `revision`; `whole` unless one in between is missing or invalid. */
function replayed(
  from: PlanTree,
  revision: number,
  log: string,
): { readonly entries: readonly LogEntry[]; readonly tree: PlanTree; readonly whole: boolean } {
  const found = new Map<number, Fields>();
  for (const line of log.split('\n')) {
    const value = parsed(line);
    if (!isFields(value)) continue;
    const number = value['revision'];
    // A write that failed may have left its line; the next change has the same number, and counts.
    if (isStoredCount(number) && number > revision) found.set(number, value);
  }
  const entries: LogEntry[] = [];
  let tree = from;
  for (let number = revision + 1; entries.length < found.size; number += 1) {
    const entry = checkedEntry(found.get(number));
    const next = entry && afterwards(tree, entry.change);
    if (!next) return { entries, tree, whole: false };
    tree = next;
    entries.push(entry);
  }
  return { entries, tree, whole: true };
}

/** Undefined for a change that a plan would have refused. */
function afterwards(tree: PlanTree, change: PlanChange): PlanTree | undefined {
  try {
    return changed(tree, change);
  } catch {
    return undefined;
  }
}

function checkedEntry(value: Fields | undefined): LogEntry | undefined {
  if (!value || !isStoredStep(value['step']) || !isFields(value['change'])) return undefined;
  const { type, action, probes } = value['change'];
  if (type === 'action' && !isStoredAction(action)) return undefined;
  if (type === 'probes' && !isStoredTree({ ...EMPTY_PLAN, probes })) return undefined;
  // The texts and ids of other changes are checked when they are applied.
  return value as unknown as LogEntry;
}

function parsedSnapshot(text: string): Snapshot | undefined {
  const value = parsed(text);
  if (!isFields(value) || value['version'] !== 1) return undefined;
  const { revision, logBytes, tree, guard } = value;
  return isStoredCount(revision) && isStoredCount(logBytes) && isStoredTree(tree) && isStoredGuard(guard)
    ? { version: 1, revision, logBytes, tree, guard }
    : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
