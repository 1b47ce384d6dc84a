// Adapter for LangChain. Needs the package `@langchain/core`, which is loaded on the first call.

import type { ToolCall, ToolMessage } from '@langchain/core/messages/tool';
import type { DynamicStructuredTool, ToolRunnableConfig } from '@langchain/core/tools';
import { loadOptional } from '../contract/index.ts';
import { accepting, hostAnswer, type MediaOptions } from './media.ts';
import { inputSchemaOf } from './schema.ts';
import type { Tool } from './tool.ts';

export type { MediaOptions } from './media.ts';

/** A block of a message's content. */
type Block = Record<string, unknown> & { readonly type: string };

/**
 * Tools for `bindTools`, `ToolNode` and agents. An error becomes a message with status `error`, never an exception.
 * Called with a tool call, they return a `ToolMessage`, else its content.
 * @throws {ReaderError} MISSING_DEPENDENCY
 */
export async function toLangChainTools(
  tools: readonly Tool[],
  { accepts }: MediaOptions = {},
): Promise<DynamicStructuredTool[]> {
  const takes = accepting(accepts);
  const [{ ToolMessage: Message }, { DynamicStructuredTool: Base }] = await loadOptional(
    'langchain',
    'LangChain',
    () => Promise.all([import('@langchain/core/messages'), import('@langchain/core/tools')]),
  );

  const run = async (
    tool: Tool,
    args: unknown,
    config: ToolRunnableConfig | undefined,
  ): Promise<string | Block[] | ToolMessage> => {
    const { isError, text, media } = hostAnswer(await tool.run(args, { signal: config?.signal }), takes);
    const content: string | Block[] =
      media.length === 0
        ? text
        : [
            { type: 'text', text },
            ...media.map(({ data, mimeType }) => ({
              type: mimeType.slice(0, mimeType.indexOf('/')),
              // Includes both block formats: providers of version 1 read one or the other.
              source_type: 'base64',
              mime_type: mimeType,
              mimeType,
              data,
            })),
          ];
    const id = config?.toolCall?.id;
    return isError && id !== undefined
      ? new Message({ status: 'error', content, tool_call_id: id, name: tool.name })
      : content;
  };

  return tools.map((tool) => {
    const made = new Base({
      name: tool.name,
      description: tool.description,
      schema: inputSchemaOf(tool),
      metadata: { readOnly: tool.readOnly, offload: tool.offload },
      func: (args, _manager, config) => run(tool, args, config),
    });
    const call = made.call.bind(made);
    // LangChain validates arguments against the schema and throws; the tool accepts more forms and answers the rest
    // itself. The cast replaces generics that depend on a schema unknown here.
    made.call = ((given: unknown, config?: ToolRunnableConfig, tags?: string[]) => {
      const whole = isToolCall(given) ? given : undefined;
      const args = tool.canonical(whole ? whole.args : given);
      return tool.input.safeParse(args).success
        ? call(whole ? { ...whole, args } : Object(args), config, tags)
        : run(tool, args, whole ? { ...config, toolCall: whole } : config);
    }) as typeof made.call;
    return made;
  });
}

function isToolCall(value: unknown): value is ToolCall {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'tool_call';
}
