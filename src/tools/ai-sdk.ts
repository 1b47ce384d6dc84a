// Adapter for the AI SDK (versions 5 to 7). Needs the package `ai`, which is loaded on the first call.

import type { ToolSet } from 'ai';
import { loadOptional } from '../contract/index.ts';
import { accepting, type HostAnswer, hostAnswer, type MediaOptions } from './media.ts';
import { inputSchemaOf } from './schema.ts';
import type { Tool } from './tool.ts';

export type { MediaOptions } from './media.ts';

/**
 * Tools for `generateText`, `streamText` and agents. Arguments in other forms reach the transcript in canonical form.
 * The output of a call is JSON-safe; the model gets its text, and media as content parts. For a model behind OpenAI's
 * Chat API, which accepts no media from tools, pass `accepts: []`; Gemini also accepts `audio/*`.
 * @throws {ReaderError} MISSING_DEPENDENCY
 */
export async function toAiSdkTools(tools: readonly Tool[], { accepts }: MediaOptions = {}): Promise<ToolSet> {
  const takes = accepting(accepts);
  const { jsonSchema, tool } = await loadOptional('aiSdk', 'The AI SDK', () => import('ai'));
  return Object.fromEntries(
    tools.map((one) => [
      one.name,
      tool({
        title: one.title,
        description: one.description,
        metadata: { readOnly: one.readOnly, offload: one.offload },
        // The tool itself rejects arguments that do not fit the schema, with a next step.
        inputSchema: jsonSchema<unknown>(inputSchemaOf(one), {
          validate: (value) => ({ success: true, value: one.canonical(value) }),
        }),
        execute: async (input: unknown, { abortSignal }): Promise<HostAnswer> =>
          hostAnswer(await one.run(input, { signal: abortSignal }), takes),
        // Version 5 passes only the output, and has a single part type for all media.
        toModelOutput: (asked: { output: HostAnswer } | HostAnswer) => {
          const { isError, text, media } = 'output' in asked ? asked.output : asked;
          if (isError) return { type: 'error-text', value: text };
          if (media.length === 0) return { type: 'text', value: text };
          if (!('output' in asked))
            return {
              type: 'content',
              value: [
                { type: 'text', text },
                ...media.map(({ data, mimeType: mediaType }) => ({
                  type: 'media' as const,
                  data,
                  mediaType,
                })),
              ],
            };
          const parts = media.map(({ data, mimeType: mediaType, name: filename }) =>
            mediaType.startsWith('image/')
              ? { type: 'image-data' as const, data, mediaType }
              : { type: 'file-data' as const, data, mediaType, filename },
          );
          return { type: 'content', value: [{ type: 'text', text }, ...parts] };
        },
      }),
    ]),
  );
}
