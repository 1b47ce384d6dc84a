// Splits one JSON record into table cells: strings as text, numbers with their original digits, nested values as
// compact JSON. Checks only the syntax needed to find where values end.

import { afterSpace, BYTE, decodedString, endOfString, endsLiteral, rawText, valueEnd } from '../json/raw.ts';

/** A member: its key, and its value as a range of the record's bytes. */
export interface Member {
  readonly key: string;
  readonly from: number;
  readonly to: number;
}

/**
 * The members of the object in `bytes`; if it is `cutOff`, the complete ones. Undefined for any other value. Duplicate
 * keys are all returned.
 */
export function membersOf(bytes: Uint8Array, cutOff: boolean): Member[] | undefined {
  let at = afterSpace(bytes, 0);
  if (bytes[at] !== BYTE.openObject) return undefined;
  const members: Member[] = [];
  do {
    at = afterSpace(bytes, at + 1);
    if (bytes[at] === BYTE.closeObject && members.length === 0) break;
    const member = memberAt(bytes, at);
    if (!member) return cutOff ? members : undefined;
    members.push(member);
    at = afterSpace(bytes, member.to);
  } while (bytes[at] === BYTE.comma);
  return cutOff || bytes[at] === BYTE.closeObject ? members : undefined;
}

function memberAt(bytes: Uint8Array, from: number): Member | undefined {
  const keyEnd = bytes[from] === BYTE.quote ? endOfString(bytes, from + 1) : -1;
  const key = keyEnd < 0 ? undefined : decodedString(bytes, from + 1, keyEnd - 1);
  const colon = afterSpace(bytes, keyEnd);
  if (key === undefined || bytes[colon] !== BYTE.colon) return undefined;
  const start = afterSpace(bytes, colon + 1);
  const end = valueEnd(bytes, start, bytes.length);
  let to = start;
  while (to < end && !endsLiteral(bytes[to] ?? 0)) to++;
  if (to === start) to = end;
  return to > start ? { key, from: start, to } : undefined;
}

/** Strings of JSON, and the white space between its tokens. */
const STRINGS_AND_SPACE = /"(?:[^"\\]+|\\.)*"?|[ \n\r\t]+/gs;

/** Converts the JSON text of a value, `bytes[from, to)`, to a cell. */
export function cellOf(bytes: Uint8Array, from: number, to: number): string {
  const first = bytes[from];
  const text = rawText(bytes, from, to);
  if (first === BYTE.quote)
    return (bytes[to - 1] === BYTE.quote ? decodedString(bytes, from + 1, to - 1) : undefined) ?? text;
  if (first !== BYTE.openObject && first !== BYTE.openArray) return text;
  return text.replace(STRINGS_AND_SPACE, (found) => (found.startsWith('"') ? found : ''));
}
