// JSON Lines as a format of its own. `lines/lines.ts` reads the lines.

import type { OutlineLine, Part, ProcessContext, Source } from '../../../src/contract/index.ts';
import { ROWS } from './lines/first-view.ts';
import { linesOfJson, outlineOfLines } from './lines/lines.ts';
import { OneDocument } from './lines/record.ts';
import { processJson } from './reading.ts';

/** Reads one record per line. A file that turns out to be one JSON document is read as JSON. */
export async function* process(source: Source, context: ProcessContext): AsyncGenerator<Part> {
  const utf8 = await context.text(source);
  const { resume = [] } = context.selection;
  if (typeof resume[0] === 'string' && resume[0] !== ROWS) {
    yield* processJson(utf8, context);
    return;
  }
  try {
    yield* linesOfJson(utf8, context, resume.length > 0 ? resume : undefined);
  } catch (error) {
    if (!(error instanceof OneDocument)) throw error;
    context.warn({
      code: 'FORMAT_MISMATCH',
      message: 'The file is a single JSON document, not JSON Lines; read as JSON.',
    });
    yield* processJson(utf8, context);
  }
}

/** The schema of the records. */
export async function* outline(source: Source, context: ProcessContext): AsyncGenerator<OutlineLine> {
  yield* outlineOfLines(await context.text(source), context);
}
