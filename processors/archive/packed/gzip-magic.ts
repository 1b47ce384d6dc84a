// The gzip signature (RFC 1952, 2.3).

/** Checks the magic bytes, method 8 and that no reserved flag is set. */
export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b && head[2] === 8 && ((head[3] ?? 0xff) & 0xe0) === 0;
}
