// JSON Pointer (RFC 6901) over a tree of named and numbered members.

import { editDistance, plural, quoted, ReaderError, type Warning } from '../../src/contract/index.ts';

/** Keys that are compared with one that is not found. */
export const MAX_KEYS_SEEN = 1000;

/** The unescaped reference tokens of a pointer. @throws {ReaderError} BAD_INPUT if it is malformed. */
export function pointerTokens(pointer: string): string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer))
    throw new ReaderError(
      'BAD_INPUT',
      `\`pointer\` is ${quoted(pointer)}; expected a JSON Pointer such as \`/items/3/name\`.`,
      'Start it with `/`; escape `/` in a name as `~1` and `~` as `~0`.',
    );
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A token that stands for every item of an array or every member of an object. */
export const WILDCARD = '*';

/** True if a token of `pointer` is a wildcard. */
export const hasWildcard = (pointer: string | undefined): pointer is string =>
  pointer !== undefined && /\/\*(?:\/|$)/.test(pointer);

/** The 0-based index a token denotes among `count` items; undefined if it is not a valid index. */
export function itemIndex(token: string, count: number): number | undefined {
  if (!/^(?:0|[1-9]\d{0,9})$/.test(token)) return undefined;
  const index = Number(token);
  return index < count ? index : undefined;
}

/** The warning that `names` in a pointer occur again in their objects. */
export const repeatedNames = (names: readonly string[]): Warning => ({
  code: 'DUPLICATE_KEYS',
  message: `${names.map(quoted).join(', ')} in \`pointer\` ${names.length === 1 ? 'occurs' : 'occur'} more than once in the same object; the first is used.`,
});

/**
 * BAD_INPUT for a pointer that is not found: names the deepest value found, and what it has. `has` are its keys, its
 * number of items, or what it is if it has neither.
 */
export function notFound(
  pointer: string,
  tokens: readonly string[],
  depth: number,
  has: readonly string[] | number | string,
): ReaderError {
  const found = tokens
    .slice(0, depth)
    .map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
  const place = depth === 0 ? 'the root' : quoted(found);
  const wanted = tokens[depth] ?? '';
  const near = typeof has === 'object' ? nearKeys(has, wanted) : [];
  const items = (count: number): string =>
    `an array of ${plural(count, 'item')}${count === 0 ? '' : `; its items are 0 to ${count - 1}`}`;
  const what =
    typeof has === 'number'
      ? items(has)
      : typeof has === 'string'
        ? has
        : `an object without the key ${quoted(wanted)}`;
  return new ReaderError(
    'BAD_INPUT',
    `\`pointer\` ${quoted(pointer)} was not found: ${place} is ${what}.`,
    near.length === 0
      ? `Read ${place} to see its content.`
      : `Use a key of ${place}: ${near.map(quoted).join(', ')}.`,
  );
}

const MAX_KEYS_NAMED = 10;

/** Up to ten of `keys`, most similar to `wanted` first. */
function nearKeys(keys: readonly string[], wanted: string): string[] {
  const low = wanted.toLowerCase();
  const score = (key: string): number => {
    const lower = key.toLowerCase();
    if (lower === low) return 0;
    if (lower.startsWith(low) || low.startsWith(lower)) return 1;
    if (lower.includes(low)) return 2;
    return 3 + editDistance(lower.slice(0, 40), low.slice(0, 40));
  };
  return keys
    .slice(0, MAX_KEYS_SEEN)
    .map((key, index) => ({ key, index, score: score(key) }))
    .sort((a, b) => a.score - b.score || a.index - b.index)
    .slice(0, MAX_KEYS_NAMED)
    .map(({ key }) => key);
}
