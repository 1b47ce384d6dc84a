// The forms of a LangChain message (class instance, serialized, stored, or a plain object that LangChain coerces), read
// as fields with uniform names, and rebuilt with some fields changed.

import type { Role } from '../message.ts';
import { guarded, type Native, nativeOf, textIn } from '../native.ts';

/** LangChain's message types. */
export type MessageType = 'human' | 'ai' | 'system' | 'tool' | 'function' | 'generic' | 'remove';

/** The fields of a message, independent of its form. */
export interface Fields {
  readonly form: 'instance' | 'serialized' | 'stored' | 'plain';
  readonly type: MessageType;
  /** Null if it is not a conversation turn (RemoveMessage). */
  readonly role: Role | null;
  readonly fields: Native;
}

const TYPES: ReadonlyMap<unknown, MessageType> = new Map([
  ['human', 'human'],
  ['user', 'human'],
  ['ai', 'ai'],
  ['assistant', 'ai'],
  ['system', 'system'],
  ['developer', 'system'],
  ['tool', 'tool'],
  ['function', 'function'],
  ['generic', 'generic'],
  ['chat', 'generic'],
  ['remove', 'remove'],
]);

/** Class name in the id of a serialized message, such as `HumanMessage` or `HumanMessageChunk`. */
const CLASS = /^(Human|AI|System|Tool|Function|Chat|Remove)Message(?:Chunk)?$/;
/** Null if it is not a LangChain message. Never throws. */
export function fieldsOf(message: unknown): Fields | null {
  return guarded(() => read(message), null);
}

function read(message: unknown): Fields | null {
  const native = nativeOf(message);
  if (!native) return null;
  if (isInstance(native)) return fieldsAs('instance', TYPES.get(typeOf(native)), native);
  const kwargs = nativeOf(native['kwargs']);
  if (kwargs && native['type'] === 'constructor' && Array.isArray(native['id'])) {
    const name: unknown = native['id'].at(-1);
    return fieldsAs('serialized', TYPES.get(CLASS.exec(String(name))?.[1]?.toLowerCase()), kwargs);
  }
  const type = TYPES.get(native['type']);
  const data = nativeOf(native['data']);
  if (type && data) return fieldsAs('stored', type, data);
  if (type === 'remove' || 'content' in native) {
    return fieldsAs(
      'plain',
      type ?? (native['type'] === undefined ? TYPES.get(native['role']) : undefined),
      native,
    );
  }
  return null;
}

function isInstance(native: Native): boolean {
  return (
    typeof native['getType'] === 'function' ||
    typeof native['_getType'] === 'function' ||
    Array.isArray(native['lc_namespace'])
  );
}

function typeOf(native: Native): unknown {
  if (typeof native['type'] === 'string') return native['type'];
  for (const name of ['getType', '_getType']) {
    const method = native[name];
    if (typeof method === 'function') return method.call(native);
  }
  return undefined;
}

function fieldsAs(form: Fields['form'], type: MessageType | undefined, fields: Native): Fields | null {
  if (!type) return null;
  return { form, type, role: roleOf(type, fields), fields };
}

function roleOf(type: MessageType, fields: Native): Role | null {
  switch (type) {
    case 'human':
      return 'user';
    case 'ai':
      return 'assistant';
    case 'system':
      return 'system';
    case 'tool':
    case 'function':
      return 'tool';
    case 'generic': {
      const named = TYPES.get(textIn(fields, 'role'));
      return named && named !== 'generic' ? roleOf(named, fields) : 'user';
    }
    default:
      return null;
  }
}

/**
 * `message` in its own form with `patch` applied and everything else unchanged. An instance is copied with its
 * prototype and all properties instead of constructed, because constructors drop unknown fields and parse calls again.
 */
export function withFields(message: unknown, read: Fields, patch: Native): unknown {
  const native = nativeOf(message);
  if (!native) return message;
  if (read.form === 'serialized') return { ...native, kwargs: { ...read.fields, ...patch } };
  if (read.form === 'stored') return { ...native, data: { ...read.fields, ...patch } };
  if (read.form === 'plain') return { ...native, ...patch };
  const kwargs = nativeOf(native['lc_kwargs']);
  const all = kwargs ? { ...patch, lc_kwargs: copied(kwargs, patch) } : patch;
  return copied(native, all);
}

/** A copy with the same prototype. Getters stay getters, except for the fields in `patch`. */
function copied(native: Native, patch: Native): unknown {
  const properties: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(native);
  for (const [name, value] of Object.entries(patch)) {
    properties[name] = { value, writable: true, enumerable: true, configurable: true };
  }
  return Object.create(Object.getPrototypeOf(native), properties);
}
