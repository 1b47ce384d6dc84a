// One finished call of an agent as the loop guard compares it: what was called, on what, and what came of it. Only
// digests are kept, so that arguments and results of any size cost the same and no secret is stored.

import { hash } from 'node:crypto';

/** A tool call that is about to be made. */
export interface Call {
  readonly tool: string;
  /** Any value; its JSON is compared, whatever the order of keys. */
  readonly args: unknown;
}

/** A tool call that was made. */
export interface FinishedCall extends Call {
  /** What the model reads: a text, or any value with a JSON form. */
  readonly result: unknown;
  /** The tool reported an error. Default false. */
  readonly failed?: boolean;
}

/** A finished call in the memory of a guard. All JSON. */
export interface Step {
  readonly tool: string;
  /** Equal for equal tool and arguments. */
  readonly call: string;
  /** Equal also for arguments that differ in white space, numbers, switches, the spelling of a path or a few of many lines. */
  readonly near: string;
  /** Equal for equal results, apart from times, durations, addresses and temporary names. */
  readonly outcome: string;
  readonly failed: boolean;
}

/** 64 bits: two of ten thousand calls share a digest with a chance of 10^-12. */
const HEX_DIGITS = 16;
const MAX_DEPTH = 32;
/** Of each text this much from both ends is looked at beyond its length. */
const MAX_TEXT = 1_000_000;

const digest = (text: string): string => hash('sha256', text, 'hex').slice(0, HEX_DIGITS);

/** A digest of a call's tool and arguments. */
export const callKey = ({ tool, args }: Call): string => digest(`${tool}\n${canonical(args, exact)}`);

export function stepOf({ tool, args, result, failed = false }: FinishedCall): Step {
  const text = typeof result === 'string' ? result : canonical(result, exact);
  return {
    tool,
    call: callKey({ tool, args }),
    near: digest(`${tool}\n${canonical(args, loose)}`),
    outcome: digest(`${failed}\n${withoutNoise(bounded(text))}`),
    failed,
  };
}

/** How single values are written. */
type Scalar = (value: unknown) => string;

const exact: Scalar = (value) =>
  typeof value === 'string' ? JSON.stringify(bounded(value)) : String(JSON.stringify(value));

/** Numbers and switches say how much of a thing is wanted, not which. */
const loose: Scalar = (value) => (typeof value === 'string' ? looseText(bounded(value)) : typeof value);

/** Texts of fewer lines are compared whole. */
const FEW_LINES = 8;

/**
 * Of a text of many lines the one whose digest is least (min-hash): two texts that share all but a few lines most likely
 * share that one.
 */
function looseText(text: string): string {
  const lines = text.split('\n').map((line) => line.trim().replace(/\s+/g, ' '));
  const whole = lines.join(' ').trim();
  if (lines.length < FEW_LINES) return JSON.stringify(whole.replace(/(^|\s|\/)(?:\.\/)+/g, '$1'));
  let least = '~';
  for (const line of lines) {
    const mark = line === '' ? '~' : digest(line);
    if (mark < least) least = mark;
  }
  return least;
}

/** JSON with sorted keys. Never throws: what JSON cannot represent is written as its type. */
function canonical(value: unknown, scalar: Scalar, depth = 0): string {
  if (depth > MAX_DEPTH) return '"…"';
  // Arguments often arrive as the JSON of an object.
  if (depth === 0 && typeof value === 'string' && /^\s*[{[]/.test(value) && value.length <= MAX_TEXT) {
    try {
      return canonical(JSON.parse(value), scalar, 1);
    } catch {
      return scalar(value);
    }
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, scalar, depth + 1)).join()}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => `${JSON.stringify(key)}:${canonical(field, scalar, depth + 1)}`);
    return `{${fields.join()}}`;
  }
  return typeof value === 'bigint' ? String(value) : scalar(value);
}

function bounded(text: string): string {
  return text.length <= 2 * MAX_TEXT
    ? text
    : `${text.slice(0, MAX_TEXT)}${text.length}${text.slice(-MAX_TEXT)}`;
}

/** Parts of a result that change from run to run though nothing else did. */
const NOISE: readonly RegExp[] = [
  /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g,
  /\b\d\d?:\d\d:\d\d(?:[.,]\d+)?\b/g,
  /\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|sec|secs|seconds?|min|minutes?)\b/g,
  /\b0x[\da-f]+\b/gi,
  /\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/gi,
  /\/tmp\/[\w.-]+/g,
  /\b(?:pid|PID)[ =:]+\d+/g,
];

const withoutNoise = (text: string): string =>
  NOISE.reduce((left, noise) => left.replace(noise, '~'), text).trim();
