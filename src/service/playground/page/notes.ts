// Tells the notes of an answer from the content of its file, character by character.

import type { ReadSuccess } from './wire.ts';

export interface Segment {
  readonly text: string;
  readonly note: boolean;
}

/** `text` in order. Where the content does not occur in it unchanged, all of it counts as content. */
export function segmentsOf({ text, content }: Pick<ReadSuccess, 'text' | 'content'>): readonly Segment[] {
  const segments: Segment[] = [];
  const add = (piece: string, note: boolean) => {
    if (piece !== '') segments.push({ text: piece, note });
  };
  let position = 0;
  for (const part of content) {
    if (part.kind !== 'text' || part.text === '') continue;
    const at = text.indexOf(part.text, position);
    if (at < 0) return [{ text, note: false }];
    add(text.slice(position, at), true);
    add(part.text, false);
    position = at + part.text.length;
  }
  add(text.slice(position), true);
  return segments;
}
