// A processor that does whatever a test orders: floods, lies, throws, hangs until it is told to stop.

import type { Part, ProcessContext, Processor, Source } from '../../src/index.ts';

export function mockProcessor(
  process: (source: Source, context: ProcessContext) => AsyncIterable<Part>,
  more: Partial<Processor> = {},
): Processor {
  return {
    name: 'text',
    fileType: 'text',
    extensions: ['.txt'],
    mimeTypes: ['text/plain'],
    selects: ['lines'],
    textual: true,
    ...more,
    process,
  };
}
