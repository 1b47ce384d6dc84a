// How much of a text is copied from another: a summary that repeats its transcript is none.

/** Characters that count as copied when they stand together in both texts. */
const WINDOW = 32;
const BASE = 0x01000193;

/**
 * The share of `text`, 0 to 1, that lies in runs copied from `source`; blanks do not count. Every copied run of 63 characters
 * or more is found, none shorter than 32. Takes time linear in both.
 */
export function verbatimShare(text: string, source: string): number {
  const copy = unspaced(text);
  const original = unspaced(source);
  if (copy.length < WINDOW || original.length < WINDOW) return 0;
  const blocks = new Set<number>();
  for (let at = 0; at + WINDOW <= original.length; at += WINDOW) blocks.add(hashAt(original, at));
  let power = 1;
  for (let i = 1; i < WINDOW; i += 1) power = Math.imul(power, BASE);
  let covered = 0;
  let coveredTo = 0;
  let hash = hashAt(copy, 0);
  for (let at = 0; ; at += 1) {
    if (blocks.has(hash)) {
      covered += at + WINDOW - Math.max(coveredTo, at);
      coveredTo = at + WINDOW;
    }
    if (at + WINDOW >= copy.length) return covered / copy.length;
    const without = (hash - Math.imul(copy.charCodeAt(at), power)) | 0;
    hash = (Math.imul(without, BASE) + copy.charCodeAt(at + WINDOW)) | 0;
  }
}

function hashAt(text: string, at: number): number {
  let hash = 0;
  for (let i = at; i < at + WINDOW; i += 1) hash = (Math.imul(hash, BASE) + text.charCodeAt(i)) | 0;
  return hash;
}

function unspaced(text: string): string {
  // One character at a time: a loop over blanks overflows the stack of an expression that V8 did not optimize.
  return text.replace(/\s/g, '');
}
