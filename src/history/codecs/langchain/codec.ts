// Messages of LangChain, duck-typed: instances of any version of its classes, what they serialize to, what
// mapChatMessagesToStoredMessages gives, and plain objects. It imports nothing of LangChain.

import type { Codec, ProviderRules } from '../codec.ts';
import { detectBy, type Likeness } from '../likeness.ts';
import type { OpenCall } from '../message.ts';
import { guarded, jsonValue, listOf, nativeOf, textIn } from '../native.ts';
import { editGuarded } from '../parts.ts';
import { isTextBlock } from './blocks.ts';
import { edited } from './edits.ts';
import { fieldsOf } from './forms.ts';
import { readSlots } from './slots.ts';

/**
 * What the strictest of LangChain's chat models demand: a list of this format goes to any of them.
 * - Each result is a ToolMessage of its own; `@langchain/anthropic` joins those that follow each other, OpenAI wants them
 *   right after the message with `tool_calls`: `after`.
 * - `startsWith`, `mayBeEmpty`, `reasoningAlone`: Anthropic and Gemini. Ids are made by whichever model called.
 * - `argsBesideSealed`: signed calls of Gemini and thinking of Anthropic stay as they came.
 */
const RULES: ProviderRules = {
  startsWith: 'user',
  endsWithUser: false,
  alternates: false,
  results: 'after',
  resultsTogether: false,
  callId: null,
  mayBeEmpty: false,
  reasoningAlone: false,
  argsBesideSealed: false,
};

/** Fields that go to a provider; ids do not, but for those OpenAI gave. */
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

/** As mapChatMessagesToStoredMessages has it, whatever the form, so that one message has one encoding. */
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

/**
 * Messages of LangChain. It knows no classes, so notices and answers are plain objects with a `role`, which LangChain
 * coerces to messages wherever it takes messages; `createLangChainCodec` makes instances.
 */
export const langChain: Codec = {
  name: 'langchain',
  rules: RULES,
  detect: detectBy(likeness),
  view: (message) => {
    const read = fieldsOf(message);
    return { role: read?.role ?? 'user', items: readSlots(message, read).map((slot) => slot.item) };
  },
  edit: (message, edits) => editGuarded(message, edits, () => edited(message, edits)),
  notice: (text, role) => ({ role, content: text }),
  answer: (calls, text) => calls.map((call) => ({ role: 'tool', ...answerFields(call, text) })),
  encode,
};

function answerFields({ callId, toolName, form }: OpenCall, text: string): AnswerFields {
  const fields = { content: text, tool_call_id: callId, name: toolName, status: 'error' } as const;
  // By this `@langchain/openai` knows the result of a custom tool.
  return form?.result === 'custom' ? { ...fields, additional_kwargs: { customTool: true } } : fields;
}

/** What a ToolMessage is made of. */
export interface AnswerFields {
  readonly content: string;
  readonly tool_call_id: string;
  readonly name: string;
  readonly status: 'error';
  readonly additional_kwargs?: Record<string, unknown>;
}

/** The classes of `@langchain/core/messages` that new messages are made of. */
export interface LangChainClasses {
  readonly HumanMessage: new (fields: { content: string }) => unknown;
  readonly AIMessage: new (fields: { content: string }) => unknown;
  readonly ToolMessage: new (fields: AnswerFields) => unknown;
}

/**
 * As `langChain`, but notices and answers are instances of `classes`, for where LangChain takes nothing else: a model called
 * with messages in `wrapModelCall`. Pass what `import('@langchain/core/messages')` gives.
 */
export function createLangChainCodec(classes: LangChainClasses): Codec {
  const { HumanMessage, AIMessage, ToolMessage } = classes;
  return {
    ...langChain,
    // A message of its own for each: the constructors keep, and change, the object they are given.
    notice: (text, role) =>
      role === 'user' ? new HumanMessage({ content: text }) : new AIMessage({ content: text }),
    answer: (calls, text) => calls.map((call) => new ToolMessage(answerFields(call, text))),
  };
}
