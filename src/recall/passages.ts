// Entries cut into passages: whole lines, so long that what stands together is found together.

import { safeCut } from '../contract/index.ts';

/** UTF-16 units of a passage. */
export const PASSAGE_CHARS = 2000;

/** The passages of `text`, each with the number of its first line. Joined they are the text. */
export function passagesOf(text: string): { readonly line: number; readonly text: string }[] {
  const passages: { line: number; text: string }[] = [];
  let line = 1;
  for (let start = 0; start < text.length; ) {
    const end = endOf(text, start);
    const passage = text.slice(start, end);
    passages.push({ line, text: passage });
    line += passage.split('\n').length - 1;
    start = end;
  }
  return passages;
}

/** After an empty line in the second half, else after a line, else inside one. */
function endOf(text: string, start: number): number {
  const most = start + PASSAGE_CHARS;
  // A short rest stays with what it follows.
  if (text.length <= most + PASSAGE_CHARS / 4) return text.length;
  const half = start + PASSAGE_CHARS / 2;
  const gap = text.lastIndexOf('\n\n', most - 2);
  if (gap >= half) return gap + 2;
  const line = text.lastIndexOf('\n', most - 1);
  return line >= half ? line + 1 : start + safeCut(text.slice(start, most + 1), PASSAGE_CHARS);
}
