// Codec for the pi coding agent: entries of its session files (JSON Lines, versions 1 to 3), and its bare messages. A
// list is treated as a prompt; entries of other branches of a session file stay in it, unread.

import type { Codec, ProviderRules } from '../codec.ts';
import { detectBy, likenessBy } from '../likeness.ts';
import type { Edit, OpenCall } from '../message.ts';
import { jsonValue, type Native, nativeOf, textIn } from '../native.ts';
import { editGuarded, editParts, itemsOf, shortened, standsAlone } from '../parts.ts';
import { isSurely, mayBe } from './detection.ts';
import { asText, read } from './reading.ts';

/**
 * pi converts its messages for the provider in use and joins or omits messages where required, so these are the rules
 * that pi itself has. Sessions keep interrupted responses, which may have no content.
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

/**
 * Codec for pi session entries and messages. New entries have the epoch as their timestamp, because codecs have no
 * clock.
 */
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

/** Not written by a model, but pi reads these fields of every assistant message. */
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
