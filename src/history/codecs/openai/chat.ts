// Format of OpenAI's Chat Completions and the many compatible servers: a role, content, and calls in a separate field.
// Fields that such servers add (`reasoning_content`, `reasoning`, `reasoning_details`, `thinking_blocks`) are reasoning.

import { type Codec, LENIENT } from '../codec.ts';
import { type Entries, resultSlot, speech } from '../content.ts';
import { createCodec, GONE, opaqueSlot, type Path, type Reading, type Slot, slot, slotsIn } from '../lens.ts';
import { mediaFrom } from '../media-facts.ts';
import { item, type Role, rolesOf, textKind } from '../message.ts';
import { argumentsOf, listOf, type Native, nativeOf, textIn, weightOf } from '../native.ts';
import { jsonText } from '../value-text.ts';
import { entriesWith } from './entries.ts';

/** The roles of this format and those like it. */
export const ROLES: ReadonlyMap<unknown, Role> = new Map<unknown, Role>([
  ...rolesOf('system', 'user', 'assistant', 'tool'),
  ['developer', 'system'],
  ['function', 'tool'],
]);

const textPart = (text: string): Native => ({ type: 'text', text });
export const CHAT_ENTRIES: Entries = entriesWith(textPart);

function read(message: Native): Reading | null {
  const role = ROLES.get(message['role']);
  if (role === undefined) return null;
  if (role === 'assistant') return { role, slots: assistantSlots(message) };
  if (role === 'tool') return { role, slots: [resultOf(message)] };
  const slots = saidSlots(role, message['content'], CHAT_ENTRIES);
  return slots && { role, slots };
}

/** Slots of a content; the APIs reject an empty list. */
export function saidSlots(
  role: Role,
  content: unknown,
  entries: Entries,
  others?: (entry: unknown, at: Path) => Slot | null,
): readonly Slot[] | null {
  if (Array.isArray(content) && content.length === 0) return [blankSlot(role)];
  return speech(textKind(role), content, ['content'], entries, others);
}

/** The content of a message that says nothing, which the APIs reject. */
export function blankSlot(role: Role): Slot {
  return slot(['content'], item(textKind(role), { isBlank: true }), { text: [] });
}

function resultOf(message: Native): Slot {
  const { content } = message;
  const name = textIn(message, 'name');
  // Legacy function calls have no ids: a result belongs to the call of the same function name.
  const byName = message['role'] === 'function' && name !== null ? functionCallId(name) : null;
  const facts = { callId: textIn(message, 'tool_call_id') ?? byName, toolName: name };
  return resultSlot(['content'], facts, content, CHAT_ENTRIES, []);
}

function functionCallId(name: string): string {
  return `function:${name}`;
}

/** Fields with reasoning as text (DeepSeek and vLLM, then OpenRouter and Groq), and as blocks (OpenRouter, LiteLLM). */
const REASONING_TEXTS = ['reasoning_content', 'reasoning'] as const;
const REASONING_BLOCKS = ['reasoning_details', 'thinking_blocks'] as const;

function assistantSlots(message: Native): readonly Slot[] {
  const { content } = message;
  const reasoning = REASONING_TEXTS.flatMap((name) => textSlots(message, name, 'reasoning'));
  // If there is a text, the blocks repeat it: they are sent back but read only once.
  const isRead = reasoning.length > 0;
  const blocks = REASONING_BLOCKS.flatMap((name) => {
    const list = listOf(message[name]);
    const weight = isRead ? 0 : weightOf(list);
    return list.length === 0 ? [] : [slot([name], item('reasoning', { sealed: true, weight }))];
  });
  const call = nativeOf(message['function_call']);
  const rest = [
    ...textSlots(message, 'refusal', 'text'),
    ...audioSlots(message),
    ...(call ? [callSlot(['function_call'], call, functionCallId(textIn(call, 'name') ?? ''), [])] : []),
    ...slotsIn(['tool_calls'], listOf(message['tool_calls']), toolCall),
  ];
  const isBlank = (content ?? null) === null && [...reasoning, ...blocks, ...rest].length === 0;
  const said =
    (content ?? '') === ''
      ? isBlank
        ? [blankSlot('assistant')]
        : []
      : saidSlots('assistant', content, CHAT_ENTRIES);
  return [...reasoning, ...blocks, ...(said ?? [opaqueSlot(['content'], content)]), ...rest];
}

/** A field with a text of its own. */
export function textSlots(message: Native, name: string, kind: 'text' | 'reasoning'): readonly Slot[] {
  const text = textIn(message, name) ?? '';
  return text === '' ? [] : [slot([name], item(kind, { text }), kind === 'text' ? { text: [] } : {})];
}

/** Audio from the assistant, sent back by id. A replacement text becomes content. */
function audioSlots(message: Native): readonly Slot[] {
  const audio = nativeOf(message['audio']);
  if (!audio) return [];
  const media = mediaFrom(audio['data'], null, 'audio');
  const own = item('media', { media, weight: (textIn(audio, 'transcript') ?? '').length });
  const said = (content: unknown, text: string): unknown =>
    Array.isArray(content) ? [...content, textPart(text)] : [content, text].filter(Boolean).join('\n');
  return [
    {
      items: [own],
      places: [
        { at: ['audio'], write: () => GONE },
        {
          at: ['content'],
          write: (content, change) => said(content, change(0)?.media ?? ''),
          gone: (content) => content,
        },
      ],
    },
  ];
}

function toolCall(call: unknown, at: Path): Slot | null {
  const native = nativeOf(call);
  const callId = textIn(native, 'id');
  const called = nativeOf(native?.['function']);
  if (called) return callSlot(at, called, callId, ['function']);
  const custom = nativeOf(native?.['custom']);
  if (!custom) return null;
  const facts = { callId, toolName: textIn(custom, 'name'), text: textIn(custom, 'input') ?? '' };
  return slot(at, item('call', facts));
}

/** A call with its function at `inside`. */
export function callSlot(at: Path, called: Native, callId: string | null, inside: Path, id?: Path): Slot {
  const text = jsonText(called['arguments']);
  const facts = { callId, toolName: textIn(called, 'name'), text, args: argumentsOf(called['arguments']) };
  return slot(at, item('call', facts), { args: [...inside, 'arguments'], ...(id && { id }) });
}

/** The API rejects empty lists of calls and of content, and an assistant without content must say so. */
export function tidyChat(patch: Record<string, unknown>, role: Role, calls: string): void {
  if (Array.isArray(patch[calls]) && patch[calls].length === 0) patch[calls] = undefined;
  if (!('content' in patch)) return;
  const { content } = patch;
  const isEmpty = content === undefined || (Array.isArray(content) && content.length === 0);
  if (isEmpty) patch['content'] = role === 'assistant' ? null : '';
}

/** Content part types unique to this format, apart from the text types that all share. */
const PARTS = /^(?:text|refusal|(?:image|video)_url|input_audio|file)$/;

function isContent(content: unknown): boolean {
  if (typeof content === 'string') return true;
  return (
    Array.isArray(content) &&
    content.every((part: unknown) => {
      const type = textIn(part, 'type') ?? '';
      return PARTS.test(type) && nativeOf(part)?.[type] !== undefined;
    })
  );
}

function isCall(call: unknown): boolean {
  const native = nativeOf(call);
  return (
    nativeOf(native?.['function']) !== null ||
    (native?.['type'] === 'custom' && nativeOf(native['custom']) !== null)
  );
}

/** Fields of other formats with the same roles: Responses, Gemini and UI messages, pi, Mistral, Ollama. */
const FOREIGN = ['type', 'parts', 'stopReason', 'toolCallId', 'toolCalls', 'images', 'tool_name'] as const;

function isMessage(message: unknown): boolean {
  const native = nativeOf(message);
  const role = native?.['role'];
  if (!native || !ROLES.has(role) || FOREIGN.some((name) => native[name] !== undefined)) return false;
  const content = native['content'];
  if (role === 'tool') return isContent(content) && typeof native['tool_call_id'] === 'string';
  if (role === 'function')
    return typeof native['name'] === 'string' && (content === null || isContent(content));
  if (role !== 'assistant') return isContent(content);
  const calls = listOf(native['tool_calls']);
  if (!calls.every(isCall)) return false;
  if (isContent(content) || content === null) return true;
  const says = ['refusal', 'function_call', 'audio'].some((name) => (native[name] ?? null) !== null);
  return content === undefined && (calls.length > 0 || says);
}

/** Codec for OpenAI Chat Completions. Also accepts lists that contain only roles and texts. */
export const openAiChat: Codec = createCodec({
  name: 'openai-chat',
  rules: LENIENT,
  detect: (messages) => messages.length > 0 && messages.every(isMessage),
  read,
  list: 'content',
  part: textPart,
  notice: (text, role) => ({ role, content: text }),
  answer: ({ callId, toolName }, text) =>
    callId === functionCallId(toolName)
      ? { role: 'function', name: toolName, content: text }
      : { role: 'tool', tool_call_id: callId, content: text },
  tidy: (patch, _, role) => tidyChat(patch, role, 'tool_calls'),
});
