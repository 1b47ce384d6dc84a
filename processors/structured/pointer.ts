// JSON Pointer (RFC 6901) over a tree of named and numbered members.

import { quoted, ReaderError } from '../../src/contract/index.ts';

const MAX_NEAR = 10;

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

/** Hints for arrays of 0 and 1 items. */
const INDEX_HINTS = ['Omit `pointer` to read the document.', 'Use the index 0.'];

/**
 * BAD_INPUT for a pointer that is not found, with the deepest value found and its keys or item count. `names` are those
 * keys, or that count; undefined for a scalar.
 */
export function notFound(
  pointer: string,
  tokens: readonly string[],
  depth: number,
  names: readonly string[] | number | undefined,
): ReaderError {
  const found = tokens
    .slice(0, depth)
    .map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
  const place = depth === 0 ? 'the root' : quoted(found);
  const missing = quoted(tokens[depth] ?? '');
  const hint = 'Use one of these, or omit `pointer` to read the document.';
  const message = `\`pointer\` ${quoted(pointer)} is not in the document: ${place}`;
  if (names === undefined)
    return new ReaderError(
      'BAD_INPUT',
      `${message} is a scalar.`,
      'Use a pointer to this scalar or above it.',
    );
  if (typeof names === 'number')
    return new ReaderError(
      'BAD_INPUT',
      `${message} has no item ${missing}; it has ${names} ${names === 1 ? 'item' : 'items'}, numbered from 0.`,
      INDEX_HINTS[names] ?? `Use an index from 0 to ${names - 1}.`,
    );
  const near = nearest(names, tokens[depth] ?? '').map(quoted);
  const more = names.length - near.length;
  const list = near.length === 0 ? 'it has no keys' : `its keys are ${near.join(', ')}`;
  return new ReaderError(
    'BAD_INPUT',
    `${message} has no key ${missing}; ${list}${more > 0 ? ` and ${more} more` : ''}.`,
    hint,
  );
}

/** Names similar to `wanted` first, then the first ones in document order. */
function nearest(names: readonly string[], wanted: string): string[] {
  const fold = wanted.toLowerCase();
  const close = names.filter((name) => {
    const folded = name.toLowerCase();
    return folded.startsWith(fold.slice(0, 3)) || (fold.length > 2 && folded.includes(fold));
  });
  return [...new Set([...close.slice(0, MAX_NEAR), ...names.slice(0, MAX_NEAR)])].slice(0, MAX_NEAR);
}
