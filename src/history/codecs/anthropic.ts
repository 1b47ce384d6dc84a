// Codec for Anthropic's Messages API, as typed by `MessageParam` and `BetaMessageParam` in @anthropic-ai/sdk 1.12. The
// system prompt and tools are separate fields of a request and are not read here.

import {
  documentWeight,
  linksTo,
  mediaOf,
  mediaOfText,
  readServerResult,
  readToolResult,
  searchText,
  textInstead,
  UNREAD,
} from './anthropic-results.ts';
import type { Codec, ProviderRules } from './codec.ts';
import { detectBy, likenessBy } from './likeness.ts';
import { type Edit, type Item, item, type OpenCall, type Role, textKind } from './message.ts';
import { guarded, jsonValue, type Native, nativeOf, sealedWeight, textIn, weightOf } from './native.ts';
import {
  callPart,
  editGuarded,
  editParts,
  itemsOf,
  joinedBy,
  kept,
  type MessageReading,
  mediaPart,
  opaqueMessage,
  opaquePart,
  type PartReading,
  readParts,
  shortened,
  standsAlone,
  textPart,
} from './parts.ts';
import { jsonText } from './value-text.ts';

/**
 * Sources: the SDK's type declarations and the API's error responses. The API joins consecutive messages of one role
 * (`MessageCreateParamsBase.messages` in the SDK), so they need not alternate. It rejects any change next to signed
 * thinking in the latest turn; as the codec does not know which turn is the latest, it keeps arguments next to sealed
 * parts.
 */
const RULES: ProviderRules = {
  startsWith: 'user',
  endsWithUser: true,
  alternates: false,
  results: 'next',
  resultsTogether: true,
  callId: /^[a-zA-Z0-9_-]+$/,
  mayBeEmpty: false,
  reasoningAlone: false,
  argsBesideSealed: false,
};

const ROLES: ReadonlySet<unknown> = new Set<Role>(['system', 'user', 'assistant']);
/** Codec for Anthropic messages. */
export const anthropic: Codec = {
  name: 'anthropic',
  rules: RULES,
  detect: detectBy(likenessBy(mayBe, isSurely)),
  view: (message) => {
    const reading = read(message);
    return { role: reading.role, items: itemsOf(reading) };
  },
  edit: (message, edits) => editGuarded(message, edits, () => edited(message, edits)),
  notice: (text, role) => ({ role, content: text }),
  answer: (calls, text) =>
    calls.length === 0 ? [] : [{ role: 'user', content: calls.map((call) => answerTo(call, text)) }],
  withIds: (message, ids) => guarded(() => withIds(message, ids), message),
  join: (messages) => joinedBy('content', messages),
  encode: jsonValue,
};

function answerTo({ callId }: OpenCall, text: string): Native {
  return { type: 'tool_result', tool_use_id: callId, content: text, is_error: true };
}

function read(message: unknown): MessageReading {
  const reading = guarded(() => {
    const native = nativeOf(message);
    if (!native) return null;
    const role = ROLES.has(native['role']) ? roleOf(native['role']) : 'user';
    const content = native['content'];
    const known = native['role'] === role && (typeof content === 'string' || Array.isArray(content));
    if (!known) return opaqueMessage(message, role, UNREAD);
    const parts: readonly unknown[] = Array.isArray(content) ? content : [{ type: 'text', text: content }];
    return { role, parts, readings: readParts(parts, (part) => readBlock(part, role), UNREAD) };
  }, null);
  return reading ?? opaqueMessage(message, 'user', UNREAD);
}

function roleOf(role: unknown): Role {
  return role === 'assistant' || role === 'system' ? role : 'user';
}

function readBlock(part: unknown, role: Role): PartReading {
  const block = nativeOf(part);
  if (!block) return opaque(part);
  const type = textIn(block, 'type') ?? '';
  switch (type) {
    case 'text':
      return readText(block, role);
    case 'image':
    case 'document': {
      const facts = { media: mediaOf(block), weight: documentWeight(block) };
      return mediaPart(block, item('media', facts), (text) => textInstead(text, [block]));
    }
    case 'search_result': {
      const found = item('media', { media: mediaOfText(searchText(block)) });
      return mediaPart(block, found, (text) => textInstead(text, [block]));
    }
    case 'thinking': {
      const text = textIn(block, 'thinking') ?? '';
      return kept(block, item('reasoning', { text, sealed: Boolean(block['signature']) }));
    }
    case 'redacted_thinking':
      return kept(block, item('reasoning', { sealed: true, weight: sealedWeight(textIn(block, 'data')) }));
    case 'compaction':
      return kept(block, compaction(block));
    case 'fallback':
      // The SDK documents that it is not rendered into the prompt.
      return kept(block, item('opaque'));
    case 'tool_result':
      return readToolResult(block, false);
    case 'mcp_tool_result':
      return readToolResult(block, true);
    default:
      if (/(?:^|_)tool_use$/.test(type)) return readCall(block, type);
      if (/_tool_result$/.test(type) && textIn(block, 'tool_use_id') !== null) return readServerResult(block);
      return opaque(part);
  }
}

function readText(block: Native, role: Role): PartReading {
  const text = textIn(block, 'text');
  if (text === null) return opaque(block);
  const citations = Array.isArray(block['citations']) ? block['citations'] : [];
  const sealed = citations.some((citation: unknown) => textIn(citation, 'encrypted_index') !== null);
  return textPart(block, item(textKind(role), { text, sealed }), (instead) => ({ ...block, text: instead }));
}

function readCall(block: Native, type: string): PartReading {
  const callId = textIn(block, 'id');
  const caller = textIn(block['caller'], 'tool_id');
  const ran = type !== 'tool_use';
  const call = item('call', {
    text: jsonText(block['input']),
    callId,
    toolName: textIn(block, 'name'),
    args: nativeOf(block['input']),
    providerExecuted: ran,
    links: [...linksTo(type === 'server_tool_use' ? callId : null), ...linksTo(caller)],
  });
  return callPart(block, call, (args) => ({ ...block, input: args }));
}

/** The API ignores a failed compaction, which has no content; it then replaces nothing. */
function compaction(block: Native): Item {
  const content = textIn(block, 'content');
  const encrypted = textIn(block, 'encrypted_content');
  const changes = block['tool_changes'];
  return item('opaque', {
    boundary: content !== null || encrypted !== null,
    sealed: encrypted !== null || Boolean(block['signature']),
    weight: (content?.length ?? sealedWeight(encrypted)) + (changes ? weightOf(changes) : 0),
  });
}

function opaque(part: unknown): PartReading {
  return opaquePart(part, UNREAD);
}

function edited(message: unknown, edits: readonly Edit[]): unknown {
  const reading = read(message);
  const { parts, changed, changes } = editParts(reading, edits);
  const native = nativeOf(message);
  const content = native?.['content'];
  const whole = typeof content !== 'string' && !Array.isArray(content);
  if (whole || !native || reading.parts[0] === message) return parts.length === 0 ? null : message;
  const takes = reading.role === 'user';
  const answers = takes ? changes.answers.map(({ call, text }) => answerTo(call, text)) : [];
  const appended = takes ? changes.appended.filter((text) => text !== '') : [];
  if (!changed && answers.length === 0 && appended.length === 0) return message;
  const blocks = [
    ...answers,
    ...(content === '' && !changed ? [] : parts),
    ...appended.map((text) => ({ type: 'text', text })),
  ];
  if (parts.length < reading.parts.length && !standsAlone(itemsOf(read({ ...native, content: blocks }))))
    return null;
  return { ...native, content: typeof content === 'string' ? shortened(blocks) : blocks };
}

function withIds(message: unknown, ids: ReadonlyMap<number, string>): unknown {
  const { parts, readings } = read(message);
  let item = 0;
  const content = parts.map((part, index) => {
    const id = ids.get(item);
    item += readings[index]?.items.length ?? 0;
    const block = nativeOf(part);
    if (id === undefined || !block) return part;
    return { ...block, ['tool_use_id' in block ? 'tool_use_id' : 'id']: id };
  });
  return { ...nativeOf(message), content };
}

/** Block types of other formats that could be mistaken for Anthropic's. */
const FOREIGN: ReadonlySet<string> = new Set([
  'image_url',
  'input_text',
  'input_image',
  'input_file',
  'input_audio',
  'output_text',
  'refusal',
  'file',
  'reasoning',
  'audio',
  'video',
]);

function mayBe(message: unknown): boolean {
  const native = nativeOf(message);
  if (!native || !ROLES.has(native['role'])) return false;
  if ('tool_calls' in native || 'tool_call_id' in native || 'parts' in native || 'getType' in native)
    return false;
  const content = native['content'];
  if (typeof content === 'string') return true;
  if (!Array.isArray(content)) return false;
  return content.every((part: unknown) => {
    const block = nativeOf(part);
    const type = textIn(block, 'type');
    if (!block || type === null || !/^[a-z\d_]+$/.test(type) || FOREIGN.has(type)) return false;
    if (type === 'image' || type === 'document') return nativeOf(block['source']) !== null;
    return !('providerOptions' in block || 'thinkingSignature' in block || 'textSignature' in block);
  });
}

function isSurely(message: unknown): boolean {
  const content = nativeOf(message)?.['content'];
  if (!Array.isArray(content)) return false;
  return content.some((part: unknown) => {
    const block = nativeOf(part);
    const type = textIn(block, 'type') ?? '';
    if (/(?:^|_)tool_use$/.test(type)) return textIn(block, 'id') !== null;
    if (/(?:^|_)tool_result$/.test(type)) return textIn(block, 'tool_use_id') !== null;
    if (type === 'thinking') return textIn(block, 'signature') !== null;
    return ['image', 'document', 'redacted_thinking', 'search_result', 'compaction'].includes(type);
  });
}
