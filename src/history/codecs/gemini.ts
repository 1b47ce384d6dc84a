// Format of contents of Google's Gemini API, as typed by `Content` in @google/genai. The system instruction and tools
// are separate fields of a request and are not read here. Parts in snake_case, which only the REST API accepts, are
// opaque.

import { type Codec, STRICT } from './codec.ts';
import { responseSlot } from './gemini-response.ts';
import {
  createCodec,
  hostedSlot,
  opaqueSlot,
  type Path,
  type Reading,
  type Slot,
  slot,
  slotsIn,
} from './lens.ts';
import { detectLike } from './likeness.ts';
import { mediaFrom } from './media-facts.ts';
import { item, type OpenCall, type Role, textKind } from './message.ts';
import { listOf, type Native, nativeOf, textIn } from './native.ts';
import { jsonText } from './value-text.ts';

const ROLES: ReadonlyMap<unknown, Role> = new Map<unknown, Role>([
  ['user', 'user'],
  ['model', 'assistant'],
  ['function', 'tool'],
  ['system', 'system'],
  [undefined, 'user'],
]);
/** Part fields that no model reads. */
const UNREAD: readonly string[] = ['thoughtSignature'];

/**
 * Calls and responses of a content as they are read. Without an id, the k-th of a name in its content gets the callId
 * `#k:name`, from 0. Such ids repeat in every turn, so they only pair a content with the very next one.
 */
class Counted {
  readonly #next = new Map<string, number>();
  /** Call of the newest response, which images after it belong to. Null before the first response. */
  answered: string | null = null;

  id(body: Native, kind: 'call' | 'result', name: string): string {
    const key = `${kind} ${name}`;
    const count = this.#next.get(key) ?? 0;
    this.#next.set(key, count + 1);
    return textIn(body, 'id') ?? `#${count}:${name}`;
  }
}

function read(message: Native): Reading | null {
  const role = ROLES.get(message['role']);
  const { parts } = message;
  if (role === undefined || !Array.isArray(parts))
    return { role: role ?? 'user', slots: [opaqueSlot([], message, UNREAD)] };
  const counted = new Counted();
  return { role, slots: slotsIn(['parts'], parts, (part, at) => readPart(part, at, role, counted), UNREAD) };
}

function readPart(value: unknown, at: Path, role: Role, counted: Counted): Slot | null {
  const part = nativeOf(value);
  if (!part) return null;
  const sealed = Boolean(part['thoughtSignature']);
  const call = nativeOf(part['functionCall']);
  if (call) {
    const toolName = textIn(call, 'name') ?? '';
    const args = nativeOf(call['args']);
    const facts = { text: jsonText(call['args'] ?? {}), toolName, args, sealed };
    const own = item('call', { ...facts, callId: counted.id(call, 'call', toolName) });
    return slot(at, own, { args: ['functionCall', 'args'] });
  }
  const response = nativeOf(part['functionResponse']);
  if (response) {
    counted.answered = counted.id(response, 'result', textIn(response, 'name') ?? '');
    return responseSlot(at, response, counted.answered, sealed);
  }
  const where = nativeOf(part['inlineData']) ?? nativeOf(part['fileData']);
  if (where) {
    const media = mediaFrom(where['data'], textIn(where, 'mimeType'));
    // A replacement text would separate the responses, so the media is removed with them or stays.
    const facts = { media, sealed: sealed || counted.answered !== null, callId: counted.answered };
    return slot(at, item('media', facts), { media: (text) => ({ text }) });
  }
  const text = textIn(part, 'text');
  if (text === null) return serverSlot(part, at, sealed) ?? opaqueSlot(at, part, UNREAD, sealed);
  if (part['thought'] === true) return slot(at, item('reasoning', { text, sealed }));
  return slot(at, item(textKind(role), { text, sealed }), { text: ['text'] });
}

/** A part of one of Google's own tools; a call and its response in different contents share an id. */
function serverSlot(part: Native, at: Path, sealed: boolean): Slot | null {
  const body = nativeOf(part['toolCall']) ?? nativeOf(part['toolResponse']);
  const id = textIn(body, 'id');
  return body && hostedSlot(at, part, [id === null ? null : `server:${id}`], UNREAD, sealed);
}

function answer({ callId, toolName }: OpenCall, text: string): Native {
  const counted = /^#\d{1,9}:(.*)$/s.exec(callId);
  const name = toolName || (counted?.[1] ?? '');
  return { functionResponse: { ...(counted ? {} : { id: callId }), name, response: { error: text } } };
}

/** Fields of a part; in snake_case, or with a `type` or `kind`, it is of another format. */
const OWN =
  /^(?:text|inlineData|fileData|functionCall|functionResponse|executableCode|codeExecutionResult|toolCall|toolResponse|thoughtSignature)$/;
const FOREIGN = /^(?:type|kind|function_call|function_response|inline_data|file_data|thought_signature)$/;

const hasField = (part: unknown, names: RegExp): boolean =>
  Object.keys(nativeOf(part) ?? {}).some((name) => names.test(name));

const mayBe = ({ parts }: Native): boolean =>
  Array.isArray(parts) && parts.every((part) => nativeOf(part) && !hasField(part, FOREIGN));

const isSurely = ({ parts }: Native): boolean => listOf(parts).some((part) => hasField(part, OWN));

/**
 * Source of the rules: the histories that the API rejects and gemini-cli repairs before sending: a user content first and
 * last, alternating roles, and as many responses as calls, in the same order. A signed part must be returned unchanged.
 * Whether its neighbours may change is not documented, so arguments next to sealed parts stay.
 */
export const gemini: Codec = createCodec({
  name: 'gemini',
  rules: { ...STRICT, alternates: true },
  detect: detectLike({ roles: ROLES, foreign: ['content', 'getType'], mayBe, isSurely }),
  read,
  list: 'parts',
  part: (text) => ({ text }),
  notice: (text, role) => ({ role: role === 'user' ? 'user' : 'model', parts: [{ text }] }),
  answer,
  results: { role: 'user', isResult: (part) => nativeOf(nativeOf(part)?.['functionResponse']) !== null },
  unread: UNREAD,
});
