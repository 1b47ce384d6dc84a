// Reads a file of another language through its JSON form: the whole document as JSON, or an array of objects as a
// table.

import {
  type Part,
  type ProcessContext,
  ReaderError,
  strictJson,
  type TextSource,
  UNPAIRED_SURROGATES,
} from '../../src/contract/index.ts';
import { json } from './json.ts';
import { MemoryText } from './memory-text.ts';
import { hasWildcard } from './pointer.ts';
import { asksForTable } from './records/records.ts';

/** True if the file is to be shown in its own language. */
export const keepsLanguage = ({ selection }: ProcessContext): boolean =>
  selection.format !== 'json' && !asksForTable(selection) && !hasWildcard(selection.pointer);

/**
 * The parts for a request with `format`, where `write` returns the document as JSON. Undefined if the file is to be
 * shown in its own language.
 * @throws {ReaderError} BAD_INPUT for `rows` without a format that supports it, LIMIT_EXCEEDED
 */
export async function asJson(
  source: TextSource,
  context: ProcessContext,
  write: () => string,
): Promise<AsyncIterable<Part> | undefined> {
  const { selection } = context;
  if (keepsLanguage(context)) {
    if (selection.rows !== undefined)
      throw new ReaderError(
        'BAD_INPUT',
        '`rows` requires `format` `csv`, `markdown` or `json`.',
        'Set `format` to `csv`, `markdown` or `json`, or leave `rows` out.',
      );
    return undefined;
  }
  const written = write();
  const text = strictJson(written);
  if (text !== written) context.warn(UNPAIRED_SURROGATES);
  const memory = new MemoryText(source.name, text, await source.identity());
  const inside = { ...context, text: async () => memory };
  if (selection.format === 'json' || hasWildcard(selection.pointer)) return json.process(memory, inside);
  const { arrayTable } = await import('./json/array-records.ts');
  return await arrayTable(memory, inside);
}
