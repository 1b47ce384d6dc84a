// Codec for messages of the AI SDK: ModelMessage of v5 to v7, and the prompts of LanguageModelV2 to V4 that middleware
// and Mastra receive, in which user and assistant content is always a list. UIMessage is not supported.

import type { Codec, ProviderRules } from '../codec.ts';
import { detectBy, type Likeness } from '../likeness.ts';
import { type Edit, type Item, item, type Role, textKind } from '../message.ts';
import { argumentsOf, guarded, jsonValue, type Native, nativeOf, textIn, weightOf } from '../native.ts';
import {
  answeredParts,
  callPart,
  editGuarded,
  editParts,
  itemsOf,
  joinedBy,
  kept,
  type MessageReading,
  mediaPart,
  opaqueMessage,
  type PartReading,
  readParts,
  textPart,
} from '../parts.ts';
import { sentText } from '../value-text.ts';
import { mediaOf, textInstead } from './media.ts';
import { hasItemId, isCompaction, isPartOfCall, isSigned, serverLinks } from './options.ts';
import { answerPart, formOf, isText, resultPart } from './results.ts';

/**
 * The SDK's own requirements and those of its strictest provider, because a list may be sent to any of them.
 * - The SDK rejects a call whose result is not before the next user or system message (MissingToolResultsError in
 *   `ai/src/prompt/convert-to-language-model-prompt.ts`); any number of `tool` messages may hold results: `after`.
 * - `resultsTogether`: generateText joins consecutive `tool` messages, but middleware and Mastra receive the prompt
 *   after that, and `@ai-sdk/google` makes one content of each, although Gemini expects all responses to a content's
 *   calls in one.
 * - `startsWith`: Gemini and Anthropic. `alternates`: `@ai-sdk/anthropic` joins messages of one role, `@ai-sdk/google`
 *   does not, and Gemini has rejected consecutive contents of one role.
 * - `mayBeEmpty`, `reasoningAlone`: Anthropic rejects both (vercel/ai#13430).
 * - `argsBesideSealed`: signed calls of Gemini and thinking of Anthropic must not change.
 */
const RULES: ProviderRules = {
  startsWith: 'user',
  endsWithUser: false,
  alternates: true,
  results: 'after',
  resultsTogether: true,
  callId: null,
  mayBeEmpty: false,
  reasoningAlone: false,
  argsBesideSealed: false,
};

const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool']);

function roleOf(message: Native | null): Role | null {
  const role = message?.['role'];
  // The set contains only roles.
  return ROLES.has(role) ? (role as Role) : null;
}

function read(message: unknown): MessageReading {
  const reading = guarded(() => {
    const native = nativeOf(message);
    const role = roleOf(native);
    const content = native?.['content'];
    const known = Array.isArray(content) || (typeof content === 'string' && role !== 'tool');
    if (!role || !known) return opaqueMessage(message, role ?? 'user');
    const parts: readonly unknown[] = Array.isArray(content) ? content : [{ type: 'text', text: content }];
    return { role, parts, readings: readParts(parts, (part) => readPart(part, role)) };
  }, null);
  return reading ?? opaqueMessage(message, 'user');
}

function readPart(value: unknown, role: Role): PartReading {
  const part = nativeOf(value);
  if (!part) return opaque(value);
  const text = textIn(part, 'text');
  switch (part['type']) {
    case 'text': {
      if (text === null || role === 'tool' || isCompaction(part)) return opaque(part);
      const own = item(textKind(role), { text, sealed: isSigned(part) || hasItemId(part) });
      return textPart(part, own, (instead) => ({ ...part, text: instead }));
    }
    case 'reasoning':
    case 'redacted-reasoning': {
      const sealed = isSigned(part) || hasItemId(part) || part['type'] !== 'reasoning';
      return kept(part, item('reasoning', { text: text ?? '', sealed }));
    }
    case 'reasoning-file':
      return kept(part, item('reasoning', { sealed: true, media: mediaOf(part['data'], part) }));
    case 'image':
    case 'file': {
      const media =
        part['type'] === 'image' ? mediaOf(part['image'], part, 'image') : mediaOf(part['data'], part);
      const own = item('media', { media, sealed: isSigned(part) });
      return mediaPart(part, own, (instead) => textInstead(instead, part));
    }
    case 'tool-call':
      return readCall(part);
    case 'tool-result':
      return resultPart(part, role);
    default:
      return opaque(part);
  }
}

function readCall(part: Native): PartReading {
  const field = 'input' in part ? 'input' : 'args';
  const input = part[field];
  const args = argumentsOf(input);
  const callId = textIn(part, 'toolCallId');
  const toolName = textIn(part, 'toolName');
  const providerExecuted = part['providerExecuted'] === true;
  const call = item('call', {
    text: sentText(input),
    callId,
    toolName,
    args,
    form: formOf(toolName, args),
    sealed: isSigned(part) || isPartOfCall(part),
    providerExecuted,
    links: serverLinks(part, providerExecuted ? callId : null),
  });
  return callPart(part, call, (instead) => ({
    ...part,
    [field]: typeof input === 'string' ? JSON.stringify(instead) : instead,
  }));
}

function opaque(part: unknown): PartReading {
  const native = nativeOf(part);
  const approval = textIn(native, 'approvalId');
  const own: Item = item('opaque', {
    callId: native?.['type'] === 'tool-approval-request' ? textIn(native, 'toolCallId') : null,
    boundary: native !== null && isCompaction(native),
    sealed: native !== null && (native['type'] === 'custom' || isSigned(native)),
    links: approval === null ? [] : [`approval:${approval}`],
    weight: weightOf(part),
  });
  return kept(part, own);
}

function edited(message: unknown, edits: readonly Edit[]): unknown {
  const reading = read(message);
  const { role } = reading;
  const { parts, changed, changes } = editParts(reading, edits);
  const native = nativeOf(message);
  if (!native || reading.parts[0] === message) return parts.length === 0 ? null : message;
  const content = native['content'];
  const appended = role === 'user' ? changes.appended.map((text) => ({ type: 'text', text })) : [];
  const given = role === 'tool' ? changes.answers : [];
  const answers = given.map(({ call, text }) => ({ at: call.at ?? 0, part: answerPart(call, text) }));
  if (!changed && appended.length === 0 && answers.length === 0) return message;
  // Without ids, as `@ai-sdk/google` sends them, a result answers the call at the same position.
  const isResult = (part: unknown): boolean => nativeOf(part)?.['type'] === 'tool-result';
  const answered = answeredParts(content === '' && !changed ? [] : parts, isResult, answers);
  const all = [...answered, ...appended];
  if (all.length === 0 || (role === 'assistant' && all.every(cannotStandAlone))) return null;
  const asText = typeof content === 'string' && appended.length === 0;
  return { ...native, content: asText ? textIn(all[0], 'text') : all };
}

/** An assistant message with only reasoning, approval requests or empty text is rejected. */
function cannotStandAlone(part: unknown): boolean {
  const fields = nativeOf(part);
  const type = textIn(fields, 'type') ?? '';
  if (type === 'text') return fields?.['text'] === '';
  return /^(?:reasoning|redacted-reasoning|reasoning-file|tool-approval-request)$/.test(type);
}

/** Part types unique to this format, each with a field that distinguishes it from the same name elsewhere. */
const OWN_PARTS: ReadonlyMap<unknown, string> = new Map([
  ['tool-call', 'toolCallId'],
  ['tool-result', 'toolCallId'],
  ['tool-approval-request', 'approvalId'],
  ['tool-approval-response', 'approvalId'],
  ['reasoning', 'text'],
  ['reasoning-file', 'mediaType'],
  ['redacted-reasoning', 'data'],
  ['image', 'image'],
  ['file', 'mediaType'],
  ['custom', 'kind'],
  ['source', 'sourceType'],
]);

/** Message fields of other formats. */
const FOREIGN: readonly string[] = ['tool_calls', 'tool_call_id', 'lc_namespace', 'lc', 'parts'];

function likeness(message: unknown): Likeness {
  const native = nativeOf(message);
  const role = roleOf(native);
  if (!native || !role || FOREIGN.some((name) => name in native)) return 'no';
  const own = nativeOf(native['providerOptions']) ? 'is' : 'may';
  const content = native['content'];
  if (typeof content === 'string') return role === 'tool' ? 'no' : own;
  if (!Array.isArray(content)) return 'no';
  let most: Likeness = own;
  for (const part of content) {
    const fields = nativeOf(part);
    const field = OWN_PARTS.get(fields?.['type']);
    if (fields && field !== undefined && field in fields) most = 'is';
    else if (!isText(fields)) return 'no';
    else if (nativeOf(fields?.['providerOptions'])) most = 'is';
  }
  return role === 'tool' && most === 'may' ? 'no' : most;
}

/** Codec for messages of the AI SDK, v5 to v7, and prompts of its language models. */
export const aiSdk: Codec = {
  name: 'ai-sdk',
  rules: RULES,
  detect: detectBy(likeness),
  view: (message) => {
    const reading = read(message);
    return { role: reading.role, items: itemsOf(reading) };
  },
  edit: (message, edits) => editGuarded(message, edits, () => edited(message, edits)),
  // A list rather than a string: prompts in middleware allow nothing else.
  notice: (text, role) => ({ role, content: [{ type: 'text', text }] }),
  answer: (calls, text) =>
    calls.length === 0 ? [] : [{ role: 'tool', content: calls.map((call) => answerPart(call, text)) }],
  join: (messages) => joinedBy('content', messages),
  encode: jsonValue,
};
