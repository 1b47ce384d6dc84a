// A mark that identifies a message across calls. It does not hash the bytes: cache marks, ids and usage that callers
// and frameworks add later do not change it.

import { hash } from 'node:crypto';
import type { MessageView } from '../codecs/message.ts';

/** 128 bits: among ten million messages, two share a mark with a probability of 10^-25. */
const HEX_DIGITS = 32;

/** Hex mark of the content a model reads; equal for equal parts. */
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
