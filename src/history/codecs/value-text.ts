// Values as the text a model reads of them. Reading of a message's fields lies elsewhere.

import { guarded, jsonValue } from './native.ts';

/** A value as JSON text, bytes as base64; empty for undefined, a text as it is. */
export function jsonText(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  return guarded(() => JSON.stringify(jsonValue(value)), '') ?? '';
}

/** A value as an SDK writes it, which is by JSON.stringify; a text as it is. What that throws at is JSON all the same. */
export function sentText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : sentJson(value);
}

/** As `sentText`, but a text is JSON too. */
export function sentJson(value: unknown): string {
  return guarded(() => JSON.stringify(value) ?? '', null) ?? JSON.stringify(jsonValue(value));
}
