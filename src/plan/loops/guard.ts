// Watches the calls of an agent for loops: warns first, refuses calls by option, and allows them again once something changes.

import {
  checkOptions,
  isCount,
  type OptionNames,
  OWN,
  plural,
  quoted,
  ReaderError,
} from '../../contract/index.ts';
import { LOOP_KINDS, type LoopKind, type Pattern, patternIn } from './pattern.ts';
import { type Call, callKey, type FinishedCall, isStep, type Step, stepOf } from './step.ts';

/** A loop that was found. All JSON. */
export interface Loop {
  /** Number of calls observed when it was first found. */
  readonly at: number;
  readonly kind: LoopKind;
  readonly period: number;
  readonly rounds: number;
  readonly calls: readonly string[];
  readonly tools: readonly string[];
  /** Number of calls refused because of it. */
  readonly refused: number;
}

/** What a guard reports about a call. */
export interface LoopWarning {
  readonly loop: Loop;
  /** For the model: what repeats, and what to try. */
  readonly message: string;
}

/** Whether a call may run. */
export type LoopVerdict =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly loop: Loop; readonly message: string };

/** The memory of a guard, as JSON. `createLoopGuard({ state })` continues from it. */
export interface LoopGuardState {
  readonly version: 1;
  /** Number of calls observed. */
  readonly observed: number;
  readonly steps: readonly Step[];
  /** Distinct steps that were observed, newest last, as `call outcome`. */
  readonly seen: readonly string[];
  /** Number of latest steps in a row that brought nothing new. */
  readonly stale: number;
  readonly loops: readonly Loop[];
}

export interface LoopGuardOptions {
  /** Refuse a call that would continue a loop after its warning. Default false: only warn. */
  readonly block?: boolean;
  /** Names of tools that wait, such as for the end of a job: their calls are never part of a loop. */
  readonly waits?: readonly string[];
  /** The state of an earlier guard. */
  readonly state?: LoopGuardState;
  readonly onLoop?: (warning: LoopWarning) => void;
}

/** The part of a guard that wrappers of tools use. A plan implements it too. */
export interface CallWatch {
  check(call: Call): LoopVerdict;
  observe(call: FinishedCall): LoopWarning | undefined | Promise<LoopWarning | undefined>;
  worldChanged?(): void | Promise<void>;
}

/** Sees every call before and after it runs. Concurrent calls are observed in the order in which they end. */
export interface LoopGuard extends CallWatch {
  /** Whether `call` may run. Always true without `block`. */
  check(call: Call): LoopVerdict;
  /** Records a finished call. Append the warning to the result that the model reads. */
  observe(call: FinishedCall): LoopWarning | undefined;
  /** Reports a change outside the calls, such as a new message of the user: refused calls may run again. */
  worldChanged(): void;
  /** The last 100 loops found, oldest first. */
  loops(): readonly Loop[];
  /** The loop the agent is in; undefined if its latest call was new or ended the loop. */
  current(): Loop | undefined;
  state(): LoopGuardState;
}

/** Latest steps in which patterns are searched. */
const MAX_STEPS = 60;
const MAX_SEEN = 5000;
const MAX_LOOPS = 100;
/** Tools that move on: the same call shows something else, so one that repeats is not refused. */
const MOVES_ON =
  /(?:^|[_\-.])(?:next|scroll|more)(?:$|[_\-.])|[a-z](?:Next|Scroll|More)(?:$|[A-Z])|^(?:next|scroll|more)[A-Z]/;

const OPTIONS: OptionNames<LoopGuardOptions> = { block: true, waits: true, state: true, onLoop: true };

/** @throws {ReaderError} BAD_INPUT for an unknown option or a damaged state */
export function createLoopGuard(options: LoopGuardOptions = {}): LoopGuard {
  checkOptions('createLoopGuard', options, OPTIONS);
  return new LoopWatch(options);
}

/** The guard behind a plan: it can be copied, and replays steps of an earlier process. */
export class LoopWatch implements LoopGuard {
  readonly #block: boolean;
  readonly #waits: ReadonlySet<string>;
  readonly #onLoop: ((warning: LoopWarning) => void) | undefined;
  #seen: ReadonlySet<string>;
  #steps: readonly Step[];
  #observed: number;
  #stale: number;
  #loops: readonly Loop[];
  #current: Loop | undefined;

  constructor({ block = false, waits = [], onLoop, state }: LoopGuardOptions) {
    if (state !== undefined && !isGuardState(state))
      throw new ReaderError(
        'BAD_INPUT',
        'The state of the loop guard is damaged.',
        'Pass what `state()` returned, or leave `state` out.',
      );
    this.#block = block;
    this.#waits = new Set(waits);
    this.#onLoop = onLoop;
    this.#seen = new Set(state?.seen.slice(-MAX_SEEN));
    this.#steps = state?.steps.slice(-MAX_STEPS) ?? [];
    this.#observed = state?.observed ?? 0;
    this.#stale = state?.stale ?? 0;
    this.#loops = state?.loops.slice(-MAX_LOOPS) ?? [];
    const pattern = patternIn(this.#steps, this.#stale);
    this.#current = pattern && this.#loops.findLast((loop) => isSame(loop, pattern));
  }

  check(call: Call): LoopVerdict {
    const loop = this.#current;
    // A recurring failure only gets a warning: the work in between may have removed its cause.
    if (!this.#block || !loop || loop.kind === 'repeated_failure') return { allowed: true };
    if (MOVES_ON.test(call.tool) || !this.#continues(loop, call)) return { allowed: true };
    const refused = this.#replace({ ...loop, refused: loop.refused + 1 });
    return { allowed: false, loop: refused, message: refusalOf(refused) };
  }

  observe(finished: FinishedCall): LoopWarning | undefined {
    return this.note(stepOf(finished));
  }

  /** As `observe`, for a step that exists already. */
  note(step: Step): LoopWarning | undefined {
    if (this.#waits.has(step.tool)) return undefined;
    const known = this.#remember(`${step.call} ${step.outcome}`);
    this.#observed += 1;
    this.#stale = known ? this.#stale + 1 : 0;
    this.#steps = [...this.#steps, step].slice(-MAX_STEPS);
    const pattern = patternIn(this.#steps, Math.min(this.#stale, this.#steps.length));
    if (!pattern) {
      this.#current = undefined;
      return undefined;
    }
    const before = this.#current;
    if (before && isSame(before, pattern)) this.#replace({ ...before, rounds: pattern.rounds });
    else this.#add({ at: this.#observed, ...pattern, refused: 0 });
    const loop = this.#current;
    // Otherwise every call of a round would repeat the warning.
    if (!loop || (before && isSame(before, pattern) && before.rounds === loop.rounds)) return undefined;
    const warning = { loop, message: warningOf(loop) };
    this.#onLoop?.(warning);
    return warning;
  }

  worldChanged(): void {
    this.#steps = [];
    this.#stale = 0;
    this.#current = undefined;
  }

  loops(): readonly Loop[] {
    return this.#loops;
  }

  current(): Loop | undefined {
    return this.#current;
  }

  state(): LoopGuardState {
    return {
      version: 1,
      observed: this.#observed,
      steps: this.#steps,
      seen: [...this.#seen],
      stale: this.#stale,
      loops: this.#loops,
    };
  }

  /** A copy that changes independently. */
  copy(): LoopWatch {
    const copy = new LoopWatch({
      block: this.#block,
      waits: [...this.#waits],
      ...(this.#onLoop && { onLoop: this.#onLoop }),
    });
    copy.#seen = this.#seen;
    copy.#steps = this.#steps;
    copy.#observed = this.#observed;
    copy.#stale = this.#stale;
    copy.#loops = this.#loops;
    copy.#current = this.#current;
    return copy;
  }

  /** Whether the mark was known already. */
  #remember(mark: string): boolean {
    const known = this.#seen.has(mark);
    const marks = [...this.#seen].filter((one) => one !== mark);
    this.#seen = new Set([...marks, mark].slice(-MAX_SEEN));
    return known;
  }

  /** Whether `call` is the next one in the loop's round, or any call of a loop without a fixed order. */
  #continues({ kind, period, rounds, calls }: Loop, call: Call): boolean {
    const key = callKey(call);
    if (kind === 'circling') return calls.includes(key);
    // Another variation may be the right one: only those already tried are refused.
    if (kind === 'near_repetition') return this.#steps.slice(-rounds).some((step) => step.call === key);
    return this.#steps.at(-period)?.call === key;
  }

  #add(loop: Loop): void {
    this.#current = loop;
    this.#loops = [...this.#loops, loop].slice(-MAX_LOOPS);
  }

  #replace(loop: Loop): Loop {
    this.#loops = this.#loops.map((one) => (one === this.#current ? loop : one));
    this.#current = loop;
    return loop;
  }
}

/** Compares loops regardless of the call at which their round starts. */
function isSame(loop: Pick<Loop, 'kind' | 'calls'>, pattern: Pattern): boolean {
  if (loop.kind !== pattern.kind) return false;
  if (loop.kind === 'near_repetition' || loop.kind === 'circling') return true;
  return (
    loop.calls.length === pattern.calls.length && loop.calls.every((call) => pattern.calls.includes(call))
  );
}

function warningOf(loop: Loop): string {
  return `${OWN.note}${whatRepeats(loop)} Try something else.]`;
}

function refusalOf(loop: Loop): string {
  return `Not run: ${whatRepeats(loop)} The same call will run again after another call has changed something. Try something else.`;
}

function whatRepeats({ kind, period, rounds, tools }: Loop): string {
  const names = [...new Set(tools)].map((tool) => quoted(tool)).join(', ');
  switch (kind) {
    case 'repetition':
      return `${names} returned the same result ${plural(rounds, 'time')} in a row for the same arguments.`;
    case 'alternation':
      return `the last ${period} calls (${names}) repeated ${plural(rounds, 'time')} in the same order with the same results.`;
    case 'near_repetition':
      return `${names} returned the same result ${plural(rounds, 'time')} in a row; the arguments differed only slightly.`;
    case 'repeated_failure':
      return `${names} failed ${plural(rounds, 'time')} with the same error; the calls in between did not help.`;
    case 'circling':
      return `the last ${rounds * period} calls (${names}) were all made before, with the same results.`;
  }
}

/** Whether `value` has the shape of what `state()` returns. */
export function isGuardState(value: unknown): value is LoopGuardState {
  const { version, observed, steps, seen, stale, loops } = fieldsOf(value);
  return (
    version === 1 &&
    isCount(observed) &&
    isCount(stale) &&
    Array.isArray(steps) &&
    steps.every(isStep) &&
    isTexts(seen) &&
    Array.isArray(loops) &&
    loops.every(isLoop)
  );
}

function isLoop(value: unknown): value is Loop {
  const { at, kind, period, rounds, calls, tools, refused } = fieldsOf(value);
  return (
    LOOP_KINDS.some((one) => one === kind) &&
    [at, period, rounds, refused].every((count) => isCount(count)) &&
    isTexts(calls) &&
    isTexts(tools)
  );
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');
