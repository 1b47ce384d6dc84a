// A file of another language by way of its JSON: the document as JSON, or an array of objects in it as a table.

import {
  isWellFormed,
  type Part,
  type ProcessContext,
  ReaderError,
  type TextSource,
  UNPAIRED_SURROGATES,
} from '../../src/contract/index.ts';
import { json } from './json.ts';
import { MemoryText } from './memory-text.ts';
import { asksForTable } from './records/records.ts';

/** True when the language of the file itself is wanted. */
export const keepsLanguage = ({ selection }: ProcessContext): boolean =>
  selection.format !== 'json' && !asksForTable(selection);

/**
 * The parts of what a request asks for by `format`, where `write` gives the document as JSON. Undefined where the file is to
 * be shown in its own language.
 * @throws {ReaderError} BAD_INPUT for `rows` without a format that has them, LIMIT_EXCEEDED
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
        '`rows` chooses items of an array that is written as a table or as JSON.',
        'Set `format` to `csv`, `markdown` or `json`, or leave `rows` out.',
      );
    return undefined;
  }
  const text = write();
  if (!isWellFormed(text)) context.warn(UNPAIRED_SURROGATES);
  const memory = new MemoryText(source.name, text, await source.identity());
  const inside = { ...context, text: async () => memory };
  if (selection.format === 'json') return json.process(memory, inside);
  const { arrayTable } = await import('./json/array-records.ts');
  return await arrayTable(memory, inside);
}
