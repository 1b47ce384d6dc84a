// Converts values to the text a model reads.

import { guarded, jsonValue } from './native.ts';

/** A value as JSON text, bytes as base64; empty for undefined, a string unchanged. */
export function jsonText(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  return guarded(() => JSON.stringify(jsonValue(value)), '') ?? '';
}

/**
 * A value as an SDK sends it, which is JSON.stringify; a string unchanged. Values for which that throws become JSON
 * too.
 */
export function sentText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : sentJson(value);
}

/** Like `sentText`, but also encodes strings as JSON. */
export function sentJson(value: unknown): string {
  return guarded(() => JSON.stringify(value) ?? '', null) ?? JSON.stringify(jsonValue(value));
}
