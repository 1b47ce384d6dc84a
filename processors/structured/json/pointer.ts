// Finds the value a JSON Pointer names without loading the document: everything before it is skipped.

import type { Source } from '../../../src/contract/index.ts';
import { indexJsonItems, locateJsonItem } from '../../../src/scan/index.ts';
import { decodeUtf8 } from '../byte-window.ts';
import { MAX_KEYS_SEEN, notFound, pointerTokens } from '../pointer.ts';
import { closing, type JsonCursor, unclosed, unexpected } from './cursor.ts';
import { afterSpace, BYTE, endOfString, valueEnd } from './raw.ts';

const MAX_KEY_SEEN = 200;
/** Array items before this index are skipped one by one; later ones are located with the scanner. */
const STEPPED_ITEMS = 64;

/**
 * Moves the cursor from the root to the value `pointer` names. The first of duplicate keys counts.
 * @returns the opening bracket of each container on the way
 * @throws {ReaderError} BAD_INPUT if it is not found, naming the deepest part found
 */
export async function findPointer(
  cursor: JsonCursor,
  pointer: string,
  source: Source,
  signal: AbortSignal,
): Promise<number[]> {
  const tokens = pointerTokens(pointer);
  const opened: number[] = [];
  for (const [level, token] of tokens.entries()) {
    const byte = await cursor.expect('a value');
    const has =
      byte === BYTE.openObject
        ? await findKey(cursor, token)
        : byte === BYTE.openArray
          ? await findItem(cursor, token, source, signal)
          : `a ${byte === BYTE.quote ? 'string' : 'number or name'}`;
    if (has !== undefined) throw notFound(pointer, tokens, level, has);
    opened.push(byte);
  }
  await cursor.expect('a value');
  return opened;
}

/**
 * The names in `pointer` that occur again in their objects, behind the first. Reads a valid document from the value
 * that `pointer` names to its end; the cursor is at the root.
 */
export async function namesAgain(
  cursor: JsonCursor,
  pointer: string,
  source: Source,
  signal: AbortSignal,
): Promise<string[]> {
  const opened = await findPointer(cursor, pointer, source, signal);
  const tokens = pointerTokens(pointer);
  const again: string[] = [];
  await cursor.skip();
  for (let level = opened.length - 1; level >= 0; level--) {
    const open = opened[level] ?? 0;
    const token = tokens[level] ?? '';
    let next = await cursor.expect(closing(open));
    for (cursor.at++; next === BYTE.comma; cursor.at++) {
      if (open === BYTE.openArray) {
        await cursor.rest(open, cursor.at);
        break;
      }
      await cursor.expect('a key in double quotes');
      const { window } = cursor;
      cursor.at = window.start + passMembers(window.bytes, cursor.at - window.start, token, []);
      const { text, of } = await cursor.string(token.length + 1);
      await cursor.colon();
      if (of === token.length && text === token && again[0] !== token) again.unshift(token);
      await cursor.skip();
      next = await cursor.expect(closing(open));
    }
  }
  return again;
}

/** Moves the cursor to the value of `key`; if it is missing, returns the object's first keys. */
async function findKey(cursor: JsonCursor, key: string): Promise<string[] | undefined> {
  const seen: string[] = [];
  const keep = Math.max(key.length + 1, MAX_KEY_SEEN);
  const opening = cursor.at;
  cursor.at++;
  if ((await cursor.expect('`}`')) === BYTE.closeObject) return seen;
  for (;;) {
    const quote = await cursor.expect('a key in double quotes');
    if (quote !== BYTE.quote) throw unexpected(quote, 'a key in double quotes', cursor.at);
    const { window } = cursor;
    cursor.at = window.start + passMembers(window.bytes, cursor.at - window.start, key, seen);
    const { text, of } = await cursor.string(keep);
    await cursor.colon();
    if (of === key.length && text === key) {
      await cursor.expect('a value');
      return undefined;
    }
    if (seen.length < MAX_KEYS_SEEN) seen.push(text.slice(0, MAX_KEY_SEEN));
    await cursor.skip();
    const byte = await cursor.expect('`,` or `}`');
    if (byte === BYTE.closeObject) return seen;
    if (byte !== BYTE.comma) throw unexpected(byte, '`,` or `}`', opening);
    cursor.at++;
  }
}

/** Larger values are left to the scanner. */
const MAX_SMALL_BYTES = 4096;
/**
 * Skips small members that are complete in `bytes`, from a key's quote at `from`: one at a time, a million of them
 * would take seconds. Stops at the quote of the first member that is larger or may have the wanted key.
 */
function passMembers(bytes: Uint8Array, from: number, key: string, seen: string[]): number {
  for (let at = from; ; ) {
    const end = endOfString(bytes, at + 1);
    if (end < 0) return at;
    const raw = bytes.subarray(at + 1, end - 1);
    // A key of another UTF-8 length differs, unless it has escapes.
    const text = raw.length > MAX_SMALL_BYTES ? undefined : decodeUtf8(raw);
    if (text === undefined || text === key || text.includes('\\')) return at;
    const colon = afterSpace(bytes, end);
    if (bytes[colon] !== BYTE.colon) return at;
    const start = afterSpace(bytes, colon + 1);
    const value = valueEnd(bytes, start, start + MAX_SMALL_BYTES);
    if (value < 0) return at;
    const comma = afterSpace(bytes, value);
    const next = afterSpace(bytes, comma + 1);
    if (bytes[comma] !== BYTE.comma || bytes[next] !== BYTE.quote) return at;
    if (seen.length < MAX_KEYS_SEEN) seen.push(text.slice(0, MAX_KEY_SEEN));
    at = next;
  }
}

/** Moves the cursor to the item; if it is missing, returns the number of items. */
async function findItem(
  cursor: JsonCursor,
  token: string,
  source: Source,
  signal: AbortSignal,
): Promise<number | undefined> {
  const start = cursor.at;
  const index = /^(?:0|[1-9]\d{0,14})$/.test(token) ? Number(token) : -1;
  if (index < 0 || index >= STEPPED_ITEMS) {
    const items = await indexJsonItems(source, start, signal);
    if (index < 0 || index >= items.count) {
      if (!items.closed) throw unclosed(BYTE.openArray, start);
      return items.count;
    }
    cursor.at = await locateJsonItem(source, items, index + 1, signal);
    return undefined;
  }
  cursor.at++;
  if ((await cursor.expect('`]`')) === BYTE.closeArray) return 0;
  for (let at = 0; at < index; at++) {
    await cursor.skip();
    const byte = await cursor.expect('`,` or `]`');
    if (byte === BYTE.closeArray) return at + 1;
    if (byte !== BYTE.comma) throw unexpected(byte, '`,` or `]`', cursor.at);
    cursor.at++;
    await cursor.peek();
  }
  return undefined;
}
