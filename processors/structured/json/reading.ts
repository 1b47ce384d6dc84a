// JSON of any size: a truncated view with exact counts that is itself valid JSON, one value by pointer, items by number,
// and a walk over what was left out. Only what is shown is parsed; the rest is passed over at scan speed.

import {
  type Next,
  NotThisFormat,
  type OutlineLine,
  type Part,
  type ProcessContext,
  plural,
  quoted,
  ReaderError,
  resolveRange,
  type Source,
  type TextPart,
  type TextSource,
} from '../../../src/contract/index.ts';
import { indexJsonItems, locateJsonItem } from '../../../src/scan/index.ts';
import { extents, type TreeExtents } from '../tree/extents.ts';
import { fitTree, STEPS, tighten } from '../tree/fit.ts';
import type { Node } from '../tree/node.ts';
import { largestRest } from '../tree/rest.ts';
import { glyphFor, isWhole, shape, treeLimits } from '../tree/shape.ts';
import { arrayTable } from './array-records.ts';
import { BYTE, JsonCursor, JsonSyntaxError } from './cursor.ts';
import { linesOfJson } from './lines/lines.ts';
import { outlineOf } from './outline.ts';
import { findPointer } from './pointer.ts';
import { readPosition, writePosition } from './position.ts';
import { writeJson } from './text.ts';
import { type BoundedTree, readTree, type Stretch } from './tree.ts';
import { looksLikeLines, placeOf, validateJson } from './validator.ts';
import { JsonWalk, startOf, startOfItems } from './walk.ts';
import { everything, verbatim } from './whole.ts';

/** Up to this size all of a file is checked; above it what is shown, and that what is not shown is closed. */
const MAX_VALIDATED_BYTES = 16 * 1024 * 1024;
/** Marks a position inside JSON Lines. */
const LINES = 'lines';
/** Least and most characters of a document held to be shaped. */
const MIN_CAPACITY = 20_000;
const MAX_CAPACITY = 8_000_000;
/** About as many as a token of JSON has. */
const CHARACTERS_PER_TOKEN = 3;

/** A view, the next page of a walk, or all of a document. @throws {NotThisFormat} before the first part */
export async function* process(source: Source, context: ProcessContext): AsyncGenerator<Part> {
  yield* processJson(await context.text(source), context);
}

/** Keys and items with their types and counts. @throws {NotThisFormat} before the first part */
export async function* outline(source: Source, context: ProcessContext): AsyncGenerator<OutlineLine> {
  const utf8 = await context.text(source);
  const cursor = new JsonCursor(utf8, context.signal);
  try {
    await findPointer(cursor, context.selection.pointer ?? '', utf8, context.signal);
    yield* outlineOf(cursor, utf8, context);
  } catch (error) {
    throw await asRefusal(error, utf8, context);
  }
}

/** The JSON reading of a text, for formats that are JSON underneath. @throws {NotThisFormat} before the first part */
export async function* processJson(utf8: TextSource, context: ProcessContext): AsyncGenerator<Part> {
  const { resume } = context.selection;
  if (resume !== undefined && resume.length > 0) {
    if (resume[0] === LINES) yield* marked(linesOfJson(utf8, context, resume.slice(1)));
    else yield* (await arrayTable(utf8, context)) ?? walkFrom(utf8, context, resume);
    return;
  }
  let begun = false;
  try {
    if (utf8.size <= MAX_VALIDATED_BYTES) await validateJson(utf8, context.signal);
    for await (const part of (await arrayTable(utf8, context)) ?? firstView(utf8, context)) {
      begun = true;
      yield part;
    }
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    if (begun) throw await asCorrupt(error, utf8, context);
    if (!(await looksLikeLines(utf8, context.signal))) throw await asRefusal(error, utf8, context);
    context.warn({
      code: 'FORMAT_MISMATCH',
      message: 'The file is JSON Lines, a value a line, and not one JSON document; it is read as JSON Lines.',
    });
    yield* marked(linesOfJson(utf8, context));
  }
}

/** Parts of a JSON Lines reading, their positions told apart from those of a document. */
async function* marked(parts: AsyncIterable<Part>): AsyncGenerator<Part> {
  for await (const part of parts)
    yield part.next ? { ...part, next: { ...part.next, position: [LINES, ...part.next.position] } } : part;
}

/** A syntax error as the refusal of the format, with its line and column. */
async function asRefusal(error: unknown, utf8: TextSource, context: ProcessContext): Promise<unknown> {
  if (!(error instanceof JsonSyntaxError)) return error;
  const { line, column } = await placeOf(utf8, error.at, context.signal);
  const place = `line ${line}, column ${column} (byte ${error.at + 1})`;
  return new NotThisFormat(
    { code: 'INVALID_SYNTAX', message: `Not valid JSON: ${error.message} at ${place}.` },
    error,
  );
}

/** A syntax error met after content was given. */
async function asCorrupt(
  error: JsonSyntaxError,
  utf8: TextSource,
  { signal }: ProcessContext,
): Promise<ReaderError> {
  const { line, column } = await placeOf(utf8, error.at, signal);
  return new ReaderError(
    'CORRUPT_FILE',
    `The JSON is not valid further on: ${error.message} at line ${line}, column ${column} (byte ${error.at + 1}).`,
    'Ask for `lines` to read the file as text.',
    error,
  );
}

async function* walkFrom(
  utf8: TextSource,
  context: ProcessContext,
  resume: NonNullable<ProcessContext['selection']['resume']>,
): AsyncGenerator<TextPart> {
  const { budget, signal, selection } = context;
  const walk = new JsonWalk(utf8, readPosition(resume, utf8.size), {
    budget,
    signal,
    pointer: selection.pointer ?? '',
  });
  try {
    yield* walk.page();
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
  const fitted = fitTree(reading.node, reading.limits, budget, (node) => `${writeJson(node, glyph)}\n`);
  const limits = fitted?.limits ?? tighten(reading.limits, STEPS);
  const view = fitted?.node ?? shape(reading.node, limits);
  const { shown, places } = declare(view, context, pointer, reading.levels);
  if (budget.tokensBesideNotes <= 0 || budget.charactersBesideNotes <= 0) return;
  const start = stretch ? startOfItems(limits, reading.start, stretch) : startOf(limits, reading.start);
  const walk = new JsonWalk(utf8, start, {
    budget,
    signal,
    pointer,
    counts: reading.counts,
  });
  if (!fitted) {
    yield* walk.page();
    return;
  }
  const position = (await walk.seek())
    ? await walk.next()
    : stretch && (await after(stretch, cursor, context));
  // A request for the first place cut says the same as the walk only where nothing else is cut.
  const next = position?.request && places > 1 ? { position: position.position } : position;
  const room = budget.tokensBesideNotes * CHARACTERS_PER_TOKEN;
  const skip = next && !next.request ? largestRest(reading.node, fitted.node, pointer, room) : undefined;
  yield { kind: 'text', text: fitted.text, shown, ...(next && { next: { ...next, ...(skip && { skip }) } }) };
}

/** How to go on after items that were asked for and are shown whole: with those behind them, the cursor at their end. */
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
    position: writePosition(startOfItems(none, cursor.at, { from: to + 1, to: of, of })),
    request: pointer === '' ? { rows } : { pointer, rows },
  };
}

function found(byte: number): string {
  return byte > 0x20 && byte < 0x7f ? quoted(String.fromCharCode(byte)) : `byte ${byte}`;
}

/** The items `rows` asks for, of the array the cursor stands on; puts the cursor on the first. */
async function stretchAt(cursor: JsonCursor, utf8: TextSource, context: ProcessContext): Promise<Stretch> {
  const { rows, pointer = '' } = context.selection;
  const byte = await cursor.expect('a value');
  if (byte !== BYTE.openArray || !rows)
    throw new ReaderError(
      'BAD_INPUT',
      `\`rows\` asks for items of an array; ${pointer === '' ? 'the document' : quoted(pointer)} is none.`,
      'Name an array with `pointer`, or leave `rows` out.',
    );
  const items = await indexJsonItems(utf8, cursor.at, context.signal);
  const { from, to } = resolveRange('rows', rows, items.count);
  cursor.at = await locateJsonItem(utf8, items, from, context.signal);
  return { from, to, of: items.count };
}

/** Facts and warnings of what was read. */
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
      message: `An object names ${plural(duplicates.length, 'member')} twice: ${duplicates.map(quoted).join(', ')}. All are shown, in their order.`,
    });
}

function declare(node: Node, context: ProcessContext, pointer: string, levels: number): TreeExtents {
  const found = extents(node, pointer, levels);
  for (const whole of found.wholes) context.whole(whole);
  return found;
}
