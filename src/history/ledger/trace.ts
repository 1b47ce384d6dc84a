// What a message was made of when it was read last, so that a message nobody has touched need not be read again: every value
// in it by identity. Compares values and not characters: the texts of an untouched message are the very same ones.

/** Deeper or larger messages are read anew each time; none in use comes near. */
const MOST_DEPTH = 24;
const MOST_VALUES = 5000;

const ARRAY = Symbol('array');
const OBJECT = Symbol('object');

/** The values of a message in order; null where they cannot be told, or are too many. */
export function traceOf(message: unknown): readonly unknown[] | null {
  const values: unknown[] = [];
  try {
    return collect(message, 0, values) ? values : null;
  } catch {
    // An object may throw when it is looked at.
    return null;
  }
}

/** Whether the message still has the values it was traced with. */
export function isUntouched(message: unknown, trace: readonly unknown[]): boolean {
  try {
    return compare(message, trace, 0) === trace.length;
  } catch {
    return false;
  }
}

/** What an object is by itself: bytes, addresses, dates. What such a value holds is not in fields. */
function isWhole(value: object, keys: readonly string[]): boolean {
  return ArrayBuffer.isView(value) || (keys.length === 0 && !isPlain(value));
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Adds `value` with all that it holds; false where that is too deep or too much. */
function collect(value: unknown, depth: number, values: unknown[]): boolean {
  if (values.length >= MOST_VALUES || depth > MOST_DEPTH) return false;
  if (typeof value !== 'object' || value === null) {
    values.push(value);
    return true;
  }
  if (Array.isArray(value)) {
    values.push(ARRAY, value.length);
    for (let at = 0; at < value.length; at += 1) if (!collect(value[at], depth + 1, values)) return false;
    return true;
  }
  const keys = Object.keys(value);
  if (isWhole(value, keys)) {
    values.push(value);
    return true;
  }
  values.push(OBJECT, keys.length);
  for (const key of keys) {
    values.push(key);
    // A field of unknown type, looked at by the call.
    if (!collect((value as Readonly<Record<string, unknown>>)[key], depth + 1, values)) return false;
  }
  return true;
}

/** Where in the trace goes on what comes after `value`, which is there from `at` on; -1 where something else is there. */
function compare(value: unknown, trace: readonly unknown[], at: number): number {
  const known = trace[at];
  if (typeof value !== 'object' || value === null) return Object.is(known, value) ? at + 1 : -1;
  if (Array.isArray(value)) {
    if (known !== ARRAY || trace[at + 1] !== value.length) return -1;
    let next = at + 2;
    for (let index = 0; index < value.length && next >= 0; index += 1)
      next = compare(value[index], trace, next);
    return next;
  }
  const keys = Object.keys(value);
  if (isWhole(value, keys)) return known === value ? at + 1 : -1;
  if (known !== OBJECT || trace[at + 1] !== keys.length) return -1;
  let next = at + 2;
  for (let index = 0; index < keys.length && next >= 0; index += 1) {
    const key = keys[index] ?? '';
    // As above.
    next =
      trace[next] === key ? compare((value as Readonly<Record<string, unknown>>)[key], trace, next + 1) : -1;
  }
  return next;
}
