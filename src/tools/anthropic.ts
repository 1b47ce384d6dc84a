// Adapter for Anthropic's Messages API: converts tools to definitions, and runs a tool use into its result block. Plain
// objects in the documented shapes; needs no package.

import { callTool } from './calls.ts';
import { accepting, hostAnswer } from './media.ts';
import { type InputSchema, inputSchemaOf } from './schema.ts';
import type { Tool, ToolContext } from './tool.ts';

/** A tool of a request. */
export type AnthropicTool = { name: string; description: string; input_schema: InputSchema };

/** Tools for `tools` of a request. */
export function toAnthropicTools(tools: readonly Tool[]): AnthropicTool[] {
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: inputSchemaOf(tool),
  }));
}

/** A content block of type `tool_use`. */
export type AnthropicToolUse = {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
};

/** The result block, for the next user message. */
export type AnthropicToolResult = {
  type: 'tool_result';
  tool_use_id: string;
  is_error: boolean;
  content: (
    | { type: 'text'; text: string }
    | { type: 'image'; source: { type: 'base64'; media_type: AnthropicPicture; data: string } }
  )[];
};

/** Picture types the API accepts. */
export type AnthropicPicture = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

/** Runs a tool use. Pictures become image blocks; recordings are described in text. Never throws. */
export async function runAnthropicToolUse(
  tools: readonly Tool[],
  { id, name, input }: AnthropicToolUse,
  context?: ToolContext,
): Promise<AnthropicToolResult> {
  const { isError, text, media } = hostAnswer(await callTool(tools, name, input, context), accepting());
  return {
    type: 'tool_result',
    tool_use_id: id,
    is_error: isError,
    content: [
      // The API rejects an empty text block.
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...media.map(({ data, mimeType }) => ({
        type: 'image' as const,
        // One of the types accepted by default.
        source: { type: 'base64' as const, media_type: mimeType as AnthropicPicture, data },
      })),
    ],
  };
}
