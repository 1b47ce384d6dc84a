// The schema of a JSON document, shown in place of its content.

import type { OutlineLine, ProcessContext, TextSource } from '../../../src/contract/index.ts';
import { decodeUtf8 } from '../byte-window.ts';
import { isComplete, Schema, schemaOf } from '../tree/schema.ts';
import { SCHEMA_LIMITS, schemaOutline, warnOfDepth } from '../tree/schema-lines.ts';
import type { JsonCursor } from './cursor.ts';
import { readTree } from './tree.ts';
import { MAX_PARSED_DEPTH, MAX_VALIDATED_BYTES, markValid, parsedJson } from './validator.ts';

/** UTF-16 units of a document held for inspection piece by piece. */
const CAPACITY = 2_000_000;
/** A larger text is parsed at once, which takes less time; the parser puts keys that are numbers first. */
const PIECEWISE_BYTES = 256 * 1024;

interface Inspected {
  readonly schema: Schema;
  readonly levels: number;
}

/** The schema of the value at the cursor. */
export async function* outlineOf(
  cursor: JsonCursor,
  utf8: TextSource,
  context: ProcessContext,
): AsyncGenerator<OutlineLine> {
  const { selection } = context;
  const isDocument = (selection.pointer ?? '') === '';
  const isLarge = utf8.size > PIECEWISE_BYTES && utf8.size <= MAX_VALIDATED_BYTES;
  const inspected =
    (isLarge ? await inspectAll(cursor, utf8, isDocument) : undefined) ??
    (await inspect(cursor, utf8, isDocument));
  // More content after the value: JSON Lines under a JSON name, which have no outline.
  if (isDocument && (await cursor.peek()) >= 0) return;
  warnOfDepth(inspected.levels, context);
  yield* schemaOutline(inspected.schema, selection.brief);
}

/** Inspects the value at the cursor within limits, and all of it only if those leave something out. */
async function inspect(cursor: JsonCursor, utf8: TextSource, isDocument: boolean): Promise<Inspected> {
  const start = cursor.at;
  const { node, levels, end } = await readTree(cursor, SCHEMA_LIMITS, CAPACITY);
  const schema = schemaOf(node);
  if (isComplete(schema) || end - start > MAX_VALIDATED_BYTES) return { schema, levels };
  cursor.at = start;
  const all = await inspectAll(cursor, utf8, isDocument);
  cursor.at = end;
  return all ?? { schema, levels };
}

/** Parses the value at the cursor; undefined if it is not valid, or if a duplicate key would change its counts. */
async function inspectAll(
  cursor: JsonCursor,
  utf8: TextSource,
  isDocument: boolean,
): Promise<Inspected | undefined> {
  const start = cursor.at;
  const { items, levels } = await cursor.skip();
  const text = decodeUtf8(await utf8.read(start, cursor.at - start));
  const value = levels > MAX_PARSED_DEPTH ? undefined : parsedJson(text);
  const schema = new Schema();
  if (value !== undefined) schema.addValue(value, SCHEMA_LIMITS.depth);
  if (value === undefined || (schema.objects > 0 && schema.names?.most !== items)) {
    cursor.at = start;
    return undefined;
  }
  if (isDocument && (await cursor.peek()) < 0) markValid(utf8);
  return { schema, levels };
}
