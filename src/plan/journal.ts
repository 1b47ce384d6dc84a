// The changes of a plan, durable before they count: a log of all of them, and a snapshot so that a start need not read the
// log from its beginning. After a crash at any moment the plan is what it was after the last change that was answered, or
// after the one that was under way.

import { changed, type PlanChange } from './change.ts';
import type { Loop, LoopGuardState } from './loops/guard.ts';
import type { Step } from './loops/step.ts';
import type { PlanStorage } from './storage.ts';
import { EMPTY_PLAN, type PlanTree } from './tree.ts';

const STATE = 'state.json';
const LOG = 'history.jsonl';
const LOOPS = 'loops.json';
/** A snapshot costs three writes to disk and grows with the plan, so actions, of which there are most, share one. */
const ACTIONS_A_SNAPSHOT = 16;

/** A line of the log. */
export interface LogEntry {
  /** From 1 on, without gaps. */
  readonly revision: number;
  /** When, ISO 8601. */
  readonly at: string;
  readonly change: PlanChange;
  /** What the loop guard observed with it. */
  readonly step?: Step;
}

interface Snapshot {
  readonly version: 1;
  readonly revision: number;
  /** Bytes of the log up to and with that revision. */
  readonly logBytes: number;
  readonly tree: PlanTree;
  readonly guard: LoopGuardState | undefined;
}

/** What was found at the start. */
export interface Recovered {
  readonly tree: PlanTree;
  /** Of the snapshot; the steps of `replayed` come after it. */
  readonly guard: LoopGuardState | undefined;
  readonly replayed: readonly LogEntry[];
  /** Names that damaged files were given. */
  readonly damaged: readonly string[];
}

export class Journal {
  readonly #storage: PlanStorage;
  #revision = 0;
  #logBytes = 0;
  /** The log ends inside a line. */
  #torn = false;
  #loops = '';
  /** Actions that the log has and the snapshot lacks. */
  #unsavedActions = 0;
  /** Of a snapshot that failed: the log has the change, the next snapshot or `flush` brings it. */
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
    let snapshot = text === undefined ? undefined : parsedSnapshot(text);
    if (text !== undefined && !snapshot) damaged.push(await this.#storage.setAside(STATE));
    this.#loops = (await this.#storage.read(LOOPS)) ?? '';
    if (this.#loops !== '' && !Array.isArray(parsed(this.#loops))) {
      damaged.push(await this.#storage.setAside(LOOPS));
      this.#loops = '';
    }
    const log = (await this.#storage.read(LOG, snapshot?.logBytes ?? 0)) ?? '';
    const start = snapshot ?? { revision: 0, logBytes: 0, tree: EMPTY_PLAN, guard: undefined };
    const { entries, tree, whole } = replayed(start.tree, start.revision, log);
    this.#revision = start.revision + entries.length;
    this.#torn = log !== '' && !log.endsWith('\n');
    this.#logBytes = start.logBytes + Buffer.byteLength(log);
    if (!whole) {
      damaged.push(await this.#storage.setAside(LOG));
      this.#logBytes = 0;
      this.#torn = false;
    }
    snapshot = undefined;
    return { tree, guard: start.guard, replayed: entries, damaged };
  }

  /**
   * Makes `change` durable. When it throws, the change does not count.
   * @param after the tree and the guard with the change
   */
  async commit(
    entry: Omit<LogEntry, 'revision'>,
    after: { readonly tree: PlanTree; readonly guard: LoopGuardState; readonly loops: readonly Loop[] },
  ): Promise<void> {
    const line = `${JSON.stringify({ revision: this.#revision + 1, ...entry })}\n`;
    const lead = this.#torn ? '\n' : '';
    // Until the line is known to be whole.
    this.#torn = true;
    const { bytes } = await this.#storage.append(LOG, lead + line);
    this.#torn = false;
    this.#revision += 1;
    this.#logBytes = bytes;
    this.#unsavedActions = entry.change.type === 'action' ? this.#unsavedActions + 1 : 0;
    if (this.#unsavedActions % ACTIONS_A_SNAPSHOT === 0)
      await this.save(after.tree, after.guard, after.loops);
  }

  /** Writes the snapshot. What fails here is kept for `flush`. */
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

  /** @throws what the storage threw for the newest snapshot */
  flush(): void {
    if (this.#unsaved !== undefined) throw this.#unsaved;
  }
}

/** The entries of `log` after `revision`; `whole` unless one is missing that others follow. */
function replayed(
  from: PlanTree,
  revision: number,
  log: string,
): { readonly entries: readonly LogEntry[]; readonly tree: PlanTree; readonly whole: boolean } {
  const entries: LogEntry[] = [];
  let tree = from;
  let expected = revision + 1;
  for (const line of log.split('\n')) {
    const entry = parsedEntry(line);
    // A line that a crash tore was never answered; the next one has its number.
    if (!entry || entry.revision < expected) continue;
    const next = entry.revision === expected ? afterwards(tree, entry.change) : undefined;
    if (!next) return { entries, tree, whole: false };
    tree = next;
    entries.push(entry);
    expected += 1;
  }
  return { entries, tree, whole: true };
}

/** Undefined for a change that no plan of ours would have taken. */
function afterwards(tree: PlanTree, change: PlanChange): PlanTree | undefined {
  try {
    return changed(tree, change);
  } catch {
    return undefined;
  }
}

function parsedEntry(line: string): LogEntry | undefined {
  const value = parsed(line);
  if (!isObject(value) || !isObject(value['change'])) return undefined;
  const { revision } = value;
  // Written by this class; a change that was altered by hand is refused when it is applied.
  return Number.isSafeInteger(revision) ? (value as unknown as LogEntry) : undefined;
}

function parsedSnapshot(text: string): Snapshot | undefined {
  const value = parsed(text);
  if (!isObject(value) || value['version'] !== 1 || !isTree(value['tree'])) return undefined;
  const counts = [value['revision'], value['logBytes']];
  // Checked above as far as this class relies on it; the guard checks its own part.
  return counts.every((count) => Number.isSafeInteger(count) && Number(count) >= 0)
    ? (value as unknown as Snapshot)
    : undefined;
}

function isTree(value: unknown): value is PlanTree {
  if (!isObject(value)) return false;
  const { goal, tasks, questions, probes } = value;
  return (
    typeof goal === 'string' &&
    Array.isArray(tasks) &&
    tasks.every((task) => isObject(task) && Array.isArray(task['subtasks'])) &&
    Array.isArray(questions) &&
    isObject(probes)
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
