// What the OpenAI Agents SDK takes as `AgentInputItem`s, and the Responses API behind it.

import { type FlatItem, flatFindings, partnerFindings } from './flat-items.ts';
import { flat as flatResponses, itemFindings } from './openai-responses.ts';
import { brief, filled, isShape, type Shape, shape } from './shape.ts';

/** `ModelItem` of `@openai/agents-core` 0.20 (`types/protocol`): calls, and what answers them. */
const CALLS: Readonly<Record<string, string>> = {
  function_call: 'function_call_result',
  computer_call: 'computer_call_result',
  shell_call: 'shell_call_output',
  apply_patch_call: 'apply_patch_call_output',
};
const RESULTS = new Set(Object.values(CALLS));
const OTHERS = new Set([
  'message',
  'reasoning',
  'hosted_tool_call',
  'compaction',
  'tool_search_call',
  'tool_search_output',
  'program',
  'program_output',
  'unknown',
]);
const STATES = new Set(['in_progress', 'completed', 'incomplete']);
const PARTS: Readonly<Record<string, readonly string[]>> = {
  user: ['input_text', 'input_image', 'input_file', 'audio'],
  assistant: ['output_text', 'refusal', 'audio', 'image'],
};

function typeOf(item: Shape): string {
  return String(item['type'] ?? (item['role'] === undefined ? 'undefined' : 'message'));
}

function flat(native: unknown): FlatItem {
  const item = shape(native);
  const type = typeOf(item);
  const id = typeof item['id'] === 'string' ? item['id'] : '';
  const callId = String(item['callId']);
  const answer = CALLS[type];
  if (answer !== undefined) return { kind: 'call', callId, id, answer };
  if (RESULTS.has(type)) return { kind: 'result', callId, id, answer: type };
  // What the SDK has no type for goes to the API as it came.
  if (type === 'unknown' && filled(shape(item['providerData'])['type']))
    return flatResponses({ ...shape(item['providerData']), ...(id === '' ? {} : { id }) });
  if (type === 'tool_search_call' || type === 'tool_search_output') {
    const told = { ...shape(item['providerData']), ...item };
    return flatResponses({ ...told, call_id: item['callId'] ?? told['call_id'] });
  }
  if (type === 'reasoning') return { kind: 'reasoning', callId: '', id };
  const made = type === 'hosted_tool_call' || (type === 'message' && item['role'] === 'assistant');
  return { kind: made ? 'output' : 'input', callId: '', id };
}

function messageFindings(item: Shape): string[] {
  const { role, content } = item;
  if (role === 'system') return typeof content === 'string' ? [] : ['a system message without text'];
  const allowed = PARTS[String(role)];
  if (!allowed) return [`role ${brief(role)}`];
  if (role === 'user' && typeof content === 'string') return [];
  if (!Array.isArray(content)) return ['content of a wrong type'];
  const parts = content.map(shape).flatMap((part) => {
    const type = String(part['type']);
    if (!allowed.includes(type)) return [`part ${brief(type)}`];
    return type.endsWith('_text') && typeof part['text'] !== 'string' ? [`${type} without text`] : [];
  });
  if (content.length === 0) parts.push('content is empty');
  if (role === 'assistant' && !STATES.has(String(item['status'])))
    parts.push('an assistant message without status');
  return parts;
}

/**
 * Findings about a list of `AgentInputItem`s; none when SDK and API would take it. Sources: the schemas of
 * `@openai/agents-core` 0.20 `types/protocol`, and the Responses API's refusals in `flatFindings`, as the SDK maps each item
 * to one of that API.
 */
export function judge(messages: readonly unknown[]): string[] {
  const findings: string[] = [];
  if (messages.length === 0) findings.push('no item');
  messages.forEach((native, at) => {
    const item = shape(native);
    const type = typeOf(item);
    const add = (text: string): number => findings.push(`item ${at}: ${text}`);
    if (!(OTHERS.has(type) || RESULTS.has(type) || CALLS[type] !== undefined)) add(`type ${brief(type)}`);
    if (type === 'message') messageFindings(item).forEach(add);
    if (CALLS[type] !== undefined || RESULTS.has(type)) {
      const id = item['callId'];
      // 64 as in the Responses API.
      if (!filled(id) || id.length > 64) add(`callId ${brief(id)}`);
    }
    if (type === 'function_call' && !(filled(item['name']) && typeof item['arguments'] === 'string'))
      add('a call without name or arguments');
    if (type === 'function_call_result') {
      const { name, status, output } = item;
      if (!filled(name) || !STATES.has(String(status))) add('a result without name or status');
      if (!(typeof output === 'string' || Array.isArray(output) || isShape(output)))
        add('a result without output');
      if (
        Array.isArray(output) &&
        output.some((part) => !PARTS['user']?.includes(String(shape(part)['type'])))
      )
        add('a part of a result of unknown type');
    }
    if (type === 'reasoning' && !Array.isArray(item['content'])) add('reasoning without content');
    const carried = type === 'unknown' ? shape(item['providerData']) : {};
    if (filled(carried['type'])) itemFindings(carried).forEach(add);
    if (type === 'compaction' && !filled(item['encrypted_content'])) add('compaction without content');
  });
  return [...findings, ...flatFindings(messages.map(flat))];
}

/** Findings where what the model made follows other reasoning in `after` than in `before`. */
export function partnersKept(before: readonly unknown[], after: readonly unknown[]): string[] {
  return partnerFindings(before.map(flat), after.map(flat));
}
