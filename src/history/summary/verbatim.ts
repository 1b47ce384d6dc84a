// Measures how much of a text is copied from another, to reject a summary that repeats its transcript.

/** Characters that must match in a row to count as copied. */
const WINDOW = 32;
const BASE = 0x01000193;

/**
 * The share of `text`, 0 to 1, in runs copied from `source`, ignoring whitespace. Finds every copied run of at least 63
 * characters and none under 32. Takes time linear in both texts.
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
  // One character at a time: V8's unoptimized regular expressions overflow the stack on long whitespace runs.
  return text.replace(/\s/g, '');
}
