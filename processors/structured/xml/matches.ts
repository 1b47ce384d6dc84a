// Pointers with wildcards: every matching element or attribute in document order, as a table of pointers and values.

import {
  type Bytes,
  type ProcessContext,
  quoted,
  ReaderError,
  type TextPart,
  type TextSource,
} from '../../../src/contract/index.ts';
import { type Table, type TableRow, tableParts } from '../../../src/table/index.ts';
import { MAX_RECORD_BYTES, pointed } from '../records/records.ts';
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
  const { pointer = '', resume, rows } = context.selection;
  const matches = await matchesOf(document, root, pointer);
  context.describe({ matches: matches.length });
  const isFirst = resume === undefined && rows === undefined;
  const table: Table = {
    header: ['pointer', 'value'],
    headerRow: 0,
    rows: matches.length,
    columns: 2,
    ...(isFirst && { heading: await countText(document, root, pointer) }),
    read: (from, to) => rowsOf(document, matches, from, to, context),
  };
  yield* pointed(tableParts(table, context), pointer);
}

async function* rowsOf(
  { window }: XmlDocument,
  matches: readonly Match[],
  first: number,
  last: number,
  { warn }: ProcessContext,
): AsyncGenerator<TableRow> {
  for (const [index, { pointer, from, to }] of matches.slice(first - 1, last).entries()) {
    const number = first + index;
    const end = Math.min(to, from + MAX_RECORD_BYTES);
    if (end < to)
      warn({
        code: 'SKIPPED_CONTENT',
        message: `Match ${number} takes ${to - from} bytes; only the first ${MAX_RECORD_BYTES} were read.`,
      });
    yield { number, cells: [pointer, (await window.text(from, end)).trim()] };
  }
}
