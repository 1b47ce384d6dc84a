// Records the values of a message when it is read, so that an unmodified message need not be read again. Values are
// compared by identity, not by content: an unmodified message still holds the same strings.

/** Deeper or larger messages are read again each time; real messages stay far below. */
const MOST_DEPTH = 24;
const MOST_VALUES = 5000;

const ARRAY = Symbol('array');
const OBJECT = Symbol('object');

/** The values of a message in order; null if they cannot be read or are too many. */
export function traceOf(message: unknown): readonly unknown[] | null {
  const values: unknown[] = [];
  try {
    return collect(message, 0, values) ? values : null;
  } catch {
    // Reading an object may throw.
    return null;
  }
}

/** Whether the message still has the values in its trace. */
export function isUntouched(message: unknown, trace: readonly unknown[]): boolean {
  try {
    return compare(message, trace, 0) === trace.length;
  } catch {
    return false;
  }
}

/** Whether an object is compared as a whole: bytes, URLs, dates. Their content is not in fields. */
function isWhole(value: object, keys: readonly string[]): boolean {
  return ArrayBuffer.isView(value) || (keys.length === 0 && !isPlain(value));
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Adds `value` and everything in it; false if it is too deep or too large. */
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
    // A field of unknown type; the callee checks it.
    if (!collect((value as Readonly<Record<string, unknown>>)[key], depth + 1, values)) return false;
  }
  return true;
}

/** Index in the trace after `value`, which is expected at `at`; -1 if the trace differs. */
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
