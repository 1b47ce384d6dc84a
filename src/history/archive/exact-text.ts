// Handles strings that UTF-8 files cannot represent, and names texts by content. JavaScript strings may contain lone
// surrogates; UTF-8 cannot.

import { createHash, hash as hashOf } from 'node:crypto';
import { isWellFormed } from '../../contract/index.ts';

export { wellFormed } from '../../contract/index.ts';

const EACH_UNPAIRED = /\p{Surrogate}/gu;

/**
 * SHA-256 in hex of the text's UTF-8. A lone surrogate counts as its three WTF-8 bytes, which valid UTF-8 never
 * contains, so only equal texts share a name.
 */
export function sha256Of(text: string): string {
  if (isWellFormed(text)) return hashOf('sha256', text, 'hex');
  const hash = createHash('sha256');
  let from = 0;
  for (const match of text.matchAll(EACH_UNPAIRED)) {
    const unit = text.charCodeAt(match.index);
    hash.update(text.slice(from, match.index), 'utf8');
    hash.update(Uint8Array.of(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)));
    from = match.index + 1;
  }
  return hash.update(text.slice(from), 'utf8').digest('hex');
}

/**
 * Whether `text` survives a round trip through a UTF-8 file: no lone surrogates, and no byte order mark at the start,
 * which decoders strip.
 */
export function survivesUtf8(text: string): boolean {
  return text.charCodeAt(0) !== 0xfeff && isWellFormed(text);
}
