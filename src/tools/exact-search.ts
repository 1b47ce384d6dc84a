// Finds the occurrences of one text in another, in linear time for any input. (V8's own search caps its shift at 250
// units, so a long pattern in a periodic text takes the product of their lengths.)

/**
 * Starts of non-overlapping occurrences of `pattern` in `text`, in order, at most `most`. Time is the sum of the
 * lengths; memory is four bytes per unit of `pattern` [Knuth, Morris, Pratt 1977].
 */
export function occurrences(
  text: string,
  pattern: string,
  most: number = Number.POSITIVE_INFINITY,
): number[] {
  const found: number[] = [];
  if (pattern === '' || pattern.length > text.length) return found;
  const border = borders(pattern);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && pattern.charCodeAt(matched) !== unit) matched = border[matched - 1] ?? 0;
    if (pattern.charCodeAt(matched) === unit) matched += 1;
    if (matched < pattern.length) continue;
    found.push(at - pattern.length + 1);
    if (found.length >= most) break;
    matched = 0;
  }
  return found;
}

/** For each prefix, the length of its longest proper prefix that is also its suffix. */
function borders(pattern: string): Int32Array {
  const border = new Int32Array(pattern.length);
  let length = 0;
  for (let at = 1; at < pattern.length; at += 1) {
    const unit = pattern.charCodeAt(at);
    while (length > 0 && pattern.charCodeAt(length) !== unit) length = border[length - 1] ?? 0;
    if (pattern.charCodeAt(length) === unit) length += 1;
    border[at] = length;
  }
  return border;
}

/** 1-based line of the unit at `offset`; lines end with LF. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
