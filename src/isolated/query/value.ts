// Writes values of DuckDB as text: exact numbers, ISO dates, and JSON for nested values.

const PLAIN_TYPES: ReadonlySet<string> = new Set(['string', 'number', 'bigint', 'boolean']);
/** Most decimal digits that any FLOAT needs to be read back as itself. */
const FLOAT_DIGITS = 9;

/** Marks of infinity: the greatest value of their integer type. */
const LAST_DAY = 2 ** 31 - 1;
const LAST_INSTANT = 2n ** 63n - 1n;

/** The text of a value that is not null. `type` is its column's. */
export function textOfValue(value: unknown, type: string): string {
  if (typeof value === 'string') return value;
  if (type === 'FLOAT' && typeof value === 'number') return floatText(value);
  if (PLAIN_TYPES.has(typeof value)) return String(value);
  return isNested(value) ? jsonOfValue(value) : scalarText(value);
}

/** The shortest decimal that is the same FLOAT. */
function floatText(value: number): string {
  for (let digits = 6; digits < FLOAT_DIGITS; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(FLOAT_DIGITS)));
}

/** A date, time, decimal, interval, UUID, bit string or blob: all write themselves, except infinity. */
function scalarText(value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    if ('days' in value && !('months' in value) && Math.abs(Number(value.days)) === LAST_DAY)
      return Number(value.days) > 0 ? 'infinity' : '-infinity';
    for (const unit of ['micros', 'nanos', 'millis', 'seconds']) {
      const count: unknown = Object.entries(value).find(([name]) => name === unit)?.[1];
      if (count === LAST_INSTANT) return 'infinity';
      if (count === -LAST_INSTANT) return '-infinity';
    }
  }
  return String(value);
}

interface Pair {
  readonly key: unknown;
  readonly value: unknown;
}

/** Lists and arrays have `items`, structs an object of `entries`, maps a list of them, unions a `tag`. */
function isNested(value: unknown): value is object {
  return (
    typeof value === 'object' && value !== null && ('items' in value || 'entries' in value || 'tag' in value)
  );
}

function jsonOfValue(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  switch (typeof value) {
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : JSON.stringify(String(value));
    case 'string':
      return JSON.stringify(value);
  }
  if (!isNested(value)) {
    // A decimal is a number in JSON too.
    const text = scalarText(value);
    return typeof value === 'object' && 'scale' in value ? text : JSON.stringify(text);
  }
  if ('items' in value && Array.isArray(value.items)) return `[${value.items.map(jsonOfValue).join(',')}]`;
  if ('tag' in value && 'value' in value) return jsonOfValue(value.value);
  if ('entries' in value && Array.isArray(value.entries)) {
    // Pairs of a map; a key may be of any type.
    const pairs = value.entries as readonly Pair[];
    return `{${pairs.map(({ key, value: of }) => `${JSON.stringify(keyText(key))}:${jsonOfValue(of)}`).join(',')}}`;
  }
  const entries = 'entries' in value && typeof value.entries === 'object' ? (value.entries ?? {}) : {};
  return `{${Object.entries(entries)
    .map(([key, of]) => `${JSON.stringify(key)}:${jsonOfValue(of)}`)
    .join(',')}}`;
}

const keyText = (key: unknown): string => (isNested(key) ? jsonOfValue(key) : scalarText(key));
