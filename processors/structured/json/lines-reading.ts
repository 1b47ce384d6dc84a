// JSON Lines as a format of its own; what reads the lines is `lines.ts`.

import type { OutlineLine, Part, ProcessContext, Source } from '../../../src/contract/index.ts';
import { OneDocument } from './lines/first-view.ts';
import { linesOfJson, outlineOfLines } from './lines/lines.ts';
import { processJson } from './reading.ts';

/** Records, a line each. What turns out to be one JSON document is read as that. */
export async function* process(source: Source, context: ProcessContext): AsyncGenerator<Part> {
  const utf8 = await context.text(source);
  const { resume = [] } = context.selection;
  if (typeof resume[0] === 'string') {
    yield* processJson(utf8, context);
    return;
  }
  try {
    yield* linesOfJson(utf8, context, resume.length > 0 ? resume : undefined);
  } catch (error) {
    if (!(error instanceof OneDocument)) throw error;
    context.warn({
      code: 'FORMAT_MISMATCH',
      message: 'The file is one JSON document and not JSON Lines, a value a line; it is read as JSON.',
    });
    yield* processJson(utf8, context);
  }
}

/** The schema of the records. */
export async function* outline(source: Source, context: ProcessContext): AsyncGenerator<OutlineLine> {
  yield* outlineOfLines(await context.text(source), context);
}
