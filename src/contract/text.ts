// Pure text helpers every format needs. No IO, no budget.

const GRAPHEME_LOOKBACK = 64;
let segmenter: Intl.Segmenter | undefined;

/**
 * The largest cut at or below `max` UTF-16 units that parts neither a surrogate pair nor, within 64 units, a user
 * perceived character (UAX 29). Never 0 for a non-empty text and a positive `max`, unless `max` is 1 and the text
 * starts with a pair (then 2).
 */
export function safeCut(text: string, max: number): number {
  if (max >= text.length) return text.length;
  if (max <= 0) return 0;
  let cut = isInsidePair(text, max) ? max - 1 : max;
  // Only text beyond Latin-1 has clusters worth looking for; CR LF is the exception and is cut as two.
  if (text.charCodeAt(cut) >= 0x300 || text.charCodeAt(cut - 1) >= 0x200d) {
    const start = Math.max(0, cut - GRAPHEME_LOOKBACK);
    segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
    const cluster = segmenter.segment(text.slice(start, cut + GRAPHEME_LOOKBACK)).containing(cut - start);
    if (cluster && cluster.index > 0) cut = start + cluster.index;
  }
  return cut > 0 ? cut : isInsidePair(text, 1) ? 2 : 1;
}

/** True when cutting before unit `at` would part a surrogate pair. */
export function isInsidePair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

/** False for a text with an unpaired surrogate, which JavaScript allows and no UTF-8 holds. */
export function isWellFormed(text: string): boolean {
  // ES2024, newer than the library the compiler knows; every Node from 20 on has it.
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

/** `text` with every unpaired surrogate as U+FFFD: as long as it was, and the same text when it had none. */
export function wellFormed(text: string): string {
  return isWellFormed(text) ? text : text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/**
 * `text` as JSON, an unpaired surrogate as itself: it is replaced and reported where all text shown is, which an escape of
 * it would pass unseen.
 */
export function jsonString(text: string): string {
  if (isWellFormed(text)) return JSON.stringify(text);
  const pieces = text.split(/(\p{Surrogate})/u);
  return `"${pieces.map((piece, at) => (at % 2 === 1 ? piece : JSON.stringify(piece).slice(1, -1))).join('')}"`;
}

/**
 * JSON with U+FFFD for every escape of an unpaired surrogate: strict readers of JSON refuse those (RFC 8259, section 8.2).
 */
export function strictJson(json: string): string {
  if (!/\\ud/i.test(json)) return json;
  // Escapes are taken whole, so that the backslash of one is not taken for the start of the next.
  return json.replace(ESCAPES, (escaped) => (UNPAIRED.test(escaped) ? '\ufffd' : escaped));
}

const ESCAPES = /\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|ud[89a-f][\da-f]{2}|.)/gi;
const UNPAIRED = /^\\ud[89a-f][\da-f]{2}$/i;

/** `1 row`, `2 rows`, `3 entries`, `5000 keys`: no separators, so that a model can copy the number. */
export function plural(count: number, unit: string): string {
  if (count === 1) return `1 ${unit}`;
  return `${count} ${/[^aeiou]y$/.test(unit) ? `${unit.slice(0, -1)}ies` : `${unit}s`}`;
}

/** Levenshtein distance in UTF-16 units, or `most` + 1 as soon as it must be more. Takes the product of the lengths. */
export function editDistance(a: string, b: string, most: number = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const cost = Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      next.push(cost);
      least = Math.min(least, cost);
    }
    if (least > most) return most + 1;
    row = next;
  }
  return row[b.length] ?? 0;
}
