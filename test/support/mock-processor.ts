// A processor that does whatever a test orders: floods, lies, throws, hangs until it is told to stop.

import type { ProcessContext, Source } from '../../src/contract/index.ts';
import type { Part, Processor } from '../../src/index.ts';

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
