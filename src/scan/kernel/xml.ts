// Finds the end of an XML element and counts its content. Processes 64 bytes per step while tags and quotes alternate;
// falls back to single events for comments, CDATA sections, instructions, `>` in text or quotes, and malformed markup.

import { matches, prefixXor, setSlot, slot } from './layout';

const DEPTH = 0;
const MODE = 1;
const CHILDREN = 2;
const ELEMENTS = 3;
const MAX_DEPTH = 4;

const TEXT: i32 = 0;
const OPEN: i32 = 1;
const TAG: i32 = 2;
const TAG_SLASH: i32 = 3;
const DOUBLE_QUOTED: i32 = 4;
const SINGLE_QUOTED: i32 = 5;
const END_TAG: i32 = 6;
const BANG: i32 = 7;
const DECLARATION: i32 = 8;
const BANG_DASH: i32 = 9;
const COMMENT: i32 = 10;
const COMMENT_DASH: i32 = 11;
const COMMENT_DASHES: i32 = 12;
const CDATA: i32 = 13;
const CDATA_BRACKET: i32 = 14;
const CDATA_BRACKETS: i32 = 15;
const INSTRUCTION: i32 = 16;
const INSTRUCTION_MARK: i32 = 17;

/** The address of the first `wanted` in [p, to), or `to`. */
@inline function find(p: usize, to: usize, wanted: v128): usize {
  for (; p < to; p += 16) {
    const bits = i8x16.bitmask(i8x16.eq(v128.load(p), wanted));
    if (bits != 0) return min(to, p + <usize>ctz(bits));
  }
  return to;
}

/** The byte that can end `mode`, a mode handled only event by event. */
@inline function awaited(mode: i32): u8 {
  return mode == COMMENT ? 0x2d : mode == CDATA ? 0x5d : mode == INSTRUCTION ? 0x3f : mode == DECLARATION ? 0x3e : 0;
}

@inline function inTag(byte: u8): i32 {
  return byte == 0x3e ? TEXT : byte == 0x2f ? TAG_SLASH : byte == 0x22 ? DOUBLE_QUOTED : byte == 0x27 ? SINGLE_QUOTED : TAG;
}

function inMarkup(mode: i32, byte: u8): i32 {
  switch (mode) {
    case BANG:
      return byte == 0x2d ? BANG_DASH : byte == 0x5b ? CDATA : byte == 0x3e ? TEXT : DECLARATION;
    case BANG_DASH:
      return byte == 0x2d ? COMMENT : byte == 0x3e ? TEXT : DECLARATION;
    case DECLARATION:
      return byte == 0x3e ? TEXT : DECLARATION;
    case COMMENT:
      return byte == 0x2d ? COMMENT_DASH : COMMENT;
    case COMMENT_DASH:
      return byte == 0x2d ? COMMENT_DASHES : COMMENT;
    case COMMENT_DASHES:
      return byte == 0x3e ? TEXT : byte == 0x2d ? COMMENT_DASHES : COMMENT;
    case CDATA:
      return byte == 0x5d ? CDATA_BRACKET : CDATA;
    case CDATA_BRACKET:
      return byte == 0x5d ? CDATA_BRACKETS : CDATA;
    case CDATA_BRACKETS:
      return byte == 0x3e ? TEXT : byte == 0x5d ? CDATA_BRACKETS : CDATA;
    case INSTRUCTION:
      return byte == 0x3f ? INSTRUCTION_MARK : INSTRUCTION;
    default:
      return byte == 0x3e ? TEXT : byte == 0x3f ? INSTRUCTION_MARK : INSTRUCTION;
  }
}

/** The address after the element's end tag, or -1. */
export function xml(from: usize, to: usize): i32 {
  const less = i8x16.splat(0x3c);
  const greater = i8x16.splat(0x3e);
  const doubles = i8x16.splat(0x22);
  const singles = i8x16.splat(0x27);
  const slashBytes = i8x16.splat(0x2f);
  // Setting these bits turns `!` and `?` into `?`, and otherwise only bytes that never follow `<` in well-formed markup.
  const markBits = i8x16.splat(0x1e);
  const marks = i8x16.splat(0x3f);

  let depth = <i64>slot(DEPTH);
  let mode = <i32>slot(MODE);
  let children = <i64>slot(CHILDREN);
  let elements = <i64>slot(ELEMENTS);
  let maxDepth = <i64>slot(MAX_DEPTH);
  let stopped: i32 = -1;
  let p = from;
  /** Process single events up to here, because a step of 64 bytes failed. */
  let careful = from;
  if (from < to) store<u8>(from - 1, mode == TAG_SLASH ? 0x2f : 0);

  while (p < to) {
    // Steps handle TEXT, and TAG to END_TAG. At depth 0 only the last `>` remains to be found.
    if (p >= careful && mode != OPEN && mode <= END_TAG && depth > 0) {
      let inTags: u64 = mode != TEXT ? -1 : 0;
      let inEnd: u64 = mode == END_TAG ? 1 : 0;
      let inDouble: u64 = mode == DOUBLE_QUOTED ? -1 : 0;
      let inSingle: u64 = mode == SINGLE_QUOTED ? -1 : 0;
      while (p < to) {
        let n = min<u64>(64, to - p);
        const a = v128.load(p);
        const b = v128.load(p, 16);
        const c = v128.load(p, 32);
        const d = v128.load(p, 48);
        let valid: u64 = <u64>-1 >> (64 - n);
        let l = matches(a, b, c, d, less) & valid;
        let g = matches(a, b, c, d, greater) & valid;
        if ((inTags | l | g) == 0) {
          p += <usize>n;
          continue;
        }
        const slashes = matches(a, b, c, d, slashBytes);
        const special =
          l &
          ~(slashes >> 1) &
          (matches(v128.or(a, markBits), v128.or(b, markBits), v128.or(c, markBits), v128.or(d, markBits), marks) >> 1);
        // End the step before a `<` whose next byte is outside it, and before special markup.
        const cut = special | (l & (<u64>1 << (n - 1)));
        if (cut != 0) {
          n = ctz(cut);
          if (n == 0) {
            careful = p + 1;
            break;
          }
          valid = <u64>-1 >> (64 - n);
          l &= valid;
          g &= valid;
        }
        const within = prefixXor(l | g) ^ inTags;
        const endings = l & (slashes >> 1);
        // Adding the first bit of a run clears the run; the cleared bits are in an end tag.
        const inEnds = within & ~(within + (endings | inEnd));
        let odd = (l & ~within) | (g & within);
        const attributes = within & ~inEnds & valid;
        const doubleQuotes = matches(a, b, c, d, doubles) & attributes;
        const singleQuotes = matches(a, b, c, d, singles) & attributes;
        let inDoubles = inDouble;
        let inSingles = inSingle;
        if ((doubleQuotes | singleQuotes | inDouble | inSingle) != 0) {
          inDoubles ^= prefixXor(doubleQuotes);
          inSingles ^= prefixXor(singleQuotes);
          odd |= (inDoubles & (singleQuotes | l | g)) | (inSingles & (doubleQuotes | l | g));
        }
        if (odd != 0) {
          careful = p + <usize>n;
          break;
        }

        const afterSlash = (slashes << 1) | <u64>(load<u8>(p - 1) == 0x2f);
        const selfClosing = g & afterSlash & ~((inEnds << 1) | inEnd);
        const opens = l & ~endings;
        const closes = endings | selfClosing;
        const openCount = <i64>popcnt(opens);
        const closeCount = <i64>popcnt(closes);
        let done = false;
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
          elements += openCount;
        } else {
          for (let tags = opens | closes; tags != 0; tags &= tags - 1) {
            const lowest = tags & -tags;
            if ((opens & lowest) != 0) {
              elements++;
              children += <i64>(depth == 1);
              depth++;
              maxDepth = max(maxDepth, depth);
            } else if (--depth == 0) {
              // After the `</` of the element's own end tag.
              p += <usize>ctz(lowest) + 2;
              inTags = -1;
              inEnd = 1;
              inDouble = 0;
              inSingle = 0;
              done = true;
              break;
            }
          }
          if (done) break;
        }
        const lastBit = n - 1;
        inTags = -((within >> lastBit) & 1);
        inEnd = (inEnds >> lastBit) & 1;
        inDouble = -((inDoubles >> lastBit) & 1);
        inSingle = -((inSingles >> lastBit) & 1);
        p += <usize>n;
      }
      mode =
        inTags == 0
          ? TEXT
          : inEnd != 0
            ? END_TAG
            : inDouble != 0
              ? DOUBLE_QUOTED
              : inSingle != 0
                ? SINGLE_QUOTED
                : load<u8>(p - 1) == 0x2f
                  ? TAG_SLASH
                  : TAG;
      if (p >= to) break;
    }

    if (mode == TEXT) {
      p = find(p, to, less);
      if (p >= to) break;
      p++;
      mode = OPEN;
    } else if (mode == OPEN) {
      const byte = load<u8>(p++);
      if (byte == 0x2f) {
        mode = END_TAG;
        depth--;
      } else if (byte == 0x21) mode = BANG;
      else if (byte == 0x3f) mode = INSTRUCTION;
      else {
        elements++;
        children += <i64>(depth == 1);
        depth++;
        maxDepth = max(maxDepth, depth);
        mode = inTag(byte);
      }
    } else if (mode == TAG || mode == TAG_SLASH) {
      const byte = load<u8>(p++);
      if (mode == TAG_SLASH && byte == 0x3e) depth--;
      mode = inTag(byte);
    } else if (mode == DOUBLE_QUOTED || mode == SINGLE_QUOTED) {
      p = mode == DOUBLE_QUOTED ? find(p, to, doubles) : find(p, to, singles);
      if (p >= to) break;
      p++;
      mode = TAG;
    } else if (mode == END_TAG) {
      p = find(p, to, greater);
      if (p >= to) break;
      p++;
      mode = TEXT;
      if (depth == 0) {
        stopped = <i32>p;
        break;
      }
    } else {
      const wanted = awaited(mode);
      if (wanted != 0) p = find(p, to, i8x16.splat(<i8>wanted));
      if (p >= to) break;
      mode = inMarkup(mode, load<u8>(p++));
    }
  }

  setSlot(DEPTH, <f64>depth);
  setSlot(MODE, <f64>mode);
  setSlot(CHILDREN, <f64>children);
  setSlot(ELEMENTS, <f64>elements);
  setSlot(MAX_DEPTH, <f64>maxDepth);
  return stopped;
}
