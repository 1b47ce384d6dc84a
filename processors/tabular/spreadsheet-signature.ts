// How spreadsheets begin: what tells their containers apart.

const OLE = 'd0cf11e0a1b11ae1';

/** A zip container: `PK` and a local header or an empty directory. */
export function isZip(head: Uint8Array): boolean {
  return (
    head[0] === 0x50 &&
    head[1] === 0x4b &&
    (head[2] === 3 || head[2] === 5) &&
    (head[3] === 4 || head[3] === 6)
  );
}

/** A compound file of OLE: XLS, and protected Office Open XML. */
export function isOle(head: Uint8Array): boolean {
  return Buffer.from(head.buffer, head.byteOffset, Math.min(8, head.length)).toString('hex') === OLE;
}

/** Excel 2 to 4 wrote its records without a container: a BOF record (0x0009, 0x0209, 0x0409) comes first. */
export function isRawBiff(head: Uint8Array): boolean {
  return head[0] === 9 && (head[1] === 0 || head[1] === 2 || head[1] === 4) && head[3] === 0;
}

/** True when the bytes hold the word in ASCII. */
export function holds(head: Uint8Array, word: string): boolean {
  return Buffer.from(head.buffer, head.byteOffset, head.byteLength).includes(word);
}
