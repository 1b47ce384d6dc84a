// Decodes mail text: uses the declared charset if it is known and fits, else guesses from the bytes.

import { isAscii, isUtf8 } from 'node:buffer';
import type { Warning } from '../../../src/contract/index.ts';
import { decodeStandard, encodingOfFields, isKnown, loadCodec } from '../../../src/encoding/index.ts';
import { pairs, words } from '../words.ts';

/** Charsets declared by writers that mean a superset, or nothing. */
const NOT_TELLING: ReadonlySet<string> = new Set([
  '',
  ...words('us-ascii ascii unknown-8bit x-unknown default 7bit 8bit binary'),
]);

/** Names that the Encoding standard lacks, or maps to nothing, and that iconv-lite supports. */
const ELSEWHERE =
  /^(?:unicode-1-1-utf-7|utf-?7|utf-?7-imap|utf-?32(?:le|be)?|cp\d{3,5}|x-mac-.+|hz-gb-2312)$/;

/** Other names for charsets of the Encoding standard, from Windows and others. */
const ALIASES = pairs(
  'cp874 windows-874 cp932 shift_jis cp936 gbk cp949 euc-kr cp950 big5 macroman macintosh',
);

/** Lower case; the Encoding standard's label if it has one. */
function labelOf(charset: string): string {
  const label = charset.trim().toLowerCase();
  return ALIASES.get(label) ?? label.replace(/^cp-?(125\d)$/, 'windows-$1');
}

export interface Decoded {
  readonly text: string;
  /** True if bytes invalid in the charset became replacement characters. */
  readonly lossy: boolean;
  /** Names the charset if it is a guess. */
  readonly guess?: Warning | undefined;
}

/** The charset under a name that `loadCodec` knows; undefined if it says nothing about 8-bit text. */
export function tellingCharset(charset: string): string | undefined {
  const label = labelOf(charset);
  return NOT_TELLING.has(label) ? undefined : label;
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
  const told = NOT_TELLING.has(label) ? undefined : decodeStandard(bytes, label);
  return told ?? decodeStandard(bytes, isUtf8(bytes) ? 'utf-8' : 'windows-1252') ?? latin1(bytes);
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

async function guessed(bytes: Uint8Array): Promise<Decoded> {
  const encoding = await encodingOfFields([bytes]);
  const text = encoding.decode(bytes).replace(/^\ufeff/, '');
  return { text, lossy: false, guess: encoding.warning('Texts of the mail') };
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
