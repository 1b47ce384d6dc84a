// Format of messages of the AI SDK: ModelMessage of v5 to v7, and the prompts of LanguageModelV2 to V4 that middleware
// and Mastra receive, in which user and assistant content is always a list. UIMessage is not supported.

import { type Codec, STRICT } from '../codec.ts';
import { type Entries, type Entry, speech } from '../content.ts';
import { createCodec, opaqueSlot, type Path, type Reading, type Slot, slot, slotsIn } from '../lens.ts';
import { detectBy, type Likeness } from '../likeness.ts';
import { item, type Role, rolesOf, textKind } from '../message.ts';
import { argumentsOf, type Native, nativeOf, textIn, weightOf } from '../native.ts';
import { sentText } from '../value-text.ts';
import { mediaOf, textInstead } from './media.ts';
import { hasItemId, isCompaction, isPartOfCall, isSigned, serverLinks } from './options.ts';
import { answerPart, formOf, isText, resultPart } from './results.ts';

const ROLES = rolesOf('system', 'user', 'assistant', 'tool');

const ENTRIES: Entries = {
  read: (entry) => {
    const part = nativeOf(entry);
    return part && readEntry(part);
  },
  part: (text, [from]) => textInstead(text, nativeOf(from)),
};

function readEntry(part: Native): Entry | null {
  const text = textIn(part, 'text');
  switch (part['type']) {
    case 'text':
      if (text === null || isCompaction(part)) return null;
      return { text, sealed: isSigned(part) || hasItemId(part) };
    case 'image':
      return { media: mediaOf(part['image'], part, 'image'), sealed: isSigned(part) };
    case 'file':
      return { media: mediaOf(part['data'], part), sealed: isSigned(part) };
    default:
      return null;
  }
}

function read(message: Native): Reading | null {
  const role = ROLES.get(message['role']);
  if (!role) return null;
  const { content } = message;
  const others = (part: unknown, at: Path): Slot => readPart(part, at, role);
  const slots =
    role === 'tool'
      ? Array.isArray(content) && slotsIn(['content'], content, others)
      : speech(textKind(role), content, ['content'], ENTRIES, others);
  return { role, slots: slots || [opaqueSlot([], message)] };
}

function readPart(value: unknown, at: Path, role: Role): Slot {
  const part = nativeOf(value);
  switch (part?.['type']) {
    case 'reasoning': {
      const sealed = isSigned(part) || hasItemId(part);
      return slot(at, item('reasoning', { text: textIn(part, 'text') ?? '', sealed }));
    }
    case 'reasoning-file':
      return slot(at, item('reasoning', { sealed: true, media: mediaOf(part['data'], part) }));
    case 'tool-call':
      return callSlot(part, at);
    case 'tool-result':
      return resultPart(part, at, role);
    default:
      return opaque(value, at);
  }
}

function callSlot(part: Native, at: Path): Slot {
  const args = argumentsOf(part['input']);
  const callId = textIn(part, 'toolCallId');
  const toolName = textIn(part, 'toolName');
  const providerExecuted = part['providerExecuted'] === true;
  const call = item('call', {
    text: sentText(part['input']),
    callId,
    toolName,
    args,
    form: formOf(toolName, args),
    sealed: isSigned(part) || isPartOfCall(part),
    providerExecuted,
    links: serverLinks(part, providerExecuted ? callId : null),
  });
  return slot(at, call, { args: ['input'] });
}

function opaque(part: unknown, at: Path): Slot {
  const native = nativeOf(part);
  const approval = textIn(native, 'approvalId');
  const own = item('opaque', {
    callId: native?.['type'] === 'tool-approval-request' ? textIn(native, 'toolCallId') : null,
    boundary: native !== null && isCompaction(native),
    sealed: native !== null && (native['type'] === 'custom' || isSigned(native)),
    links: approval === null ? [] : [`approval:${approval}`],
    weight: weightOf(part),
  });
  return slot(at, own);
}

/** Part types unique to this format, each with a field that distinguishes it from the same name elsewhere. */
const OWN_PARTS: ReadonlyMap<unknown, string> = new Map([
  ['tool-call', 'input'],
  ['tool-result', 'output'],
  ['tool-approval-request', 'approvalId'],
  ['tool-approval-response', 'approvalId'],
  ['reasoning', 'text'],
  ['reasoning-file', 'mediaType'],
  ['image', 'image'],
  ['file', 'mediaType'],
  ['custom', 'kind'],
  ['source', 'sourceType'],
]);

/** Message fields of other formats. */
const FOREIGN: readonly string[] = ['tool_calls', 'tool_call_id', 'lc_namespace', 'lc', 'parts'];

function likeness(message: unknown): Likeness {
  const native = nativeOf(message);
  const role = ROLES.get(native?.['role']);
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

/**
 * Codec for messages of the AI SDK, v5 to v7, and prompts of its language models.
 * The rules are the SDK's own requirements and those of its strictest provider, because a list may be sent to any of them.
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
export const aiSdk: Codec = createCodec({
  name: 'ai-sdk',
  rules: { ...STRICT, endsWithUser: false, alternates: true, results: 'after' },
  detect: detectBy(likeness),
  read,
  list: 'content',
  part: (text) => ({ type: 'text', text }),
  // A list rather than a string: prompts in middleware allow nothing else.
  notice: (text, role) => ({ role, content: [{ type: 'text', text }] }),
  answer: answerPart,
  // Without ids, as `@ai-sdk/google` sends them, a result answers the call at the same position.
  results: { role: 'tool', isResult: (part) => nativeOf(part)?.['type'] === 'tool-result' },
});
