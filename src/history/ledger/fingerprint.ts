// The mark by which a message is known again on the next call. Not a hash of its bytes: cache marks, ids and usage that
// callers and frameworks add to a message later leave it the same message.

import { hash } from 'node:crypto';
import type { MessageView } from '../codecs/message.ts';

/** 128 bits: two of ten million messages share a mark with a chance of 10^-25. */
const HEX_DIGITS = 32;

/** A mark of what a model reads in a message: equal for equal parts, in hex. */
export function fingerprint({ role, items }: MessageView): string {
  let parts: string = role;
  for (const { kind, text, callId, toolName, isError, media } of items)
    parts += JSON.stringify([
      kind,
      text,
      callId,
      toolName,
      isError,
      media && [media.type, media.mimeType, media.bytes, media.width, media.height],
    ]);
  return hash('sha256', parts, 'hex').slice(0, HEX_DIGITS);
}
