// Chat messages for tests by example: short to write, and of a size that is known beforehand.

import { createEstimator, type HistoryStorage } from '../../src/history/index.ts';
import { textOf } from './history-script.ts';

export type Chat = Readonly<Record<string, unknown>>;

export const system = (content: string): Chat => ({ role: 'system', content });
export const user = (content: unknown): Chat => ({ role: 'user', content });
export const says = (content: string): Chat => ({ role: 'assistant', content });
export const result = (id: string, content: unknown): Chat => ({ role: 'tool', tool_call_id: id, content });

/** One response that calls tools: `[id, name, arguments]` each. */
export function calls(...all: readonly (readonly [id: string, name: string, args: unknown])[]): Chat {
  return {
    role: 'assistant',
    content: null,
    tool_calls: all.map(([id, name, args]) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    })),
  };
}

const estimator = createEstimator('conservative');

/** Tokens of `text` as a compactor without a model estimates them. */
export const tokensOf = (text: string): number => estimator.text(text);

/** Lines of a log of about `tokens` tokens, never more, unlike those of any other seed. */
export function log(tokens: number, seed: number): string {
  const text = textOf('log', tokens * 6, seed);
  return text.slice(0, estimator.prefix(text, tokens));
}

/** A call of `name` and its result of about `tokens` tokens. */
export function step(number: number, tokens: number, name: string = 'read'): Chat[] {
  const id = `call_${number}`;
  return [calls([id, name, { path: `src/file-${number}.ts` }]), result(id, log(tokens, number))];
}

export function steps(count: number, tokens: number, from: number = 1): Chat[] {
  return Array.from({ length: count }, (_, at) => step(from + at, tokens)).flat();
}

/** Content of a message as text. */
export const contentOf = (message: Chat | undefined): string =>
  typeof message?.['content'] === 'string' ? message['content'] : '';

/** The result of the call `id`. */
export const resultOf = (messages: readonly Chat[], id: string): string =>
  contentOf(messages.find((message) => message['tool_call_id'] === id));

/** Arguments of the call `id` as they came, or as they are now. */
export function argsOf(messages: readonly Chat[], id: string): Record<string, string> {
  const text = JSON.stringify(messages);
  for (const message of messages) {
    const all = message['tool_calls'];
    for (const call of Array.isArray(all) ? all : [])
      if (call.id === id) return JSON.parse(call.function.arguments);
  }
  throw new Error(`no call ${id} in ${text.slice(0, 200)}`);
}

/** The one notice of what is left out; empty where there is none. */
export const noticeIn = (messages: readonly Chat[]): string =>
  messages.map(contentOf).find((text) => /^\[history: \d+ earlier message/.test(text)) ?? '';

/** A storage in memory whose files can be looked at. */
export function openStorage(
  known: Iterable<readonly [path: string, text: string]> = [],
): HistoryStorage & { readonly files: Map<string, string> } {
  const files = new Map(known);
  return {
    files,
    write: async (path, text) => {
      files.set(path, text);
    },
    read: async (path) => files.get(path) ?? null,
  };
}

/** A summary as a model gives one, of about 100 tokens. */
export const SUMMARY: string =
  '## Intent\nThe user wants the defect found that breaks the nightly build.\n## Progress\nTwenty files were read; the third holds a wrong bound, the others are sound. No file was changed so far.\n## Decisions\nThe public interface stays as it is, and the tests are run before every commit.\n## Next steps\nCorrect the bound, add a test that fails without it, and run the build again.\n## Details\nThe defect is in src/file-3.ts.';
