// Encodings declared by the file itself: escape sequences, an XML declaration, an HTML `charset` or a coding comment.

import type { Bytes } from '../contract/index.ts';
import { canonical, type Guess } from './guess.ts';
import { SAMPLE_BYTES } from './utf8.ts';

/** The sets that ISO-2022-JP, -KR and -CN designate (RFC 1468, 1557, 1922). */
const DESIGNATED: readonly (readonly [RegExp, string])[] = [
  [/\u0100(?:\$[@B]|\(J)/, 'iso-2022-jp'],
  [/\u0100\$\)C/, 'iso-2022-kr'],
  [/\u0100\$\)[AG]/, 'iso-2022-cn'],
];

/** ISO-2022, which looks like plain ASCII with escape sequences (ECMA-35). */
export function escapeEncoding(head: Uint8Array): Guess | undefined {
  const text = latin1(head, SAMPLE_BYTES).replaceAll('\u001b', '\u0100');
  const name = DESIGNATED.find(([sign]) => sign.test(text))?.[1];
  return name === undefined ? undefined : { name, confidence: 0.95, mark: 0 };
}

function latin1(bytes: Uint8Array, most: Bytes): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, most)).toString('latin1');
}

/** The encoding declared in an XML declaration or an HTML `charset`, which may follow long comments and styles. */
export function declaredEncoding(head: Uint8Array): string | undefined {
  const text = latin1(head, 16 * 1024);
  const match =
    /^\s*<\?xml[^>]{0,200}?\bencoding\s*=\s*["']([\w.:-]{2,40})["']/.exec(text) ??
    /<meta[^>]{0,200}?\bcharset\s*=\s*["']?([\w.:-]{2,40})/i.exec(text) ??
    /^(?:.*\n)?.*?coding[:=]\s*([\w.-]{2,40})/.exec(text.slice(0, 400));
  return match?.[1] === undefined ? undefined : canonical(match[1]);
}
