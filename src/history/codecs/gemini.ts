// Codec for contents of Google's Gemini API, as typed by `Content` in @google/genai. The system instruction and tools
// are separate fields of a request and are not read here. Parts in snake_case, which only the REST API accepts, are
// opaque.

import type { Codec, ProviderRules } from './codec.ts';
import { responsePart } from './gemini-response.ts';
import { detectBy, likenessBy } from './likeness.ts';
import { mediaFromBase64, mediaFromBytes, mediaUnknown } from './media-facts.ts';
import { type Edit, type Item, item, type OpenCall, type Role, textKind } from './message.ts';
import { bytesOf, guarded, jsonValue, type Native, nativeOf, textIn } from './native.ts';
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
  opaquePart,
  type PartReading,
  readParts,
  standsAlone,
  textPart,
} from './parts.ts';
import { jsonText } from './value-text.ts';

/**
 * Source: the histories that the API rejects and gemini-cli repairs before sending: a user content first and last,
 * alternating roles, and as many responses as calls, in the same order. A signed part must be returned unchanged.
 * Whether its neighbours may change is not documented, so arguments next to sealed parts stay.
 */
const RULES: ProviderRules = {
  startsWith: 'user',
  endsWithUser: true,
  alternates: true,
  results: 'next',
  resultsTogether: true,
  callId: null,
  mayBeEmpty: false,
  reasoningAlone: false,
  argsBesideSealed: false,
};

/** Part fields that no model reads. */
const UNREAD: readonly string[] = ['thoughtSignature'];

const ROLES: ReadonlySet<unknown> = new Set(['user', 'model', 'function', 'system', undefined]);

/**
 * Codec for Gemini contents. A call or response without an id gets the callId `#k:name`: the k-th of that name in its
 * content, from 0. Such ids repeat in every turn, so they only pair a content with the very next one.
 */
export const gemini: Codec = {
  name: 'gemini',
  rules: RULES,
  detect: detectBy(likenessBy(mayBe, isSurely)),
  view: (message) => {
    const reading = read(message);
    return { role: reading.role, items: itemsOf(reading) };
  },
  edit: (message, edits) => editGuarded(message, edits, () => edited(message, edits)),
  notice: (text, role) => ({ role: role === 'user' ? 'user' : 'model', parts: [{ text }] }),
  answer: (calls, text) =>
    calls.length === 0 ? [] : [{ role: 'user', parts: calls.map((call) => answerTo(call, text)) }],
  join: (messages) => joinedBy('parts', messages),
  encode: jsonValue,
};

/** Counts parts per name while a content is read, for the k in `#k:name`. */
class Counts {
  private readonly next = new Map<string, number>();

  take(name: string): number {
    const count = this.next.get(name) ?? 0;
    this.next.set(name, count + 1);
    return count;
  }
}

interface Counted {
  readonly calls: Counts;
  readonly responses: Counts;
  /** Call of the newest response, which images after it belong to. Null before the first response. */
  answered: string | null;
}

function positional(count: number, name: string): string {
  return `#${count}:${name}`;
}

function roleOf(role: unknown): Role {
  if (role === 'model') return 'assistant';
  if (role === 'system') return 'system';
  return role === 'function' ? 'tool' : 'user';
}

function read(message: unknown): MessageReading {
  const reading = guarded(() => {
    const native = nativeOf(message);
    const role = roleOf(native?.['role']);
    const parts = native?.['parts'];
    if (!Array.isArray(parts) || !ROLES.has(native?.['role'])) return opaqueMessage(message, role, UNREAD);
    const counted: Counted = { calls: new Counts(), responses: new Counts(), answered: null };
    const readings = readParts(parts, (part) => readPart(part, role, counted), UNREAD);
    return { role, parts, readings };
  }, null);
  return reading ?? opaqueMessage(message, 'user', UNREAD);
}

function readPart(value: unknown, role: Role, counted: Counted): PartReading {
  const { calls, responses, answered } = counted;
  const part = nativeOf(value);
  if (!part) return opaque(value);
  const sealed = Boolean(part['thoughtSignature']);
  const call = nativeOf(part['functionCall']);
  if (call) return readCall(part, call, calls, sealed);
  const response = nativeOf(part['functionResponse']);
  if (response) {
    const name = textIn(response, 'name') ?? '';
    const count = responses.take(name);
    counted.answered = textIn(response, 'id') ?? positional(count, name);
    return responsePart(part, response, counted.answered, sealed);
  }
  const inline = nativeOf(part['inlineData']);
  const file = nativeOf(part['fileData']);
  if (inline || file) {
    const media = inline ? inlineMedia(inline) : mediaUnknown(textIn(file, 'mimeType'));
    // A replacement text would separate the responses, so the media is removed with them or stays.
    const facts = { media, sealed: sealed || answered !== null, callId: answered };
    return mediaPart(part, item('media', facts), (text) => ({ text }));
  }
  const text = textIn(part, 'text');
  if (text !== null) {
    if (part['thought'] === true) return kept(part, item('reasoning', { text, sealed }));
    return textPart(part, item(textKind(role), { text, sealed }), (instead) => ({ ...part, text: instead }));
  }
  return readServerPart(part, calls, responses, sealed) ?? opaque(part, sealed);
}

function readCall(part: Native, call: Native, calls: Counts, sealed: boolean): PartReading {
  const name = textIn(call, 'name') ?? '';
  const count = calls.take(name);
  const facts = {
    text: jsonText(call['args'] ?? {}),
    callId: textIn(call, 'id') ?? positional(count, name),
    toolName: name,
    args: nativeOf(call['args']),
    sealed,
  };
  return callPart(part, item('call', facts), (args) => ({ ...part, functionCall: { ...call, args } }));
}

/** Part names of Google's own tools, with their kind and the name under which a pair is counted. */
const SERVER_PARTS: readonly (readonly [string, 'call' | 'result', string])[] = [
  ['executableCode', 'call', 'code_execution'],
  ['codeExecutionResult', 'result', 'code_execution'],
  ['toolCall', 'call', 'tool'],
  ['toolResponse', 'result', 'tool'],
];

function readServerPart(part: Native, calls: Counts, responses: Counts, sealed: boolean): PartReading | null {
  for (const [field, kind, counter] of SERVER_PARTS) {
    const body = nativeOf(part[field]);
    if (!body) continue;
    const toolName = counter === 'tool' ? textIn(body, 'toolType') : counter;
    // Counted separately from the caller's functions, which may have the same name.
    const key = `${counter} of the server`;
    const count = (kind === 'call' ? calls : responses).take(key);
    const callId = textIn(body, 'id') ?? positional(count, key);
    const facts = { callId, toolName, sealed, providerExecuted: true };
    if (field === 'codeExecutionResult') {
      const isError = body['outcome'] !== 'OUTCOME_OK';
      return outputPart(
        part,
        body,
        item('result', { ...facts, isError, text: textIn(body, 'output') ?? '' }),
      );
    }
    if (kind === 'result') return kept(part, item('result', { ...facts, text: jsonText(body['response']) }));
    const args = field === 'toolCall' ? nativeOf(body['args']) : body;
    return kept(part, item('call', { ...facts, text: jsonText(args ?? {}), args }));
  }
  return null;
}

function outputPart(part: Native, body: Native, result: Item): PartReading {
  return {
    items: [result],
    rebuild: (change) => {
      if (change(0)?.removed) return null;
      const output = change(0)?.text ?? null;
      return output === null ? part : { ...part, codeExecutionResult: { ...body, output } };
    },
  };
}

function inlineMedia(blob: Native): ReturnType<typeof mediaUnknown> {
  const mimeType = textIn(blob, 'mimeType');
  const bytes = bytesOf(blob['data']);
  if (bytes) return mediaFromBytes(bytes, mimeType);
  const data = textIn(blob, 'data');
  return data === null ? mediaUnknown(mimeType) : mediaFromBase64(data, mimeType);
}

function opaque(part: unknown, sealed = false): PartReading {
  return opaquePart(part, UNREAD, sealed);
}

function edited(message: unknown, edits: readonly Edit[]): unknown {
  const reading = read(message);
  const { parts, changed, changes } = editParts(reading, edits);
  const native = nativeOf(message);
  const whole = !native || !Array.isArray(native['parts']) || reading.parts !== native['parts'];
  if (whole) return parts.length === 0 ? null : message;
  const takes = reading.role === 'user' || reading.role === 'tool';
  const answers = takes ? changes.answers : [];
  const appended = reading.role === 'user' ? changes.appended.filter((text) => text !== '') : [];
  if (!changed && answers.length === 0 && appended.length === 0) return message;
  const isResponse = (part: unknown): boolean => nativeOf(nativeOf(part)?.['functionResponse']) !== null;
  // A response without an id answers the call at the same position.
  const given = answers.map(({ call, text }) => ({ at: call.at ?? 0, part: answerTo(call, text) }));
  const answered = answeredParts(parts, isResponse, given);
  const next = { ...native, parts: [...answered, ...appended.map((text) => ({ text }))] };
  const shrunk = parts.length < reading.parts.length;
  return shrunk && !standsAlone(itemsOf(read(next))) ? null : next;
}

function answerTo({ callId, toolName }: OpenCall, text: string): Native {
  const name = toolName || (/^#\d{1,9}:(.*)$/s.exec(callId)?.[1] ?? '');
  const id = /^#\d{1,9}:/.test(callId) ? {} : { id: callId };
  return { functionResponse: { ...id, name, response: { error: text } } };
}

const OWN: readonly string[] = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
  'thoughtSignature',
];
const SNAKE: readonly string[] = [
  'function_call',
  'function_response',
  'inline_data',
  'file_data',
  'thought_signature',
];

function mayBe(message: unknown): boolean {
  const native = nativeOf(message);
  if (!native || !ROLES.has(native['role']) || 'content' in native || 'getType' in native) return false;
  const parts = native['parts'];
  return Array.isArray(parts) && parts.every(mayBePart);
}

// Parts of other formats state their kind in `type` or `kind`.
function mayBePart(value: unknown): boolean {
  const part = nativeOf(value);
  return part !== null && !('type' in part) && !('kind' in part) && !SNAKE.some((name) => name in part);
}

function isSurely(message: unknown): boolean {
  const parts = nativeOf(message)?.['parts'];
  if (!Array.isArray(parts)) return false;
  return parts.some((value: unknown) => {
    const part = nativeOf(value);
    return part !== null && OWN.some((name) => name in part);
  });
}
