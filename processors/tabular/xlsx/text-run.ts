// Text in spreadsheets: plain or rich runs with optional phonetic guides, and `_xHHHH_` escapes.

import { XmlWalk, xmlText } from '../../../src/package/index.ts';

const ESCAPE = /_x([0-9a-fA-F]{4})_/g;

/** Decodes `_x000D_` and similar escapes (ECMA-376 part 1, 22.9.2.19). */
export function unescapeText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** The text of a `si` or `is` element, given its content: all `t`, except those of phonetic runs. */
export function runText(xml: string): string {
  // Fast path: nearly every string is a plain `<t>text</t>`.
  const plain = /^\s*<(?:\w+:)?t(?:\s[^<>]*[^<>/]|\s*)>([^<]*)<\/(?:\w+:)?t\s*>\s*$/.exec(xml);
  if (plain) return unescapeText(xmlText(plain[1] ?? ''));
  const walk = new XmlWalk(xml);
  let text = '';
  let phonetic = 0;
  let inText = false;
  while (walk.next()) {
    if (walk.kind === 'text') {
      if (inText && phonetic === 0) text += walk.text;
    } else if (walk.name === 'rPh') {
      if (walk.kind === 'close') phonetic = Math.max(0, phonetic - 1);
      else if (!walk.empty) phonetic++;
    } else if (walk.name === 't') inText = walk.kind === 'open' && !walk.empty;
  }
  return unescapeText(text);
}
