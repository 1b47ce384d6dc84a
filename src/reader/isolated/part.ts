// A part as a message: its text or data is the body, which keeps the head small; everything else is the head.

import type { MediaPart, Part, TextPart } from '../../contract/index.ts';

/** A part without its body. `bytes`: length of the text; the rest of the body is the view. */
export type SentPart =
  | (Omit<TextPart, 'text' | 'view'> & { readonly bytes: number; readonly viewed: boolean })
  | Omit<MediaPart, 'data'>;

/** Packs `part` for sending. Its text is well formed, so UTF-8 can hold it. */
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

/** Unpacks a part; undefined if the body is invalid. */
export function unpacked(sent: SentPart, body: Uint8Array): Part | undefined {
  if (sent.kind === 'binary') return { ...sent, data: body };
  const { bytes, viewed, ...rest } = sent;
  if (bytes > body.length || (!viewed && bytes < body.length)) return undefined;
  try {
    const text = UTF8.decode(body.subarray(0, bytes));
    return { ...rest, text, ...(viewed && { view: UTF8.decode(body.subarray(bytes)) }) };
  } catch {
    return undefined; // not UTF-8, or longer than a string can be
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
