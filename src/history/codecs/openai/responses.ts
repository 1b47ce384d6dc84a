// Format of input items of OpenAI's Responses API: a flat list of messages, reasoning, calls, their outputs, and items of
// tools the provider runs itself.

import type { Codec } from '../codec.ts';
import { createCodec, hostedSlot, type Reading } from '../lens.ts';
import { detectBy, type Likeness } from '../likeness.ts';
import { listOf, type Native, nativeOf, textIn } from '../native.ts';
import { answerTo, type Dialect, FLAT_RULES, inputText, readItem, unknownItem } from './flat.ts';

export const RESPONSES: Dialect = {
  callId: 'call_id',
  callerId: 'caller_id',
  exitCode: 'exit_code',
  functionResult: 'function_call_output',
  computerResult: 'computer_call_output',
  answered: () => ({}),
  programOutput: 'result',
  said: (text) => ({ type: 'output_text', text, annotations: [] }),
};

/** Reads an item of the list. The Agents SDK passes items it does not know through in this form. */
export function readResponsesItem(message: Native): Reading | null {
  return readItem(message, RESPONSES) ?? readHosted(message) ?? unknownItem(message, RESPONSES);
}

/** Items of tools that the provider runs, and the field that links an approval to its call. */
const HOSTED: ReadonlyMap<unknown, string | null> = new Map<unknown, string | null>([
  ['mcp_call', 'approval_request_id'],
  ['mcp_list_tools', null],
  ['mcp_approval_request', 'id'],
  ['mcp_approval_response', 'approval_request_id'],
  ['web_search_call', null],
  ['file_search_call', null],
  ['code_interpreter_call', null],
  ['image_generation_call', null],
]);

function readHosted(message: Native): Reading | null {
  const { type } = message;
  const field = HOSTED.get(type);
  if (field === undefined) return null;
  const approval = field === null ? null : textIn(message, field);
  const links = approval === null ? [] : [`approval:${approval}`];
  return {
    role: type === 'mcp_approval_response' ? 'tool' : 'assistant',
    slots: [hostedSlot([], message, links)],
  };
}

/** Item types by a field that distinguishes them from the same name elsewhere. */
const TYPES: readonly (readonly [field: string, type: RegExp])[] = [
  ['call_id', /^(?:(?:function|custom_tool|computer|shell|apply_patch)_call(?:_output)?|local_shell_call)$/],
  ['call_id', /^program(?:_output)?$/],
  ['id', /^(?:mcp_(?:call|list_tools|approval_request)|item_reference|local_shell_call_output)$/],
  ['id', /^(?:web_search|file_search|code_interpreter|image_generation)_call$/],
  ['type', /^(?:tool_search_(?:call|output)|compaction_trigger)$/],
  ['summary', /^reasoning$/],
  ['approval_request_id', /^mcp_approval_response$/],
  ['tools', /^additional_tools$/],
  ['encrypted_content', /^compaction$/],
];
const SPEAKERS = /^(?:system|developer|user|assistant)$/;
const PARTS = /^(?:(?:input|output)_text|refusal|input_(?:image|file|audio))$/;

function likeness(message: unknown): Likeness {
  const native = nativeOf(message);
  if (!native || 'callId' in native || 'parts' in native || 'tool_calls' in native) return 'no';
  const type = native['type'] ?? null;
  if (native['role'] !== undefined && type !== 'additional_tools') {
    if (!SPEAKERS.test(textIn(native, 'role') ?? '') || (type !== null && type !== 'message')) return 'no';
    const content = native['content'];
    if (typeof content === 'string') return type === 'message' ? 'is' : 'may';
    if (!Array.isArray(content) || !content.every((part) => PARTS.test(textIn(part, 'type') ?? '')))
      return 'no';
    return content.length > 0 ? 'is' : 'may';
  }
  const [field] = TYPES.find(([, types]) => typeof type === 'string' && types.test(type)) ?? [];
  if (field !== undefined) return native[field] !== undefined ? 'is' : 'no';
  // A newer item type, or an item given only by its id.
  return typeof type === 'string' || typeof native['id'] === 'string' ? 'may' : 'no';
}

/** Codec for input items of the Responses API. */
export const openAiResponses: Codec = createCodec({
  name: 'openai-responses',
  rules: FLAT_RULES,
  detect: detectBy(likeness),
  read: readResponsesItem,
  list: 'content',
  part: inputText,
  notice: (text, role) => ({ role, content: text }),
  answer: (call, text) => answerTo(call, text, RESPONSES),
  tidy: tidyFlat,
});

/** A message whose content was removed keeps an empty text. */
export function tidyFlat(patch: Record<string, unknown>): void {
  if ('content' in patch && (patch['content'] === undefined || listOf(patch['content']).length === 0))
    patch['content'] = textIn(patch, 'content') ?? '';
}
