// Counts newlines, 64 bytes per step, in sixteen 8-bit counters that are flushed before they overflow.

import { setSlot, slot } from './layout';

const NEWLINE = 0;
const ENDED = 4;

@inline function sum(counters: v128): u64 {
  const wide = i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(counters));
  return (
    <u64>i32x4.extract_lane(wide, 0) +
    <u64>i32x4.extract_lane(wide, 1) +
    <u64>i32x4.extract_lane(wide, 2) +
    <u64>i32x4.extract_lane(wide, 3)
  );
}

export function lines(from: usize, to: usize): void {
  const newline = <u8>slot(NEWLINE);
  const wanted = i8x16.splat(<i8>newline);
  let count: u64 = 0;
  let p = from;
  while (to - p >= 64) {
    // 63 steps of 4 vectors: a counter reaches at most 252.
    const stop = min(p + 63 * 64, p + ((to - p) & ~63));
    let counters = i8x16.splat(0);
    for (; p < stop; p += 64) {
      counters = i8x16.sub(counters, i8x16.eq(v128.load(p), wanted));
      counters = i8x16.sub(counters, i8x16.eq(v128.load(p, 16), wanted));
      counters = i8x16.sub(counters, i8x16.eq(v128.load(p, 32), wanted));
      counters = i8x16.sub(counters, i8x16.eq(v128.load(p, 48), wanted));
    }
    count += sum(counters);
  }
  for (; p < to; p++) if (load<u8>(p) == newline) count++;
  setSlot(ENDED, slot(ENDED) + <f64>count);
}
