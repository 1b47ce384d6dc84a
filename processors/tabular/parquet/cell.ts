// Values of a Parquet file as the text of cells: exact integers and decimals, dates and times in ISO form, nested values
// as JSON.

import type { SchemaElement, SchemaTree } from 'hyparquet';
import { jsonString, withoutEnd } from '../../../src/contract/index.ts';
import type { Cell } from '../../../src/table/index.ts';
import { blobText } from '../blob-text.ts';
import { elementOf, entryOf, kindOf, unitOf } from './schema.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lossy = new TextDecoder('utf-8', { ignoreBOM: true });

/** What could not be shown faithfully. */
export interface CellFindings {
  invalidText: number;
}

/** The cell of `value` in `column`; its leaves are as stored, before any conversion. */
export function cellOf(value: unknown, column: SchemaTree, findings: CellFindings): Cell {
  if (value === null || value === undefined) return null;
  if (kindOf(column) === 'leaf' && !Array.isArray(value))
    return leafText(value, column.element, findings).text;
  return json(value, column, findings);
}

function json(value: unknown, node: SchemaTree | undefined, findings: CellFindings): string {
  if (value === null || value === undefined) return 'null';
  const kind = node ? kindOf(node) : undefined;
  if (Array.isArray(value)) {
    const element = node && kind === 'list' ? elementOf(node) : node;
    return `[${value.map((one: unknown) => json(one, element, findings)).join(',')}]`;
  }
  if (ArrayBuffer.isView(value) && !(value instanceof Uint8Array))
    return json([...Object.values(value)], node, findings);
  if (node && kind === 'leaf') {
    const { text, isNumber } = leafText(value, node.element, findings);
    return isNumber ? text : jsonString(text);
  }
  if (typeof value === 'object' && !(value instanceof Uint8Array) && !(value instanceof Date)) {
    const entry = node && kind === 'map' ? entryOf(node) : undefined;
    const child = (name: string): SchemaTree | undefined =>
      entry ? entry[1] : node?.children.find(({ element }) => element.name === name);
    return `{${Object.entries(value)
      .map(([name, one]) => `${jsonString(name)}:${json(one, child(name), findings)}`)
      .join(',')}}`;
  }
  return looseJson(value);
}

/** Values of a variant, which bring their own types. */
function looseJson(value: unknown): string {
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (value instanceof Date)
    return jsonString(Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString());
  if (value instanceof Uint8Array) return jsonString(blobText(value));
  return jsonString(String(value));
}

interface LeafText {
  readonly text: string;
  /** It is valid JSON without quotes. */
  readonly isNumber: boolean;
}

const word = (text: string): LeafText => ({ text, isNumber: false });
const digits = (text: string): LeafText => ({ text, isNumber: /^-?\d/.test(text) });

function leafText(value: unknown, element: SchemaElement, findings: CellFindings): LeafText {
  if (typeof value === 'boolean') return { text: String(value), isNumber: true };
  if (typeof value === 'bigint') return integerText(value, element);
  if (value instanceof Uint8Array) return bytesText(value, element, findings);
  if (typeof value !== 'number') return word(String(value));
  if (element.type === 'INT32') return integerText(BigInt(value), element);
  if (Object.is(value, -0)) return digits('-0');
  return digits(element.type === 'FLOAT' ? shortestFloat(value) : String(value));
}

function integerText(value: bigint, element: SchemaElement): LeafText {
  const { type, converted_type: older, logical_type: logical } = element;
  if (type === 'INT96') return word(instant(value, 'ns', false));
  if (logical?.type === 'DECIMAL' || older === 'DECIMAL') return digits(decimal(value, scaleOf(element)));
  if (logical?.type === 'DATE' || older === 'DATE') return word(day(value));
  if (logical?.type === 'TIMESTAMP') return word(instant(value, unitOf(logical), logical.isAdjustedToUTC));
  if (older === 'TIMESTAMP_MILLIS') return word(instant(value, 'ms', true));
  if (older === 'TIMESTAMP_MICROS') return word(instant(value, 'us', true));
  if (logical?.type === 'TIME') return word(clock(value, unitOf(logical)));
  if (older === 'TIME_MILLIS') return word(clock(value, 'ms'));
  if (older === 'TIME_MICROS') return word(clock(value, 'us'));
  const isUnsigned =
    (logical?.type === 'INTEGER' && !logical.isSigned) || (older?.startsWith('UINT_') ?? false);
  return digits(String(isUnsigned ? BigInt.asUintN(type === 'INT64' ? 64 : 32, value) : value));
}

function bytesText(value: Uint8Array, element: SchemaElement, findings: CellFindings): LeafText {
  const { converted_type: older, logical_type: logical, type } = element;
  if (logical?.type === 'DECIMAL' || older === 'DECIMAL')
    return digits(decimal(bigEndian(value), scaleOf(element)));
  if (logical?.type === 'UUID' && value.length === 16)
    return word(
      Buffer.from(value)
        .toString('hex')
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    );
  if (logical?.type === 'FLOAT16' && value.length === 2) return digits(String(float16(value)));
  if (older === 'INTERVAL' && value.length === 12) return word(interval(value));
  const isText =
    /^(?:STRING|ENUM|JSON)$/.test(logical?.type ?? '') || /^(?:UTF8|ENUM|JSON)$/.test(older ?? '');
  if (isText || (type === 'BYTE_ARRAY' && !logical && !older && value.length > 0)) {
    const text = textOf(value);
    if (text !== undefined && (isText || !/[^\P{Cc}\t\r\n]/u.test(text))) return word(text);
    if (isText) {
      findings.invalidText += 1;
      return word(lossy.decode(value));
    }
  }
  return word(blobText(value));
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The scale may stand in either form of the type. */
function scaleOf({ scale, logical_type: logical }: SchemaElement): number {
  const stated = (logical?.type === 'DECIMAL' ? logical.scale : undefined) ?? scale ?? 0;
  // A decimal of 32 bytes has 76 digits.
  return Math.min(Math.max(stated, 0), 1000);
}

function decimal(value: bigint, scale: number): string {
  const all = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const sign = value < 0n ? '-' : '';
  return scale === 0 ? sign + all : `${sign}${all.slice(0, -scale)}.${all.slice(-scale)}`;
}

function bigEndian(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n;
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
}

const PER_SECOND = { ms: 1000n, us: 1_000_000n, ns: 1_000_000_000n } as const;
const PLACES = { ms: 3, us: 6, ns: 9 } as const;
/** The last second of a JavaScript date (ECMA-262, time values). */
const MOST_SECONDS = 8_640_000_000_000n;

/** `2024-01-02 09:30:00.125Z`; the plain number for a time outside the calendar. */
function instant(value: bigint, unit: keyof typeof PER_SECOND, isUtc: boolean): string {
  const per = PER_SECOND[unit];
  const part = ((value % per) + per) % per;
  const seconds = (value - part) / per;
  if (seconds > MOST_SECONDS || seconds < -MOST_SECONDS) return `${value} ${unit}`;
  const date = new Date(Number(seconds) * 1000).toISOString().slice(0, -5).replace('T', ' ');
  return `${date}${fraction(part, PLACES[unit])}${isUtc ? 'Z' : ''}`;
}

function day(value: bigint): string {
  const text = instant(value * 86_400n * 1000n, 'ms', false);
  return text.endsWith(' ms') ? `${value} days` : text.slice(0, text.indexOf(' '));
}

function clock(value: bigint, unit: keyof typeof PER_SECOND): string {
  const per = PER_SECOND[unit];
  if (value < 0n || value >= per * 86_400n) return `${value} ${unit}`;
  const time = new Date(Number(value / per) * 1000).toISOString().slice(11, 19);
  return time + fraction(value % per, PLACES[unit]);
}

function fraction(part: bigint, places: number): string {
  const text = withoutEnd(String(part).padStart(places, '0'), '0');
  return text === '' ? '' : `.${text}`;
}

/** The shortest decimal that reads back as the same 32-bit number. */
function shortestFloat(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  for (let places = 6; places < 9; places += 1) {
    const text = Number(value.toPrecision(places));
    if (Math.fround(text) === value) return String(text);
  }
  return String(Number(value.toPrecision(9)));
}

/** IEEE 754 binary16, little-endian. */
function float16([low = 0, high = 0]: Uint8Array): number {
  const sign = high & 0x80 ? -1 : 1;
  const exponent = (high >> 2) & 31;
  const mantissa = ((high & 3) << 8) | low;
  if (exponent === 31) return mantissa === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * 2 ** -24 * mantissa : sign * 2 ** (exponent - 15) * (1 + mantissa / 1024);
}

function interval(bytes: Uint8Array): string {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [months, days, milliseconds] = [0, 4, 8].map((at) => data.getUint32(at, true));
  return `${months} months ${days} days ${milliseconds} ms`;
}
