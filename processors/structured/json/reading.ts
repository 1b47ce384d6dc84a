// JSON of any size: a truncated view with exact counts that is itself valid JSON, one value by pointer, items by
// number, and a walk over the rest. Only what is shown is parsed; everything else is skipped at scan speed.

import {
  type Next,
  NotThisFormat,
  type OutlineLine,
  type Part,
  type ProcessContext,
  quoted,
  ReaderError,
  resolveRange,
  type Source,
  type TextPart,
  type TextSource,
} from '../../../src/contract/index.ts';
import { indexJsonItems, locateJsonItem } from '../../../src/scan/index.ts';
import { decodeUtf8 } from '../byte-window.ts';
import { MemoryText } from '../memory-text.ts';
import { repeatedNames } from '../pointer.ts';
import { asksForTable } from '../records/records.ts';
import { stretchOf } from '../stretch.ts';
import { extents, type TreeExtents } from '../tree/extents.ts';
import { fitTree, STEPS, tighten } from '../tree/fit.ts';
import type { Node } from '../tree/node.ts';
import { largestRest } from '../tree/rest.ts';
import { glyphFor, isWhole, shape, treeLimits } from '../tree/shape.ts';
import { arrayTable } from './array-records.ts';
import { JsonCursor, JsonSyntaxError, unclosed } from './cursor.ts';
import { linesOfJson } from './lines/lines.ts';
import { asksForMatches, matchesOf, outlineOfMatches } from './matches/matches.ts';
import { outlineOf } from './outline.ts';
import { JsonPlace, startOfItems } from './place.ts';
import { findPointer, namesAgain } from './pointer.ts';
import { type JsonPosition, readPosition, writePosition } from './position.ts';
import { BYTE } from './raw.ts';
import { writeJson } from './text.ts';
import { type BoundedTree, readTree, type Stretch } from './tree.ts';
import { faultOf, faultText, looksLikeLines, MAX_VALIDATED_BYTES } from './validator.ts';
import { jsonPage } from './walk.ts';

/** Marks a cursor position inside JSON Lines. */
const LINES = 'lines';
/** Minimum and maximum characters of a document held for shaping. */
const MIN_CAPACITY = 20_000;
const MAX_CAPACITY = 8_000_000;
/** A value that has no line feed in this many bytes does not have the lines of its view. */
const LINE_BYTES = 4096;
/** Approximate characters per token of JSON. */
const CHARACTERS_PER_TOKEN = 3;

/** A view, the next page of a walk, or the whole document. @throws {NotThisFormat} before the first part */
export async function* process(source: Source, context: ProcessContext): AsyncGenerator<Part> {
  yield* processJson(await context.text(source), context);
}

/** Keys and items with their types and counts. @throws {NotThisFormat} before the first part */
export async function* outline(source: Source, context: ProcessContext): AsyncGenerator<OutlineLine> {
  const utf8 = await context.text(source);
  const cursor = new JsonCursor(utf8, context.signal);
  try {
    if (asksForMatches(context)) {
      yield* outlineOfMatches(utf8, context);
      return;
    }
    await findPointer(cursor, context.selection.pointer ?? '', utf8, context.signal);
    yield* outlineOf(cursor, utf8, context);
  } catch (error) {
    throw await asRefusal(error, utf8, context);
  }
}

/** Reads a text as JSON, for formats based on JSON. @throws {NotThisFormat} before the first part */
export async function* processJson(utf8: TextSource, context: ProcessContext): AsyncGenerator<Part> {
  const { resume } = context.selection;
  if (resume !== undefined && resume.length > 0) {
    if (resume[0] === LINES) yield* marked(linesOfJson(utf8, context, resume.slice(1)));
    else if (asksForMatches(context)) yield* matchesOf(utf8, context);
    else yield* (await arrayTable(utf8, context)) ?? walkFrom(utf8, context, resume);
    return;
  }
  let begun = false;
  try {
    if (asksForMatches(context)) {
      if (await looksLikeLines(utf8)) throw new JsonSyntaxError('more than one value', 0);
      yield* matchesOf(utf8, context);
      return;
    }
    const fault = await faultOf(utf8, context.signal);
    const readable = fault ? await startWithPart(utf8, fault, context) : utf8;
    if (!fault) await warnOfNames(utf8, context);
    for await (const part of (await arrayTable(readable, context)) ?? firstView(readable, context)) {
      begun = true;
      yield part;
    }
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    if (begun) throw await asCorrupt(error, utf8, context);
    if (!(await looksLikeLines(utf8))) throw await asRefusal(error, utf8, context);
    context.warn({
      code: 'FORMAT_MISMATCH',
      message: 'The file is JSON Lines, not a single JSON document; read as JSON Lines.',
    });
    yield* marked(linesOfJson(utf8, context));
  }
}

/** Warns of names in the pointer that occur again, if the document is small enough to be read to its end. */
async function warnOfNames(utf8: TextSource, { selection, signal, warn }: ProcessContext): Promise<void> {
  const { pointer = '' } = selection;
  if (pointer === '' || utf8.size > MAX_VALIDATED_BYTES) return;
  const again = await namesAgain(new JsonCursor(utf8, signal), pointer, utf8, signal);
  if (again.length > 0) warn(repeatedNames(again));
}

/** The start of an invalid document, up to its first error. */
class ValidStart extends MemoryText {}

/**
 * The text before `fault`, if it has all of what the request names.
 * @throws {JsonSyntaxError} `fault` if it has not, or if the request names no part
 */
async function startWithPart(
  utf8: TextSource,
  fault: JsonSyntaxError,
  context: ProcessContext,
): Promise<TextSource> {
  const { signal, selection, warn } = context;
  const { pointer = '', rows } = selection;
  if ((pointer === '' && !rows) || (await looksLikeLines(utf8))) throw fault;
  const text = decodeUtf8(await utf8.read(0, fault.at));
  const start = new ValidStart(utf8.name, text, `${await utf8.identity()} before ${fault.at}`);
  const cursor = new JsonCursor(start, signal);
  try {
    await findPointer(cursor, pointer, start, signal);
    if (rows && !asksForTable(selection)) await stretchAt(cursor, start, context);
    else await cursor.skip();
  } catch (error) {
    throw error instanceof JsonSyntaxError ? fault : error;
  }
  // A number or name that ends at the error may be cut off there.
  if (cursor.at === start.size && !/["\]}]$/.test(text)) throw fault;
  warn({
    code: 'INVALID_SYNTAX',
    message: `Not valid JSON: ${await faultText(fault, utf8, signal)}. Only the text before it was read.`,
  });
  return start;
}

/** Marks the positions of JSON Lines parts, to distinguish them from positions in a document. */
async function* marked(parts: AsyncIterable<Part>): AsyncGenerator<Part> {
  for await (const part of parts)
    yield part.next ? { ...part, next: { ...part.next, position: [LINES, ...part.next.position] } } : part;
}

/** Converts a syntax error to a format rejection with line and column. */
async function asRefusal(error: unknown, utf8: TextSource, context: ProcessContext): Promise<unknown> {
  if (!(error instanceof JsonSyntaxError)) return error;
  const message = `Not valid JSON: ${await faultText(error, utf8, context.signal)}.`;
  return new NotThisFormat({ code: 'INVALID_SYNTAX', message }, error);
}

/** Converts a syntax error that occurs after content was yielded. */
async function asCorrupt(
  error: JsonSyntaxError,
  utf8: TextSource,
  { signal }: ProcessContext,
): Promise<ReaderError> {
  return new ReaderError(
    'CORRUPT_FILE',
    `The JSON is invalid further on: ${await faultText(error, utf8, signal)}.`,
    'Use `lines` to read the file as text.',
    error,
  );
}

async function* walkFrom(
  utf8: TextSource,
  context: ProcessContext,
  resume: NonNullable<ProcessContext['selection']['resume']>,
): AsyncGenerator<TextPart> {
  const { budget, signal, selection } = context;
  const pointer = selection.pointer ?? '';
  const place = new JsonPlace(utf8, readPosition(resume, utf8.size), { signal, pointer });
  try {
    yield* jsonPage(place, budget);
  } catch (error) {
    throw error instanceof JsonSyntaxError ? await asCorrupt(error, utf8, context) : error;
  }
}

async function* firstView(utf8: TextSource, context: ProcessContext): AsyncGenerator<Part> {
  const { selection, signal, budget } = context;
  const pointer = selection.pointer ?? '';
  const cursor = new JsonCursor(utf8, signal);
  await cursor.expect('a value');
  await findPointer(cursor, pointer, utf8, signal);
  const stretch = selection.rows ? await stretchAt(cursor, utf8, context) : undefined;
  if (utf8.size > MAX_VALIDATED_BYTES) context.describe({ validated: false });

  if (selection.all) {
    yield* everything(cursor, utf8, context, stretch);
    return;
  }

  const base = treeLimits(context.limits);
  const capacity = Math.max(MIN_CAPACITY, Math.min(MAX_CAPACITY, budget.characters));
  const reading = await readTree(cursor, base, capacity, stretch);
  const isDocument = pointer === '' && !stretch;
  if (isDocument) {
    const more = await cursor.peek();
    if (more >= 0)
      throw new JsonSyntaxError(`expected nothing after the value, found ${found(more)}`, cursor.at);
  }
  tell(reading, context, pointer, stretch);

  const whole = reading.limits === base && isWhole(shape(reading.node, base));
  if (whole && !stretch) {
    const [from, to] = isDocument ? [0, utf8.size] : [reading.start, reading.end];
    const text = await verbatim(utf8, from, to, budget.characters);
    if (text !== undefined && budget.fits(text, budget.tokens, budget.characters)) {
      yield { kind: 'text', text, shown: declare(reading.node, context, pointer, reading.levels).shown };
      return;
    }
  }

  const glyph = glyphFor(reading.node);
  const fitted = await fitTree(reading.node, reading.limits, budget, (node) => `${writeJson(node, glyph)}\n`);
  const limits = fitted?.limits ?? tighten(reading.limits, STEPS);
  const view = fitted?.node ?? shape(reading.node, limits);
  const { shown, places } = declare(view, context, pointer, reading.levels);
  if (budget.tokensBesideNotes <= 0 || budget.charactersBesideNotes <= 0) return;
  const { start: at } = reading;
  const start: JsonPosition = stretch
    ? startOfItems(limits, at, stretch, limits.items)
    : { limits, frames: [], stage: 'start', at, done: 0, of: 0 };
  const place = new JsonPlace(utf8, start, { signal, pointer });
  if (!fitted) {
    yield* jsonPage(place, budget);
    return;
  }
  const position = (await place.seek())
    ? await place.next()
    : stretch && (await after(stretch, cursor, context));
  // A request for the first cut place replaces the walk only if nothing else was cut.
  const next = position?.request && places > 1 ? { position: position.position } : position;
  const room = budget.tokensBesideNotes * CHARACTERS_PER_TOKEN;
  const skip = next && !next.request ? largestRest(reading.node, fitted.node, pointer, room) : undefined;
  if (fitted.text.trimEnd().includes('\n') && (await isOneLine(utf8, reading)))
    context.warn({ code: 'CONVERTED', message: 'Line breaks are added.' });
  yield { kind: 'text', text: fitted.text, shown, ...(next && { next: { ...next, ...(skip && { skip }) } }) };
}

/** True if the value, or the start of a long one, has no line feed. */
async function isOneLine(utf8: TextSource, { start, end }: BoundedTree): Promise<boolean> {
  const head = await utf8.read(start, Math.min(LINE_BYTES, end - start));
  return !head.includes(0x0a);
}

/** How to continue after requested items that are shown whole: the items behind them, with the cursor at their end. */
async function after(
  { to, of }: Stretch,
  cursor: JsonCursor,
  { limits, selection: { pointer = '' } }: ProcessContext,
): Promise<Next | undefined> {
  if (to >= of) return undefined;
  await cursor.expect('`,`');
  cursor.at++;
  await cursor.expect('a value');
  const none = { ...treeLimits(limits), items: 0 };
  const rows = `${to + 1}-${of}`;
  return {
    position: writePosition(startOfItems(none, cursor.at, { from: to + 1, to: of, of }, 0)),
    request: pointer === '' ? { rows } : { pointer, rows },
  };
}

function found(byte: number): string {
  return byte > 0x20 && byte < 0x7f ? quoted(String.fromCharCode(byte)) : `byte ${byte}`;
}

/** The requested `rows` of the array at the cursor; moves the cursor to the first item. */
async function stretchAt(cursor: JsonCursor, utf8: TextSource, context: ProcessContext): Promise<Stretch> {
  const { rows, pointer = '' } = context.selection;
  const byte = await cursor.expect('a value');
  if (byte !== BYTE.openArray || !rows)
    throw new ReaderError(
      'BAD_INPUT',
      `\`rows\` requires an array; ${pointer === '' ? 'the document' : quoted(pointer)} is not one.`,
      'Set `pointer` to an array, or omit `rows`.',
    );
  const opening = cursor.at;
  const items = await indexJsonItems(utf8, opening, context.signal);
  // The last item of an array that ends at an error may be cut off there.
  const of = utf8 instanceof ValidStart && !items.closed ? items.count - 1 : items.count;
  if (of < 1 && !items.closed) throw unclosed(BYTE.openArray, opening);
  const { from, to } = resolveRange('rows', rows, of);
  cursor.at = await locateJsonItem(utf8, items, from, context.signal);
  return { from, to, of };
}

/** Reports facts and warnings about what was read. */
function tell(
  reading: BoundedTree,
  context: ProcessContext,
  pointer: string,
  stretch: Stretch | undefined,
): void {
  const { node, levels, duplicates } = reading;
  const what = node.kind === 'cut' ? node.what : node.kind;
  context.describe({
    type: what,
    ...(what === 'array' && 'of' in node && { items: node.of }),
    ...(what === 'object' && 'of' in node && { keys: node.of }),
    ...(!stretch && levels > 0 && { levels }),
    ...(pointer !== '' && { pointer }),
  });
  if (duplicates.length > 0)
    context.warn({
      code: 'DUPLICATE_KEYS',
      message: `An object has duplicate keys: ${duplicates.map(quoted).join(', ')}; parsers differ on which one they use.`,
    });
}

function declare(node: Node, context: ProcessContext, pointer: string, levels: number): TreeExtents {
  const found = extents(node, pointer, levels);
  for (const whole of found.wholes) context.whole(whole);
  return found;
}

/** A stretch of the file unchanged, unless it has more than `most` characters. */
async function verbatim(
  utf8: TextSource,
  from: number,
  to: number,
  most: number,
): Promise<string | undefined> {
  // A UTF-16 unit takes at most three bytes.
  if (to - from > most * 3) return undefined;
  return decodeUtf8(await utf8.read(from, to - from));
}

/** The file's own text of the document, the value or the items. */
async function* everything(
  cursor: JsonCursor,
  utf8: TextSource,
  { signal, selection }: ProcessContext,
  items: Stretch | undefined,
): AsyncGenerator<Part> {
  const from = cursor.at;
  for (let item = items?.from ?? 0; items && item < items.to; item++) {
    await cursor.skip();
    await cursor.expect('`,`');
    cursor.at++;
    await cursor.expect('a value');
  }
  if (items || (selection.pointer ?? '') !== '') {
    await cursor.skip();
    yield* stretchOf(utf8, from, cursor.at, signal, items && ['[', ']\n']);
  } else yield* stretchOf(utf8, 0, utf8.size, signal);
}
