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
  'program',
  'program_output',
]);
/** Calls the caller answers, and the type of what answers them. */
const CALLS: Readonly<Record<string, string>> = {
  function_call: 'function_call_output',
  custom_tool_call: 'custom_tool_call_output',
  computer_call: 'computer_call_output',
  local_shell_call: 'local_shell_call_output',
  shell_call: 'shell_call_output',
  apply_patch_call: 'apply_patch_call_output',
  tool_search_call: 'tool_search_output',
};
const RESULTS = new Set(Object.values(CALLS));
const INPUTS = new Set([
  'mcp_approval_response',
  'additional_tools',
  'compaction',
  'compaction_trigger',
  'item_reference',
]);
const USER_PARTS = new Set(['input_text', 'input_image', 'input_file', 'input_audio']);
const ASSISTANT_PARTS = new Set(['output_text', 'refusal']);
/** "string too long. Expected a string with maximum length 64": of `call_id` and `id`. */
const ID_LENGTH = 64;
/** "Expected an ID that begins with 'rs'": of items by type. */
const PREFIXES: Readonly<Record<string, string>> = { reasoning: 'rs', message: 'msg', function_call: 'fc' };

function typeOf(item: Shape): string {
  return String(item['type'] ?? (item['role'] === undefined ? 'undefined' : 'message'));
}

/** Searches for tools and shells that the provider runs itself: nobody answers them. */
function isHosted(item: Shape, type: string): boolean {
  if (type.startsWith('tool_search_')) return item['execution'] !== 'client';
  return type === 'shell_call' && shape(item['environment'])['type'] === 'container_reference';
}

/** An item by what it is. */
export function flat(native: unknown): FlatItem {
  const item = shape(native);
  const type = typeOf(item);
  const id = typeof item['id'] === 'string' ? item['id'] : '';
  if (isHosted(item, type)) return { kind: 'output', callId: '', id };
  const answer = CALLS[type];
  if (answer !== undefined) return { kind: 'call', callId: String(item['call_id']), id, answer };
  // The one result that names its call by `id`.
  const named = type === 'local_shell_call_output';
  if (RESULTS.has(type))
    return {
      kind: 'result',
      callId: String(named ? id : item['call_id']),
      id: named ? '' : id,
      answer: type,
    };
  if (type === 'reasoning') return { kind: 'reasoning', callId: '', id };
  const made = OUTPUTS.has(type) || (type === 'message' && item['role'] === 'assistant');
  return { kind: made ? 'output' : 'input', callId: '', id };
}

/** What a result lacks of its type. */
const WANTS: Readonly<Record<string, (item: Shape) => boolean>> = {
  computer_call_output: ({ output }) => {
    const { type, image_url: url, file_id: file } = shape(output);
    return type === 'computer_screenshot' && (filled(url) || filled(file));
  },
  local_shell_call_output: ({ id, output }) => filled(id) && typeof output === 'string',
  shell_call_output: ({ output }) =>
    Array.isArray(output) &&
    output.map(shape).every(({ stdout, stderr, outcome }) => {
      const { type, exit_code: code } = shape(outcome);
      const ended = type === 'timeout' || (type === 'exit' && Number.isInteger(code));
      return typeof stdout === 'string' && typeof stderr === 'string' && ended;
    }),
  apply_patch_call_output: ({ status, output }) =>
    (status === 'completed' || status === 'failed') && (output === undefined || typeof output === 'string'),
  tool_search_output: ({ tools }) => Array.isArray(tools),
  mcp_approval_response: ({ approve, approval_request_id: request }) =>
    typeof approve === 'boolean' && filled(request),
};

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

/** Findings about one item by itself. */
export function itemFindings(native: unknown): string[] {
  const findings: string[] = [];
  const item = shape(native);
  const type = typeOf(item);
  const add = (text: string): number => findings.push(text);
  const known = type === 'message' || type === 'reasoning' || CALLS[type] !== undefined || RESULTS.has(type);
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
  const { kind } = flat(item);
  const byId = type === 'local_shell_call_output';
  if ((kind === 'call' || kind === 'result') && !byId && !filled(item['call_id'])) add('no `call_id`');
  if (WANTS[type]?.(item) === false) add(`a ${type} without what it is`);
  if (type === 'custom_tool_call' && !(filled(item['name']) && typeof item['input'] === 'string'))
    add('a custom call without name or input');
  if (type === 'function_call') {
    const { name, arguments: args } = item;
    if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,128}$/.test(name)) add(`a call of ${brief(name)}`);
    if (typeof args !== 'string') add('arguments are no text');
  }
  if (type === 'function_call_output' || type === 'custom_tool_call_output')
    partFindings(item['output'], USER_PARTS).forEach(add);
  if (
    type === 'reasoning' &&
    !(filled(item['id']) && list(item['summary']).every(isShape) && Array.isArray(item['summary']))
  )
    add('reasoning without id or summary');
  if (type === 'compaction' && !filled(item['encrypted_content'])) add('compaction without content');
  return findings;
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
    for (const finding of itemFindings(native)) findings.push(`item ${at}: ${finding}`);
  });
  return [...findings, ...flatFindings(messages.map(flat))];
}

/** Findings where what the model made follows other reasoning in `after` than in `before`. */
export function partnersKept(before: readonly unknown[], after: readonly unknown[]): string[] {
  return partnerFindings(before.map(flat), after.map(flat));
}
