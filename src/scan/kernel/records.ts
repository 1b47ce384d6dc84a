// Counts newlines outside quotes, blank records and quotes that violate RFC 4180, 64 bytes per step.

import { matches, prefixXor, setSlot, slot } from './layout';

const NEWLINE = 0;
const QUOTE = 1;
const DELIMITER = 2;
const ENDED = 4;
const BLANK = 5;
const INSIDE = 6;
const PREVIOUS = 7;
const FILLED = 8;
const STRAY = 9;
const FIRST = 10;
const LAST = 11;
const CR: u8 = 13;

export function records(from: usize, to: usize): void {
  setSlot(FIRST, -1);
  setSlot(LAST, -1);
  if (from >= to) return;
  const newline = <u8>slot(NEWLINE);
  const quoted = slot(QUOTE) >= 0;
  const quote = quoted ? <u8>slot(QUOTE) : 0;
  const everyQuote: u64 = quoted ? -1 : 0;
  const checked = slot(DELIMITER) >= 0;
  const delimiter = checked ? <u8>slot(DELIMITER) : 0;
  const newlines = i8x16.splat(<i8>newline);
  const quotes = i8x16.splat(<i8>quote);
  const delimiters = i8x16.splat(<i8>delimiter);
  const returns = i8x16.splat(<i8>CR);

  let inside: u64 = slot(INSIDE) != 0 ? -1 : 0;
  const previous = <u8>slot(PREVIOUS);
  // The loop loads the byte before each block.
  store<u8>(from - 1, previous);
  // `starts`: the next byte starts a record. `second`: the previous byte did.
  let starts: u64 = slot(FILLED) == 0 ? 1 : 0;
  let second: u64 = slot(FILLED) == 1 ? 1 : 0;
  let justClosed: u64 = quoted && previous == quote && inside == 0 ? 1 : 0;
  let ended: u64 = 0;
  let blank: u64 = 0;
  let stray: u64 = 0;
  let first: usize = 0;
  let last: usize = 0;

  for (let p = from; p < to; p += 64) {
    const n = min<u64>(64, to - p);
    const valid: u64 = <u64>-1 >> (64 - n);
    const a = v128.load(p);
    const b = v128.load(p, 16);
    const c = v128.load(p, 32);
    const d = v128.load(p, 48);
    const q = matches(a, b, c, d, quotes) & everyQuote & valid;
    const lineEnds = matches(a, b, c, d, newlines) & valid;
    let within = inside;
    if (q != 0) {
      within ^= prefixXor(q);
      inside = <u64>(<i64>within >> 63);
    }
    if (checked && (q | justClosed) != 0) {
      const bounds = matches(a, b, c, d, delimiters) | lineEnds | q;
      const before = load<u8>(p - 1);
      const afterBound: u64 =
        before == delimiter || before == newline || (quoted && before == quote) ? 1 : 0;
      const closing = q & ~within;
      stray += popcnt(q & within & ~((bounds << 1) | afterBound));
      const afterClosing = ((closing << 1) | justClosed) & valid;
      if ((afterClosing & ~bounds) != 0)
        stray += popcnt(afterClosing & ~(bounds | matches(a, b, c, d, returns)));
      justClosed = (closing >> (n - 1)) & 1;
    }
    const ends = lineEnds & ~within;
    const begins = (ends << 1) | starts;
    const seconds = (begins << 1) | second;
    if ((ends & (begins | seconds)) != 0) {
      const cr = matches(a, b, c, d, returns);
      const afterReturn = ((begins & cr) << 1) | (second & <u64>(load<u8>(p - 1) == CR));
      blank += popcnt(ends & (begins | afterReturn));
    }
    ended += popcnt(ends);
    starts = (ends >> (n - 1)) & 1;
    second = (begins >> (n - 1)) & 1;
    if (ends != 0) {
      if (first == 0) first = p + <usize>ctz(ends) + 1;
      last = p + 64 - <usize>clz(ends);
    }
  }

  setSlot(ENDED, slot(ENDED) + <f64>ended);
  setSlot(BLANK, slot(BLANK) + <f64>blank);
  setSlot(STRAY, slot(STRAY) + <f64>stray);
  setSlot(INSIDE, inside != 0 ? 1 : 0);
  setSlot(PREVIOUS, <f64>load<u8>(to - 1));
  setSlot(FILLED, starts != 0 ? 0 : second != 0 ? 1 : 2);
  if (first != 0) {
    setSlot(FIRST, <f64>first);
    setSlot(LAST, <f64>last);
  }
}
