// JSON Pointer (RFC 6901) over a tree of named and numbered members.

import { quoted, ReaderError } from '../../src/contract/index.ts';

const MAX_NEAR = 10;

/** The reference tokens of a pointer, unescaped. @throws {ReaderError} BAD_INPUT when it is none. */
export function pointerTokens(pointer: string): string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer))
    throw new ReaderError(
      'BAD_INPUT',
      `\`pointer\` is ${quoted(pointer)}; expected a JSON Pointer such as \`/items/3/name\`.`,
      'Start it with `/`; write `/` inside a name as `~1` and `~` as `~0`.',
    );
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The index a token names among `count` items, counting from 0; undefined when it names none. */
export function itemIndex(token: string, count: number): number | undefined {
  if (!/^(?:0|[1-9]\d{0,9})$/.test(token)) return undefined;
  const index = Number(token);
  return index < count ? index : undefined;
}

/**
 * BAD_INPUT for a pointer that leads nowhere: the deepest place found, and what lies there. `names` are the keys of that
 * place, or the number of its items.
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
  const hint = 'Ask for one of these, or leave `pointer` out to see the document.';
  const message = `\`pointer\` ${quoted(pointer)} is not in the document: ${place}`;
  if (names === undefined)
    return new ReaderError('BAD_INPUT', `${message} is a value with nothing inside.`, hint);
  if (typeof names === 'number')
    return new ReaderError(
      'BAD_INPUT',
      `${message} has no item ${missing}; it has ${names} items, numbered from 0.`,
      names === 0 ? 'Leave `pointer` out to see the document.' : `Ask for an item from 0 to ${names - 1}.`,
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

/** Names that look like `wanted` first, then those that come first. */
function nearest(names: readonly string[], wanted: string): string[] {
  const fold = wanted.toLowerCase();
  const close = names.filter((name) => {
    const folded = name.toLowerCase();
    return folded.startsWith(fold.slice(0, 3)) || (fold.length > 2 && folded.includes(fold));
  });
  return [...new Set([...close.slice(0, MAX_NEAR), ...names.slice(0, MAX_NEAR)])].slice(0, MAX_NEAR);
}
