// Finds tags and attributes in the bytes of a sheet's XML.

export const COLON = 0x3a;
export const GREATER = 0x3e;

export const LESS = 0x3c;
export const MAX_PREFIX = 64;
export const SLASH = 0x2f;

export function isNameEnd(byte: number | undefined): boolean {
  return (
    byte === 0x20 || byte === GREATER || byte === SLASH || byte === 0x0a || byte === 0x0d || byte === 0x09
  );
}

/** Start of the opening tag whose local name is at `name`; -1 if there is none. */
export function tagStart(data: Buffer, name: number): number {
  if (data[name - 1] === LESS) return name - 1;
  if (data[name - 1] !== COLON) return -1;
  for (let at = name - 2; at >= Math.max(0, name - MAX_PREFIX); at--) {
    const byte = data[at];
    if (byte === LESS) return at;
    if (byte === SLASH || byte === GREATER || byte === 0x20 || byte === 0x22) return -1;
  }
  return -1;
}

/** Start of the closing tag whose local name is at `name`; -1 if there is none. */
export function closingStart(data: Buffer, name: number): number {
  if (data[name - 1] === SLASH) return data[name - 2] === LESS ? name - 2 : -1;
  if (data[name - 1] !== COLON) return -1;
  for (let at = name - 2; at >= Math.max(1, name - MAX_PREFIX); at--) {
    const byte = data[at];
    if (byte === SLASH) return data[at - 1] === LESS ? at - 1 : -1;
    if (byte === LESS || byte === GREATER || byte === 0x20 || byte === 0x22) return -1;
  }
  return -1;
}

/** End of the tag, respecting quotes; -1 if it is not before `limit`. */
export function tagEndOf(data: Buffer, from: number, limit: number): number {
  let quote = 0;
  for (let at = from; at < limit; at++) {
    const byte = data[at];
    if (quote !== 0) {
      if (byte === quote) quote = 0;
    } else if (byte === GREATER) return at;
    else if (byte === 0x22 || byte === 0x27) quote = byte;
  }
  return -1;
}

/** Start of the value of the attribute with the one-letter name `letter`; -1 if the tag does not have it. */
export function attributeAt(data: Buffer, from: number, to: number, letter: number): number {
  let quote = 0;
  for (let at = from; at < to; at++) {
    const byte = data[at];
    if (quote !== 0) {
      if (byte === quote) quote = 0;
      continue;
    }
    if (byte === 0x22 || byte === 0x27) {
      quote = byte;
      continue;
    }
    if (byte !== letter || !isNameEnd(data[at - 1])) continue;
    let next = at + 1;
    while (isNameEnd(data[next]) && next < to) next++;
    if (data[next] !== 0x3d) continue;
    next++;
    while (isNameEnd(data[next]) && next < to) next++;
    if (data[next] === 0x22 || data[next] === 0x27) return next + 1;
  }
  return -1;
}
