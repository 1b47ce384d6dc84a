// Entries of a session of the pi coding agent, as its session files (JSON Lines, versions 1 to 3) have them, and its bare
// messages. A list is read as a prompt: entries that a file holds for other ends stay in it, unread.

import type { Codec, ProviderRules } from './codec.ts';
import { detectBy, likenessBy } from './likeness.ts';
import { mediaFromBase64, mediaUnknown } from './media-facts.ts';
import { type Edit, type Item, item, type OpenCall, type Role, textKind } from './message.ts';
import { guarded, joined, jsonValue, listOf, type Native, nativeOf, textIn, weightOf } from './native.ts';
import {
  callPart,
  editGuarded,
  editParts,
  innerEdited,
  itemsOf,
  kept,
  type MessageReading,
  mediaPart,
  opaquePart,
  type PartReading,
  readParts,
  shortened,
  standsAlone,
  textPart,
} from './parts.ts';
import { jsonText } from './value-text.ts';

/**
 * pi turns its messages into those of whatever provider is used: it joins and leaves out where that one needs it, so the
 * rules are what is legal for all of them. Interrupted responses are kept in a session with no content at all.
 */
const RULES: ProviderRules = {
  startsWith: 'user',
  endsWithUser: false,
  alternates: false,
  results: 'after',
  resultsTogether: false,
  callId: null,
  mayBeEmpty: true,
  reasoningAlone: false,
  argsBesideSealed: false,
};

/** Codec of pi session entries and messages. What it makes are entries of the epoch: it has no clock. */
export const pi: Codec = {
  name: 'pi',
  rules: RULES,
  detect: detectBy(likenessBy(mayBe, isSurely)),
  view: (message) => {
    const { reading } = read(message);
    return { role: reading.role, items: itemsOf(reading) };
  },
  edit: (message, edits) => editGuarded(message, edits, () => edited(message, edits)),
  notice: (text, role) => entry(role === 'user' ? userMessage(text) : assistantMessage(text)),
  answer: (calls, text) => calls.map((call) => entry(answerTo(call, text))),
  encode: jsonValue,
};

function entry(message: Native): Native {
  return { type: 'message', timestamp: '1970-01-01T00:00:00.000Z', message };
}

function userMessage(text: string): Native {
  return { role: 'user', content: [{ type: 'text', text }], timestamp: 0 };
}

/** No model wrote it and nothing was used, but pi reads these fields of every assistant message. */
function assistantMessage(text: string): Native {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return {
    role: 'assistant',
    content: [{ type: 'text', text }],
    api: '',
    provider: '',
    model: '',
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost },
    stopReason: 'stop',
    timestamp: 0,
  };
}

function answerTo({ callId, toolName }: OpenCall, text: string): Native {
  const content = [{ type: 'text', text }];
  return { role: 'toolResult', toolCallId: callId, toolName, content, isError: true, timestamp: 0 };
}

/** A message or entry by its parts; `holder` is the object whose fields hold them. */
interface PiReading {
  readonly reading: MessageReading;
  readonly holder: Native | null;
  /** The parts are the content of `holder`; else the one part is `holder` itself. */
  readonly inContent: boolean;
  /** The field a text is added to where the parts are no content. */
  readonly appendsTo: string | null;
}

function whole(part: unknown, role: Role, reading: PartReading): PiReading {
  return {
    reading: { role, parts: [part], readings: [reading] },
    holder: guarded(() => nativeOf(part), null),
    inContent: false,
    appendsTo: null,
  };
}

/** Entries a session keeps for itself, with those of extensions: no model sees them. */
function unread(part: unknown): PiReading {
  return whole(part, 'system', kept(part, item('opaque')));
}

function opaque(part: unknown, role: Role = 'user'): PiReading {
  return whole(part, role, opaquePart(part));
}

function read(message: unknown): PiReading {
  const reading = guarded(() => {
    const native = nativeOf(message);
    if (!native) return opaque(message);
    if (native['type'] === 'message') return readMessage(nativeOf(native['message']) ?? {});
    if (typeof native['role'] === 'string') return readMessage(native);
    switch (native['type']) {
      case 'compaction':
        return compaction(native);
      case 'branch_summary':
        return ofFields(native, ['summary']);
      case 'custom_message':
        return ofContent(native, 'user');
      default:
        return typeof native['type'] === 'string' ? unread(message) : opaque(message);
    }
  }, null);
  return reading ?? opaque(message);
}

function readMessage(message: Native): PiReading {
  switch (message['role']) {
    case 'user':
    case 'custom':
    case 'hookMessage':
      return ofContent(message, 'user');
    case 'assistant':
      return ofContent(message, 'assistant');
    case 'toolResult':
      return whole(message, 'tool', toolResult(message));
    case 'bashExecution':
      return message['excludeFromContext'] === true
        ? unread(message)
        : ofFields(message, ['command', 'output']);
    case 'branchSummary':
      return ofFields(message, ['summary']);
    case 'compactionSummary':
      return compaction(message);
    default:
      return opaque(message);
  }
}

/** pi's own summary of what came before: to the model it is a text of the user. */
function compaction(holder: Native): PiReading {
  const weight = textIn(holder, 'summary')?.length ?? 0;
  return whole(holder, 'user', kept(holder, item('opaque', { boundary: true, weight })));
}

/** A message whose texts lie in fields of its own; the last of them takes what is appended. */
function ofFields(holder: Native, names: readonly string[]): PiReading {
  const fields = names.filter((name) => textIn(holder, name));
  if (fields.length === 0) return whole(holder, 'user', kept(holder, item('opaque')));
  const reading: PartReading = {
    items: fields.map((name) => item('user', { text: textIn(holder, name) ?? '' })),
    rebuild: (change) => {
      const texts = fields.map((name, index) => {
        const { removed = false, text = null } = change(index) ?? {};
        return [name, removed ? '' : (text ?? holder[name])] as const;
      });
      return texts.every(([, text]) => text === '') ? null : { ...holder, ...Object.fromEntries(texts) };
    },
  };
  return { ...whole(holder, 'user', reading), appendsTo: names.at(-1) ?? null };
}

function ofContent(holder: Native, role: Role): PiReading {
  const content = holder['content'];
  if (typeof content !== 'string' && !Array.isArray(content)) return opaque(holder, role);
  const parts: readonly unknown[] = Array.isArray(content) ? content : [{ type: 'text', text: content }];
  const readings = readParts(parts, (part) => readPart(part, role));
  return { reading: { role, parts, readings }, holder, inContent: true, appendsTo: null };
}

function readPart(value: unknown, role: Role): PartReading {
  const part = nativeOf(value);
  switch (part?.['type']) {
    case 'text': {
      const text = textIn(part, 'text');
      if (!part || text === null) return opaquePart(value);
      const sealed = Boolean(part['textSignature']);
      const own = item(textKind(role), { text, sealed });
      return textPart(part, own, (instead) => ({ ...part, text: instead }));
    }
    case 'thinking': {
      const text = textIn(part, 'thinking') ?? '';
      return kept(value, item('reasoning', { text, sealed: Boolean(part?.['thinkingSignature']) }));
    }
    case 'toolCall':
      return part ? toolCall(part) : opaquePart(value);
    case 'image':
      return part ? mediaPart(part, image(part, null), asText) : opaquePart(value);
    default:
      return opaquePart(value);
  }
}

function asText(text: string): Native {
  return { type: 'text', text };
}

function toolCall(part: Native): PartReading {
  const facts = {
    text: jsonText(part['arguments']),
    callId: textIn(part, 'id'),
    toolName: textIn(part, 'name'),
    args: nativeOf(part['arguments']),
    sealed: Boolean(part['thoughtSignature']),
  };
  return callPart(part, item('call', facts), (args) => ({ ...part, arguments: args }));
}

function image(part: Native, callId: string | null): Item {
  const data = textIn(part, 'data');
  const mimeType = textIn(part, 'mimeType');
  const media = data === null ? mediaUnknown(mimeType, 'image') : mediaFromBase64(data, mimeType, 'image');
  return item('media', { callId, media });
}

function toolResult(message: Native): PartReading {
  const callId = textIn(message, 'toolCallId');
  const content = message['content'];
  const list = listOf(content);
  const kinds = list.map((part) => {
    const type = textIn(part, 'type');
    if (type === 'image') return 'media';
    return type === 'text' && textIn(part, 'text') !== null ? 'text' : 'other';
  });
  const rest = list.filter((_, index) => kinds[index] === 'other');
  const texts = list.map((part, index) => (kinds[index] === 'text' ? textIn(part, 'text') : null));
  const result = item('result', {
    text: typeof content === 'string' ? content : joined(texts),
    callId,
    toolName: textIn(message, 'toolName'),
    isError: message['isError'] === true,
    isDone: message['isError'] === false,
    weight: rest.length > 0 ? weightOf(rest) : 0,
  });
  const images = list.flatMap((part, index) =>
    kinds[index] === 'media' ? [image(nativeOf(part) ?? {}, callId)] : [],
  );
  return {
    items: [result, ...images],
    rebuild: (change) => {
      if (change(0)?.removed) return null;
      const text = change(0)?.text ?? null;
      if (!Array.isArray(content)) return { ...message, content: text === null ? content : [asText(text)] };
      return { ...message, content: innerEdited(list, kinds, change, asText) };
    },
  };
}

function edited(message: unknown, edits: readonly Edit[]): unknown {
  const { reading, holder, inContent, appendsTo } = read(message);
  const { parts, changed, changes } = editParts(reading, edits);
  const appended = reading.role === 'user' ? changes.appended.filter((text) => text !== '') : [];
  const appends = appended.length > 0 && (inContent || appendsTo !== null);
  if (!changed && !appends) return message;
  if (!holder) return null;
  if (!inContent) {
    const next = nativeOf(parts[0]) ?? (appends ? holder : null);
    return (
      next && wrapped(message, appends && appendsTo !== null ? withText(next, appendsTo, appended) : next)
    );
  }
  const content = [...(holder['content'] === '' ? [] : parts), ...appended.map(asText)];
  const next = { ...holder, content: typeof holder['content'] === 'string' ? shortened(content) : content };
  const shrunk = parts.length < reading.parts.length;
  return shrunk && !standsAlone(itemsOf(read(next).reading)) ? null : wrapped(message, next);
}

function withText(holder: Native, name: string, texts: readonly string[]): Native {
  return {
    ...holder,
    [name]: [textIn(holder, name) ?? '', ...texts].filter((text) => text !== '').join('\n\n'),
  };
}

function wrapped(message: unknown, holder: Native): Native {
  const native = nativeOf(message);
  return native?.['type'] === 'message' ? { ...native, message: holder } : holder;
}

const ENTRIES: ReadonlySet<unknown> = new Set([
  'session',
  'message',
  'compaction',
  'branch_summary',
  'custom',
  'custom_message',
  'label',
  'session_info',
  'model_change',
  'thinking_level_change',
]);
const OWN_ROLES: ReadonlySet<unknown> = new Set([
  'toolResult',
  'bashExecution',
  'branchSummary',
  'compactionSummary',
  'custom',
  'hookMessage',
]);
const PARTS: ReadonlySet<unknown> = new Set(['text', 'image', 'thinking', 'toolCall']);

function mayBe(message: unknown): boolean {
  const native = nativeOf(message);
  if (!native || 'getType' in native) return false;
  if (ENTRIES.has(native['type']) && typeof native['timestamp'] === 'string') {
    return native['type'] !== 'message' || nativeOf(native['message']) !== null;
  }
  if (OWN_ROLES.has(native['role'])) return true;
  if (native['role'] !== 'user' && native['role'] !== 'assistant') return false;
  const content = native['content'];
  if (typeof content === 'string') return true;
  return Array.isArray(content) && content.every((part: unknown) => PARTS.has(nativeOf(part)?.['type']));
}

function isSurely(message: unknown): boolean {
  const native = nativeOf(message);
  if (!native) return false;
  if (native['type'] === 'message') return typeof nativeOf(native['message'])?.['role'] === 'string';
  if (ENTRIES.has(native['type']) || OWN_ROLES.has(native['role'])) return true;
  const calls = listOf(native['content']).some((part) => nativeOf(part)?.['type'] === 'toolCall');
  const ran = ['api', 'provider', 'model', 'usage'].every((name) => name in native);
  return native['role'] === 'assistant' && (calls || ran);
}
