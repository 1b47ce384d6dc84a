// Plain text of DrawingML (ECMA-376 part 1, 21.1.2), for chart titles and diagram nodes.

import type { XmlElement } from '../../../src/package/index.ts';

/** Plain text of every paragraph (`a:p`) inside, joined by a space; of `v` elements if there are no paragraphs. */
export function drawingText(element: XmlElement): string {
  const paragraphs: string[] = [];
  for (const paragraph of element.descendants('p')) {
    let text = '';
    for (const run of paragraph.elements()) {
      if (run.name === 'br') text += ' ';
      else if (run.name === 'r' || run.name === 'fld') text += run.child('t')?.text() ?? '';
    }
    if (text.trim() !== '') paragraphs.push(text.trim());
  }
  if (paragraphs.length === 0)
    for (const value of element.descendants('v')) {
      const text = value.text().trim();
      if (text !== '') paragraphs.push(text);
    }
  return paragraphs.join(' ').replace(/\s+/g, ' ');
}
