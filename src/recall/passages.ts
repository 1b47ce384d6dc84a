// Splits entries into passages of whole lines, long enough that related lines are found together.

import { safeCut } from '../contract/index.ts';
import type { Passage } from './store.ts';

/** UTF-16 units in a passage. */
export const PASSAGE_CHARS = 2000;

/** The passages of `text`, in order. Joined they are the text. */
export function passagesOf(text: string): Pick<Passage, 'part' | 'line' | 'text'>[] {
  const passages: Pick<Passage, 'part' | 'line' | 'text'>[] = [];
  let line = 1;
  for (let start = 0; start < text.length; ) {
    const end = endOf(text, start);
    const passage = text.slice(start, end);
    passages.push({ part: passages.length, line, text: passage });
    line += passage.split('\n').length - 1;
    start = end;
  }
  return passages;
}

/** After a blank line in the second half, else after a line break there, else inside a line. */
function endOf(text: string, start: number): number {
  const most = start + PASSAGE_CHARS;
  // A short remainder stays in the passage before it.
  if (text.length <= most + PASSAGE_CHARS / 4) return text.length;
  const half = start + PASSAGE_CHARS / 2;
  const gap = text.lastIndexOf('\n\n', most - 2);
  if (gap >= half) return gap + 2;
  const line = text.lastIndexOf('\n', most - 1);
  return line >= half ? line + 1 : start + safeCut(text.slice(start, most + 1), PASSAGE_CHARS);
}
