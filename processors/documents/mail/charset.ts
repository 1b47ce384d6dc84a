// Decodes mail text: uses the declared charset if it is known and fits, else guesses from the bytes.

import { isAscii, isUtf8 } from 'node:buffer';
import { decodeStandard, isKnown, loadCodec } from '../../../src/encoding/index.ts';

/** Charsets declared by writers that mean a superset, or nothing. */
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

/** Names that the Encoding standard lacks, or maps to nothing, and that iconv-lite supports. */
const ELSEWHERE =
  /^(?:unicode-1-1-utf-7|utf-?7|utf-?7-imap|utf-?32(?:le|be)?|cp\d{3,5}|x-mac-.+|hz-gb-2312)$/;

/** Other names for charsets of the Encoding standard, from Windows and others. */
const ALIASES: Readonly<Record<string, string>> = {
  cp874: 'windows-874',
  cp932: 'shift_jis',
  cp936: 'gbk',
  cp949: 'euc-kr',
  cp950: 'big5',
  macroman: 'macintosh',
};

/** Lower case; the Encoding standard's label if it has one. */
function labelOf(charset: string): string {
  const label = charset.trim().toLowerCase();
  return ALIASES[label] ?? label.replace(/^cp-?(125\d)$/, 'windows-$1');
}

export interface Decoded {
  readonly text: string;
  /** True if bytes invalid in the charset became replacement characters. */
  readonly lossy: boolean;
}

/** Decodes `bytes` in `charset` (any case; `''` if unknown). Never throws. */
export async function decodeCharset(bytes: Uint8Array, charset: string): Promise<Decoded> {
  const label = labelOf(charset);
  if (NOT_TELLING.has(label)) return guessed(bytes);
  // Charsets with escape sequences are also 7-bit.
  if (isAscii(bytes) && !/^(?:iso-2022|utf-?7|unicode-1-1|hz-|utf-?16|utf-?32|ucs)/.test(label))
    return { text: latin1(bytes), lossy: false };
  const text = ELSEWHERE.test(label) ? undefined : decodeStandard(bytes, label);
  if (text !== undefined) return { text, lossy: text.includes('\ufffd') && !isUtf8(bytes) };
  if (!(await isKnown(label))) return guessed(bytes);
  const decoded = (await loadCodec(label))(bytes);
  return { text: decoded, lossy: decoded.includes('\ufffd') };
}

/** Synchronous variant for header words; guesses if only iconv-lite supports the charset. */
export function decodeWord(bytes: Uint8Array, charset: string): string {
  const label = labelOf(charset);
  if (UTF7.test(label)) return utf7(latin1(bytes));
  return (NOT_TELLING.has(label) ? undefined : decodeStandard(bytes, label)) ?? guessed(bytes).text;
}

const UTF7 = /^(?:unicode-1-1-)?utf-?7$/;

/** UTF-7 (RFC 2152): UTF-16 in base64 between `+` and `-`, or any other character; `+-` is a plus. */
const utf7 = (text: string): string =>
  text.replace(/\+([A-Za-z\d+/]*)-?/g, (_whole, encoded: string) => {
    if (encoded === '') return '+';
    const bytes = Buffer.from(encoded, 'base64');
    // The bits left over are padding.
    return Buffer.from(bytes.subarray(0, bytes.length & ~1))
      .swap16()
      .toString('utf16le');
  });

/** UTF-8 if the bytes are valid, else Windows-1252, which has a character for nearly every byte. */
function guessed(bytes: Uint8Array): Decoded {
  return {
    text: decodeStandard(bytes, isUtf8(bytes) ? 'utf-8' : 'windows-1252') ?? latin1(bytes),
    lossy: false,
  };
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
