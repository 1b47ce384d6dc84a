// Pointers with wildcards: every matching element or attribute in document order.

import {
  type Bytes,
  type ProcessContext,
  quoted,
  ReaderError,
  type TextPart,
  type TextSource,
} from '../../../src/contract/index.ts';
import { type MatchRow, matchTable } from '../records/match-table.ts';
import { MAX_RECORD_BYTES } from '../records/records.ts';
import type { Subject, XmlDocument } from './document.ts';
import { type Found, searchXml } from './search.ts';

const MAX_MATCHES = 250_000;

/** A match, and the bytes of its value: text, an attribute's value, or an element that is not text alone. */
interface Match {
  readonly pointer: string;
  readonly from: Bytes;
  readonly to: Bytes;
}

/** An answer needs them more than once. */
const KNOWN = new WeakMap<TextSource, { readonly pointer: string; readonly matches: readonly Match[] }>();

/** @throws {ReaderError} BAD_INPUT for another root, LIMIT_EXCEEDED */
async function matchesOf(document: XmlDocument, root: Subject, pointer: string): Promise<readonly Match[]> {
  const known = KNOWN.get(document.source);
  if (known?.pointer === pointer) return known.matches;
  const matches: Match[] = [];
  await searchXml(document, root, pointer, (found) => {
    if (matches.length >= MAX_MATCHES)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `\`pointer\` ${quoted(pointer)} has more than ${MAX_MATCHES} matches.`,
        'Use a number or a name in place of one `*`.',
      );
    matches.push(matchOf(found));
    return false;
  });
  KNOWN.set(document.source, { pointer, matches });
  return matches;
}

function matchOf(found: Found): Match {
  const { path: pointer } = found;
  if ('attribute' in found)
    return { pointer, from: found.attribute.valueStart, to: found.attribute.valueEnd };
  const { start, close, children } = found.content;
  return children === 0 && close > start
    ? { pointer, from: start, to: close }
    : { pointer, from: found.start, to: found.end };
}

/** How many matches there are. */
export async function countText(document: XmlDocument, root: Subject, pointer: string): Promise<string> {
  const { length } = await matchesOf(document, root, pointer);
  return `${length} ${length === 1 ? 'match' : 'matches'} of ${quoted(pointer)}`;
}

/** The parts of an answer about the matches of the requested pointer. @throws as `matchesOf` */
export async function* matchParts(
  document: XmlDocument,
  root: Subject,
  context: ProcessContext,
): AsyncGenerator<TextPart> {
  const { pointer = '' } = context.selection;
  const matches = await matchesOf(document, root, pointer);
  const count = matches.length;
  context.describe({ matches: count });
  const heading = await countText(document, root, pointer);
  yield* matchTable({ count, heading, read: (from, to) => rowsOf(document, matches, from, to) }, context);
}

async function* rowsOf(
  { window }: XmlDocument,
  matches: readonly Match[],
  first: number,
  last: number,
): AsyncGenerator<MatchRow> {
  for (const [index, { pointer, from, to }] of matches.slice(first - 1, last).entries()) {
    const value = (await window.text(from, Math.min(to, from + MAX_RECORD_BYTES))).trim();
    yield { number: first + index, pointer, size: to - from, value };
  }
}
