// Strict validity of JSON (RFC 8259). The engine's parser decides; only what it rejects, or what is nested too deeply for
// it, is read token by token, to say where the first error is.

import { type Bytes, type Source, throwIfAborted } from '../../../src/contract/index.ts';
import { JsonSkipper } from '../../../src/scan/index.ts';
import { decodeUtf8 } from '../byte-window.ts';
import { placeOf } from '../stretch.ts';
import { closing, JsonCursor, JsonSyntaxError, unexpected } from './cursor.ts';
import { BYTE } from './raw.ts';

/** How far the second of two lines is sought. */
const HEAD_BYTES = 4 * 1024 * 1024;
const MAX_LITERAL_KEPT = 4096;
/** The engine's parser takes some 50 bytes for each open container. */
export const MAX_PARSED_DEPTH = 10_000;

/** Sources that are known to be one valid document. */
const VALID = new WeakSet<Source>();

/** To be called where all of a source was parsed, so that it is not parsed again. */
export const markValid = (source: Source): WeakSet<Source> => VALID.add(source);

/**
 * Up to this size a whole file is validated. Above it, only what is shown is validated, and the rest is checked for
 * closing brackets.
 */
export const MAX_VALIDATED_BYTES: Bytes = 16 * 1024 * 1024;

/** The first error of a source that is small enough to be validated, undefined if there is none. */
export async function faultOf(source: Source, signal: AbortSignal): Promise<JsonSyntaxError | undefined> {
  if (source.size > MAX_VALIDATED_BYTES || VALID.has(source)) return undefined;
  try {
    await validateJson(source, signal);
    markValid(source);
    return undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
}

/** What is wrong, and where: `expected a value at line 3, column 1 (byte 20)`. */
export async function faultText(
  { message, at }: JsonSyntaxError,
  source: Source,
  signal: AbortSignal,
): Promise<string> {
  const { line, column } = await placeOf(source, at, signal);
  return `${message} at line ${line}, column ${column} (byte ${at + 1})`;
}

/** Validates a whole source, which it holds in memory. @throws {JsonSyntaxError} at the first error */
async function validateJson(source: Source, signal: AbortSignal): Promise<void> {
  throwIfAborted(signal);
  const bytes = await source.read(0, source.size);
  const skipper = new JsonSkipper();
  skipper.begin();
  skipper.push(bytes, 0);
  if (skipper.maxDepth > MAX_PARSED_DEPTH || parsedJson(decodeUtf8(bytes)) === undefined)
    await readThrough(new JsonCursor(source, signal));
}

/** The value of a JSON text; undefined if it is not valid. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Reads one document token by token to its end. @throws {JsonSyntaxError} at the first error */
async function readThrough(cursor: JsonCursor): Promise<void> {
  const open = new Uint8Array(cursor.source.size);
  let depth = 0;
  for (;;) {
    const value = cursor.expect('a value');
    // Most bytes are there at once, and waiting costs more than reading them.
    const byte = typeof value === 'number' ? value : await value;
    if (byte === BYTE.openArray || byte === BYTE.openObject) {
      open[depth++] = byte;
      cursor.at++;
      const child = cursor.expect(closing(byte));
      const first = typeof child === 'number' ? child : await child;
      if (first !== byte + 2) {
        if (byte === BYTE.openObject) await passKey(cursor, 'a key in double quotes or `}`');
        continue;
      }
    } else if (byte === BYTE.quote) await cursor.string(Number.POSITIVE_INFINITY);
    else await cursor.literal(MAX_LITERAL_KEPT);
    while (depth > 0) {
      const opened = open[depth - 1] ?? 0;
      const after = cursor.expect(closing(opened));
      const next = typeof after === 'number' ? after : await after;
      if (next !== opened + 2 && next !== BYTE.comma)
        throw unexpected(next, `\`,\` or ${closing(opened)}`, cursor.at);
      cursor.at++;
      if (next === BYTE.comma) {
        if (opened === BYTE.openObject) await passKey(cursor, 'a key in double quotes');
        break;
      }
      depth--;
    }
    if (depth > 0) continue;
    const more = await cursor.peek();
    if (more >= 0) throw unexpected(more, 'nothing after the value', cursor.at);
    return;
  }
}

async function passKey(cursor: JsonCursor, expected: string): Promise<void> {
  const quote = await cursor.expect(expected);
  if (quote !== BYTE.quote) throw unexpected(quote, expected, cursor.at);
  await cursor.string(Number.POSITIVE_INFINITY);
  await cursor.colon();
}

/** True if the first line is one JSON value and the next non-blank line is too, as far as both are in the head. */
export async function looksLikeLines(utf8: Source): Promise<boolean> {
  const head = await utf8.read(0, HEAD_BYTES);
  const lines = decodeUtf8(head).split('\n');
  const [first, second] = lines.filter((line) => line.trim() !== '');
  if (first === undefined || second === undefined || parsedJson(first) === undefined) return false;
  const isCut = second === lines.at(-1) && head.length < utf8.size;
  return isCut || parsedJson(second) !== undefined;
}
