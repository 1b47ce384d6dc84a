// Layout of the kernel's memory. AssemblyScript, not TypeScript; keep the numbers equal to those in ../state.ts and
// ../simd.ts.

/** The state starts at address 0, in slots of 8 bytes. */
@inline export function slot(index: i32): f64 {
  return load<f64>(<usize>index << 3);
}

@inline export function setSlot(index: i32, value: f64): void {
  store<f64>(<usize>index << 3, value);
}

/** A bit mask of the 64 bytes in `a` to `d` that equal `wanted`; the first byte is the lowest bit. */
@inline export function matches(a: v128, b: v128, c: v128, d: v128, wanted: v128): u64 {
  return (
    <u64>i8x16.bitmask(i8x16.eq(a, wanted)) |
    (<u64>i8x16.bitmask(i8x16.eq(b, wanted)) << 16) |
    (<u64>i8x16.bitmask(i8x16.eq(c, wanted)) << 32) |
    (<u64>i8x16.bitmask(i8x16.eq(d, wanted)) << 48)
  );
}

/** Bit i of the result is the parity of bits 0 to i. */
@inline export function prefixXor(bits: u64): u64 {
  let sum = bits ^ (bits << 1);
  sum ^= sum << 2;
  sum ^= sum << 4;
  sum ^= sum << 8;
  sum ^= sum << 16;
  return sum ^ (sum << 32);
}
