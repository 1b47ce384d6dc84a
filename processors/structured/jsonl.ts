// JSON Lines and its other names, as a format of its own. What turns out to be one JSON document is read as that.

import type { Processor } from '../../src/contract/index.ts';
import { processJson } from './json.ts';
import { linesOfJson, OneDocument } from './json-lines.ts';

export const jsonl: Processor = {
  name: 'jsonl',
  fileType: 'jsonl',
  extensions: ['.jsonl', '.ndjson', '.ldjson', '.jsonlines'],
  mimeTypes: [
    'application/x-ndjson',
    'application/jsonl',
    'application/x-jsonlines',
    'application/ndjson',
    'application/json-lines',
  ],
  selects: ['rows'],
  textual: true,

  async *process(source, context) {
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
  },
};
