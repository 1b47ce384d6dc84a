// Format of Ollama's chat API, as typed by `Message` in ollama 0.6: content is one text, images are a list of the message,
// and a call has no id; newer servers send one.

import { type Codec, LENIENT } from './codec.ts';
import { resultSlot } from './content.ts';
import { createCodec, GONE, type Reading, type Slot, slot, slotsIn } from './lens.ts';
import { detectLike } from './likeness.ts';
import { mediaFrom } from './media-facts.ts';
import { item, rolesOf, textKind } from './message.ts';
import { listOf, type Native, nativeOf, textIn } from './native.ts';
import { blankSlot, CHAT_ENTRIES, callSlot, ROLES, textSlots, tidyChat } from './openai/chat.ts';

/**
 * Without ids, a call is `#k:name`, the k-th of that name in its message, and a result `#:name`, which answers the first
 * open call of that name.
 */
function read(message: Native): Reading | null {
  const role = ROLES.get(message['role']);
  const { content = '' } = message;
  if (role === undefined || typeof content !== 'string') return null;
  const toolName = textIn(message, 'tool_name');
  const callId = role === 'tool' ? (textIn(message, 'tool_call_id') ?? `#:${toolName ?? ''}`) : null;
  const images = listOf(message['images']).map((image, index) => imageSlot(image, index, callId));
  const others = [...textSlots(message, 'thinking', 'reasoning'), ...images, ...calls(message)];
  if (role === 'assistant' && content === '')
    return { role, slots: others.length > 0 ? others : [blankSlot(role)] };
  const said =
    role === 'tool'
      ? resultSlot(['content'], { callId, toolName }, content, CHAT_ENTRIES, [])
      : slot(['content'], item(textKind(role), { text: content }), { text: [] });
  const before = others.filter(({ items }) => items[0]?.kind === 'reasoning');
  return { role, slots: [...before, said, ...others.slice(before.length)] };
}

function calls(message: Native): readonly Slot[] {
  const counts = new Map<string, number>();
  return slotsIn(['tool_calls'], listOf(message['tool_calls']), (call, at) => {
    const called = nativeOf(nativeOf(call)?.['function']);
    const name = textIn(called, 'name') ?? '';
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return called && callSlot(at, called, textIn(call, 'id') ?? `#${count}:${name}`, ['function']);
  });
}

/**
 * A text in place of an image goes to the end of the content, if that is a result: an image of the user stays or goes with
 * the user's words.
 */
function imageSlot(image: unknown, index: number, callId: string | null): Slot {
  return {
    items: [item('media', { callId, media: mediaFrom(image, null, 'image'), sealed: callId === null })],
    places: [
      { at: ['images', index], write: () => GONE },
      {
        at: ['content'],
        write: (content, change) => [content, change(0)?.media].filter(Boolean).join('\n'),
        gone: (content) => content,
      },
    ],
  };
}

const ITS_ROLES = rolesOf('system', 'user', 'assistant', 'tool');
const FOREIGN = [
  'type',
  'parts',
  'getType',
  'toolCalls',
  'toolCallId',
  'stopReason',
  'function_call',
] as const;

/** Arguments are an object, which OpenAI's format has as JSON text. */
function mayBe({ content, tool_calls: calls }: Native): boolean {
  if (typeof (content ?? '') !== 'string') return false;
  return listOf(calls).every((call) => {
    const called = nativeOf(nativeOf(call)?.['function']);
    return called !== null && typeof called['arguments'] !== 'string';
  });
}

function isSurely(message: Native): boolean {
  if (textIn(message, 'tool_name') !== null || textIn(message, 'thinking') !== null) return true;
  return ['tool_calls', 'images'].some((name) => listOf(message[name]).length > 0);
}

/** Ollama refuses no list, but renders calls and results in their order for the model's template. */
export const ollama: Codec = createCodec({
  name: 'ollama',
  rules: { ...LENIENT, argsBesideSealed: true },
  detect: detectLike({ roles: ITS_ROLES, foreign: FOREIGN, mayBe, isSurely }),
  read,
  list: 'content',
  notice: (text, role) => ({ role, content: text }),
  answer: ({ callId, toolName }, text) => ({
    role: 'tool',
    content: text,
    tool_name: toolName,
    ...(callId.startsWith('#') ? {} : { tool_call_id: callId }),
  }),
  tidy: (patch, _, role) => {
    tidyChat(patch, role, 'tool_calls');
    if ('images' in patch && listOf(patch['images']).length === 0) patch['images'] = undefined;
    if ('content' in patch) patch['content'] ??= '';
  },
});
