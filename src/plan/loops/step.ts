// A finished call of an agent as the loop guard compares it: tool, arguments and result. Only digests are kept, so that the
// size of arguments and results does not matter and no secret is stored.

import { hash } from 'node:crypto';

/** A tool call before it runs. */
export interface Call {
  readonly tool: string;
  /** Any value. Its JSON is compared; the order of keys does not matter. */
  readonly args: unknown;
}

/** A tool call after it ran. */
export interface FinishedCall extends Call {
  /** What the model reads: a text, or a value with a JSON form. */
  readonly result: unknown;
  /** The tool reported an error. Default false. */
  readonly failed?: boolean;
}

/** A finished call in the memory of a guard. All JSON. */
export interface Step {
  readonly tool: string;
  /** Equal for equal tool and arguments. */
  readonly call: string;
  /** Also equal for arguments that differ in white space, numbers, booleans, the spelling of a path or a few of many lines. */
  readonly near: string;
  /** Equal for equal results, apart from times, durations, addresses and temporary names. */
  readonly outcome: string;
  readonly failed: boolean;
  /** When it ended, in milliseconds; missing in states of earlier versions. */
  readonly at?: number;
}

/** 64 bits: the chance of a collision among ten thousand calls is about 10^-12. */
const HEX_DIGITS = 16;
const MAX_DEPTH = 32;
/** UTF-16 units of a text that are compared from each end, in addition to its length. */
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
    at: Date.now(),
  };
}

/** How single values are written. */
type Scalar = (value: unknown) => string;

const exact: Scalar = (value) =>
  typeof value === 'string' ? JSON.stringify(bounded(value)) : String(JSON.stringify(value));

/** Numbers and booleans usually say how much is wanted, not what. */
const loose: Scalar = (value) => (typeof value === 'string' ? looseText(bounded(value)) : typeof value);

/** Texts with fewer lines are compared whole. */
const FEW_LINES = 8;

/**
 * The least digest of the lines of a long text (min-hash): two texts that differ in a few lines most likely have the same
 * one.
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

/** JSON with sorted keys. Never throws: a value that cannot be read is written as `unreadable`. */
function canonical(value: unknown, scalar: Scalar): string {
  try {
    return written(value, scalar, new Set());
  } catch {
    return '"unreadable"';
  }
}

/** @param above the objects that contain `value` */
function written(value: unknown, scalar: Scalar, above: ReadonlySet<object>): string {
  const depth = above.size;
  if (depth > MAX_DEPTH) return '"…"';
  // Arguments often arrive as the JSON of an object.
  if (depth === 0 && typeof value === 'string' && /^\s*[{[]/.test(value) && value.length <= MAX_TEXT) {
    try {
      return written(JSON.parse(value), scalar, above);
    } catch {
      return scalar(value);
    }
  }
  if (typeof value !== 'object' || value === null)
    return typeof value === 'bigint' ? String(value) : scalar(value);
  if (above.has(value)) return '"circular"';
  const within = new Set([...above, value]);
  const inner = contentOf(value);
  if (!isEnumerable(inner)) return written(inner, scalar, within);
  if (Array.isArray(inner)) return `[${inner.map((item) => written(item, scalar, within)).join()}]`;
  const fields = Object.entries(inner)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${written(field, scalar, within)}`);
  return `{${fields.join()}}`;
}

const isEnumerable = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** An object by its content, where its own fields do not show it: dates, URLs, errors, bytes, maps and sets. */
function contentOf(value: object): unknown {
  if (ArrayBuffer.isView(value))
    return hash('sha256', new Uint8Array(value.buffer, value.byteOffset, value.byteLength), 'hex');
  if ('toJSON' in value && typeof value.toJSON === 'function') return value.toJSON();
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  return value instanceof Map || value instanceof Set ? [...value] : value;
}

function bounded(text: string): string {
  return text.length <= 2 * MAX_TEXT
    ? text
    : `${text.slice(0, MAX_TEXT)}${text.length}${text.slice(-MAX_TEXT)}`;
}

/** Parts of a result that differ from run to run even if nothing else changed. */
const NOISE: readonly RegExp[] = [
  /\b\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g,
  /\b\d\d?:\d\d:\d\d(?:[.,]\d+)?\b/g,
  /\b(?:\d+\s?h\s?)?\d+\s?m\s?\d+(?:\.\d+)?\s?s\b/g,
  /\b\d+ (?:hours?|days?|weeks?) ago\b/g,
  /\b(?:\w{0,30}(?:time|stamp|elapsed|duration)|epoch|ts)"?\s?[:=]?\s?"?\d+(?:\.\d+)?\b/gi,
  /\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|sec|secs|seconds?|min|minutes?)\b/g,
  /\b0x[\da-f]+\b/gi,
  /\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/gi,
  /\/tmp\/[\w.-]+/g,
  /\b(?:pid|PID)[ =:]+\d+/g,
];

const withoutNoise = (text: string): string =>
  NOISE.reduce((left, noise) => left.replace(noise, '~'), text).trim();

export function isStep(value: unknown): value is Step {
  if (typeof value !== 'object' || value === null) return false;
  const { tool, call, near, outcome, failed, at }: Partial<Record<keyof Step, unknown>> = value;
  return (
    [tool, call, near, outcome].every((text) => typeof text === 'string') &&
    typeof failed === 'boolean' &&
    (at === undefined || Number.isFinite(at))
  );
}
