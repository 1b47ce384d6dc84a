// Strict validity of JSON (RFC 8259). The engine's parser decides; only what it rejects, or what is nested too deeply for
// it, is read token by token, to say where the first error is.

import { type Bytes, type Source, throwIfAborted } from '../../../src/contract/index.ts';
import { JsonSkipper } from '../../../src/scan/index.ts';
import { BYTE, closing, JsonCursor, JsonSyntaxError, unexpected } from './cursor.ts';

/** Of a longer line only the closing brackets are checked. */
const MAX_CHECKED_BYTES = 1024 * 1024;
const MAX_LITERAL_KEPT = 4096;
/** The engine's parser takes some 50 bytes for each open container. */
const MAX_PARSED_DEPTH = 10_000;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Values of whole documents, as long as nothing else needs their memory. */
const PARSED = new WeakMap<Source, WeakRef<object>>();

/** The value that `validateJson` parsed, if it is still in memory. */
export const parsedBefore = (source: Source): unknown => PARSED.get(source)?.deref();

/** Validates a whole source, which it holds in memory. @throws {JsonSyntaxError} at the first error */
export async function validateJson(source: Source, signal: AbortSignal): Promise<void> {
  throwIfAborted(signal);
  const bytes = await source.read(0, source.size);
  const skipper = new JsonSkipper();
  skipper.begin();
  skipper.push(bytes, 0);
  if (skipper.maxDepth > MAX_PARSED_DEPTH) return readThrough(new JsonCursor(source, signal));
  const value = parsedJson(decoder.decode(bytes));
  if (value === undefined) return readThrough(new JsonCursor(source, signal));
  if (typeof value === 'object' && value !== null) PARSED.set(source, new WeakRef(value));
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

/** True if the first line is one JSON value and the next non-blank line is too. */
export async function looksLikeLines(utf8: Source, signal: AbortSignal): Promise<boolean> {
  try {
    const cursor = new JsonCursor(utf8, signal);
    if ((await cursor.peek()) < 0) return false;
    const start = cursor.at;
    await cursor.skip();
    const end = cursor.at;
    if ((await cursor.peek()) < 0) return false;
    const next = cursor.at;
    const between = await utf8.read(end, Math.min(next - end, MAX_CHECKED_BYTES));
    const first = await utf8.read(start, Math.min(end - start, MAX_CHECKED_BYTES));
    if (!between.includes(10) || first.includes(10)) return false;
    if (!isValid(first, end - start)) return false;
    await cursor.skip();
    const second = await utf8.read(next, Math.min(cursor.at - next, MAX_CHECKED_BYTES));
    if (second.includes(10)) return false;
    return isValid(second, cursor.at - next);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return false;
    throw error;
  }
}

/** True unless `bytes` are all of a value and not valid. */
const isValid = (bytes: Uint8Array, length: Bytes): boolean =>
  bytes.length < length || parsedJson(decoder.decode(bytes)) !== undefined;
