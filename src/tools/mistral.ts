// Adapter for Mistral's chat API: converts tools to definitions, and runs a call into the message that answers it.
// Plain objects in the form of its SDK; needs no package.

import { callTool } from './calls.ts';
import { accepting, hostAnswer } from './media.ts';
import { type InputSchema, inputSchemaOf } from './schema.ts';
import type { Tool, ToolContext } from './tool.ts';

/** A tool of a request. */
export type MistralTool = {
  type: 'function';
  function: { name: string; description: string; parameters: InputSchema };
};

/** Tools for `tools` of a request. */
export function toMistralTools(tools: readonly Tool[]): MistralTool[] {
  return tools.map((tool) => ({
    type: 'function',
    function: { name: tool.name, description: tool.description, parameters: inputSchemaOf(tool) },
  }));
}

/** An element of `message.toolCalls`. The arguments are an object or its JSON. */
export type MistralToolCall = {
  readonly id?: string | undefined;
  readonly function: { readonly name: string; readonly arguments: unknown };
};

/** The message that answers it. */
export type MistralToolMessage = { role: 'tool'; toolCallId: string; name: string; content: string };

/** Runs one call. A tool message holds only text: pictures and recordings are described. Never throws. */
export async function runMistralToolCall(
  tools: readonly Tool[],
  { id = '', function: { name, arguments: args } }: MistralToolCall,
  context?: ToolContext,
): Promise<MistralToolMessage> {
  const { text } = hostAnswer(await callTool(tools, name, args, context), accepting([]));
  return { role: 'tool', toolCallId: id, name, content: text };
}
