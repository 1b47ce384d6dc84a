// CRC-64 as ECMA-182 has it, lowest bit first (the .xz file format 1.2, 2.1.1.2), in two halves of 32 bits.

const LOW = new Uint32Array(256);
const HIGH = new Uint32Array(256);
for (let byte = 0; byte < 256; byte += 1) {
  let value = BigInt(byte);
  for (let bit = 0; bit < 8; bit += 1) value = value & 1n ? (value >> 1n) ^ 0xc96c5795d7870f42n : value >> 1n;
  LOW[byte] = Number(value & 0xffffffffn);
  HIGH[byte] = Number(value >> 32n);
}

/** The sum of `bytes` after what `before` is the sum of. */
export function crc64(bytes: Uint8Array, before = 0n): bigint {
  let low = Number(~before & 0xffffffffn);
  let high = Number((~before >> 32n) & 0xffffffffn);
  for (const byte of bytes) {
    const index = (low ^ byte) & 255;
    low = ((low >>> 8) | (high << 24)) ^ (LOW[index] ?? 0);
    high = (high >>> 8) ^ (HIGH[index] ?? 0);
  }
  return BigInt.asUintN(64, ~((BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)));
}
