// Finds the end of an XML element and counts what is in it, from one `<`, `>` or quote to the next. Comments, CDATA
// sections, instructions and declarations are walked byte by byte.

import { setSlot, slot } from './layout';

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

/** The address just past the element's end tag, or -1. */
export function xml(from: usize, to: usize): i32 {
  const less = i8x16.splat(0x3c);
  const greater = i8x16.splat(0x3e);
  const doubles = i8x16.splat(0x22);
  const singles = i8x16.splat(0x27);

  let depth = <i64>slot(DEPTH);
  let mode = <i32>slot(MODE);
  let children = <i64>slot(CHILDREN);
  let elements = <i64>slot(ELEMENTS);
  let maxDepth = <i64>slot(MAX_DEPTH);
  let stopped: i32 = -1;
  let p = from;

  while (p < to) {
    if (mode == TEXT) {
      p = find(p, to, less);
      if (p >= to) break;
      p++;
      mode = OPEN;
    } else if (mode == OPEN) {
      const byte = load<u8>(p++);
      if (byte == 0x2f) mode = END_TAG;
      else if (byte == 0x21) mode = BANG;
      else if (byte == 0x3f) mode = INSTRUCTION;
      else {
        elements++;
        children += <i64>(depth == 1);
        depth++;
        maxDepth = max(maxDepth, depth);
        mode = inTag(byte);
      }
    } else if (mode == TAG || mode == TAG_SLASH) {
      let at = p;
      for (; at < to; at += 16) {
        const bytes = v128.load(at);
        const bits = i8x16.bitmask(
          v128.or(
            i8x16.eq(bytes, greater),
            v128.or(i8x16.eq(bytes, doubles), i8x16.eq(bytes, singles)),
          ),
        );
        if (bits != 0) {
          at += <usize>ctz(bits);
          break;
        }
      }
      if (at >= to) {
        mode = load<u8>(to - 1) == 0x2f ? TAG_SLASH : TAG;
        break;
      }
      const byte = load<u8>(at);
      if (byte == 0x3e) {
        if (at > p ? load<u8>(at - 1) == 0x2f : mode == TAG_SLASH) depth--;
        mode = TEXT;
      } else mode = byte == 0x22 ? DOUBLE_QUOTED : SINGLE_QUOTED;
      p = at + 1;
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
      depth--;
      if (depth == 0) {
        stopped = <i32>p;
        break;
      }
    } else mode = inMarkup(mode, load<u8>(p++));
  }

  setSlot(DEPTH, <f64>depth);
  setSlot(MODE, <f64>mode);
  setSlot(CHILDREN, <f64>children);
  setSlot(ELEMENTS, <f64>elements);
  setSlot(MAX_DEPTH, <f64>maxDepth);
  return stopped;
}
