// Reads pi's messages and session entries as parts with items, each with a function that writes its changes.

import { mediaFromBase64, mediaUnknown } from '../media-facts.ts';
import { type Item, item, type Role, textKind } from '../message.ts';
import { guarded, joined, listOf, type Native, nativeOf, textIn, weightOf } from '../native.ts';
import {
  callPart,
  innerEdited,
  kept,
  type MessageReading,
  mediaPart,
  opaquePart,
  type PartReading,
  readParts,
  textPart,
} from '../parts.ts';
import { jsonText } from '../value-text.ts';

/** A message or entry as parts; `holder` is the object whose fields contain them. */
export interface PiReading {
  readonly reading: MessageReading;
  readonly holder: Native | null;
  /** The parts are the content of `holder`; otherwise `holder` itself is the only part. */
  readonly inContent: boolean;
  /** The field that appended text goes to if the parts are not content. */
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

/** Session metadata and entries of extensions, which no model sees. */
function unread(part: unknown): PiReading {
  return whole(part, 'system', kept(part, item('opaque')));
}

function opaque(part: unknown, role: Role = 'user'): PiReading {
  return whole(part, role, opaquePart(part));
}

/** Parses a message or entry; anything else is opaque. */
export function read(message: unknown): PiReading {
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

/** pi's own summary of earlier messages, which the model receives as a user text. */
function compaction(holder: Native): PiReading {
  const weight = textIn(holder, 'summary')?.length ?? 0;
  return whole(holder, 'user', kept(holder, item('opaque', { boundary: true, weight })));
}

/** A message with texts in named fields; appended text goes to the last of them. */
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

/** A text part. */
export function asText(text: string): Native {
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
