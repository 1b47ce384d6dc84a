// What a child process does for another besides reading files: work on large or untrusted input that would hold up the
// event loop of a service, or that runs native code.

import type { FitOptions } from '../../processors/image/fit/plan.ts';
import type { Tasks } from '../isolation/index.ts';
import type { EncodingName } from '../tokens/index.ts';

/** Each loads what it needs when it is asked for. The inputs are the asking process's own, checked there. */
export const TASKS: Tasks = {
  fitImage: async (input, body) => {
    const { fitImage } = await import('../../processors/image/fit/fit.ts');
    const { data, ...output } = await fitImage(body, input as FitOptions);
    return { output, body: data };
  },
  countTokens: async (input, body) => {
    const { createTokenCounter } = await import('../tokens/index.ts');
    const { encoding } = input as { readonly encoding: EncodingName };
    return { output: createTokenCounter(encoding).count(Buffer.from(body).toString('utf8')) };
  },
  recognize: async (input, body) => (await import('./recognition.ts')).recognize(input, body),
  compact: async (input, body) => (await import('./compaction.ts')).compactRequest(input, body),
  query: async (input, body) => (await import('./query/query.ts')).answerQuery(input, body),
};
