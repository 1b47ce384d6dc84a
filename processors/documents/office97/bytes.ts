// Reads numbers of binary files. Past the end of the bytes a number is 0: files state offsets that do not exist.

export const u8 = (bytes: Buffer, at: number): number => bytes[at] ?? 0;

export function u16(bytes: Buffer, at: number): number {
  return at >= 0 && at + 2 <= bytes.length ? bytes.readUInt16LE(at) : 0;
}

export function i16(bytes: Buffer, at: number): number {
  return at >= 0 && at + 2 <= bytes.length ? bytes.readInt16LE(at) : 0;
}

export function u32(bytes: Buffer, at: number): number {
  return at >= 0 && at + 4 <= bytes.length ? bytes.readUInt32LE(at) : 0;
}

export function i32(bytes: Buffer, at: number): number {
  return at >= 0 && at + 4 <= bytes.length ? bytes.readInt32LE(at) : 0;
}

/** The text before the first NUL, which ends a text of fixed length. */
export const beforeNul = (text: string): string => text.split('\0', 1)[0] ?? '';

/** UTF-16 text of at most `length` characters. */
export function utf16(bytes: Buffer, at: number, length: number): string {
  const to = Math.min(bytes.length, at + length * 2);
  return to - at < 2 ? '' : bytes.toString('utf16le', at, to - ((to - at) % 2));
}
