// Adapter for the Converse API of Amazon Bedrock: converts tools to specifications, and runs a tool use into its result
// block. Plain objects in the documented shapes; needs no package.

import { callTool } from './calls.ts';
import { accepting, hostAnswer } from './media.ts';
import { type InputSchema, inputSchemaOf } from './schema.ts';
import type { Tool, ToolContext } from './tool.ts';

/** An element of `toolConfig.tools` of a request. */
export type BedrockTool = {
  toolSpec: { name: string; description: string; inputSchema: { json: InputSchema } };
};

/** Tools for `toolConfig.tools`. */
export function toBedrockTools(tools: readonly Tool[]): BedrockTool[] {
  return tools.map((tool) => ({
    toolSpec: {
      name: tool.name,
      description: tool.description,
      inputSchema: { json: inputSchemaOf(tool) },
    },
  }));
}

/** The `toolUse` of a content block. */
export type BedrockToolUse = {
  readonly toolUseId: string | undefined;
  readonly name: string | undefined;
  readonly input: unknown;
};

/** The picture formats of a `toolResult` (API reference of Converse, November 2026). */
export type BedrockPicture = 'png' | 'jpeg' | 'gif' | 'webp';

/** The result block, for the next message of role `user`. */
export type BedrockToolResult = {
  toolResult: {
    toolUseId: string;
    status: 'success' | 'error';
    content: ({ text: string } | { image: { format: BedrockPicture; source: { bytes: Uint8Array } } })[];
  };
};

/** Runs a tool use. Pictures become image blocks; recordings are described in text. Never throws. */
export async function runBedrockToolUse(
  tools: readonly Tool[],
  { toolUseId = '', name = '', input }: BedrockToolUse,
  context?: ToolContext,
): Promise<BedrockToolResult> {
  const { isError, text, media } = hostAnswer(await callTool(tools, name, input, context), accepting());
  return {
    toolResult: {
      toolUseId,
      status: isError ? 'error' : 'success',
      content: [
        // The API rejects blank text.
        { text: text.trim() === '' ? '(empty)' : text },
        ...media.map(({ data, mimeType }) => ({
          image: {
            // One of the types accepted by default.
            format: mimeType.slice('image/'.length) as BedrockPicture,
            source: { bytes: new Uint8Array(Buffer.from(data, 'base64')) },
          },
        })),
      ],
    },
  };
}
