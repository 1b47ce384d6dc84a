// Bytes of a mail as text: a declared charset is followed where it is known and fits, else the bytes decide.

import { isAscii, isUtf8 } from 'node:buffer';

/** Declared by writers that mean something wider, or nothing at all. */
const NOT_TELLING: ReadonlySet<string> = new Set([
  '',
  'us-ascii',
  'ascii',
  'unknown-8bit',
  'x-unknown',
  'default',
  '7bit',
  '8bit',
  'binary',
]);

/** Names that the Encoding standard lacks, or maps to nothing, and iconv-lite knows. */
const ELSEWHERE =
  /^(?:unicode-1-1-utf-7|utf-?7|utf-?7-imap|utf-?32(?:le|be)?|cp\d{3,5}|x-mac-.+|hz-gb-2312)$/;

/** What Windows and others call charsets of the Encoding standard. */
const ALIASES: Readonly<Record<string, string>> = {
  cp874: 'windows-874',
  cp932: 'shift_jis',
  cp936: 'gbk',
  cp949: 'euc-kr',
  cp950: 'big5',
  macroman: 'macintosh',
};

/** Lower case, as the Encoding standard has it where it has it. */
function labelOf(charset: string): string {
  const label = charset.trim().toLowerCase();
  return ALIASES[label] ?? label.replace(/^cp-?(125\d)$/, 'windows-$1');
}

export interface Decoded {
  readonly text: string;
  /** Bytes that its charset does not have stand as replacement characters. */
  readonly lossy: boolean;
}

/** `bytes` in `charset` (any case; `''` where none is told). Never throws. */
export async function decodeCharset(bytes: Uint8Array, charset: string): Promise<Decoded> {
  const label = labelOf(charset);
  if (NOT_TELLING.has(label)) return guessed(bytes);
  // What escapes from ASCII is 7-bit as well.
  if (isAscii(bytes) && !/^(?:iso-2022|utf-?7|unicode-1-1|hz-|utf-?16|utf-?32|ucs)/.test(label))
    return { text: latin1(bytes), lossy: false };
  if (!ELSEWHERE.test(label)) {
    const text = standard(bytes, label);
    if (text !== undefined) return { text, lossy: text.includes('\ufffd') && !isUtf8(bytes) };
  }
  const { default: iconv } = await import('iconv-lite');
  if (!iconv.encodingExists(label)) return guessed(bytes);
  const text = iconv.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), label);
  return { text, lossy: text.includes('\ufffd') };
}

/** The same at once, for words in headers; what only iconv-lite knows is guessed. */
export function decodeWord(bytes: Uint8Array, charset: string): string {
  const label = labelOf(charset);
  return (NOT_TELLING.has(label) ? undefined : standard(bytes, label)) ?? guessed(bytes).text;
}

/** UTF-8 where the bytes are valid in it, else Windows-1252, which has a character for nearly every byte. */
function guessed(bytes: Uint8Array): Decoded {
  return { text: standard(bytes, isUtf8(bytes) ? 'utf-8' : 'windows-1252') ?? latin1(bytes), lossy: false };
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');

function standard(bytes: Uint8Array, label: string): string | undefined {
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return undefined; // a name that the Encoding standard does not have
  }
}
