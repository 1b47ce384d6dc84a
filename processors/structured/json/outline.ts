// The schema of a JSON document in place of its content.

import type { OutlineLine, ProcessContext } from '../../../src/contract/index.ts';
import { schemaOf } from '../tree/schema.ts';
import { SCHEMA_LIMITS, schemaOutline, warnOfDepth } from '../tree/schema-lines.ts';
import type { JsonCursor } from './cursor.ts';
import { readTree } from './tree.ts';

/** UTF-16 units of a document that are held to be looked at. */
const CAPACITY = 2_000_000;

/** Of the value the cursor stands on. */
export async function* outlineOf(cursor: JsonCursor, context: ProcessContext): AsyncGenerator<OutlineLine> {
  const { selection } = context;
  const { node, levels } = await readTree(cursor, SCHEMA_LIMITS, CAPACITY);
  // More after the value: JSON Lines under the name of JSON, which have no outline.
  if ((selection.pointer ?? '') === '' && (await cursor.peek()) >= 0) return;
  warnOfDepth(levels, context);
  yield* schemaOutline(schemaOf(node), selection.brief);
}
