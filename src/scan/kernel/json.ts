// Finds the end of a JSON container and counts the commas between its items, 64 bytes per step. It visits single brackets
// only in blocks that may return to the container's level or exceed the deepest level so far.

import { matches, prefixXor, setSlot, slot } from './layout';

const DEPTH = 0;
const IN_STRING = 1;
const ESCAPED = 2;
const COMMAS = 3;
const MAX_DEPTH = 4;
const ODD_BITS: u64 = 0xaaaaaaaaaaaaaaaa;

/** The address after the container's end, or -1. */
export function json(from: usize, to: usize): i32 {
  const backslashes = i8x16.splat(0x5c);
  const quotes = i8x16.splat(0x22);
  const commaBytes = i8x16.splat(0x2c);
  // `[` and `{` differ by 0x20, as do `]` and `}`.
  const caseBit = i8x16.splat(0x20);
  const openers = i8x16.splat(0x7b);
  const closers = i8x16.splat(0x7d);

  let depth = <i64>slot(DEPTH);
  let maxDepth = <i64>slot(MAX_DEPTH);
  let commas: i64 = <i64>slot(COMMAS);
  let inString: u64 = slot(IN_STRING) != 0 ? -1 : 0;
  let escapedNext: u64 = slot(ESCAPED) != 0 ? 1 : 0;
  let stopped: i32 = -1;

  for (let p = from; p < to; p += 64) {
    const n = min<u64>(64, to - p);
    const valid: u64 = <u64>-1 >> (64 - n);
    const a = v128.load(p);
    const b = v128.load(p, 16);
    const c = v128.load(p, 32);
    const d = v128.load(p, 48);

    let q = matches(a, b, c, d, quotes) & valid;
    const slashes = matches(a, b, c, d, backslashes) & valid;
    if ((slashes | escapedNext) != 0) {
      // Escaped bytes (Langdale and Lemire 2019, 3.1.1): subtracting a run of backslashes from its shifted copy and
      // comparing with the odd bits leaves every second backslash and the byte after an odd run.
      const alone = slashes & ~escapedNext;
      const alternating = (((alone << 1) | ODD_BITS) - alone) ^ ODD_BITS;
      q &= ~(alternating ^ (slashes | escapedNext));
      escapedNext = ((alternating & slashes) >> (n - 1)) & 1;
    }
    let outside = ~inString & valid;
    if (q != 0) {
      const within = prefixXor(q) ^ inString;
      outside = ~within & valid;
      inString = <u64>(<i64>within >> 63);
    }
    if (outside == 0) continue;

    const e = v128.or(a, caseBit);
    const f = v128.or(b, caseBit);
    const g = v128.or(c, caseBit);
    const h = v128.or(d, caseBit);
    const opens = matches(e, f, g, h, openers) & outside;
    const closes = matches(e, f, g, h, closers) & outside;
    const openCount = <i64>popcnt(opens);
    const closeCount = <i64>popcnt(closes);

    if (depth - closeCount > 1) {
      if (depth + openCount > maxDepth) {
        let level = depth;
        let openLeft = opens;
        let closeLeft = closes;
        while (openLeft != 0) {
          // All openings up to the next closing, then all closings up to the next opening.
          const below = (closeLeft & -closeLeft) - 1;
          level += <i64>popcnt(openLeft & below);
          if (level > maxDepth) maxDepth = level;
          openLeft &= ~below;
          if (openLeft == 0) break;
          const under = (openLeft & -openLeft) - 1;
          level -= <i64>popcnt(closeLeft & under);
          closeLeft &= ~under;
        }
      }
      depth += openCount - closeCount;
      continue;
    }

    const separators = matches(a, b, c, d, commaBytes) & outside;
    let brackets = opens | closes;
    let above: u64 = -1;
    while (brackets != 0) {
      const lowest = brackets & -brackets;
      if (depth == 1) commas += <i64>popcnt(separators & above & (lowest - 1));
      above = ~(lowest | (lowest - 1));
      brackets ^= lowest;
      if ((opens & lowest) != 0) {
        depth++;
        if (depth > maxDepth) maxDepth = depth;
      } else {
        depth--;
        if (depth == 0) {
          stopped = <i32>(p + <usize>ctz(lowest) + 1);
          break;
        }
      }
    }
    if (stopped >= 0) {
      inString = 0;
      escapedNext = 0;
      break;
    }
    if (depth == 1) commas += <i64>popcnt(separators & above);
  }

  setSlot(DEPTH, <f64>depth);
  setSlot(MAX_DEPTH, <f64>maxDepth);
  setSlot(COMMAS, <f64>commas);
  setSlot(IN_STRING, inString != 0 ? 1 : 0);
  setSlot(ESCAPED, <f64>escapedNext);
  return stopped;
}
