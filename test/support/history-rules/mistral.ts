// What Mistral's chat API takes as `messages` of its SDK, as the SDK's types and the API's own refusals describe it.

import { brief, filled, isShape, list, shape } from './shape.ts';

const ID = /^[a-zA-Z0-9]{9}$/;
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
/** `ContentChunk` of @mistralai/mistralai 2.7, each with its field. */
const CHUNKS: Readonly<Record<string, string>> = {
  text: 'text',
  image_url: 'imageUrl',
  document_url: 'documentUrl',
  input_audio: 'inputAudio',
  file: 'fileId',
  reference: 'referenceIds',
  thinking: 'thinking',
};

/**
 * Findings about a list of `ChatCompletionRequestMessage`; none when the API would take it. Sources: the types of
 * @mistralai/mistralai 2.7, docs.mistral.ai/capabilities/function_calling, and refusals as trackers quote them:
 * - "Tool call id was X but must be a-z, A-Z, 0-9, with a length of 9";
 * - "Not the same number of function calls and responses", "Unexpected tool call id X in tool results", "Duplicate tool call
 *   id in assistant message";
 * - "Unexpected role 'user' after role 'tool'", the same of 'system'; "Unexpected role 'tool' after role 'user'";
 * - "Assistant message must have either content or tool_calls, but not none";
 * - "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant".
 */
export function judge(messages: readonly unknown[]): string[] {
  const findings: string[] = [];
  if (messages.length === 0) findings.push('no message');
  const all = messages.map(shape);
  const first = all.find(({ role }) => role !== 'system');
  if (first && first['role'] !== 'user') findings.push('message 0: does not begin with the user');
  if (all.at(-1)?.['role'] === 'assistant') findings.push('end: ends with the assistant');
  let open = new Set<string>();
  let asked = new Set<string>();
  all.forEach((message, at) => {
    const add = (text: string): number => findings.push(`message ${at}: ${text}`);
    const { role, content } = message;
    if (!['system', 'user', 'assistant', 'tool'].includes(String(role))) add(`role ${brief(role)}`);
    if (role === 'system' && at > 0) add('a system message behind others');
    const before = all[at - 1]?.['role'];
    if (role === 'user' && before === 'tool') add('the user behind a result, as one of its own side');
    if (role === 'tool') {
      const id = String(message['toolCallId']);
      if (!asked.has(id)) add(`result of ${brief(id)} without its call right before`);
      else if (!open.delete(id)) add(`second result of ${brief(id)}`);
    } else {
      if (open.size > 0) add(`comes before the results of ${[...open].map(brief).join(', ')}`);
      open = new Set();
      asked = new Set();
    }
    const calls = list(message['toolCalls']);
    if (calls.length > 0 && role !== 'assistant') add('calls in a message of another role');
    for (const call of calls.map(shape)) {
      const id = String(call['id']);
      const { name, arguments: args } = shape(call['function']);
      if (!ID.test(id)) add(`id ${brief(id)}`);
      if (!NAME.test(String(name))) add(`a call of ${brief(name)}`);
      if (typeof args !== 'string' && !isShape(args)) add('a call without arguments');
      if (asked.has(id)) add(`two calls ${brief(id)}`);
      asked.add(id);
      open.add(id);
    }
    const says = Array.isArray(content) ? content.length > 0 : filled(content);
    if (role === 'assistant' && !says && calls.length === 0) add('neither content nor calls');
    if (role === 'user' && !says) add('content is empty');
    if (content !== null && content !== undefined && typeof content !== 'string' && !Array.isArray(content))
      add('content is neither text nor chunks');
    for (const chunk of list(content).map(shape)) {
      const field = CHUNKS[String(chunk['type'])];
      if (field === undefined || chunk[field] === undefined) add(`chunk ${brief(chunk['type'])}`);
      if (chunk['type'] === 'thinking' && !Array.isArray(chunk['thinking'])) add('thinking is no list');
    }
  });
  if (open.size > 0) findings.push(`end: no results of ${[...open].map(brief).join(', ')}`);
  return findings;
}
