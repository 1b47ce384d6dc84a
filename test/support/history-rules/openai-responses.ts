// What the OpenAI Responses API takes as a list of `input` items, as its reference and its own refusals describe it.

import { type FlatItem, flatFindings, partnerFindings } from './flat-items.ts';
import { brief, filled, isShape, list, type Shape, shape } from './shape.ts';

/** `ResponseInputItem` of `openai` 6.49: items the model made, and what answers them. */
const OUTPUTS = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
  'mcp_list_tools',
  'mcp_approval_request',
]);
const CALLS = new Set([
  'function_call',
  'custom_tool_call',
  'computer_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
]);
const RESULTS = new Set(
  [...CALLS].map((type) => (type === 'function_call' ? 'function_call_output' : `${type}_output`)),
);
const INPUTS = new Set(['mcp_approval_response', 'compaction', 'compaction_trigger', 'item_reference']);
const USER_PARTS = new Set(['input_text', 'input_image', 'input_file', 'input_audio']);
const ASSISTANT_PARTS = new Set(['output_text', 'refusal']);
/** "string too long. Expected a string with maximum length 64": of `call_id` and `id`. */
const ID_LENGTH = 64;
/** "Expected an ID that begins with 'rs'": of items by type. */
const PREFIXES: Readonly<Record<string, string>> = { reasoning: 'rs', message: 'msg', function_call: 'fc' };

function typeOf(item: Shape): string {
  return String(item['type'] ?? (item['role'] === undefined ? 'undefined' : 'message'));
}

function flat(native: unknown): FlatItem {
  const item = shape(native);
  const type = typeOf(item);
  const id = typeof item['id'] === 'string' ? item['id'] : '';
  const callId = String(item['call_id']);
  if (CALLS.has(type)) return { kind: 'call', callId, id };
  if (RESULTS.has(type)) return { kind: 'result', callId, id };
  if (type === 'reasoning') return { kind: 'reasoning', callId: '', id };
  const made = OUTPUTS.has(type) || (type === 'message' && item['role'] === 'assistant');
  return { kind: made ? 'output' : 'input', callId: '', id };
}

/** Findings about content parts of one side; a text is content too. */
function partFindings(content: unknown, allowed: ReadonlySet<string>): string[] {
  if (typeof content === 'string') return [];
  if (!Array.isArray(content)) return ['content is neither text nor parts'];
  if (content.length === 0) return ['content is empty'];
  return content.map(shape).flatMap((part) => {
    const type = String(part['type']);
    if (!allowed.has(type)) return [`part ${brief(type)}`];
    const texts = type.endsWith('_text');
    return texts && typeof part['text'] !== 'string' ? [`${type} without text`] : [];
  });
}

/**
 * Findings about a list of `ResponseInputItem`s; none when the API would take it. Sources:
 * platform.openai.com/docs/api-reference/responses/create, `ResponseInputItem` of `openai` 6.49, and the refusals in
 * `flatFindings`; for unknown types "Invalid value: 'x'. Supported values are: ...".
 */
export function judge(messages: readonly unknown[]): string[] {
  const findings: string[] = [];
  if (messages.length === 0) findings.push('no item');
  messages.forEach((native, at) => {
    const item = shape(native);
    const type = typeOf(item);
    const add = (text: string): number => findings.push(`item ${at}: ${text}`);
    const known = type === 'message' || type === 'reasoning' || CALLS.has(type) || RESULTS.has(type);
    if (!(known || OUTPUTS.has(type) || INPUTS.has(type))) add(`type ${brief(type)}`);
    for (const name of ['id', 'call_id']) {
      const id = item[name];
      if (id !== undefined && id !== null && (!filled(id) || id.length > ID_LENGTH))
        add(`${name} ${brief(id)}`);
    }
    const prefix = PREFIXES[type];
    if (prefix && filled(item['id']) && !item['id'].startsWith(prefix))
      add(`id ${brief(item['id'])} of ${type}`);
    if (type === 'message') {
      const assistant = item['role'] === 'assistant';
      if (!['user', 'system', 'developer', 'assistant'].includes(String(item['role'])))
        add(`role ${brief(item['role'])}`);
      partFindings(item['content'], assistant ? ASSISTANT_PARTS : USER_PARTS).forEach(add);
    }
    if (CALLS.has(type) || RESULTS.has(type)) if (!filled(item['call_id'])) add('no `call_id`');
    if (type === 'function_call') {
      const { name, arguments: args } = item;
      if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,128}$/.test(name)) add(`a call of ${brief(name)}`);
      if (typeof args !== 'string') add('arguments are no text');
    }
    if (type === 'function_call_output') partFindings(item['output'], USER_PARTS).forEach(add);
    if (
      type === 'reasoning' &&
      !(filled(item['id']) && list(item['summary']).every(isShape) && Array.isArray(item['summary']))
    )
      add('reasoning without id or summary');
    if (type === 'compaction' && !filled(item['encrypted_content'])) add('compaction without content');
  });
  return [...findings, ...flatFindings(messages.map(flat))];
}

/** Findings where what the model made follows other reasoning in `after` than in `before`. */
export function partnersKept(before: readonly unknown[], after: readonly unknown[]): string[] {
  return partnerFindings(before.map(flat), after.map(flat));
}
