// Codec for LangChain messages, by duck typing: instances of any version of its classes, their serialized form, the
// form of mapChatMessagesToStoredMessages, and plain objects. Imports nothing from LangChain.

import { type Codec, STRICT } from '../codec.ts';
import { createCodec, type Reading } from '../lens.ts';
import { detectBy, type Likeness } from '../likeness.ts';
import type { OpenCall } from '../message.ts';
import { guarded, jsonValue, listOf, type Native, nativeOf, textIn } from '../native.ts';
import { isTextBlock } from './blocks.ts';
import { fieldsOf, withFields } from './forms.ts';
import { slotsOf, textBlock } from './slots.ts';

/** Fields sent to a provider. Message ids are not sent, except those from OpenAI. */
const SENT = [
  'content',
  'role',
  'name',
  'tool_call_id',
  'status',
  'tool_calls',
  'invalid_tool_calls',
  'additional_kwargs',
  'response_metadata',
] as const;

/** In the form of mapChatMessagesToStoredMessages, so that a message has the same encoding in every form. */
function encode(message: unknown): unknown {
  const read = fieldsOf(message);
  if (!read) return jsonValue(message);
  const { fields } = read;
  const id = guarded(() => textIn(fields, 'id'), null);
  const entries = SENT.flatMap((name) => {
    if (name === 'role' && read.type !== 'generic') return [];
    const value = jsonValue(guarded(() => fields[name], null));
    return isNothing(value) && name !== 'content' ? [] : [[name, value] as const];
  });
  const sentId = read.role === null || (id !== null && /^(?:msg|fc)_/.test(id)) ? [['id', id] as const] : [];
  return { type: read.type, data: Object.fromEntries([...sentId, ...entries]) };
}

function isNothing(value: unknown): boolean {
  if (value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function likeness(message: unknown): Likeness {
  const read = fieldsOf(message);
  const native = nativeOf(message);
  if (!read || !native) return 'no';
  if (read.form !== 'plain') return 'is';
  if (native['type'] !== undefined) return 'is';
  const calls = listOf(native['tool_calls']);
  if (calls.some((call) => nativeOf(nativeOf(call)?.['function']))) return 'no';
  if (calls.some((call) => nativeOf(nativeOf(call)?.['args']))) return 'is';
  const content = native['content'];
  const plain = typeof content === 'string' || (Array.isArray(content) && content.every(isTextBlock));
  if (!plain) return 'no';
  return /^(?:human|ai|generic)$/.test(textIn(native, 'role') ?? '') ? 'is' : 'may';
}

function read(message: Native): Reading | null {
  const found = fieldsOf(message);
  if (!found) return null;
  const { role, fields } = found;
  const slots = slotsOf(message, found);
  return { role: role ?? 'user', slots, fields, rebuild: (patch) => withFields(message, found, patch) };
}

/**
 * Codec for LangChain messages. Does not know the classes, so notices and answers are plain objects with a `role`,
 * which LangChain coerces wherever it accepts messages; `createLangChainCodec` makes instances instead.
 *
 * The rules are the requirements of LangChain's strictest chat models, because a list may be sent to any of them.
 * - Each result is a separate ToolMessage. `@langchain/anthropic` joins consecutive ones, and OpenAI requires them
 *   right after the message with `tool_calls`: `after`.
 * - `startsWith`, `mayBeEmpty`, `reasoningAlone`: Anthropic and Gemini. Call ids come from the model that made the
 *   call.
 * - `argsBesideSealed`: signed calls of Gemini and thinking of Anthropic must not change.
 */
export const langChain: Codec = createCodec({
  name: 'langchain',
  rules: { ...STRICT, endsWithUser: false, results: 'after', resultsTogether: false },
  detect: detectBy(likeness),
  read,
  list: 'content',
  part: textBlock,
  notice: (text, role) => ({ role, content: text }),
  answer: (call, text) => ({ role: 'tool', ...answerFields(call, text) }),
  // LangChain sends a list without tool_use blocks instead of `tool_calls`; with an empty text it sends `tool_calls`.
  tidy: (patch, fields) => {
    const isStandard = nativeOf(fields['response_metadata'])?.['output_version'] === 'v1';
    const { content } = patch;
    if ('content' in patch && (content === undefined || (listOf(content).length === 0 && !isStandard)))
      patch['content'] = typeof content === 'string' ? content : '';
  },
  encode,
});

function answerFields({ callId, toolName, form }: OpenCall, text: string): AnswerFields {
  const fields = { content: text, tool_call_id: callId, name: toolName, status: 'error' } as const;
  // `@langchain/openai` recognises a custom tool's result by this field.
  return form?.result === 'custom' ? { ...fields, additional_kwargs: { customTool: true } } : fields;
}

/** Fields of a ToolMessage. */
export interface AnswerFields {
  readonly content: string;
  readonly tool_call_id: string;
  readonly name: string;
  readonly status: 'error';
  readonly additional_kwargs?: Record<string, unknown>;
}

/** The classes of `@langchain/core/messages` used to create messages. */
export interface LangChainClasses {
  readonly HumanMessage: new (fields: { content: string }) => unknown;
  readonly AIMessage: new (fields: { content: string }) => unknown;
  readonly ToolMessage: new (fields: AnswerFields) => unknown;
}

/**
 * Like `langChain`, but notices and answers are instances of `classes`, for places where LangChain requires instances,
 * such as the model call in `wrapModelCall`. Pass the module from `import('@langchain/core/messages')`.
 */
export function createLangChainCodec(classes: LangChainClasses): Codec {
  const { HumanMessage, AIMessage, ToolMessage } = classes;
  return {
    ...langChain,
    // Pass a new object to each constructor: it keeps and modifies its argument.
    notice: (text, role) =>
      role === 'user' ? new HumanMessage({ content: text }) : new AIMessage({ content: text }),
    answer: (calls, text) => calls.map((call) => new ToolMessage(answerFields(call, text))),
  };
}
