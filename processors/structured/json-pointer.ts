// Finds the value a JSON Pointer names without loading the document: what lies before it is passed over.

import { quoted, ReaderError, type Source } from '../../src/contract/index.ts';
import { indexJsonItems, locateJsonItem } from '../../src/scan/index.ts';
import { BYTE, type JsonCursor, unexpected } from './json-cursor.ts';

const MAX_KEYS_SEEN = 1000;
const MAX_KEYS_NAMED = 10;
const MAX_KEY_SEEN = 200;
/** Array items before this index are stepped over; later ones are found by the index of the scan room. */
const STEPPED_ITEMS = 64;

/** The reference tokens of a pointer (RFC 6901). @throws {ReaderError} BAD_INPUT */
export function pointerTokens(pointer: string): string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer))
    throw new ReaderError(
      'BAD_INPUT',
      `\`pointer\` is ${quoted(pointer)}; expected a JSON Pointer such as \`/items/0/name\`.`,
      'Start it with `/`; write `~` in a key as `~0` and `/` as `~1`.',
    );
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The error of a pointer that leads nowhere: the deepest part there is, and what is there. */
export function pointerNotFound(
  pointer: string,
  found: string,
  what: string,
  near: readonly string[],
): ReaderError {
  const place = found === '' ? 'the root' : quoted(found);
  return new ReaderError(
    'BAD_INPUT',
    `\`pointer\` ${quoted(pointer)} names nothing: ${place} is ${what}.`,
    near.length === 0
      ? `Ask for ${place} to see what is there.`
      : `Ask for one of these below ${place}: ${near.map(quoted).join(', ')}.`,
  );
}

/** Up to ten of `keys`, those most like `wanted` first. */
export function nearKeys(keys: readonly string[], wanted: string): string[] {
  const low = wanted.toLowerCase();
  const score = (key: string): number => {
    const lower = key.toLowerCase();
    if (lower === low) return 0;
    if (lower.startsWith(low) || low.startsWith(lower)) return 1;
    if (lower.includes(low)) return 2;
    return 3 + distance(lower.slice(0, 40), low.slice(0, 40));
  };
  return keys
    .map((key, index) => ({ key, index, score: score(key) }))
    .sort((a, b) => a.score - b.score || a.index - b.index)
    .slice(0, MAX_KEYS_NAMED)
    .map(({ key }) => key);
}

/** Edit distance; both texts are short. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/**
 * Puts the cursor, which stands on the root, on the value `pointer` names. Of equal keys the first counts.
 * @throws {ReaderError} BAD_INPUT when there is none, naming the deepest part found
 */
export async function findPointer(
  cursor: JsonCursor,
  pointer: string,
  source: Source,
  signal: AbortSignal,
): Promise<void> {
  let found = '';
  const tokens = pointerTokens(pointer);
  const pieces = pointer.split('/').slice(1);
  for (const [level, token] of tokens.entries()) {
    const byte = await cursor.expect('a value');
    const deeper = `${found}/${pieces[level] ?? ''}`;
    if (byte === BYTE.openObject) {
      const keys = await findKey(cursor, token);
      if (keys)
        throw pointerNotFound(
          pointer,
          found,
          `an object without the key ${quoted(token)}`,
          nearKeys(keys, token),
        );
    } else if (byte === BYTE.openArray) {
      const count = await findItem(cursor, token, source, signal);
      if (count !== undefined) {
        const last = count === 0 ? '' : `; its items are 0 to ${count - 1}`;
        throw pointerNotFound(
          pointer,
          found,
          `an array of ${count} item${count === 1 ? '' : 's'}${last}`,
          [],
        );
      }
    } else
      throw pointerNotFound(pointer, found, `a ${byte === BYTE.quote ? 'string' : 'number or name'}`, []);
    found = deeper;
  }
  await cursor.expect('a value');
}

/** Puts the cursor on the value of `key`; if there is none gives the object's first keys. */
async function findKey(cursor: JsonCursor, key: string): Promise<string[] | undefined> {
  const seen: string[] = [];
  const keep = Math.max(key.length + 1, MAX_KEY_SEEN);
  const opening = cursor.at;
  cursor.at++;
  if ((await cursor.expect('`}`')) === BYTE.closeObject) return seen;
  for (;;) {
    const quote = await cursor.expect('a key in double quotes');
    if (quote !== BYTE.quote) throw unexpected(quote, 'a key in double quotes', cursor.at);
    const { text, of } = await cursor.string(keep);
    await cursor.colon();
    if (of === key.length && text === key) return undefined;
    if (seen.length < MAX_KEYS_SEEN) seen.push(text.slice(0, MAX_KEY_SEEN));
    await cursor.skip();
    const byte = await cursor.expect('`,` or `}`');
    if (byte === BYTE.closeObject) return seen;
    if (byte !== BYTE.comma) throw unexpected(byte, '`,` or `}`', opening);
    cursor.at++;
  }
}

/** Puts the cursor on the item; if there is none gives the number of items. */
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
    if (index < 0 || index >= items.count) return items.count;
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
