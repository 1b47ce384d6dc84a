// What the OpenAI Chat Completions API takes as `messages`, as its reference and its own refusals describe it.

import { brief, filled, isShape, list, shape } from './shape.ts';

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool']);
const PARTS: Readonly<Record<string, readonly string[]>> = {
  system: ['text'],
  developer: ['text'],
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
  tool: ['text'],
};
/** "string too long. Expected a string with maximum length 40": the API of `tool_calls[].id`. */
const ID_LENGTH = 40;
/** `^[a-zA-Z0-9_-]+$`, at most 64: the reference on `function.name`. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Findings about a list of `ChatCompletionMessageParam`; none when the API would take it. Sources:
 * platform.openai.com/docs/api-reference/chat/create, `ChatCompletionMessageParam` of `openai` 6.49, and refusals as quoted:
 * - "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'";
 * - "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'";
 * - "Invalid 'messages[n].content': empty array. Expected an array with minimum length 1", the same of `tool_calls`;
 * - "Invalid value for 'content': expected a string, got null": only an assistant that calls may have none.
 */
export function judge(messages: readonly unknown[]): string[] {
  const findings: string[] = [];
  if (messages.length === 0) findings.push('no message');
  let open = new Set<string>();
  let asked = new Set<string>();
  messages.forEach((native, at) => {
    const message = shape(native);
    const role = String(message['role']);
    const add = (text: string): number => findings.push(`message ${at}: ${text}`);
    if (!ROLES.has(role)) {
      add(`role ${brief(role)}`);
      return;
    }
    if (role === 'tool') {
      const id = message['tool_call_id'];
      if (typeof id !== 'string' || !asked.has(id))
        add(`result of ${brief(id)} without its call right before`);
      else if (!open.delete(id)) add(`second result of ${brief(id)}`);
    } else {
      if (open.size > 0) add(`comes before the results of ${[...open].map(brief).join(', ')}`);
      open = new Set();
      asked = new Set();
    }
    const calls = message['tool_calls'];
    if (calls !== undefined && role !== 'assistant') add('calls in a message of another role');
    if (calls !== undefined && (!Array.isArray(calls) || calls.length === 0))
      add('`tool_calls` is no list or empty');
    for (const call of role === 'assistant' ? list(calls) : []) {
      const { id, type, function: called, custom } = shape(call);
      // `ChatCompletionMessageCustomToolCall`: any text for input; a `tool` message answers it like any other.
      const { name, arguments: args, input } = shape(type === 'custom' ? custom : called);
      if (typeof (type === 'custom' ? input : type === 'function' ? args : null) !== 'string')
        add('a call that is none');
      if (typeof name !== 'string' || !NAME.test(name)) add(`a call of ${brief(name)}`);
      if (!filled(id)) add('a call without an id');
      else {
        if (id.length > ID_LENGTH) add(`an id of ${id.length} characters`);
        if (asked.has(id)) add(`two calls ${brief(id)}`);
        asked.add(id);
        open.add(id);
      }
    }
    const { content } = message;
    const calling = role === 'assistant' && list(calls).length > 0;
    if (content === null || content === undefined) {
      if (!(calling || filled(message['refusal']))) add('no content');
    } else if (Array.isArray(content)) {
      if (content.length === 0) add('content is empty');
      for (const part of content) {
        const { type, text } = shape(part);
        if (!PARTS[role]?.includes(String(type))) add(`part ${brief(type)}`);
        else if (type === 'text' && typeof text !== 'string') add('a text part without text');
        else if (type === 'image_url' && !isShape(shape(part)['image_url'])) add('a picture without address');
      }
    } else if (typeof content !== 'string') add('content is neither text nor parts');
  });
  if (open.size > 0) findings.push(`end: no results of ${[...open].map(brief).join(', ')}`);
  return findings;
}
