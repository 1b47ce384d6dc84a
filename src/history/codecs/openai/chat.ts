// Codec for OpenAI's Chat Completions and the many compatible servers: a role, content, and calls in a separate field.
// Fields that such servers add (`reasoning_content`, `reasoning`, `reasoning_details`, `thinking_blocks`) are
// reasoning.

import type { Codec } from '../codec.ts';
import { mediaUnknown } from '../media-facts.ts';
import { type Item, item, type Role } from '../message.ts';
import { argumentsOf, listOf, type Native, nativeOf, textIn, weightOf } from '../native.ts';
import { type ChangeAt, codecOf, type Draft, type Parsed, type Segment } from './codec.ts';
import { appendedSpeech, editedResult, editedSpeech, mediaOf, resultItems, speechItems } from './part.ts';

const ROLES: ReadonlyMap<unknown, Role> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
]);

const textPart = (text: string): Native => ({ type: 'text', text });

/** Fields with reasoning as text: DeepSeek and vLLM, then OpenRouter and Groq. */
const REASONING_TEXTS = ['reasoning_content', 'reasoning'] as const;
/** Fields with reasoning as blocks, signed or encrypted: OpenRouter, LiteLLM. */
const REASONING_BLOCKS = ['reasoning_details', 'thinking_blocks'] as const;

function parse(message: Native): Parsed | null {
  const role = ROLES.get(message['role']);
  if (role === 'assistant') return { role, segments: assistantSegments(message), stands: assistantStands };
  if (role === 'tool') return { role, segments: [resultSegment(message)] };
  const content = message['content'];
  const items = role === undefined ? null : speechItems(role, content);
  if (role === undefined || !items) return null;
  const append = (draft: Draft, texts: readonly string[]): void => {
    draft['content'] = appendedSpeech(draft['content'], texts, textPart);
  };
  return { role, segments: [speechSegment(items, content)], ...(role === 'user' ? { append } : {}) };
}

function speechSegment(items: readonly Item[], content: unknown): Segment {
  return {
    items,
    write: (draft, change) => {
      const left = editedSpeech(content, change, textPart);
      // Appended text becomes the new content if the old one was removed; without it the message is removed.
      draft['content'] = left ?? '';
      return true;
    },
  };
}

function resultSegment(message: Native): Segment {
  const content = message['content'];
  const byName = message['role'] === 'function' ? textIn(message, 'name') : null;
  const facts = {
    // Legacy function calls have no ids: a result belongs to the call of the same function name.
    callId: textIn(message, 'tool_call_id') ?? (byName === null ? null : functionCallId(byName)),
    toolName: textIn(message, 'name'),
  };
  return {
    items: resultItems(facts, content),
    write: (draft, change) => {
      if (change(0)?.removed) return false;
      draft['content'] = editedResult(content, change, textPart);
      return true;
    },
  };
}

function functionCallId(name: string): string {
  return `function:${name}`;
}

function assistantSegments(message: Native): readonly Segment[] {
  return [
    ...reasoningSegments(message),
    ...contentSegments(message),
    ...refusalSegments(message),
    ...audioSegments(message),
    ...functionCallSegments(message),
    ...toolCallSegments(message),
  ];
}

/** An assistant message needs content, a refusal, audio or calls; reasoning alone is not valid. */
function assistantStands(draft: Draft): boolean {
  return (
    isSaid(draft['content']) ||
    isSaid(draft['refusal']) ||
    listOf(draft['tool_calls']).length > 0 ||
    nativeOf(draft['function_call']) !== null ||
    nativeOf(draft['audio']) !== null
  );
}

function isSaid(content: unknown): boolean {
  return (typeof content === 'string' || Array.isArray(content)) && content.length > 0;
}

/** A field that is a single item and is removed with it. */
function fieldSegment(name: string, only: Item): Segment {
  return {
    items: [only],
    write: (draft, change) => {
      if (change(0)?.removed) delete draft[name];
      return true;
    },
  };
}

function reasoningSegments(message: Native): readonly Segment[] {
  const texts = REASONING_TEXTS.flatMap((name) => {
    const text = textIn(message, name);
    return text === null || text === '' ? [] : [fieldSegment(name, item('reasoning', { text }))];
  });
  const blocks = REASONING_BLOCKS.flatMap((name) => {
    const value = message[name];
    if (!Array.isArray(value) || value.length === 0) return [];
    // If there is a text, the blocks repeat it: they are sent back but read only once.
    const weight = texts.length > 0 ? 0 : weightOf(value);
    return [fieldSegment(name, item('reasoning', { sealed: true, weight }))];
  });
  return [...texts, ...blocks];
}

function contentSegments(message: Native): readonly Segment[] {
  const content = message['content'];
  const items = content === '' ? null : speechItems('text', content);
  // The API rejects a message without content.
  if ((content ?? null) === null && !assistantStands(message) && reasoningSegments(message).length === 0)
    return [{ items: [item('text', { isBlank: true })], write: () => true }];
  if (!items) {
    const weight = content === undefined || content === null || content === '' ? 0 : weightOf(content);
    return weight > 0 ? [fieldSegment('content', item('opaque', { weight }))] : [];
  }
  const write = (draft: Draft, change: ChangeAt): boolean => {
    draft['content'] = editedSpeech(content, change, textPart) ?? null;
    return true;
  };
  return [{ items, write }];
}

function refusalSegments(message: Native): readonly Segment[] {
  const text = textIn(message, 'refusal');
  if (text === null || text === '') return [];
  const write = (draft: Draft, change: ChangeAt): boolean => {
    if (change(0)?.removed) delete draft['refusal'];
    else draft['refusal'] = change(0)?.text ?? text;
    return true;
  };
  return [{ items: [item('text', { text })], write }];
}

/** Audio from the assistant, sent back by id. A replacement text becomes content. */
function audioSegments(message: Native): readonly Segment[] {
  const audio = nativeOf(message['audio']);
  if (!audio) return [];
  const media =
    typeof audio['data'] === 'string'
      ? mediaOf({ type: 'audio', audio: audio['data'] })
      : mediaUnknown(null, 'audio');
  const write = (draft: Draft, change: ChangeAt): boolean => {
    delete draft['audio'];
    const text = change(0)?.removed ? null : (change(0)?.media ?? null);
    if (text !== null) {
      const content = draft['content'];
      draft['content'] = isSaid(content) ? appendedSpeech(content, [text], textPart) : text;
    }
    return true;
  };
  return [{ items: [item('media', { media, weight: (textIn(audio, 'transcript') ?? '').length })], write }];
}

/** The legacy format of one function call per message. */
function functionCallSegments(message: Native): readonly Segment[] {
  const call = nativeOf(message['function_call']);
  if (!call) return [];
  const name = textIn(call, 'name') ?? '';
  const write = (draft: Draft, change: ChangeAt): boolean => {
    const args = change(0)?.args ?? null;
    if (change(0)?.removed) delete draft['function_call'];
    else if (args) draft['function_call'] = { ...call, arguments: JSON.stringify(args) };
    return true;
  };
  return [{ items: [callItem(functionCallId(name), call)], write }];
}

function toolCallSegments(message: Native): readonly Segment[] {
  const calls = listOf(message['tool_calls']);
  if (calls.length === 0) return [];
  const write = (draft: Draft, change: ChangeAt): boolean => {
    const left = calls.flatMap((call, index) => editedCall(call, change, index));
    if (left.length === calls.length && left.every((one, index) => one === calls[index])) return true;
    // The API rejects an empty list of calls.
    if (left.length > 0) draft['tool_calls'] = left;
    else delete draft['tool_calls'];
    return true;
  };
  return [{ items: calls.map(toolCallItem), write }];
}

function toolCallItem(call: unknown): Item {
  const native = nativeOf(call);
  const callId = textIn(native, 'id');
  const called = nativeOf(native?.['function']);
  if (called) return callItem(callId, called);
  const custom = nativeOf(native?.['custom']);
  if (!custom) return item('opaque', { weight: weightOf(call) });
  return item('call', {
    callId,
    toolName: textIn(custom, 'name'),
    text: textIn(custom, 'input') ?? '',
  });
}

function callItem(callId: string | null, called: Native): Item {
  const text = textIn(called, 'arguments') ?? '';
  return item('call', { callId, toolName: textIn(called, 'name'), text, args: argumentsOf(text) });
}

function editedCall(call: unknown, change: ChangeAt, index: number): readonly unknown[] {
  const what = change(index);
  if (what?.removed) return [];
  const native = nativeOf(call);
  const called = nativeOf(native?.['function']);
  if (!what?.args || !called) return [call];
  return [{ ...native, function: { ...called, arguments: JSON.stringify(what.args) } }];
}

/** Content part types unique to this format, apart from the text types that all share. */
const PARTS: ReadonlyMap<unknown, string> = new Map([
  ['text', 'text'],
  ['refusal', 'refusal'],
  ['image_url', 'image_url'],
  ['video_url', 'video_url'],
  ['input_audio', 'input_audio'],
  ['file', 'file'],
]);

function isContent(content: unknown): boolean {
  if (typeof content === 'string') return true;
  return (
    Array.isArray(content) &&
    content.every((part: unknown) => {
      const native = nativeOf(part);
      const field = PARTS.get(native?.['type']);
      return field !== undefined && native?.[field] !== undefined;
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

/** Fields of other formats with the same roles: Responses, Gemini and UI messages, pi. */
const FOREIGN = ['type', 'parts', 'stopReason', 'toolCallId'] as const;

function isMessage(message: unknown): boolean {
  const native = nativeOf(message);
  const role = native?.['role'];
  if (!native || !ROLES.has(role) || FOREIGN.some((name) => native[name] !== undefined)) return false;
  const content = native['content'];
  if (role === 'tool') return isContent(content) && typeof native['tool_call_id'] === 'string';
  if (role === 'function')
    return typeof native['name'] === 'string' && (content === null || isContent(content));
  if (role !== 'assistant') return isContent(content);
  const calls = native['tool_calls'];
  if (Array.isArray(calls) && !calls.every(isCall)) return false;
  return isContent(content) || content === null || (content === undefined && assistantStands(native));
}

/** Codec for OpenAI Chat Completions. Also accepts lists that contain only roles and texts. */
export const openAiChat: Codec = codecOf({
  name: 'openai-chat',
  rules: {
    startsWith: 'any',
    endsWithUser: false,
    alternates: false,
    results: 'after',
    resultsTogether: false,
    callId: null,
    mayBeEmpty: true,
    reasoningAlone: false,
    argsBesideSealed: false,
  },
  detect: (messages) => messages.length > 0 && messages.every(isMessage),
  parse,
  notice: (text, role) => ({ role, content: text }),
  answer: (calls, text) =>
    calls.map(({ callId, toolName }) =>
      callId === functionCallId(toolName)
        ? { role: 'function', name: toolName, content: text }
        : { role: 'tool', tool_call_id: callId, content: text },
    ),
});
