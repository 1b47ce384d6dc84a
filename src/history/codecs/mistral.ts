// Format of Mistral's SDK, as typed by the messages of `ChatCompletionRequest` in @mistralai/mistralai 2.7: OpenAI's chat
// format in camelCase, with reasoning among the content. The JSON of the API itself is in OpenAI's format.

import { type Codec, STRICT } from './codec.ts';
import { resultSlot } from './content.ts';
import { createCodec, type Path, type Place, type Reading, type Slot, slot, slotsIn } from './lens.ts';
import { detectLike } from './likeness.ts';
import { item, rolesOf } from './message.ts';
import { joined, listOf, type Native, nativeOf, textIn } from './native.ts';
import { blankSlot, CHAT_ENTRIES, callSlot, ROLES, saidSlots, tidyChat } from './openai/chat.ts';

function read(message: Native): Reading | null {
  const role = ROLES.get(message['role']);
  const { content } = message;
  if (role === undefined) return null;
  if (role === 'tool') {
    const facts = { callId: textIn(message, 'toolCallId'), toolName: textIn(message, 'name') };
    const { items, places } = resultSlot(['content'], facts, content, CHAT_ENTRIES, []);
    const id: Place = { at: ['toolCallId'], write: (before, change) => change(0)?.callId ?? before };
    return { role, slots: [{ items, places: [...places, id] }] };
  }
  const calls = slotsIn(['toolCalls'], listOf(message['toolCalls']), toolCall);
  const isEmpty = (content ?? '') === '' && role === 'assistant';
  const said = isEmpty ? [] : saidSlots(role, content, CHAT_ENTRIES, thinking);
  if (!said) return null;
  return { role, slots: isEmpty && calls.length === 0 ? [blankSlot(role)] : [...said, ...calls] };
}

function toolCall(call: unknown, at: Path): Slot | null {
  const called = nativeOf(nativeOf(call)?.['function']);
  return called && callSlot(at, called, textIn(call, 'id'), ['function'], ['id']);
}

function thinking(chunk: unknown, at: Path): Slot | null {
  const native = nativeOf(chunk);
  if (native?.['type'] !== 'thinking') return null;
  const text = joined(listOf(native['thinking']).map((each) => textIn(each, 'text')));
  return slot(at, item('reasoning', { text, sealed: Boolean(native['signature']) }));
}

const ITS_ROLES = rolesOf('system', 'user', 'assistant', 'tool');
const FOREIGN = ['type', 'parts', 'tool_calls', 'tool_call_id', 'tool_name', 'images', 'getType'] as const;
/** Chunk types, each with the field that OpenAI spells otherwise; null for the text both have. */
const CHUNKS: ReadonlyMap<unknown, string | null> = new Map<unknown, string | null>([
  ['text', null],
  ['image_url', 'imageUrl'],
  ['document_url', 'documentUrl'],
  ['input_audio', 'inputAudio'],
  ['reference', 'referenceIds'],
  ['file', 'fileId'],
  ['thinking', 'thinking'],
]);

function mayBe({ role, content, ...message }: Native): boolean {
  if (typeof (content ?? '') === 'string') return role !== 'tool' || 'toolCallId' in message;
  return listOf(content).every((chunk) => {
    const native = nativeOf(chunk);
    const field = CHUNKS.get(native?.['type']);
    if (field === 'thinking') return Array.isArray(native?.[field]);
    return field === null ? textIn(chunk, 'text') !== null : field !== undefined && field in (native ?? {});
  });
}

function isSurely({ role, content, toolCalls }: Native): boolean {
  if (listOf(content).some((chunk) => textIn(chunk, 'type') !== 'text')) return true;
  return role === 'tool' || listOf(toolCalls).length > 0;
}

/**
 * Sources of the rules: the SDK's type declarations and the API's error responses: "Tool call id was … but must be a-z,
 * A-Z, 0-9, with a length of 9", "Not the same number of function calls and responses", "Unexpected role 'user' after
 * role 'tool'", "Expected last role User or Tool (or Assistant with prefix True)", "Assistant message must have either
 * content or tool_calls". A user message after a result is a neighbour of its own side, so the roles alternate.
 */
export const mistral: Codec = createCodec({
  name: 'mistral',
  rules: {
    ...STRICT,
    alternates: true,
    results: 'after',
    resultsTogether: false,
    callId: /^[a-zA-Z0-9]{9}$/,
  },
  detect: detectLike({ roles: ITS_ROLES, foreign: FOREIGN, mayBe, isSurely }),
  read,
  list: 'content',
  part: (text) => ({ type: 'text', text }),
  notice: (text, role) => ({ role, content: text }),
  answer: ({ callId, toolName }, text) => ({
    role: 'tool',
    toolCallId: callId,
    name: toolName,
    content: text,
  }),
  tidy: (patch, _, role) => tidyChat(patch, role, 'toolCalls'),
});
