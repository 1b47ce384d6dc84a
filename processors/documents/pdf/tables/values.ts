// Classifies a piece of text: a table value, a caption, running prose.

import type { Word } from '../layout/words.ts';

const VALUE =
  /^(?:[-\u2212\u2013\u2014+~<>\u2264\u2265\u00B1=(*$\u20AC\u00A3\u00A5]*\s*)?(?:\d[\d\s.,:/%'\u2019()\u2013\u2212+-]*)(?:(?:‰|°|;|[a-zA-Z*\u2020\u2021§]{1,2}|\(.{0,14}\)|[a-zA-Z]{1,4}\.?)[)*\u2020\u2021,;]*)?$/u;
const NOTHING =
  /^(?:[-\u2212\u2013\u2014.\u2026:*]{1,4}|n\.?\s?\/?a\.?|na|nil|none|x|[\u2713\u2714\u2022\u25CF])$/iu;

/** True if a cell's text is a number, optionally with a unit or mark, or a placeholder for a missing one. */
export function isValue(text: string): boolean {
  if (text.length > 40) return false;
  const bare = text.replace(AROUND, '');
  return NOTHING.test(bare) || (VALUE.test(bare) && digitShare(bare) >= 0.3);
}

const SIGN = /^(?:(?:US|A|C|CA)?[$\u20AC\u00A3\u00A5]|EUR|USD|GBP|CHF|JPY|CAD|AUD|CNY|SEK|NOK|DKK|PLN)$/u;

/** A currency sign or code before or after a value. */
const AROUND =
  /^(?:[$\u20AC\u00A3\u00A5]|(?:EUR|USD|GBP|CHF|JPY)\b)\s*|\s*(?:[$\u20AC\u00A3\u00A5]|\b(?:EUR|USD|GBP|CHF|JPY))$/gu;

/** True for a currency sign or code. */
export function isCurrency(text: string): boolean {
  return SIGN.test(text);
}

/** True if it contains an actual number. */
export function isNumber(text: string): boolean {
  return isValue(text) && /\d/.test(text);
}

/** The share of digits among the digits and letters. */
function digitShare(text: string): number {
  return (text.match(/\d/g)?.length ?? 0) / Math.max(1, text.match(/[\d\p{L}]/gu)?.length ?? 0);
}

const TABLE_WORD =
  /^(?:appendix\s+)?(?:table|tab\.|tabelle|tabla|tableau|tabella|tabela|tabel|taulukko|tabell|\u8868)(?![\p{L}])/iu;
const OTHER_WORD = /^(?:figure|fig\.|abbildung|abb\.|chart|exhibit|graph|box)(?![\p{L}])/iu;
/** What follows the word in a caption: a number, a letter, or both. */
const LABEL = /^[.\s]*(?:[A-Z]{0,2}[-.]?\d|[IVXLC]+(?![\p{L}])|[A-Z](?![\p{L}]))/u;

/** True for a caption: "Table 4", "Fig. 2", in several languages. */
export function isCaption(text: string): boolean {
  return isTableCaption(text) || isLabelled(text, OTHER_WORD);
}

/** True for the caption of a table. */
export function isTableCaption(text: string): boolean {
  return isLabelled(text, TABLE_WORD);
}

function isLabelled(text: string, word: RegExp): boolean {
  const found = word.exec(text);
  return found !== null && LABEL.test(text.slice(found[0].length));
}

/** The words joined by spaces: for classification, not for display. */
export function plainText(words: readonly Word[]): string {
  return words.map((word) => word.text).join(' ');
}
