// Records the values of a message when it is read, so that an unmodified message need not be read again. Values are
// compared by identity, not by content: an unmodified message still holds the same strings.

import { guarded } from '../codecs/native.ts';

/** Deeper or larger messages are read again each time; real messages stay far below. */
const MOST_DEPTH = 24;
const MOST_VALUES = 5000;

const ARRAY = Symbol('array');
const OBJECT = Symbol('object');

/** The values of a message in order; null if they cannot be read or are too many. */
export function traceOf(message: unknown): readonly unknown[] | null {
  const values: unknown[] = [];
  const isRead = guarded(() => walk(message, 0, (value) => values.push(value) < MOST_VALUES), false);
  return isRead ? values : null;
}

/** Whether the message still has the values in its trace. */
export function isUntouched(message: unknown, trace: readonly unknown[]): boolean {
  let at = 0;
  return (
    guarded(() => walk(message, 0, (value) => Object.is(trace[at++], value)), false) && at === trace.length
  );
}

/** Whether an object is compared as a whole: bytes, URLs, dates. Their content is not in fields. */
function isWhole(value: object, keys: readonly string[]): boolean {
  return ArrayBuffer.isView(value) || (keys.length === 0 && !isPlain(value));
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Passes `value` and everything in it to `take` until that returns false; false then, or if it is too deep. */
function walk(value: unknown, depth: number, take: (value: unknown) => boolean): boolean {
  if (depth > MOST_DEPTH) return false;
  if (typeof value !== 'object' || value === null) return take(value);
  if (Array.isArray(value)) {
    if (!take(ARRAY) || !take(value.length)) return false;
    for (let at = 0; at < value.length; at += 1) if (!walk(value[at], depth + 1, take)) return false;
    return true;
  }
  const keys = Object.keys(value);
  if (isWhole(value, keys)) return take(value);
  if (!take(OBJECT) || !take(keys.length)) return false;
  // A field of unknown type; the callee checks it.
  const fields = value as Readonly<Record<string, unknown>>;
  for (const key of keys) if (!take(key) || !walk(fields[key], depth + 1, take)) return false;
  return true;
}
