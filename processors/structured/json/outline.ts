// The schema of a JSON document, shown in place of its content.

import type { OutlineLine, ProcessContext, TextSource } from '../../../src/contract/index.ts';
import { isComplete, Schema, schemaOf } from '../tree/schema.ts';
import { SCHEMA_LIMITS, schemaOutline, warnOfDepth } from '../tree/schema-lines.ts';
import type { JsonCursor } from './cursor.ts';
import { type BoundedTree, readTree } from './tree.ts';
import { parsedBefore, parsedJson } from './validator.ts';

/** UTF-16 units of a document held for inspection piece by piece. */
const CAPACITY = 2_000_000;
/** Up to this size the whole value is inspected; parsing it at once takes about as long as validating it. */
const MAX_PARSED_BYTES = 16 * 1024 * 1024;

/** The schema of the value at the cursor. */
export async function* outlineOf(
  cursor: JsonCursor,
  utf8: TextSource,
  context: ProcessContext,
): AsyncGenerator<OutlineLine> {
  const { selection } = context;
  const reading = await readTree(cursor, SCHEMA_LIMITS, CAPACITY);
  // More content after the value: JSON Lines under a JSON name, which have no outline.
  const isDocument = (selection.pointer ?? '') === '';
  if (isDocument && (await cursor.peek()) >= 0) return;
  warnOfDepth(reading.levels, context);
  const first = schemaOf(reading.node);
  const schema = isComplete(first) ? first : ((await schemaOfAll(reading, utf8, isDocument)) ?? first);
  yield* schemaOutline(schema, selection.brief);
}

/** The schema of the complete value; undefined if it is too large, or if a duplicate key would change its counts. */
async function schemaOfAll(
  { start, end, node }: BoundedTree,
  utf8: TextSource,
  isDocument: boolean,
): Promise<Schema | undefined> {
  if (end - start > MAX_PARSED_BYTES) return undefined;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const value =
    (isDocument ? parsedBefore(utf8) : undefined) ??
    parsedJson(decoder.decode(await utf8.read(start, end - start)));
  if (value === undefined) return undefined; // the reading that follows reports where
  const schema = new Schema();
  schema.addValue(value, SCHEMA_LIMITS.depth);
  const isExact = node.kind !== 'object' || schema.names?.most === node.of;
  return isExact ? schema : undefined;
}
