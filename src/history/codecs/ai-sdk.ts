// Messages of the AI SDK: ModelMessage of v5 to v7, and the prompt of LanguageModelV2 to V4 that middleware and Mastra see,
// which is the same but that user and assistant content are always lists. UIMessage is not of this format.

import type { Codec, ProviderRules } from '../codec.ts';
import { type Edit, type Item, item, type MediaFacts, type MessageView, type Role } from '../message.ts';
import { mediaFromBase64, mediaFromBytes, mediaFromUrl, mediaUnknown } from './media-facts.ts';
import {
  argumentsOf,
  bytesOf,
  type Change,
  changesOf,
  guarded,
  joined,
  jsonValue,
  listOf,
  type Native,
  nativeOf,
  textIn,
  weightOf,
} from './native.ts';

/**
 * What the SDK itself demands, and what the strictest of its providers does: a list of this format goes to any of them.
 * - The SDK refuses a call whose result is not there before the next user or system message (MissingToolResultsError in
 *   `ai/src/prompt/convert-to-language-model-prompt.ts`), however many `tool` messages hold the results: `after`.
 * - `resultsTogether`: generateText joins `tool` messages that follow each other, but a prompt in middleware or Mastra is
 *   past that, and `@ai-sdk/google` makes a content of each, where Gemini counts the responses of one against its calls.
 * - `startsWith`: Gemini and Anthropic. Messages of one role may follow each other: `@ai-sdk/anthropic` joins them.
 * - `mayBeEmpty`, `reasoningAlone`: Anthropic refuses both (vercel/ai#13430).
 * - `argsBesideSealed`: signed calls of Gemini and thinking of Anthropic stay as they came.
 */
const RULES: ProviderRules = {
  startsWith: 'user',
  endsWithUser: false,
  alternates: false,
  results: 'after',
  resultsTogether: true,
  callId: null,
  mayBeEmpty: false,
  reasoningAlone: false,
  argsBesideSealed: false,
};

/** An item, and where it lies: `part` of the content, -1 for content that is a text, and `inner` in a result's own list. */
interface Slot {
  readonly item: Item;
  readonly part: number;
  readonly inner: number | null;
}

const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool']);

function roleOf(message: Native | null): Role | null {
  const role = message?.['role'];
  // The set holds nothing but roles.
  return ROLES.has(role) ? (role as Role) : null;
}

function slotsOf(message: unknown): readonly Slot[] {
  const native = nativeOf(message);
  const role = roleOf(native);
  const content = native?.['content'];
  if (!native || !role || (role === 'tool' && typeof content === 'string')) return [whole(message)];
  if (typeof content === 'string') return [{ item: textItem(role, content), part: -1, inner: null }];
  if (!Array.isArray(content)) return [whole(message)];
  return content.flatMap((part: unknown, index) =>
    guarded(() => partSlots(role, part, index), [{ item: item('opaque'), part: index, inner: null }]),
  );
}

function whole(message: unknown): Slot {
  return { item: item('opaque', { weight: weightOf(message) }), part: -1, inner: null };
}

function textItem(role: Role, text: string, sealed: boolean = false): Item {
  const kind = role === 'assistant' ? 'text' : role === 'system' ? 'system' : 'user';
  return item(kind, { text, sealed });
}

function partSlots(role: Role, part: unknown, index: number): readonly Slot[] {
  const native = nativeOf(part);
  if (native?.['type'] === 'tool-result') return resultSlots(role, native, index);
  return [{ item: itemOf(role, native) ?? opaqueItem(part), part: index, inner: null }];
}

function itemOf(role: Role, part: Native | null): Item | null {
  if (!part) return null;
  const text = textIn(part, 'text');
  switch (part['type']) {
    case 'text':
      if (text === null || role === 'tool' || isCompaction(part)) return null;
      return textItem(role, text, isSigned(part) || hasItemId(part));
    case 'reasoning':
    case 'redacted-reasoning': {
      const sealed = isSigned(part) || hasItemId(part) || part['type'] !== 'reasoning';
      return item('reasoning', { text: text ?? '', sealed });
    }
    case 'reasoning-file':
      return item('reasoning', { sealed: true, media: mediaOf(part['data'], part) });
    case 'image':
      return item('media', { media: mediaOf(part['image'], part, 'image'), sealed: isSigned(part) });
    case 'file':
      return item('media', { media: mediaOf(part['data'], part), sealed: isSigned(part) });
    case 'tool-call':
      return callItem(part);
    default:
      return null;
  }
}

function callItem(part: Native): Item {
  const input = inputOf(part);
  const callId = textIn(part, 'toolCallId');
  const providerExecuted = part['providerExecuted'] === true;
  return item('call', {
    text: textOf(input),
    callId,
    toolName: textIn(part, 'toolName'),
    args: argumentsOf(input),
    sealed: isSigned(part),
    providerExecuted,
    links: serverLinks(part, providerExecuted ? callId : null),
  });
}

/**
 * A result in a message of its own has the options of its call beside it, as the SDK writes them, its signature among them; no
 * provider reads that there. `@ai-sdk/google` 3 and 4 do where a tool of Google's own ran.
 */
function isOfServerTool(part: Native): boolean {
  return optionsOf(part).some((options) => textIn(options, 'serverToolCallId') !== null);
}

function inputOf(part: Native): unknown {
  return 'input' in part ? part['input'] : part['args'];
}

/** A call of Anthropic's code execution names the server call that made it: `providerOptions.anthropic.caller.toolId`. */
function serverLinks(part: Native, id: string | null): readonly string[] {
  const callers = optionsOf(part).map((options) => textIn(options['caller'], 'toolId'));
  return [...new Set([id, ...callers])].flatMap((name) => (name === null ? [] : [`server:${name}`]));
}

function opaqueItem(part: unknown): Item {
  const native = nativeOf(part);
  const approval = textIn(native, 'approvalId');
  const custom = native?.['type'] === 'custom';
  return item('opaque', {
    boundary: native !== null && isCompaction(native),
    sealed: custom || (native !== null && isSigned(native)),
    links: approval === null ? [] : [`approval:${approval}`],
    weight: weightOf(part),
  });
}

/** A provider's own compaction: a text of Anthropic, or a custom part of another, that says so. */
function isCompaction(part: Native): boolean {
  if (part['type'] === 'custom' && /compaction/i.test(textIn(part, 'kind') ?? '')) return true;
  return optionsOf(part).some((options) => options['type'] === 'compaction');
}

/** Options of each provider: `providerOptions` in messages, `providerMetadata` in what was kept of an answer. */
function optionsOf(part: Native): readonly Native[] {
  return [part['providerOptions'], part['providerMetadata']]
    .flatMap((field) => Object.values(nativeOf(field) ?? {}))
    .map(nativeOf)
    .filter((options) => options !== null);
}

/** Names under which providers keep what must come back unchanged: signature, thoughtSignature, redactedData and the like. */
const SEAL = /signature|encrypted|redacted|reasoning_?details/i;

function isSigned(part: Native): boolean {
  return [part, ...optionsOf(part)].some((options) =>
    Object.keys(options).some((name) => {
      const value = SEAL.test(name) ? options[name] : null;
      return value !== null && value !== undefined && value !== '';
    }),
  );
}

/** Text and reasoning of OpenAI Responses go back as a reference to this id where the provider stores them. */
function hasItemId(part: Native): boolean {
  return optionsOf(part).some((options) => textIn(options, 'itemId') !== null);
}

function mediaOf(data: unknown, part: Native, type: MediaFacts['type'] = 'other'): MediaFacts {
  const mimeType = textIn(part, 'mediaType') ?? textIn(part, 'mimeType');
  const bytes = bytesOf(data);
  if (bytes) return mediaFromBytes(bytes, mimeType, type);
  if (data instanceof URL) return mediaFromUrl(data.href, mimeType, type);
  if (typeof data === 'string') {
    return isAddress(data) ? mediaFromUrl(data, mimeType, type) : mediaFromBase64(data, mimeType, type);
  }
  const tagged = nativeOf(data);
  if (tagged?.['type'] === 'data' && nativeOf(tagged['data'])?.['type'] === undefined) {
    return mediaOf(tagged['data'], part, type);
  }
  if (tagged?.['type'] === 'url') return mediaFromUrl(String(tagged['url']), mimeType, type);
  if (tagged?.['type'] === 'text') {
    const length = Buffer.byteLength(textIn(tagged, 'text') ?? '');
    return { ...mediaUnknown(mimeType, 'document'), bytes: length };
  }
  return mediaUnknown(mimeType, type);
}

function isAddress(text: string): boolean {
  return /^(?:data:|[a-z][a-z0-9+.-]{1,20}:\/\/)/i.test(text.slice(0, 30));
}

/** `value` as the text a provider makes of it; a text as it is. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : jsonOf(value);
}

function jsonOf(value: unknown): string {
  return guarded(() => JSON.stringify(value) ?? '', null) ?? JSON.stringify(jsonValue(value));
}

/** What a result says; `list` where it is a list of parts. */
interface Output {
  readonly text: string;
  readonly isError: boolean;
  readonly list: readonly unknown[] | null;
}

function outputOf(part: Native): Output {
  if (!('output' in part)) return olderOutput(part);
  const output = nativeOf(part['output']);
  const value = output?.['value'];
  switch (output?.['type']) {
    case 'text':
      return { text: textOf(value), isError: false, list: null };
    case 'error-text':
      return { text: textOf(value), isError: true, list: null };
    case 'json':
      return { text: jsonOf(value), isError: false, list: null };
    case 'error-json':
      return { text: jsonOf(value), isError: true, list: null };
    case 'execution-denied':
      return { text: textIn(output, 'reason') ?? '', isError: true, list: null };
    case 'content':
      return { text: listText(listOf(value)), isError: false, list: listOf(value) };
    default:
      return { text: textOf(part['output']), isError: false, list: null };
  }
}

/** Before v5: `result` of any type, beside it perhaps a list for the model. */
function olderOutput(part: Native): Output {
  const list = Array.isArray(part['experimental_content']) ? listOf(part['experimental_content']) : null;
  const text = list ? listText(list) : textOf(part['result']);
  return { text, isError: part['isError'] === true, list };
}

function listText(list: readonly unknown[]): string {
  return joined(list.filter(isText).map((part) => textIn(part, 'text')));
}

function isText(part: unknown): boolean {
  return nativeOf(part)?.['type'] === 'text' && textIn(part, 'text') !== null;
}

function resultSlots(role: Role, part: Native, index: number): readonly Slot[] {
  const { text, isError, list } = outputOf(part);
  const callId = textIn(part, 'toolCallId');
  const toolName = textIn(part, 'toolName');
  let weight = 0;
  const inner = (list ?? []).flatMap((entry, at): readonly Slot[] => {
    if (isText(entry)) return [];
    const media = outputMedia(nativeOf(entry));
    if (media) return [{ item: item('media', { callId, media }), part: index, inner: at }];
    weight += weightOf(entry);
    return [];
  });
  const sealed = isSigned(part) && (role !== 'tool' || isOfServerTool(part));
  const links = serverLinks(part, null);
  const result = item('result', { text, callId, toolName, isError, sealed, links, weight });
  return [{ item: result, part: index, inner: null }, ...inner];
}

function outputMedia(entry: Native | null): MediaFacts | null {
  if (!entry) return null;
  switch (entry['type']) {
    case 'media':
    case 'file-data':
    case 'file':
      return mediaOf(entry['data'], entry);
    case 'image-data':
    case 'image':
      return mediaOf(entry['data'] ?? entry['image'], entry, 'image');
    case 'file-url':
    case 'image-url': {
      const type = entry['type'] === 'image-url' ? 'image' : 'other';
      return mediaFromUrl(textIn(entry, 'url') ?? '', textIn(entry, 'mediaType'), type);
    }
    case 'file-id':
    case 'image-file-id':
      return mediaUnknown(null, entry['type'] === 'image-file-id' ? 'image' : 'other');
    default:
      return null;
  }
}

/** The slots of a message. A result beside its call, in an assistant message, is of a tool the provider ran. */
function readSlots(message: unknown): readonly Slot[] {
  const slots = guarded(() => slotsOf(message), [{ item: item('opaque'), part: -1, inner: null }]);
  if (guarded(() => roleOf(nativeOf(message)), null) !== 'assistant') return slots;
  return slots.map((slot) => {
    const { kind, callId, links } = slot.item;
    if (kind !== 'result') return slot;
    const own = callId === null ? [] : [`server:${callId}`];
    return {
      ...slot,
      item: { ...slot.item, providerExecuted: true, links: [...new Set([...own, ...links])] },
    };
  });
}

function view(message: unknown): MessageView {
  return {
    role: guarded(() => roleOf(nativeOf(message)), null) ?? 'user',
    items: readSlots(message).map((slot) => slot.item),
  };
}

function edit(message: unknown, edits: readonly Edit[]): unknown {
  return guarded(() => edited(message, edits), message);
}

function edited(message: unknown, edits: readonly Edit[]): unknown {
  const native = nativeOf(message);
  const role = roleOf(native);
  if (edits.length === 0 || !native) return message;
  const slots = readSlots(message);
  // Media goes with its own result below, by place: two results may have one id.
  const loose = slots.map((slot) =>
    slot.item.kind === 'media' ? { ...slot.item, callId: null } : slot.item,
  );
  const changes = changesOf(loose, edits);
  const content = native['content'];
  const known = typeof content === 'string' || Array.isArray(content);
  const appended = role === 'user' && known ? changes.appended.map((text) => ({ type: 'text', text })) : [];
  const answers =
    role === 'tool' && Array.isArray(content)
      ? changes.answers.map(({ call, text }) => answerPart(call.callId, call.toolName, text))
      : [];
  if (changes.byItem.size === 0 && appended.length === 0 && answers.length === 0) return message;

  if (!Array.isArray(content)) {
    const change = changes.byItem.get(0);
    const text = change?.text ?? (typeof content === 'string' ? content : '');
    if (appended.length === 0) return change?.removed || text === '' ? null : { ...native, content: text };
    const before = change?.removed || text === '' ? [] : [{ type: 'text', text }];
    return { ...native, content: [...before, ...appended] };
  }

  const byPart = new Map<number, { own: Change | null; inner: Map<number, Change> }>();
  for (const [index, change] of changes.byItem) {
    const slot = slots[index];
    if (!slot) continue;
    const entry = byPart.get(slot.part) ?? { own: null, inner: new Map<number, Change>() };
    byPart.set(slot.part, entry);
    if (slot.inner === null) entry.own = change;
    else entry.inner.set(slot.inner, change);
  }
  const parts = content.flatMap((part: unknown, index): unknown[] => {
    const change = byPart.get(index);
    const fields = nativeOf(part);
    if (!change) return [part];
    if (change.own?.removed) return [];
    if (!fields) return [part];
    // An empty text is a refused one: its part goes.
    const isResult = fields['type'] === 'tool-result';
    if (!isResult && (change.own?.text === '' || change.own?.media === '')) return [];
    return [isResult ? editedResult(fields, change) : editedPart(fields, change.own)];
  });
  const all = [...answers, ...parts, ...appended];
  if (all.length === 0 || (role === 'assistant' && all.every(cannotStandAlone))) return null;
  return { ...native, content: all };
}

/** Reasoning, a question for approval and an empty text: an assistant message of nothing else is refused. */
function cannotStandAlone(part: unknown): boolean {
  const fields = nativeOf(part);
  const type = textIn(fields, 'type') ?? '';
  if (type === 'text') return fields?.['text'] === '';
  return /^(?:reasoning|redacted-reasoning|reasoning-file|tool-approval-request)$/.test(type);
}

function editedPart(part: Native, change: Change | null): Native {
  if (!change) return part;
  if (change.args !== null) {
    const input = typeof inputOf(part) === 'string' ? JSON.stringify(change.args) : change.args;
    return 'input' in part ? { ...part, input } : { ...part, args: input };
  }
  if (change.media !== null) return textPart(change.media, part);
  return change.text === null ? part : { ...part, text: change.text };
}

/** A text in the place of `part`, with its options: a cache mark may be among them. */
function textPart(text: string, part: Native): Native {
  const options = part['providerOptions'];
  return { type: 'text', text, ...(options === undefined ? {} : { providerOptions: options }) };
}

function editedResult(
  part: Native,
  change: { own: Change | null; inner: ReadonlyMap<number, Change> },
): Native {
  const { list, isError } = outputOf(part);
  const text = change.own?.text ?? null;
  const rest = list ? editedList(list, text, change.inner) : [];
  if (!('output' in part)) return editedOlder(part, text, list ? rest : null);
  const output = nativeOf(part['output']) ?? {};
  const options = 'providerOptions' in output ? { providerOptions: output['providerOptions'] } : {};
  // A text alone is told as one; beside media, or in the place of media, it stays one of a list.
  if (list && (text === null ? rest.length > 0 : rest.length > 1 || !rest.every(isText))) {
    return { ...part, output: { ...output, value: rest } };
  }
  if (output['type'] === 'execution-denied') return { ...part, output: { ...output, reason: text ?? '' } };
  return { ...part, output: { type: isError ? 'error-text' : 'text', value: text ?? '', ...options } };
}

function editedOlder(part: Native, text: string | null, rest: readonly unknown[] | null): Native {
  const told = text === null ? {} : { result: text };
  return { ...part, ...told, ...(rest ? { experimental_content: rest } : {}) };
}

/** `list` with all its text as one, in the place of the first, where `text` is not null. */
function editedList(
  list: readonly unknown[],
  text: string | null,
  inner: ReadonlyMap<number, Change>,
): readonly unknown[] {
  let waiting = text;
  const rest = list.flatMap((entry, index): unknown[] => {
    if (isText(entry) && text !== null) {
      if (waiting === null) return [];
      const said = waiting;
      waiting = null;
      return said === '' ? [] : [{ ...nativeOf(entry), text: said }];
    }
    const change = inner.get(index);
    if (change?.removed || change?.media === '') return [];
    return change?.media ? [textPart(change.media, nativeOf(entry) ?? {})] : [entry];
  });
  return waiting === null || waiting === '' ? rest : [{ type: 'text', text: waiting }, ...rest];
}

function answerPart(toolCallId: string, toolName: string, text: string): Native {
  return { type: 'tool-result', toolCallId, toolName, output: { type: 'error-text', value: text } };
}

/** Types of parts that no other known format has, with a field each that tells them from a namesake. */
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

/** 2: only this format has it; 1: this format may have it; 0: it has not. */
function likeness(message: unknown): 0 | 1 | 2 {
  const native = nativeOf(message);
  const role = roleOf(native);
  if (!native || !role || FOREIGN.some((name) => name in native)) return 0;
  const own = nativeOf(native['providerOptions']) ? 2 : 1;
  const content = native['content'];
  if (typeof content === 'string') return role === 'tool' ? 0 : own;
  if (!Array.isArray(content)) return 0;
  let most: 1 | 2 = own;
  for (const part of content) {
    const fields = nativeOf(part);
    const field = OWN_PARTS.get(fields?.['type']);
    if (fields && field !== undefined && field in fields) most = 2;
    else if (!isText(fields)) return 0;
    else if (nativeOf(fields?.['providerOptions'])) most = 2;
  }
  return role === 'tool' && most === 1 ? 0 : most;
}

/** Fields of messages of other formats. */
const FOREIGN: readonly string[] = ['tool_calls', 'tool_call_id', 'lc_namespace', 'lc', 'parts'];

/** Messages of the AI SDK, v5 to v7, and prompts of its language models. */
export const aiSdk: Codec = {
  name: 'ai-sdk',
  rules: RULES,
  detect: (messages) =>
    guarded(() => {
      const found = messages.map(likeness);
      return found.includes(2) && !found.includes(0);
    }, false),
  view,
  edit,
  // Lists, not texts: a prompt in middleware takes nothing else.
  notice: (text, role) => ({ role, content: [{ type: 'text', text }] }),
  answer: (calls, text) =>
    calls.length === 0
      ? []
      : [
          {
            role: 'tool',
            content: calls.map(({ callId, toolName }) => answerPart(callId, toolName, text)),
          },
        ],
  encode: jsonValue,
};
