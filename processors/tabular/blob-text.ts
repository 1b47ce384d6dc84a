// Bytes in a cell: short ones as a hexadecimal literal of SQL, longer ones by their length.

/** As long as a UUID or an MD5 digest. */
const MAX_SHOWN = 16;

/** `x'0a1b'`, or `(2048 bytes of data)`; `length` if `bytes` is only the start. */
export function blobText(bytes: Uint8Array, length: number = bytes.length): string {
  if (length > MAX_SHOWN) return `(${length} bytes of data)`;
  return `x'${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}'`;
}
