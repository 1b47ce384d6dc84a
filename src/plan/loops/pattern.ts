// Finds patterns in the steps of an agent that make no progress. A new step, of which the call or the outcome is new, is
// progress, and ends a circle.

import type { Step } from './step.ts';

/** The kinds of loops. */
export const LOOP_KINDS = [
  /** The same call with the same result. */
  'repetition',
  /** The same 2 to 4 calls in turn with the same results. */
  'alternation',
  /** The same tool on the same target, with slightly different arguments and the same result. */
  'near_repetition',
  /** The same call fails with the same error, with other calls in between. */
  'repeated_failure',
  /** Many calls, each made before with the same result, in no fixed order. */
  'circling',
] as const;

export type LoopKind = (typeof LOOP_KINDS)[number];

/** A pattern found at the end of the steps. */
export interface Pattern {
  readonly kind: LoopKind;
  /** Calls in one round. */
  readonly period: number;
  /** Complete rounds so far. */
  readonly rounds: number;
  /** The calls of one round, by `Step.call`, in order. */
  readonly calls: readonly string[];
  readonly tools: readonly string[];
}

/** Calls in the longest round that is detected. */
const MAX_PERIOD = 4;
/** Rounds that make a loop: three of one call, two of a sequence of calls. */
const REPETITIONS = 3;
const ALTERNATIONS = 2;
const FAILURES = 3;
/** Steps without anything new, in any order. */
const CIRCLING = 12;

/** Whether two steps are the same, by their exact or their near calls. */
type Same = (a: Step, b: Step) => boolean;

const exactly: Same = (a, b) => a.call === b.call && a.outcome === b.outcome;
const nearly: Same = (a, b) => a.near === b.near && a.outcome === b.outcome;

/**
 * The pattern that the latest step completes or continues; undefined if there is none.
 * @param steps oldest first
 * @param stale number of latest steps in a row that brought nothing new
 */
export function patternIn(steps: readonly Step[], stale: number): Pattern | undefined {
  if (isWaiting(steps)) return undefined;
  return (
    periodic(steps, 1, exactly, REPETITIONS, 'repetition') ??
    alternation(steps) ??
    periodic(steps, 1, nearly, REPETITIONS, 'near_repetition') ??
    failures(steps) ??
    circling(steps, stale)
  );
}

/** Each pause between polls is longer than the one before by this factor, as with a backoff, and the last is this long. */
const GROWTH = 1.5;
const LEAST_PAUSE_MS = 2000;

/** Whether the latest call is repeated after growing pauses: it waits for something. */
function isWaiting(steps: readonly Step[]): boolean {
  const last = steps.at(-1);
  const from = steps.findLastIndex((step) => !last || !exactly(step, last)) + 1;
  const times = steps.slice(from).map(({ at = Number.NaN }) => at);
  if (times.length < REPETITIONS) return false;
  const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  return (
    (pauses.at(-1) ?? 0) >= LEAST_PAUSE_MS &&
    pauses.every((pause, index) => index === 0 || pause >= GROWTH * (pauses[index - 1] ?? 0))
  );
}

function alternation(steps: readonly Step[]): Pattern | undefined {
  for (let period = 2; period <= MAX_PERIOD; period += 1) {
    const found = periodic(steps, period, exactly, ALTERNATIONS, 'alternation');
    if (found) return found;
  }
  return undefined;
}

function periodic(
  steps: readonly Step[],
  period: number,
  same: Same,
  least: number,
  kind: LoopKind,
): Pattern | undefined {
  let matched = 0;
  for (let at = steps.length - 1; at >= period; at -= 1) {
    const [step, before] = [steps[at], steps[at - period]];
    if (!step || !before || !same(step, before)) break;
    matched += 1;
  }
  const rounds = Math.floor(matched / period) + 1;
  if (rounds < least) return undefined;
  const round = steps.slice(steps.length - period);
  return { kind, period, rounds, calls: callsOf(round), tools: toolsOf(round) };
}

/** The latest step failed as before, and the same call did not succeed in between. */
function failures(steps: readonly Step[]): Pattern | undefined {
  const last = steps.at(-1);
  if (!last?.failed) return undefined;
  let rounds = 0;
  for (const step of steps.toReversed()) {
    if (step.call !== last.call) continue;
    if (!exactly(step, last)) break;
    rounds += 1;
  }
  if (rounds < FAILURES) return undefined;
  return { kind: 'repeated_failure', period: 1, rounds, calls: [last.call], tools: [last.tool] };
}

function circling(steps: readonly Step[], stale: number): Pattern | undefined {
  if (stale < CIRCLING) return undefined;
  const round = steps.slice(-stale);
  const calls = [...new Set(callsOf(round))];
  const rounds = Math.floor(stale / calls.length);
  return { kind: 'circling', period: calls.length, rounds, calls, tools: [...new Set(toolsOf(round))] };
}

const callsOf = (steps: readonly Step[]): string[] => steps.map(({ call }) => call);
const toolsOf = (steps: readonly Step[]): string[] => steps.map(({ tool }) => tool);
