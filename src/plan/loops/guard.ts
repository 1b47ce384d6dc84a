// Watches the calls of an agent for loops: warns first, refuses by option, and lets go as soon as the world changes.

import { checkOptions, type OptionNames, OWN, plural, quoted, ReaderError } from '../../contract/index.ts';
import { type LoopKind, type Pattern, patternIn } from './pattern.ts';
import { type Call, callKey, type FinishedCall, type Step, stepOf } from './step.ts';

/** A loop that was found. All JSON. */
export interface Loop {
  /** Calls observed when it was first found; with `calls` it names the loop. */
  readonly at: number;
  readonly kind: LoopKind;
  readonly period: number;
  readonly rounds: number;
  readonly calls: readonly string[];
  readonly tools: readonly string[];
  /** Times a call was refused for it. */
  readonly refused: number;
}

/** What a guard says about a call. */
export interface LoopWarning {
  readonly loop: Loop;
  /** For the model: what repeats, and what to do instead. */
  readonly message: string;
}

/** Whether a call may be made. */
export type LoopVerdict =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly loop: Loop; readonly message: string };

/** What a guard remembers, as JSON; `createLoopGuard({ state })` goes on from it. */
export interface LoopGuardState {
  readonly version: 1;
  /** Calls observed since the guard was new. */
  readonly observed: number;
  readonly steps: readonly Step[];
  /** Steps of this session that were seen, newest last, as `call outcome`. */
  readonly seen: readonly string[];
  /** How many of the last steps brought nothing new. */
  readonly stale: number;
  readonly loops: readonly Loop[];
}

export interface LoopGuardOptions {
  /** Refuse the call that would continue a loop after it was warned of. Default false: warnings alone. */
  readonly block?: boolean;
  /** Of an earlier guard. A state that is damaged is refused. */
  readonly state?: LoopGuardState;
  readonly onLoop?: (warning: LoopWarning) => void;
}

/** What a wrapper of tools needs of a guard; a plan is one too. */
export interface CallWatch {
  check(call: Call): LoopVerdict;
  observe(call: FinishedCall): LoopWarning | undefined | Promise<LoopWarning | undefined>;
  worldChanged?(): void;
}

/** Sees every call before and after it is made. Calls that run at the same time are observed in the order they end. */
export interface LoopGuard extends CallWatch {
  /** Whether `call` may be made. Without `block` always. */
  check(call: Call): LoopVerdict;
  /** Notes a call that was made; the warning belongs at the end of what the model reads of its result. */
  observe(call: FinishedCall): LoopWarning | undefined;
  /** Something outside the calls changed, such as a new message of the user: what was refused may be tried again. */
  worldChanged(): void;
  /** Loops found so far, oldest first; the last 100. */
  loops(): readonly Loop[];
  /** The loop the agent is in; undefined when its newest call was new or ended it. */
  current(): Loop | undefined;
  state(): LoopGuardState;
}

/** Steps that patterns are looked for in: five times the longest round that can be found. */
const MAX_STEPS = 60;
const MAX_SEEN = 5000;
const MAX_LOOPS = 100;

const OPTIONS: OptionNames<LoopGuardOptions> = { block: true, state: true, onLoop: true };

/** @throws {ReaderError} BAD_INPUT for an unknown option or a damaged state */
export function createLoopGuard(options: LoopGuardOptions = {}): LoopGuard {
  checkOptions('createLoopGuard', options, OPTIONS);
  return new LoopWatch(options);
}

/** The guard behind a plan: it can be copied, and goes on from steps of an earlier process. */
export class LoopWatch implements LoopGuard {
  readonly #block: boolean;
  readonly #onLoop: ((warning: LoopWarning) => void) | undefined;
  #seen: ReadonlySet<string>;
  #steps: readonly Step[];
  #observed: number;
  #stale: number;
  #loops: readonly Loop[];
  #current: Loop | undefined;

  constructor({ block = false, onLoop, state }: LoopGuardOptions) {
    if (state !== undefined) checkState(state);
    this.#block = block;
    this.#onLoop = onLoop;
    this.#seen = new Set(state?.seen);
    this.#steps = state?.steps ?? [];
    this.#observed = state?.observed ?? 0;
    this.#stale = state?.stale ?? 0;
    this.#loops = state?.loops ?? [];
    const pattern = patternIn(this.#steps, this.#stale);
    this.#current = pattern && this.#loops.findLast((loop) => isSame(loop, pattern));
  }

  check(call: Call): LoopVerdict {
    const loop = this.#current;
    // A failure that comes back after other work is worth a word, but the work may have been what it needed.
    if (!this.#block || !loop || loop.kind === 'repeated_failure') return { allowed: true };
    if (!this.#continues(loop, call)) return { allowed: true };
    const refused = this.#replace({ ...loop, refused: loop.refused + 1 });
    return { allowed: false, loop: refused, message: refusalOf(refused) };
  }

  observe(finished: FinishedCall): LoopWarning | undefined {
    return this.note(stepOf(finished));
  }

  /** As `observe`, for a step that was made before. */
  note(step: Step): LoopWarning | undefined {
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
    // In a round of several calls, each of them would otherwise bring the same warning.
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

  /** Changes of the copy leave this one as it is. */
  copy(): LoopWatch {
    const copy = new LoopWatch({ block: this.#block, ...(this.#onLoop && { onLoop: this.#onLoop }) });
    copy.#seen = this.#seen;
    copy.#steps = this.#steps;
    copy.#observed = this.#observed;
    copy.#stale = this.#stale;
    copy.#loops = this.#loops;
    copy.#current = this.#current;
    return copy;
  }

  /** Whether the mark was known. */
  #remember(mark: string): boolean {
    const known = this.#seen.has(mark);
    const marks = [...this.#seen].filter((one) => one !== mark);
    this.#seen = new Set([...marks, mark].slice(-MAX_SEEN));
    return known;
  }

  /** Whether `call` is the next of the loop's round, or any of it where the order is free. */
  #continues({ kind, period, rounds, calls }: Loop, call: Call): boolean {
    const key = callKey(call);
    if (kind === 'circling') return calls.includes(key);
    // Another variation may be the right one: only one that was tried is refused.
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

/** A round may be entered at any of its calls. */
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

function whatRepeats({ kind, rounds, tools }: Loop): string {
  const names = tools.map((tool) => quoted(tool)).join(', ');
  switch (kind) {
    case 'repetition':
      return `${names} returned the same result ${plural(rounds, 'time')} in a row for the same arguments.`;
    case 'alternation':
      return `the calls ${names} repeated ${plural(rounds, 'time')} in turn with the same results.`;
    case 'near_repetition':
      return `${names} returned the same result ${plural(rounds, 'time')} in a row; the arguments hardly differed.`;
    case 'repeated_failure':
      return `${names} failed ${plural(rounds, 'time')} with the same error; what was done in between did not help.`;
    case 'circling':
      return `the last ${rounds * tools.length} calls (${names}) were all made before, with the same results.`;
  }
}

/** @throws {ReaderError} BAD_INPUT */
function checkState(state: LoopGuardState): void {
  const { version, observed, steps, seen, stale, loops } = Object(state) as Partial<LoopGuardState>;
  const whole =
    version === 1 &&
    Number.isSafeInteger(observed) &&
    Number.isSafeInteger(stale) &&
    Array.isArray(steps) &&
    steps.every((step) => [step?.tool, step?.call, step?.near, step?.outcome].every(isText)) &&
    Array.isArray(seen) &&
    seen.every(isText) &&
    Array.isArray(loops) &&
    loops.every((loop) => isText(loop?.kind) && Array.isArray(loop.calls) && Array.isArray(loop.tools));
  if (whole) return;
  throw new ReaderError(
    'BAD_INPUT',
    'The state of the loop guard is damaged.',
    'Pass what `state()` returned, or leave `state` out.',
  );
}

const isText = (value: unknown): boolean => typeof value === 'string';
