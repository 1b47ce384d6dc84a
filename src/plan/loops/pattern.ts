// Patterns in the steps of an agent that lead nowhere. A step that was never seen before (same call, same outcome) is
// progress: patterns are looked for only in what came after the last such step.

import type { Step } from './step.ts';

/** What kind of loop it is. */
export type LoopKind =
  /** The same call with the same result. */
  | 'repetition'
  /** The same 2 to 4 calls in turn with the same results. */
  | 'alternation'
  /** The same tool on the same target, with trivially different arguments and the same result. */
  | 'near_repetition'
  /** The same call fails with the same error again and again, other calls between. */
  | 'repeated_failure'
  /** Many calls, each made before with the same result, in no fixed order. */
  | 'circling';

/** A pattern found at the end of the steps. */
export interface Pattern {
  readonly kind: LoopKind;
  /** Calls in one round. */
  readonly period: number;
  /** Full rounds so far. */
  readonly rounds: number;
  /** The calls of one round, by `Step.call`, from the first of the round on. */
  readonly calls: readonly string[];
  readonly tools: readonly string[];
}

/** Longest round that is looked for. */
const MAX_PERIOD = 4;
/** Rounds that make a loop: the same call three times; a sequence of calls twice and a third time begun. */
const REPETITIONS = 3;
const ALTERNATIONS = 2;
const FAILURES = 3;
/** Steps without anything new, in any order. */
const CIRCLING = 12;

/** Whether a step is the same as another: by its exact or its near call. */
type Same = (a: Step, b: Step) => boolean;

const exactly: Same = (a, b) => a.call === b.call && a.outcome === b.outcome;
const nearly: Same = (a, b) => a.near === b.near && a.outcome === b.outcome;

/**
 * The pattern that the newest step completes or continues; undefined when there is none.
 * @param steps oldest first
 * @param stale how many of the last steps brought nothing new
 */
export function patternIn(steps: readonly Step[], stale: number): Pattern | undefined {
  return (
    periodic(steps, 1, exactly, REPETITIONS, 'repetition') ??
    alternation(steps) ??
    periodic(steps, 1, nearly, REPETITIONS, 'near_repetition') ??
    failures(steps) ??
    circling(steps, stale)
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

/** The newest step failed as it failed before, with no success of the same call between. */
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
