// A part as a message: its text or data is the body, so that the head stays small, and the rest is the head.

import type { MediaPart, Part, TextPart } from '../../contract/index.ts';

/** A part without what is in the body. `bytes`: of the text; the rest of the body is the view. */
export type SentPart =
  | (Omit<TextPart, 'text' | 'view'> & { readonly bytes: number; readonly viewed: boolean })
  | Omit<MediaPart, 'data'>;

/** `part` for the other end. Its text is well formed, so that UTF-8 holds it. */
export function packed(part: Part): { readonly part: SentPart; readonly body: Uint8Array } {
  if (part.kind === 'binary') {
    const { data, ...rest } = part;
    return { part: rest, body: data };
  }
  const { text, view, ...rest } = part;
  const bytes = Buffer.byteLength(text);
  return {
    part: { ...rest, bytes, viewed: view !== undefined },
    body: Buffer.from(view === undefined ? text : text + view),
  };
}

/** The part that was packed; undefined when the body does not hold it. */
export function unpacked(sent: SentPart, body: Uint8Array): Part | undefined {
  if (sent.kind === 'binary') return { ...sent, data: body };
  const { bytes, viewed, ...rest } = sent;
  if (bytes > body.length || (!viewed && bytes < body.length)) return undefined;
  try {
    const text = UTF8.decode(body.subarray(0, bytes));
    return { ...rest, text, ...(viewed && { view: UTF8.decode(body.subarray(bytes)) }) };
  } catch {
    return undefined; // not UTF-8, or more than a string holds
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
