// Converts values of a result to what is written: plain values stay, everything else becomes text or JSON, and lossy
// conversions are recorded. No files.

import { types } from 'node:util';
import { BadValue, guarded } from './bad-value.ts';
import { encodable, encodableKeys, LEFT_OUT, NO_DATE, NOT_FINITE, type Remarks } from './encodable.ts';

/** JSON text that is written unchanged. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What every value is reduced to. `undefined` is a missing value. */
export type Plain = string | number | boolean | bigint | Date | JsonText | null | undefined;

/** Maximum nesting of one value. JSON.parse input never comes near it; a getter that creates objects has no end. */
const MOST_LEVELS = 1000;
/** Maximum characters of JSON of one value inside a row; V8 holds 2^29 - 24 in one string. */
const MOST_CHARACTERS = 128 * 1024 * 1024;
/** Characters per chunk of a long value's JSON. */
const PIECE_CHARACTERS = 64 * 1024;

/**
 * `value` without wrappers: the result of `toJSON`, the primitive of a boxed value, bytes as Base64. @throws {BadValue}
 */
export function unwrapped(value: unknown, remarks: Remarks): unknown {
  let found = value;
  for (let level = 0; level <= MOST_LEVELS; level += 1) {
    if (typeof found === 'function' || typeof found === 'symbol') {
      remarks.add(LEFT_OUT);
      return undefined;
    }
    if (typeof found !== 'object' || found === null || Array.isArray(found)) return found;
    const object: object = found;
    if (types.isDate(object)) {
      if (!Number.isNaN(object.getTime())) return object;
      remarks.add(NO_DATE);
      return null;
    }
    if (types.isUint8Array(object)) return base64(object);
    const toJson: unknown = guarded(() => ('toJSON' in object ? object.toJSON : undefined));
    if (typeof toJson !== 'function') return withoutBox(object);
    found = guarded(() => toJson.call(object, ''));
  }
  throw tooDeep();
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

function withoutBox(object: object): unknown {
  // A boxed value may be a subclass with its own `valueOf`: use the built-in prototype's.
  if (types.isBoxedPrimitive(object)) {
    if (types.isNumberObject(object)) return Number.prototype.valueOf.call(object);
    if (types.isStringObject(object)) return String.prototype.valueOf.call(object);
    if (types.isBooleanObject(object)) return Boolean.prototype.valueOf.call(object);
    return types.isBigIntObject(object) ? BigInt.prototype.valueOf.call(object) : undefined;
  }
  if (types.isAnyArrayBuffer(object)) return base64(new Uint8Array(object));
  if (object instanceof DataView)
    return base64(new Uint8Array(object.buffer, object.byteOffset, object.byteLength));
  if (types.isRegExp(object)) return guarded(() => String(object));
  // An error's own properties do not include its message.
  if (types.isNativeError(object)) return guarded(() => String(object));
  return object;
}

/** `value` as every writer accepts it. @throws {BadValue} if it contains itself, is too deep, or throws when read */
export function plain(value: unknown, remarks: Remarks): Plain {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'bigint':
    case 'undefined':
      return value;
    default: {
      if (value === null) return null;
      const found = unwrapped(value, remarks);
      // Dates are the only objects returned.
      if (typeof found === 'object' && found !== null)
        return types.isDate(found) ? found : new JsonText(jsonText(found, remarks));
      return plain(found, remarks);
    }
  }
}

const NEEDS_ESCAPE = /["\\\p{Cc}]/u;

/** A string as JSON. */
export function jsonString(text: string, remarks: Remarks): string {
  const written = encodable(text, remarks);
  return NEEDS_ESCAPE.test(written) ? JSON.stringify(written) : `"${written}"`;
}

/** A plain value as JSON: big integers verbatim, -0 kept, numbers JSON cannot represent as strings. */
export function jsonOf(value: Plain, remarks: Remarks): string {
  switch (typeof value) {
    case 'string':
      return jsonString(value, remarks);
    case 'number':
      if (Number.isFinite(value)) return value === 0 && Object.is(value, -0) ? '-0' : `${value}`;
      remarks.add(NOT_FINITE);
      return `"${value}"`;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'bigint':
      return `${value}`;
    case 'undefined':
      return 'null';
    default:
      if (value === null) return 'null';
      return value instanceof JsonText ? value.text : `"${value.toISOString()}"`;
  }
}

/** A value as one line of JSON. @throws {BadValue} also for more than 128 Mi characters */
export function jsonText(value: unknown, remarks: Remarks): string {
  let text = '';
  for (const piece of jsonPieces(value, remarks, 0)) {
    text += piece;
    if (text.length > MOST_CHARACTERS)
      throw new BadValue(
        `has more than ${MOST_CHARACTERS} characters of JSON.`,
        'Split the value over several rows.',
        'LIMIT_EXCEEDED',
      );
  }
  return text;
}

/** An object or array being written. */
interface Level {
  readonly holder: object;
  /** As written. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  readonly value: (at: number) => unknown;
  at: number;
  written: boolean;
}

/**
 * The JSON of any value in chunks of about 64 Ki characters, so that a large one is never held as one string. `indent`
 * spaces per level, 0 for one line. Leaves out undefined and function properties, as JSON.stringify does. A Map becomes
 * an object if its keys are strings, else an array of pairs; a Set becomes an array.
 * @throws {BadValue} if it contains itself, has more than 1000 levels, or throws when read
 */
export function* jsonPieces(value: unknown, remarks: Remarks, indent: number): Generator<string> {
  const levels: Level[] = [];
  const above = new Set<object>();
  let text = '';
  const enter = (given: unknown): string => {
    const found = unwrapped(given, remarks);
    if (typeof found !== 'object' || found === null) return jsonOf(plain(found, remarks), remarks);
    if (types.isDate(found)) return jsonOf(found, remarks);
    if (above.has(found)) throw new BadValue('contains itself.', 'Omit the circular reference.');
    if (levels.length >= MOST_LEVELS) throw tooDeep();
    const level = guarded(() => levelOf(found, remarks));
    if (level.length === 0) return level.keys ? '{}' : '[]';
    above.add(found);
    levels.push(level);
    return level.keys ? '{' : '[';
  };
  const newLine = (depth: number): string => (indent === 0 ? '' : `\n${' '.repeat(indent * depth)}`);

  text = enter(value);
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    if (level.at >= level.length) {
      levels.pop();
      above.delete(level.holder);
      text += `${level.written ? newLine(levels.length) : ''}${level.keys ? '}' : ']'}`;
    } else {
      const at = level.at;
      const open: Level = level;
      level.at += 1;
      const key = level.keys?.[at];
      const item = guarded(() => open.value(at));
      const depth = levels.length;
      const nothing = item === undefined || typeof item === 'function' || typeof item === 'symbol';
      if (key !== undefined && nothing) {
        if (item !== undefined) remarks.add(LEFT_OUT);
      } else {
        text += `${level.written ? ',' : ''}${newLine(depth)}`;
        if (key !== undefined) text += `${jsonString(key, remarks)}:${indent === 0 ? '' : ' '}`;
        level.written = true;
        text += enter(item);
      }
    }
    if (text.length >= PIECE_CHARACTERS) {
      yield text;
      text = '';
    }
  }
  yield text;
}

function levelOf(holder: object, remarks: Remarks): Level {
  const start = { holder, at: 0, written: false };
  const list = (items: ArrayLike<unknown>): Level => ({
    ...start,
    keys: undefined,
    length: items.length,
    value: (at) => items[at],
  });
  if (Array.isArray(holder)) return list(holder);
  if (types.isSet(holder)) return list([...holder]);
  if (types.isMap(holder)) {
    const keys = [...holder.keys()];
    if (!keys.every((key) => typeof key === 'string')) return list([...holder]);
    const values = [...holder.values()];
    return {
      ...start,
      keys: encodableKeys(keys, remarks),
      length: keys.length,
      value: (at) => values[at],
    };
  }
  // Bytes are text by now; any other typed array is a list of numbers.
  if (types.isTypedArray(holder)) return list(holder);
  const keys = Object.keys(holder);
  // The keys were just taken from it, so it can be indexed by them.
  const named = holder as Readonly<Record<string, unknown>>;
  return {
    ...start,
    keys: encodableKeys(keys, remarks),
    length: keys.length,
    value: (at) => named[keys[at] ?? ''],
  };
}

function tooDeep(): BadValue {
  return new BadValue(
    `has more than ${MOST_LEVELS} levels.`,
    'Flatten the value, or save it as text.',
    'LIMIT_EXCEEDED',
  );
}
