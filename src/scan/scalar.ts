// The passes in plain TypeScript: used where WebAssembly has no SIMD, to find a position inside a block, and as the
// reference for testing the SIMD kernels.

import { JSON_STATE, RECORD, XML_MODE, XML_STATE } from './state.ts';

const CR = 13;
const QUOTE = 34;
const APOSTROPHE = 39;
const COMMA = 44;
const DASH = 45;
const SLASH = 47;
const LESS = 60;
const GREATER = 62;
const BANG = 33;
const QUESTION = 63;
const BACKSLASH = 92;

/**
 * Advances `state` over `bytes[from, to)`. Stops just past the line end that makes `until` of them.
 * @returns the index where it stopped, or -1
 */
export function scanLines(
  bytes: Uint8Array,
  state: Float64Array,
  from: number,
  to: number,
  until: number = Number.POSITIVE_INFINITY,
): number {
  const newline = state[RECORD.newline] ?? 0;
  let ended = state[RECORD.ended] ?? 0;
  let stopped = -1;
  for (let i = from; i < to; i++) {
    if (bytes[i] === newline && ++ended === until) {
      stopped = i + 1;
      break;
    }
  }
  state[RECORD.ended] = ended;
  return stopped;
}

/** Advances `state` over `bytes[from, to)`. Stops just past the record that makes `until` units; else -1. */
export function scanRecords(
  bytes: Uint8Array,
  state: Float64Array,
  from: number,
  to: number,
  until: number = Number.POSITIVE_INFINITY,
): number {
  const newline = state[RECORD.newline] ?? 0;
  const quote = state[RECORD.quote] ?? -1;
  const delimiter = state[RECORD.delimiter] ?? -1;
  const skipBlank = state[RECORD.skipBlank] === 1;
  let ended = state[RECORD.ended] ?? 0;
  let blank = state[RECORD.blank] ?? 0;
  let inside = state[RECORD.inside] === 1;
  let previous = state[RECORD.previous] ?? 0;
  let filled = state[RECORD.filled] ?? 0;
  let stray = state[RECORD.stray] ?? 0;
  let first = -1;
  let last = -1;
  let stopped = -1;
  for (let i = from; i < to; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === quote) {
      inside = !inside;
      if (inside && previous !== delimiter && previous !== newline && previous !== quote) stray++;
    } else if (!inside) {
      if (previous === quote && byte !== delimiter && byte !== newline && byte !== CR) stray++;
      if (byte === newline) {
        ended++;
        const isBlank = filled === 0 || (filled === 1 && previous === CR);
        if (isBlank) blank++;
        filled = 0;
        previous = byte;
        if (first < 0) first = i + 1;
        last = i + 1;
        if ((skipBlank ? ended - blank : ended) === until && !(skipBlank && isBlank)) {
          stopped = i + 1;
          break;
        }
        continue;
      }
    }
    if (filled < 2) filled++;
    previous = byte;
  }
  state[RECORD.ended] = ended;
  state[RECORD.blank] = blank;
  state[RECORD.inside] = inside ? 1 : 0;
  state[RECORD.previous] = previous;
  state[RECORD.filled] = filled;
  state[RECORD.stray] = delimiter < 0 ? 0 : stray;
  state[RECORD.first] = first;
  state[RECORD.last] = last;
  return stopped;
}

/**
 * Advances `state` over `bytes[from, to)`. Stops just past the bracket that closes the container (depth is then 0) or
 * just past the comma between its items that makes `until` of them; else -1. Any bracket closes any other.
 */
export function scanJson(
  bytes: Uint8Array,
  state: Float64Array,
  from: number,
  to: number,
  until: number = Number.POSITIVE_INFINITY,
): number {
  let depth = state[JSON_STATE.depth] ?? 0;
  let inString = state[JSON_STATE.inString] === 1;
  let escaped = state[JSON_STATE.escaped] === 1;
  let commas = state[JSON_STATE.commas] ?? 0;
  let maxDepth = state[JSON_STATE.maxDepth] ?? 0;
  let stopped = -1;
  for (let i = from; i < to; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === BACKSLASH) {
      escaped = !escaped;
      continue;
    }
    if (byte === QUOTE && !escaped) inString = !inString;
    escaped = false;
    if (inString) continue;
    // `[` and `{` differ by 0x20, as do `]` and `}`.
    const bracket = byte | 0x20;
    if (bracket === 0x7b) {
      depth++;
      if (depth > maxDepth) maxDepth = depth;
    } else if (bracket === 0x7d) {
      depth--;
      if (depth === 0) {
        stopped = i + 1;
        break;
      }
    } else if (byte === COMMA && depth === 1 && ++commas === until) {
      stopped = i + 1;
      break;
    }
  }
  state[JSON_STATE.depth] = depth;
  state[JSON_STATE.inString] = inString ? 1 : 0;
  state[JSON_STATE.escaped] = escaped ? 1 : 0;
  state[JSON_STATE.commas] = commas;
  state[JSON_STATE.maxDepth] = maxDepth;
  return stopped;
}

/**
 * Advances `state` over `bytes[from, to)`. Stops just past the end tag of the element (depth is then 0) or two past the
 * `<` of the child that makes `until` of them; else -1. Any end tag ends any element.
 */
export function scanXml(
  bytes: Uint8Array,
  state: Float64Array,
  from: number,
  to: number,
  until: number = Number.POSITIVE_INFINITY,
): number {
  let depth = state[XML_STATE.depth] ?? 0;
  let mode: number = state[XML_STATE.mode] ?? 0;
  let children = state[XML_STATE.children] ?? 0;
  let elements = state[XML_STATE.elements] ?? 0;
  let maxDepth = state[XML_STATE.maxDepth] ?? 0;
  let stopped = -1;
  for (let i = from; i < to; i++) {
    const byte = bytes[i] ?? 0;
    if (mode === XML_MODE.text) {
      if (byte === LESS) mode = XML_MODE.open;
      continue;
    }
    if (mode === XML_MODE.open) {
      if (byte === SLASH) {
        mode = XML_MODE.endTag;
        depth--;
      } else if (byte === BANG) mode = XML_MODE.bang;
      else if (byte === QUESTION) mode = XML_MODE.instruction;
      else {
        elements++;
        if (depth === 1) children++;
        depth++;
        if (depth > maxDepth) maxDepth = depth;
        mode = inTag(byte);
        if (depth === 2 && children === until) stopped = i + 1;
        if (byte === GREATER) mode = XML_MODE.text;
        if (stopped >= 0) break;
      }
      continue;
    }
    switch (mode) {
      case XML_MODE.tag:
        mode = inTag(byte);
        break;
      case XML_MODE.tagSlash:
        if (byte === GREATER) {
          depth--;
          mode = XML_MODE.text;
        } else mode = inTag(byte);
        break;
      case XML_MODE.doubleQuoted:
        if (byte === QUOTE) mode = XML_MODE.tag;
        break;
      case XML_MODE.singleQuoted:
        if (byte === APOSTROPHE) mode = XML_MODE.tag;
        break;
      case XML_MODE.endTag:
        if (byte === GREATER) {
          mode = XML_MODE.text;
          if (depth === 0) stopped = i + 1;
        }
        break;
      default:
        mode = inMarkup(mode, byte);
    }
    if (stopped >= 0) break;
  }
  state[XML_STATE.depth] = depth;
  state[XML_STATE.mode] = mode;
  state[XML_STATE.children] = children;
  state[XML_STATE.elements] = elements;
  state[XML_STATE.maxDepth] = maxDepth;
  return stopped;
}

function inTag(byte: number): number {
  if (byte === GREATER) return XML_MODE.text;
  if (byte === SLASH) return XML_MODE.tagSlash;
  if (byte === QUOTE) return XML_MODE.doubleQuoted;
  return byte === APOSTROPHE ? XML_MODE.singleQuoted : XML_MODE.tag;
}

/** Comments, CDATA sections, processing instructions, and declarations, which occur only in malformed content. */
function inMarkup(mode: number, byte: number): number {
  switch (mode) {
    case XML_MODE.bang:
      if (byte === DASH) return XML_MODE.bangDash;
      if (byte === 0x5b) return XML_MODE.cdata;
      return byte === GREATER ? XML_MODE.text : XML_MODE.declaration;
    case XML_MODE.bangDash:
      if (byte === DASH) return XML_MODE.comment;
      return byte === GREATER ? XML_MODE.text : XML_MODE.declaration;
    case XML_MODE.declaration:
      return byte === GREATER ? XML_MODE.text : XML_MODE.declaration;
    case XML_MODE.comment:
      return byte === DASH ? XML_MODE.commentDash : XML_MODE.comment;
    case XML_MODE.commentDash:
      return byte === DASH ? XML_MODE.commentDashes : XML_MODE.comment;
    case XML_MODE.commentDashes:
      if (byte === GREATER) return XML_MODE.text;
      return byte === DASH ? XML_MODE.commentDashes : XML_MODE.comment;
    case XML_MODE.cdata:
      return byte === 0x5d ? XML_MODE.cdataBracket : XML_MODE.cdata;
    case XML_MODE.cdataBracket:
      return byte === 0x5d ? XML_MODE.cdataBrackets : XML_MODE.cdata;
    case XML_MODE.cdataBrackets:
      if (byte === GREATER) return XML_MODE.text;
      return byte === 0x5d ? XML_MODE.cdataBrackets : XML_MODE.cdata;
    case XML_MODE.instruction:
      return byte === QUESTION ? XML_MODE.instructionMark : XML_MODE.instruction;
    default:
      if (byte === GREATER) return XML_MODE.text;
      return byte === QUESTION ? XML_MODE.instructionMark : XML_MODE.instruction;
  }
}
