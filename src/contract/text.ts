// Pure text helpers shared by all formats. No IO, no budget.

const GRAPHEME_LOOKBACK = 64;
let segmenter: Intl.Segmenter | undefined;

/**
 * The largest cut at or below `max` UTF-16 units that splits neither a surrogate pair nor, within 64 units, a
 * user-perceived character (UAX 29). Never 0 for a non-empty text and a positive `max`, except that it is 2 if `max` is
 * 1 and the text starts with a pair.
 */
export function safeCut(text: string, max: number): number {
  if (max >= text.length) return text.length;
  if (max <= 0) return 0;
  let cut = isInsidePair(text, max) ? max - 1 : max;
  // Only text beyond Latin-1 has clusters to look for, except CR LF, which may be split.
  if (text.charCodeAt(cut) >= 0x300 || text.charCodeAt(cut - 1) >= 0x200d) {
    const start = Math.max(0, cut - GRAPHEME_LOOKBACK);
    segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
    const cluster = segmenter.segment(text.slice(start, cut + GRAPHEME_LOOKBACK)).containing(cut - start);
    if (cluster && cluster.index > 0) cut = start + cluster.index;
  }
  return cut > 0 ? cut : isInsidePair(text, 1) ? 2 : 1;
}

/** True if cutting before unit `at` would split a surrogate pair. */
export function isInsidePair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

/** False for text with an unpaired surrogate, which JavaScript allows and UTF-8 cannot encode. */
export function isWellFormed(text: string): boolean {
  // ES2024, newer than the compiler's library; every Node from 20 on has it.
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

/** `text` with U+FFFD for every unpaired surrogate. Keeps the length; text without one is unchanged. */
export function wellFormed(text: string): string {
  return isWellFormed(text) ? text : text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/** `text` as JSON, keeping an unpaired surrogate: shown text is checked for these later, which would miss an escape. */
export function jsonString(text: string): string {
  if (isWellFormed(text)) return JSON.stringify(text);
  const pieces = text.split(/(\p{Surrogate})/u);
  return `"${pieces.map((piece, at) => (at % 2 === 1 ? piece : JSON.stringify(piece).slice(1, -1))).join('')}"`;
}

/** JSON with U+FFFD for every escaped unpaired surrogate: strict JSON readers reject those (RFC 8259, section 8.2). */
export function strictJson(json: string): string {
  if (!/\\ud/i.test(json)) return json;
  // Matches whole escapes, so that the backslash of one is not taken for the start of the next.
  return json.replace(ESCAPES, (escaped) => (UNPAIRED.test(escaped) ? '\ufffd' : escaped));
}

const ESCAPES = /\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|ud[89a-f][\da-f]{2}|.)/gi;
const UNPAIRED = /^\\ud[89a-f][\da-f]{2}$/i;

/** `text` without `characters` at its end, in linear time: `/[...]+$/` is quadratic in runs that end before it. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** `text` with a space for each run of white space that holds `mark`, in linear time. */
export function spaced(text: string, mark: '\n' | '\t'): string {
  if (!text.includes(mark)) return text;
  const lines = text.split(mark);
  const last = lines.length - 1;
  return lines
    .map((line, index) => {
      if (index === 0) return line.trimEnd();
      return index === last ? line.trimStart() : line.trim();
    })
    .filter((line, index) => line !== '' || index === 0 || index === last)
    .join(' ');
}

/** Number of line feeds in `text` between two offsets. */
export function newlinesIn(text: string, from: number = 0, to: number = text.length): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** `1 row`, `2 rows`, `3 entries`, `5000 keys`: no thousands separators, so that a model can copy the number. */
export function plural(count: number, unit: string): string {
  if (count === 1) return `1 ${unit}`;
  return `${count} ${/[^aeiou]y$/.test(unit) ? `${unit.slice(0, -1)}ies` : `${unit}s`}`;
}

/**
 * Levenshtein distance in UTF-16 units, or `most` + 1 as soon as it must exceed `most`. Takes the product of the
 * lengths.
 */
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
