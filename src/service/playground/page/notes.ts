// Separates lectern's notes in an answer from the file's content.

import type { ReadSuccess } from './wire.ts';

export interface Segment {
  readonly text: string;
  readonly note: boolean;
}

/** `text` in segments, in order. If the content does not occur unchanged in it, all of it counts as content. */
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
