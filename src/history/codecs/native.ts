// Helpers to read native messages, which are untrusted JSON-like objects: fields of any type, cycles, getters that
// throw. Independent of the format.

/** An object with unknown fields. */
export type Native = Readonly<Record<string, unknown>>;

/** The result of `read`, or `otherwise` if it throws, as a getter or proxy in a message may. */
export function guarded<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** `value` if it is an object but not an array; otherwise null. */
export function nativeOf(value: unknown): Native | null {
  // A non-array object has fields; each is read as unknown.
  if (typeof value !== 'object' || value === null) return null;
  // A revoked proxy throws. Does not use `guarded` because this is called dozens of times per message.
  try {
    return Array.isArray(value) ? null : (value as Native);
  } catch {
    return null;
  }
}

/** The elements of an array; empty for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  try {
    return Array.isArray(value) ? (value as readonly unknown[]) : [];
  } catch {
    return [];
  }
}

/** The string in `value[name]`, or null. */
export function textIn(value: unknown, name: string): string | null {
  const field = nativeOf(value)?.[name];
  return typeof field === 'string' ? field : null;
}

/** Whether a field whose name matches `names` is non-empty. */
export function holdsAny(fields: Native, names: RegExp): boolean {
  return Object.keys(fields).some((name) => {
    const value = names.test(name) ? fields[name] : null;
    return value !== null && value !== undefined && value !== '';
  });
}

/** Non-empty `texts`, joined by line breaks. */
export function joined(texts: readonly (string | null)[]): string {
  return texts.filter((text) => text !== null && text !== '').join('\n');
}

/** The object in a JSON text, or `value` itself if it is an object; null for anything else. */
export function argumentsOf(value: unknown): Native | null {
  if (typeof value !== 'string') return nativeOf(value);
  if (!/^\s*\{/.test(value)) return null;
  return guarded(() => nativeOf(JSON.parse(value)), null);
}

/** Maximum nesting depth; deeper values become null. JSON.stringify fails somewhat deeper. */
const MAX_DEPTH = 1000;

/** Values nested deeper than this are always copied. */
const MOST_PLAIN = 32;

/** Whether the value is pure JSON; most messages are and need no copy. */
function isJson(value: unknown, levels: number): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true;
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object' || levels === 0) return false;
  if (Array.isArray(value)) {
    for (const one of value) if (!isJson(one, levels - 1)) return false;
    return true;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  // Neither an array nor null, so it has fields of unknown types.
  const fields = value as Native;
  for (const name of Object.keys(fields)) if (!isJson(fields[name], levels - 1)) return false;
  return true;
}

/**
 * `value` as JSON values, or itself if it is JSON already. Bytes become `{ "$bytes": base64 }`, objects with `toJSON`
 * use it, other non-JSON values convert as in JSON.stringify (big integers to text). Cycles and values nested more than
 * 1000 levels deep become null. Never throws.
 */
export function jsonValue(value: unknown): unknown {
  if (guarded(() => isJson(value, MOST_PLAIN), false)) return value;
  return guarded(() => plain(value, new Set(), ''), null) ?? null;
}

function plain(value: unknown, above: Set<object>, key: string): unknown {
  if (typeof value === 'bigint') return String(value);
  // Adding 0 converts -0 to 0, as JSON does.
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'function' || typeof value === 'symbol' ? undefined : value;
  }
  if (above.size > MAX_DEPTH || above.has(value)) return null;
  const bytes = bytesOf(value);
  if (bytes) return { $bytes: base64Of(bytes) };
  above.add(value);
  const copy = guarded(() => copied(value, above, key), null);
  above.delete(value);
  return copy;
}

function copied(value: object, above: Set<object>, key: string): unknown {
  const converts: unknown = 'toJSON' in value ? value.toJSON : undefined;
  if (typeof converts === 'function') return plain(converts.call(value, key), above, key);
  if (Array.isArray(value)) {
    return value.map((entry: unknown, index) => plain(entry, above, String(index)) ?? null);
  }
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const field = guarded(() => plain(nativeOf(value)?.[name], above, name), null);
    if (field === undefined) continue;
    // Plain assignment would set the copy's prototype.
    if (name === '__proto__') Object.defineProperty(copy, name, { ...OWN, value: field });
    else copy[name] = field;
  }
  return copy;
}

const OWN: PropertyDescriptor = { configurable: true, enumerable: true, writable: true };

/** The bytes of a Uint8Array, Buffer or ArrayBuffer; null for anything else. */
export function bytesOf(value: unknown): Uint8Array | null {
  // A proxy may throw.
  return guarded(() => {
    if (value instanceof Uint8Array) return value;
    return value instanceof ArrayBuffer ? new Uint8Array(value) : null;
  }, null);
}

/** The bytes as base64. */
export function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** Characters sampled to distinguish base64 from text, and the minimum for a decision. */
const BASE64_SAMPLE = 512;
const BASE64_LEAST = 256;

/** True for data that no model reads as text: long base64, or a data URL of it. */
export function isBase64(text: string): boolean {
  if (/^data:[^,]{0,200};base64,/i.test(text.slice(0, 220))) return true;
  if (text.length < BASE64_LEAST) return false;
  const sample = text.slice(0, BASE64_SAMPLE);
  return /^[\w+/-]+={0,2}$/.test(sample) && /[a-z]/.test(sample) && /[A-Z]/.test(sample) && /\d/.test(sample);
}

/**
 * Approximate characters of `value` as JSON. Base64 and bytes count 0, encrypted fields as what they decode to, escapes as
 * the character they encode, and fields in `without` count 0 at any level. Never throws; a cycle counts once.
 */
export function weightOf(value: unknown, without: readonly string[] = []): number {
  const seen = new Set<object>();
  const waiting: unknown[] = [value];
  let weight = 0;
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') weight += 2 + (isBase64(next) ? 0 : next.length);
    else if (typeof next !== 'object' || next === null)
      weight += /^(?:number|bigint|boolean)$/.test(typeof next) ? String(next).length : 4;
    else if (!seen.has(next) && !bytesOf(next)) {
      seen.add(next);
      weight += 2;
      for (const name of guarded(() => Object.keys(next), [])) {
        if (without.includes(name)) continue;
        const field = guarded<unknown>(() => Reflect.get(next, name), null);
        if (field === undefined || typeof field === 'function') continue;
        weight += guarded(() => Array.isArray(next), false) ? 1 : name.length + 4;
        if (isEncrypted(name)) weight += sealedWeight(field);
        else waiting.push(field);
      }
    }
  }
  return weight;
}

/** Fields of providers' own tools that only the provider can read. */
export const isEncrypted = (name: string): boolean => name.startsWith('encrypted');

/** Characters that encrypted base64 counts as: its decoded bytes. The hidden content costs tokens too. */
export function sealedWeight(base64: unknown): number {
  return typeof base64 === 'string' ? Math.ceil((base64.length * 3) / 4) : 0;
}
