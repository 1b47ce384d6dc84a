// Splits one JSON record into table cells: strings as text, numbers with their original digits, nested values as
// compact JSON. Checks only the syntax needed to find where values end.

import { BYTE } from '../json/cursor.ts';

/** A member: its key, and its value as a range of the record's text. */
export interface Member {
  readonly key: string;
  readonly from: number;
  readonly to: number;
}

/**
 * The members of the object in `text`; if it is `cutOff`, the complete ones. Undefined for any other value. Duplicate
 * keys are all returned.
 */
export function membersOf(text: string, cutOff: boolean): Member[] | undefined {
  let at = afterSpace(text, 0);
  if (text.charCodeAt(at) !== BYTE.openObject) return undefined;
  const members: Member[] = [];
  do {
    at = afterSpace(text, at + 1);
    if (text.charCodeAt(at) === BYTE.closeObject && members.length === 0) break;
    const member = memberAt(text, at);
    if (!member) return cutOff ? members : undefined;
    members.push(member);
    at = afterSpace(text, member.to);
  } while (text.charCodeAt(at) === BYTE.comma);
  return cutOff || text.charCodeAt(at) === BYTE.closeObject ? members : undefined;
}

function memberAt(text: string, from: number): Member | undefined {
  if (text.charCodeAt(from) !== BYTE.quote) return undefined;
  const keyEnd = endOfString(text, from);
  const key = keyEnd < 0 ? undefined : decoded(text.slice(from, keyEnd));
  const colon = afterSpace(text, keyEnd);
  if (key === undefined || text.charCodeAt(colon) !== BYTE.colon) return undefined;
  const start = afterSpace(text, colon + 1);
  const end = endOfValue(text, start);
  return end > start ? { key, from: start, to: end } : undefined;
}

/** Converts the JSON text of a value to a cell. */
export function cellOf(value: string): string {
  const first = value.charCodeAt(0);
  if (first === BYTE.quote) return decoded(value) ?? value;
  if (first === BYTE.openObject || first === BYTE.openArray) return compact(value);
  return value;
}

function decoded(literal: string): string | undefined {
  try {
    // A string literal parses to a string.
    return JSON.parse(literal) as string;
  } catch {
    return undefined; // a control character or an unknown escape
  }
}

/** Removes white space between the tokens of `value`. */
function compact(value: string): string {
  const pieces: string[] = [];
  let kept = 0;
  for (let at = 0; at < value.length; ) {
    const code = value.charCodeAt(at);
    if (code === BYTE.quote) {
      const end = endOfString(value, at);
      at = end < 0 ? value.length : end;
    } else if (isSpace(code)) {
      pieces.push(value.slice(kept, at));
      at = afterSpace(value, at);
      kept = at;
    } else at += 1;
  }
  pieces.push(value.slice(kept));
  return pieces.join('');
}

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;

function afterSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/** Index after the string that opens at `from`; -1 if it is not closed. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BYTE.backslash) at += 1;
    else if (code === BYTE.quote) return at + 1;
  }
  return -1;
}

/** Index after the value at `from`; -1 if it is incomplete. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BYTE.quote) {
      const end = endOfString(text, at);
      if (end < 0) return -1;
      if (depth === 0) return end;
      at = end - 1;
    } else if (code === BYTE.openObject || code === BYTE.openArray) depth += 1;
    else if (code === BYTE.closeObject || code === BYTE.closeArray) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (code === BYTE.comma || isSpace(code))) return at;
  }
  return -1;
}
