// Format of input items of OpenAI's Responses API: a flat list of messages, reasoning, calls, their outputs, and items of
// tools the provider runs itself.

import type { Codec } from '../codec.ts';
import { type Entries, resultSlot } from '../content.ts';
import { createCodec, type Reading } from '../lens.ts';
import { detectBy, type Likeness } from '../likeness.ts';
import { mediaFrom } from '../media-facts.ts';
import { item } from '../message.ts';
import { joined, listOf, type Native, nativeOf, textIn, weightOf } from '../native.ts';
import {
  answerTo,
  type Dialect,
  FLAT_RULES,
  hosted,
  inputText,
  pictureSlot,
  readItem,
  textSlot,
  unknownItem,
  whole,
} from './flat.ts';

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

const emptied = (): null => null;
const OUTPUTS: Entries = {
  read: (entry) => {
    const url = textIn(entry, 'url');
    const text = textIn(entry, 'logs');
    if (url !== null) return { media: mediaFrom(url, null, 'image') };
    return text === null ? null : { text };
  },
  part: (logs) => ({ type: 'logs', logs }),
};

/** Items of tools the provider runs; the item's id is the id of the call. */
function readHosted(message: Native): Reading | null {
  const callId = textIn(message, 'id');
  const type = textIn(message, 'type');
  const facts = { callId, toolName: type, providerExecuted: true };
  const approval = (id: string | null): readonly string[] => (id === null ? [] : [`approval:${id}`]);
  const opaque = (role: 'assistant' | 'tool', links: readonly string[]): Reading =>
    whole(role, item('opaque', { links, weight: weightOf(message) }));
  switch (type) {
    case 'mcp_call': {
      const error = message['error'] ?? null;
      const field = typeof message['output'] === 'string' ? 'output' : 'error';
      const links = approval(textIn(message, 'approval_request_id'));
      const own = { ...facts, toolName: textIn(message, 'name'), links };
      const result = item('result', { ...own, text: textIn(message, field) ?? '', isError: error !== null });
      const isDone = field === 'output' || error !== null;
      return hosted(message, own, 'arguments', isDone ? textSlot(field, result, undefined, emptied) : null);
    }
    case 'mcp_list_tools':
      return opaque('assistant', []);
    case 'mcp_approval_request':
      return opaque('assistant', approval(callId));
    case 'mcp_approval_response':
      return opaque('tool', approval(textIn(message, 'approval_request_id')));
    case 'web_search_call':
      return hosted(message, facts, 'action');
    case 'file_search_call': {
      const found = listOf(message['results']);
      const result = item('result', { ...facts, text: joined(found.map((each) => textIn(each, 'text'))) });
      const write = (text: string): unknown => [{ ...nativeOf(found[0]), text }];
      return hosted(message, facts, 'queries', found[0] ? textSlot('results', result, write, emptied) : null);
    }
    case 'code_interpreter_call': {
      const outputs = listOf(message['outputs']);
      const { items, places } = resultSlot(['outputs'], facts, outputs, OUTPUTS, []);
      const result = { items, places: places.map((place) => ({ ...place, gone: emptied })) };
      return hosted(message, facts, 'code', outputs.length > 0 ? result : null);
    }
    case 'image_generation_call':
      return hosted(message, facts, 'prompt', pictureSlot(callId, message['result']));
    default:
      return null;
  }
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
