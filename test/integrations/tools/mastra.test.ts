// The tools in an agent of Mastra.

import { Agent } from '@mastra/core/agent';
import { afterEach, expect, it } from 'vitest';
import { toMastraTools } from '../../../src/tools/mastra.ts';
import { makePlace, type Place } from '../../tools/place.ts';

let place: Place | undefined;
afterEach(() => place?.remove());

interface Asked {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly name: string }[];
}

/** Calls a tool once with `input`, then answers. */
function scripted(input: object): { readonly model: object; readonly asked: Asked[] } {
  const asked: Asked[] = [];
  const parts = (): object[] =>
    asked.length === 1
      ? [{ type: 'tool-call', toolCallId: 'c1', toolName: 'read_file', input: JSON.stringify(input) }]
      : [{ type: 'text', text: 'Done.' }];
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  const model = {
    specificationVersion: 'v2',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: async (options: Asked) => {
      asked.push(options);
      return {
        content: parts(),
        finishReason: asked.length === 1 ? 'tool-calls' : 'stop',
        usage,
        warnings: [],
      };
    },
    doStream: async (options: Asked) => {
      asked.push(options);
      const [part = {}] = parts();
      const chunks =
        asked.length === 1
          ? [part]
          : [
              { type: 'text-start', id: 't' },
              { type: 'text-delta', id: 't', delta: 'Done.' },
              { type: 'text-end', id: 't' },
            ];
      const finish = { type: 'finish', finishReason: asked.length === 1 ? 'tool-calls' : 'stop', usage };
      return { stream: ReadableStream.from([{ type: 'stream-start', warnings: [] }, ...chunks, finish]) };
    },
  };
  return { model, asked };
}

it.each([
  [{ path: 'a.txt' }, 'one'],
  // Another form of the arguments, and a mistake: the tool itself answers.
  [{ file_path: '/repo/a.txt', limit: 1 }, 'one'],
  [{ path: 'b.txt' }, 'Error FILE_NOT_FOUND'],
])('runs %j in an agent of Mastra', async (input, expected) => {
  place = await makePlace({ 'a.txt': 'one\ntwo\n' });
  const { model, asked } = scripted(input);
  const tools = await toMastraTools(place.tools);
  // The model's own type comes from another copy of its package.
  const agent = new Agent({ name: 'reader', instructions: 'Read.', model: model as never, tools });
  const result = await agent.generate('Read a.txt.', { maxSteps: 3 });
  expect(result.text).toBe('Done.');
  expect(asked[0]?.tools?.map(({ name }) => name)).toEqual(place.tools.map(({ name }) => name));
  expect(JSON.stringify(asked[1]?.prompt.at(-1))).toContain(expected);
});
