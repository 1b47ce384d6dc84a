// A plan as callers use it: combines the tree, the loop guard and the journal.

import { checkOptions, type OptionNames, ReaderError, within } from '../contract/index.ts';
import { actionOf, outcomeIn } from './action.ts';
import { changed, type NewTask, type PlanChange } from './change.ts';
import { type CompactContextOptions, compactContextOf, DEFAULT_CONTEXT_CHARS } from './compact-context.ts';
import { createPlanDirectory } from './directory.ts';
import { Journal, type LogEntry, type Recovered } from './journal.ts';
import type { Loop, LoopGuardOptions, LoopVerdict, LoopWarning } from './loops/guard.ts';
import { LoopWatch } from './loops/guard.ts';
import { type Call, type FinishedCall, type Step, stepOf } from './loops/step.ts';
import type { PlanStorage } from './storage.ts';
import { isProbeValue } from './stored.ts';
import { currentOf, type PlanTree, type ProbeState } from './tree.ts';

/** Reports a fact about the world, such as whether the tests pass. Called by `probe`. */
export type Probe = (signal: AbortSignal) => Promise<boolean | number | string> | boolean | number | string;

export interface OpenPlanOptions {
  /** A folder, by convention `.agent_context`, or a storage of your own. */
  readonly storage: string | PlanStorage;
  /** Used if the plan has no goal yet. */
  readonly goal?: string;
  readonly probes?: Readonly<Record<string, Probe>>;
  /** Refuse calls that continue a loop. Default false: only warn. */
  readonly block?: boolean;
  /** As in `createLoopGuard`. */
  readonly waits?: readonly string[];
}

/** A goal, its tasks and a loop guard. Every change is durable when its promise resolves. */
export interface Plan {
  readonly tree: PlanTree;
  /** Increases by one with every change. */
  readonly revision: number;
  /** New names of damaged files that were set aside on opening; normally empty. */
  readonly damaged: readonly string[];
  setGoal(text: string): Promise<void>;
  /** Appends tasks, or subtasks to the task `under`. The first pending one starts. */
  add(tasks: readonly (NewTask | string)[], under?: string): Promise<void>;
  /** Starts another subtask, or reopens one that is completed or blocked. */
  start(id: string): Promise<void>;
  /** Default: the current subtask. The next pending one starts. */
  complete(id?: string): Promise<void>;
  /** Leaves the current subtask pending and starts the next. */
  advance(): Promise<void>;
  /** The second failure blocks the subtask and escalates to its task, and from there to the goal. */
  fail(reason: string, id?: string): Promise<void>;
  /** Blocks the subtask at once: it needs a decision. */
  escalate(reason: string, id?: string): Promise<void>;
  ask(question: string): Promise<void>;
  answer(id: string, text: string): Promise<void>;
  /**
   * Runs the probes. A probe that throws, or that has not answered when `signal` aborts, is recorded with its error. Without
   * `signal` it waits for every probe.
   */
  probe(signal?: AbortSignal): Promise<ProbeState>;
  /** Whether a call may run. */
  check(call: Call): LoopVerdict;
  /** Records a finished call. Append the warning to its result. */
  observe(call: FinishedCall): Promise<LoopWarning | undefined>;
  /** Reports a change outside the calls, such as a new message of the user: refused calls may run again. */
  worldChanged(): Promise<void>;
  loops(): readonly Loop[];
  /** @throws {ReaderError} BAD_INPUT for an invalid `maxChars` */
  compactContext(options?: CompactContextOptions): string;
  /** Releases the lock, so that other processes can open the plan. */
  close(): Promise<void>;
}

const OPTIONS: OptionNames<OpenPlanOptions> = {
  storage: true,
  goal: true,
  probes: true,
  block: true,
  waits: true,
};

/**
 * Opens the plan in a folder, in the state after its last change.
 * @throws {ReaderError} BUSY when another process has it open, BAD_INPUT, ACCESS_DENIED, NOT_A_FILE, NOT_A_FOLDER,
 * QUOTA_EXCEEDED, LIMIT_EXCEEDED
 */
export async function openPlan(options: OpenPlanOptions): Promise<Plan> {
  checkOptions('openPlan', options, OPTIONS);
  const { storage: place, goal, probes = {}, block = false, waits = [] } = options;
  const storage = typeof place === 'string' ? createPlanDirectory(place) : place;
  const lock = await storage.lock();
  try {
    const journal = new Journal(storage);
    const found = await journal.load();
    const plan = new OpenPlan(journal, found, probes, { block, waits }, () => lock.release());
    if (found.outdated) await plan.save();
    if (goal !== undefined && plan.tree.goal === '') await plan.setGoal(goal);
    return plan;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * Reads the plan in a folder, in the state after its last change. Changes nothing, and works while another process has the
 * plan open.
 * @throws {ReaderError} CORRUPT_FILE for a damaged plan; what the storage throws
 */
export async function readPlan(
  storage: string | PlanStorage,
): Promise<{ readonly tree: PlanTree; readonly loops: readonly Loop[]; readonly revision: number }> {
  const place = typeof storage === 'string' ? createPlanDirectory(storage) : storage;
  const damaged = (name: string): never => {
    throw new ReaderError(
      'CORRUPT_FILE',
      `The file \`${name}\` of the plan is damaged.`,
      'Open the plan with `openPlan`, which sets the file aside and recovers the rest.',
    );
  };
  const journal = new Journal({ ...place, setAside: async (name) => damaged(name) });
  const { tree, guard, replayed } = await journal.load();
  const watch = new LoopWatch(guard ? { state: guard } : {});
  for (const { change, step } of replayed) noted(watch, change, step);
  return { tree, loops: watch.loops(), revision: journal.revision };
}

class OpenPlan implements Plan {
  readonly damaged: readonly string[];
  readonly #journal: Journal;
  readonly #probes: Readonly<Record<string, Probe>>;
  readonly #release: () => Promise<void>;
  #watch: LoopWatch;
  #tree: PlanTree;
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(
    journal: Journal,
    { tree, guard, replayed, damaged }: Recovered,
    probes: Readonly<Record<string, Probe>>,
    watching: Pick<LoopGuardOptions, 'block' | 'waits'>,
    release: () => Promise<void>,
  ) {
    this.#journal = journal;
    this.#tree = tree;
    this.#probes = probes;
    this.#release = release;
    this.damaged = damaged;
    this.#watch = new LoopWatch({ ...watching, ...(guard && { state: guard }) });
    for (const { change, step } of replayed) noted(this.#watch, change, step);
  }

  get tree(): PlanTree {
    return this.#tree;
  }

  get revision(): number {
    return this.#journal.revision;
  }

  setGoal = (text: string): Promise<void> => this.#change(() => ({ type: 'goal', text }));

  add = (tasks: readonly (NewTask | string)[], under?: string): Promise<void> =>
    this.#change(() => ({
      type: 'add',
      tasks: newTasks(tasks),
      ...(under !== undefined && { under }),
    }));

  start = (id: string): Promise<void> => this.#change(() => ({ type: 'start', id }));

  complete = (id?: string): Promise<void> =>
    this.#change(() => ({ type: 'complete', id: id ?? this.#current() }));

  advance = (): Promise<void> => this.#change(() => ({ type: 'start', id: this.#following() }));

  fail = (reason: string, id?: string): Promise<void> =>
    this.#change(() => ({ type: 'fail', id: id ?? this.#current(), reason }));

  escalate = (reason: string, id?: string): Promise<void> =>
    this.#change(() => ({ type: 'escalate', id: id ?? this.#current(), reason }));

  ask = (question: string): Promise<void> => this.#change(() => ({ type: 'ask', text: question }));

  answer = (id: string, text: string): Promise<void> => this.#change(() => ({ type: 'answer', id, text }));

  async probe(signal: AbortSignal = new AbortController().signal): Promise<ProbeState> {
    const probes = Object.fromEntries(
      await Promise.all(
        Object.entries(this.#probes).map(async ([name, look]) => [name, await looked(look, signal)] as const),
      ),
    );
    await this.#change(() => ({
      type: 'probes',
      probes,
      differ: JSON.stringify(probes) !== JSON.stringify(this.#tree.probes),
    }));
    return probes;
  }

  check(call: Call): LoopVerdict {
    return this.#watch.check(call);
  }

  observe(call: FinishedCall): Promise<LoopWarning | undefined> {
    const step = stepOf(call);
    const action = actionOf(call);
    return this.#enqueue(() => this.#commit({ type: 'action', action }, step));
  }

  worldChanged = (): Promise<void> => this.#change(() => ({ type: 'world' }));

  loops(): readonly Loop[] {
    return this.#watch.loops();
  }

  compactContext({ maxChars = DEFAULT_CONTEXT_CHARS }: CompactContextOptions = {}): string {
    return compactContextOf(this.#tree, this.#watch.current(), maxChars);
  }

  /** Writes a snapshot. */
  async save(): Promise<void> {
    await this.#journal.save(this.#tree, this.#watch.state(), this.#watch.loops());
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#queue.catch(() => undefined);
    try {
      if (this.#journal.revision > 0) await this.save();
      this.#journal.flush();
    } finally {
      await this.#release();
    }
  }

  async #change(make: () => PlanChange): Promise<void> {
    await this.#enqueue(() => this.#commit(make()));
  }

  /** Makes changes one after the other. A failed one does not affect the next. */
  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed)
      return Promise.reject(new ReaderError('BAD_INPUT', 'The plan is closed.', 'Open it again.'));
    const done = this.#queue.then(work, work);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #commit(change: PlanChange, step?: Step): Promise<LoopWarning | undefined> {
    const tree = changed(this.#tree, change);
    const watch = this.#watch.copy();
    const warning = noted(watch, change, step);
    const entry: Omit<LogEntry, 'revision'> = { at: new Date().toISOString(), change, ...(step && { step }) };
    await this.#journal.commit(entry, { tree, guard: watch.state(), loops: watch.loops() });
    this.#tree = tree;
    this.#watch = watch;
    return warning;
  }

  /** @throws {ReaderError} BAD_INPUT */
  #current(): string {
    const at = currentOf(this.#tree);
    if (at) return at.subtask.id;
    throw new ReaderError(
      'BAD_INPUT',
      'No step of the plan is in progress.',
      'Add tasks, or name the step by its `id`.',
    );
  }

  /** @throws {ReaderError} BAD_INPUT */
  #following(): string {
    const steps = this.#tree.tasks.flatMap(({ subtasks }) => subtasks);
    const at = steps.findIndex(({ id }) => id === this.#tree.current);
    const next = [...steps.slice(at + 1), ...steps.slice(0, Math.max(0, at))].find(
      ({ status }) => status === 'pending',
    );
    if (next) return next.id;
    throw new ReaderError(
      'BAD_INPUT',
      'No other step of the plan is pending.',
      'Complete the current step, or add tasks.',
    );
  }
}

/** Applies a change to the guard. */
function noted(watch: LoopWatch, change: PlanChange, step: Step | undefined): LoopWarning | undefined {
  if (change.type === 'world' || (change.type === 'probes' && change.differ)) watch.worldChanged();
  return step && watch.note(step);
}

async function looked(probe: Probe, signal: AbortSignal): Promise<boolean | number | string> {
  try {
    const value: unknown = await within(async () => probe(signal), { signal });
    if (!isProbeValue(value)) return `failed: expected a boolean, number or string, not ${kindOf(value)}`;
    return typeof value === 'string' ? outcomeIn(value) : value;
  } catch (error) {
    return outcomeIn(`failed: ${error instanceof Error ? error.message : kindOf(error)}`);
  }
}

const kindOf = (value: unknown): string =>
  value === null || typeof value === 'number' ? String(value) : typeof value;

/** @throws {ReaderError} BAD_INPUT */
function newTasks(tasks: readonly (NewTask | string)[]): NewTask[] {
  const isTask = (one: unknown): boolean =>
    typeof one === 'string' ||
    (typeof one === 'object' &&
      one !== null &&
      (!('subtasks' in one) || one.subtasks === undefined || Array.isArray(one.subtasks)));
  if (!Array.isArray(tasks) || !tasks.every(isTask))
    throw new ReaderError(
      'BAD_INPUT',
      'The tasks must be an array of titles or of objects with `title` and `subtasks`.',
      'Pass them as in `["Write tests", "Run them"]`.',
    );
  return tasks.map((task) => (typeof task === 'string' ? { title: task } : task));
}
