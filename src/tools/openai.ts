// Adapter for OpenAI's two APIs: converts tools to definitions, and runs calls into the messages or items that answer
// them. Plain objects in the documented shapes; needs no package.

import { OWN } from '../contract/index.ts';
import { callTool } from './calls.ts';
import { accepting, dataUrl, type HostMedia, hostAnswer, type MediaOptions } from './media.ts';
import { type InputSchema, inputSchemaOf, type StrictSchema, strictSchemaOf } from './schema.ts';
import type { Tool, ToolContext } from './tool.ts';

export type { MediaOptions } from './media.ts';

/** A tool of a Chat request. */
export type OpenAiChatTool = {
  type: 'function';
  function: { name: string; description: string; parameters: InputSchema | StrictSchema; strict: boolean };
};

/** A tool of a Responses request. */
export type OpenAiResponsesTool = {
  type: 'function';
  name: string;
  description: string;
  parameters: InputSchema | StrictSchema;
  strict: boolean;
};

/** Options for the definitions. */
export interface OpenAiToolsOptions {
  /**
   * Enforce the schema: every argument is then required, and null if not wanted. A tool that takes lists of objects is
   * not strict, because the caller chooses their keys. Default false.
   */
  readonly strict?: boolean;
}

/** Tools for `tools` of a Chat or a Responses request. */
export function toOpenAiTools(
  tools: readonly Tool[],
  api: 'chat',
  options?: OpenAiToolsOptions,
): OpenAiChatTool[];
export function toOpenAiTools(
  tools: readonly Tool[],
  api: 'responses',
  options?: OpenAiToolsOptions,
): OpenAiResponsesTool[];
export function toOpenAiTools(
  tools: readonly Tool[],
  api: 'chat' | 'responses',
  { strict = false }: OpenAiToolsOptions = {},
): (OpenAiChatTool | OpenAiResponsesTool)[] {
  return tools.map((tool) => {
    const { name, description } = tool;
    const held = strict ? strictSchemaOf(tool) : undefined;
    const parameters = held ?? inputSchemaOf(tool);
    const definition = { name, description, parameters, strict: held !== undefined };
    return api === 'chat'
      ? { type: 'function' as const, function: definition }
      : { type: 'function' as const, ...definition };
  });
}

/** A call in a Chat answer: an element of `message.tool_calls`. A custom call is for one of the caller's own tools. */
export type OpenAiChatCall =
  | {
      readonly id: string;
      readonly type: 'function';
      readonly function: { readonly name: string; readonly arguments: string };
    }
  | {
      readonly id: string;
      readonly type: 'custom';
      readonly custom: { readonly name: string; readonly input: string };
    };

/** A call in a Responses answer: an element of `output` of type `function_call`. */
export type OpenAiResponsesCall = {
  readonly type: 'function_call';
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
};

/** The result of a Chat call. */
export type OpenAiToolMessage = { role: 'tool'; tool_call_id: string; content: string };

/** Pictures and recordings, which tool messages cannot hold. */
export type OpenAiMediaMessage = {
  role: 'user';
  content: (
    | { type: 'text'; text: string }
    | { type: 'image_url'; image_url: { url: string } }
    | { type: 'input_audio'; input_audio: { data: string; format: 'wav' | 'mp3' } }
  )[];
};

/** The result of a Responses call. */
export type OpenAiCallOutput = {
  type: 'function_call_output';
  call_id: string;
  output:
    | string
    | ({ type: 'input_text'; text: string } | { type: 'input_image'; image_url: string; detail: 'auto' })[];
};

/** Options of a call. */
export type OpenAiCallOptions = ToolContext & MediaOptions;

/**
 * Runs one call. For a Chat call: the tool message and, if the answer has media, a user message with them, which must
 * follow the tool messages of all calls of that turn. For a Responses call: its output, pictures included. Never
 * throws.
 */
export function runOpenAiToolCall(
  tools: readonly Tool[],
  call: OpenAiChatCall,
  options?: OpenAiCallOptions,
): Promise<{ message: OpenAiToolMessage; media: OpenAiMediaMessage | null }>;
export function runOpenAiToolCall(
  tools: readonly Tool[],
  call: OpenAiResponsesCall,
  options?: OpenAiCallOptions,
): Promise<OpenAiCallOutput>;
export function runOpenAiToolCall(
  tools: readonly Tool[],
  call: OpenAiChatCall | OpenAiResponsesCall,
  options: OpenAiCallOptions = {},
): Promise<OpenAiCallOutput | { message: OpenAiToolMessage; media: OpenAiMediaMessage | null }> {
  return call.type === 'function_call' ? runResponses(tools, call, options) : runChat(tools, call, options);
}

/**
 * Runs all calls of one Chat turn in sequence, and returns the messages to append, in the order the API requires. Never
 * throws.
 */
export async function runOpenAiToolCalls(
  tools: readonly Tool[],
  calls: readonly OpenAiChatCall[],
  options?: OpenAiCallOptions,
): Promise<(OpenAiToolMessage | OpenAiMediaMessage)[]> {
  const messages: OpenAiToolMessage[] = [];
  const content: OpenAiMediaMessage['content'] = [];
  for (const call of calls) {
    const { message, media } = await runOpenAiToolCall(tools, call, options);
    messages.push(message);
    if (media) content.push(...media.content);
  }
  return content.length === 0 ? messages : [...messages, { role: 'user', content }];
}

async function runChat(
  tools: readonly Tool[],
  call: OpenAiChatCall,
  { accepts, ...context }: OpenAiCallOptions,
): Promise<{ message: OpenAiToolMessage; media: OpenAiMediaMessage | null }> {
  const { id } = call;
  const [name, args] =
    call.type === 'custom'
      ? [call.custom.name, call.custom.input]
      : [call.function.name, call.function.arguments];
  const wanted = accepting(accepts);
  const takes = (type: string): boolean => wanted(type) && (type.startsWith('image/') || AUDIO.has(type));
  const { text, media } = hostAnswer(await callTool(tools, name, args, context), takes);
  const given = media.map(chatPart);
  const names = [...new Set(media.map((one) => one.name))].join(', ');
  const note = given.length > 0 ? `\n${OWN.note}the media follow in a user message.]\n` : '';
  return {
    message: { role: 'tool', tool_call_id: id, content: text + note },
    media:
      given.length === 0
        ? null
        : { role: 'user', content: [{ type: 'text', text: `From the tool call ${id}: ${names}` }, ...given] },
  };
}

function chatPart(media: HostMedia): OpenAiMediaMessage['content'][number] {
  const format = AUDIO.get(media.mimeType);
  return format
    ? { type: 'input_audio', input_audio: { data: media.data, format } }
    : { type: 'image_url', image_url: { url: dataUrl(media) } };
}

/** What `input_audio` takes (API reference of Chat Completions, November 2026). */
const AUDIO: ReadonlyMap<string, 'wav' | 'mp3'> = new Map([
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/vnd.wave', 'wav'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp3', 'mp3'],
]);

async function runResponses(
  tools: readonly Tool[],
  { call_id, name, arguments: args }: OpenAiResponsesCall,
  { accepts, ...context }: OpenAiCallOptions,
): Promise<OpenAiCallOutput> {
  // An output holds text, pictures and files, but no recordings.
  const wanted = accepting(accepts);
  const takes = (type: string): boolean => wanted(type) && type.startsWith('image/');
  const { text, media } = hostAnswer(await callTool(tools, name, args, context), takes);
  const output: OpenAiCallOutput['output'] =
    media.length === 0
      ? text
      : [
          { type: 'input_text', text },
          ...media.map((one) => ({
            type: 'input_image' as const,
            image_url: dataUrl(one),
            detail: 'auto' as const,
          })),
        ];
  return { type: 'function_call_output', call_id, output };
}
