// What a message was made of when it was read last, so that a message nobody has touched need not be read again: every value
// in it by identity. Compares values and not characters: the texts of an untouched message are the very same ones.

/** Deeper or larger messages are read anew each time; none in use comes near. */
const MOST_DEPTH = 24;
const MOST_VALUES = 5000;

const ARRAY = Symbol('array');
const OBJECT = Symbol('object');

/** Takes the next value; false to stop. */
type Visit = (value: unknown) => boolean;

/** The values of a message in order; null where they cannot be told, or are too many. */
export function traceOf(message: unknown): readonly unknown[] | null {
  const values: unknown[] = [];
  return walk(message, 0, (value) => values.push(value) <= MOST_VALUES) ? values : null;
}

/** Whether the message still has the values it was traced with. */
export function isUntouched(message: unknown, trace: readonly unknown[]): boolean {
  let at = 0;
  return walk(message, 0, (value) => Object.is(trace[at++], value)) && at === trace.length;
}

/** False where a visit says so, or an object throws when it is looked at. */
function walk(value: unknown, depth: number, visit: Visit): boolean {
  if (typeof value !== 'object' || value === null) return visit(value);
  if (depth > MOST_DEPTH) return false;
  try {
    if (Array.isArray(value)) return walkArray(value, depth, visit);
    const keys = Object.keys(value);
    // Bytes, addresses, dates: what they hold is not in fields.
    if (ArrayBuffer.isView(value) || (keys.length === 0 && !isPlain(value))) return visit(value);
    if (!visit(OBJECT) || !visit(keys.length)) return false;
    for (const key of keys) {
      // A field of unknown type, narrowed below.
      const field = (value as Readonly<Record<string, unknown>>)[key];
      if (!visit(key) || !walk(field, depth + 1, visit)) return false;
    }
    return true;
  } catch {
    return false;
  }
}

function walkArray(value: readonly unknown[], depth: number, visit: Visit): boolean {
  if (!visit(ARRAY) || !visit(value.length)) return false;
  for (const one of value) if (!walk(one, depth + 1, visit)) return false;
  return true;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
