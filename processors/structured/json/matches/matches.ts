// Pointers with wildcards: finds all matches in one pass, with exact facts about them, and keeps an index to read any
// of them again.

import {
  type Bytes,
  createContentMap,
  type OutlineLine,
  type ProcessContext,
  ReaderError,
  type TextPart,
  type TextSource,
} from '../../../../src/contract/index.ts';
import { decodeUtf8 } from '../../byte-window.ts';
import { MemoryText } from '../../memory-text.ts';
import { hasWildcard, pointerTokens, WILDCARD } from '../../pointer.ts';
import { JsonCursor } from '../cursor.ts';
import { findPointer } from '../pointer.ts';
import { faultOf, faultText } from '../validator.ts';
import { type Damage, MatchSearch, type Searched, type Start } from './search.ts';
import { factsLine, type MatchFacts, Statistics } from './statistics.ts';

const MAX_SEGMENTS = 256;
const LEAST_INTERVAL: Bytes = 512 * 1024;
const MOST_STARTS = 1024;
const MAX_KEPT = 16;

/** All matches of a pattern in one text. */
export interface MatchIndex {
  readonly searched: Omit<Searched, 'signal'>;
  readonly starts: readonly Start[];
  readonly facts: MatchFacts;
  readonly damage: Damage;
  /** The facts in words, the fullest first. */
  readonly lines: readonly string[];
}

/** What is not read from the file for each answer again. */
type Kept = Omit<MatchIndex, 'searched'> & {
  readonly searched: Omit<Searched, 'signal' | 'source'>;
  /** Where the text is damaged. */
  readonly end: Bytes;
};
const KEPT = createContentMap<Kept>({ most: MAX_KEPT });

/**
 * The matches of the requested pointer in a document, or in JSON Lines that end with `newline`.
 * @throws {JsonSyntaxError} if the document is damaged before the place of the first wildcard
 * @throws {ReaderError} BAD_INPUT if that place is not found
 */
export async function indexMatches(
  utf8: TextSource,
  context: ProcessContext,
  newline?: number,
): Promise<MatchIndex> {
  const { pointer = '' } = context.selection;
  const question = `${await utf8.identity()} ${utf8.size} ${JSON.stringify(utf8.encoding)} ${newline ?? ''} ${pointer}`;
  const kept = KEPT.get(question) ?? (await search(utf8, context, newline, pointer));
  KEPT.set(question, kept);
  return { ...kept, searched: { ...kept.searched, source: await startOf(utf8, kept.end) } };
}

/** The text before `end`. */
async function startOf(utf8: TextSource, end: Bytes): Promise<TextSource> {
  if (end >= utf8.size) return utf8;
  const text = decodeUtf8(await utf8.read(0, end));
  return new MemoryText(utf8.name, text, `${await utf8.identity()} before ${end}`);
}

async function search(
  utf8: TextSource,
  { signal }: ProcessContext,
  newline: number | undefined,
  pointer: string,
): Promise<Kept> {
  const tokens = pointerTokens(pointer);
  if (tokens.length > MAX_SEGMENTS)
    throw new ReaderError(
      'BAD_INPUT',
      `\`pointer\` has ${tokens.length} segments; expected at most ${MAX_SEGMENTS} in one with \`*\`.`,
      'Shorten it.',
    );
  const outer = newline === undefined ? tokens.indexOf(WILDCARD) : 0;
  const prefix = pointer
    .split('/')
    .slice(0, outer + 1)
    .join('/');
  const known = newline === undefined ? await faultOf(utf8, signal) : undefined;
  const cursor = new JsonCursor(utf8, signal);
  if (newline === undefined) {
    await cursor.expect('a value');
    await findPointer(cursor, prefix, utf8, signal);
  }
  const searched = { tokens: tokens.slice(outer), start: cursor.at, prefix, newline };
  const end = known && known.at > cursor.at ? known.at : utf8.size;
  const statistics = new Statistics(searched.tokens.length);
  const interval = Math.max(LEAST_INTERVAL, utf8.size / MOST_STARTS);
  const source = await startOf(utf8, end);
  const reading = new MatchSearch({ ...searched, source, signal }, statistics, interval);
  for await (const _ of reading.run());
  const { damage } = reading;
  if (known) damage.error = known;
  const facts = statistics.facts();
  const full = factsLine(pointer, searched.tokens, facts);
  return {
    searched,
    end,
    starts: reading.starts,
    facts,
    damage,
    lines: [full, full.split(';')[0] ?? ''],
  };
}

/** True if the request asks for matches rather than for one value of a document. */
export const asksForMatches = ({ selection }: ProcessContext): boolean => hasWildcard(selection.pointer);

/** The parts of an answer about the matches of the requested pointer. @throws as `indexMatches` */
export async function* matchesOf(
  utf8: TextSource,
  context: ProcessContext,
  newline?: number,
): AsyncGenerator<TextPart> {
  const index = await indexMatches(utf8, context, newline);
  const { count, ...more } = index.facts;
  context.describe({ matches: count, ...more });
  await warnOfDamage(index, utf8, context);
  const { matchParts } = await import('./table.ts');
  yield* matchParts(index, context);
}

/** The facts alone. */
export async function* outlineOfMatches(
  utf8: TextSource,
  context: ProcessContext,
  newline?: number,
): AsyncGenerator<OutlineLine> {
  const { lines } = await indexMatches(utf8, context, newline);
  yield { level: 0, text: lines[0] ?? '' };
}

async function warnOfDamage(
  { damage: { error, records, badRecords }, facts: { count } }: MatchIndex,
  utf8: TextSource,
  { warn, signal }: ProcessContext,
): Promise<void> {
  if (error) {
    warn({
      code: 'INVALID_SYNTAX',
      message: `Not valid JSON: ${await faultText(error, utf8, signal)}. Only the ${count} matches before it were found.`,
    });
  }
  if (badRecords === 0) return;
  const more = badRecords > records.length ? ` and ${badRecords - records.length} more` : '';
  warn({
    code: 'INVALID_SYNTAX',
    message: `Not valid JSON, searched up to the error: row ${records.join(', ')}${more}.`,
  });
}
