// What a child process does for another besides reading files: work on large or untrusted input that would hold up the
// event loop of a service, or that runs native code.

import type { FitOptions } from '../processors/image/fit.ts';
import type { CallOptions, HistoryOptions } from './history/index.ts';
import type { Tasks } from './isolation/index.ts';
import type { EncodingName } from './tokens/index.ts';

/** Each loads what it needs when it is asked for. The inputs are the asking process's own, checked there. */
export const TASKS: Tasks = {
  fitImage: async (input, body) => {
    const { fitImage } = await import('../processors/image/fit.ts');
    const { data, ...output } = await fitImage(body, input as FitOptions);
    return { output, body: data };
  },
  countTokens: async (input, body) => {
    const { createTokenCounter } = await import('./tokens/index.ts');
    const { encoding } = input as { readonly encoding: EncodingName };
    return { output: createTokenCounter(encoding).count(Buffer.from(body).toString('utf8')) };
  },
  compact: async (_input, body) => {
    const { compact, createMemoryStorage } = await import('./history/index.ts');
    // A conversation is longer than what may stand beside a body.
    const { messages, mount, ...options }: CompactInput = JSON.parse(Buffer.from(body).toString('utf8'));
    const files: Record<string, string> = {};
    const memory = createMemoryStorage();
    const storage = {
      ...memory,
      write: async (path: string, text: string) => {
        files[path] = text;
        await memory.write(path, text);
      },
      shownAs: (path: string) => `${mount}/${path}`,
    };
    const compacted = await compact(messages, { ...options, ...(mount !== undefined && { storage }) });
    const answer = {
      messages: compacted.messages,
      report: compacted.report,
      state: compacted.state,
      files,
    };
    return { output: null, body: Buffer.from(JSON.stringify(answer)) };
  },
};

/** `mount`: originals are wanted as files, and placeholders name them below it. */
type CompactInput = Omit<HistoryOptions, 'storage' | 'codec'> &
  CallOptions & { readonly messages: readonly unknown[]; readonly mount?: string };
