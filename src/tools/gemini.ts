// Adapter for Gemini's API: converts tools to declarations, and runs a call into the part that answers it. Plain
// objects in the documented shapes; needs no package.

import { callTool } from './calls.ts';
import { accepting, hostAnswer, type MediaOptions } from './media.ts';
import { type InputSchema, inputSchemaOf } from './schema.ts';
import type { Tool, ToolContext } from './tool.ts';

export type { MediaOptions } from './media.ts';

/** An element of `config.tools` of a request. */
export type GeminiTool = {
  functionDeclarations: { name: string; description: string; parametersJsonSchema: InputSchema }[];
};

/** One element for `config.tools`. */
export function toGeminiTools(tools: readonly Tool[]): GeminiTool[] {
  return [
    {
      functionDeclarations: tools.map((tool) => ({
        name: tool.name,
        description: tool.description,
        parametersJsonSchema: inputSchemaOf(tool),
      })),
    },
  ];
}

/** The `functionCall` of a part. */
export type GeminiFunctionCall = {
  readonly id?: string;
  readonly name?: string;
  readonly args?: Readonly<Record<string, unknown>>;
};

/** The part that answers it, for the next content of role `user`. */
export type GeminiFunctionResponse = {
  functionResponse: {
    id?: string;
    name: string;
    response: { output: string } | { error: string };
    parts?: { inlineData: { mimeType: string; data: string } }[];
  };
};

/**
 * Runs one call. Media goes into `parts` of the response, supported by Gemini 3 and later: pass the types the model
 * accepts as `accepts`. Default: none, media is described in text. Never throws.
 */
export async function runGeminiFunctionCall(
  tools: readonly Tool[],
  { id, name = '', args = {} }: GeminiFunctionCall,
  { accepts = [], ...context }: ToolContext & MediaOptions = {},
): Promise<GeminiFunctionResponse> {
  const { isError, text, media } = hostAnswer(await callTool(tools, name, args, context), accepting(accepts));
  return {
    functionResponse: {
      ...(id !== undefined && { id }),
      name,
      response: isError ? { error: text } : { output: text },
      ...(media.length > 0 && {
        parts: media.map(({ mimeType, data }) => ({ inlineData: { mimeType, data } })),
      }),
    },
  };
}
