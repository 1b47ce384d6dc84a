// Splits a byte stream into lines, in linear time for any chunk sizes.

/** See `createLineSplitter`. */
export interface LineSplitter {
  /**
   * The lines completed by `chunk`, without their `\n` or `\r\n`; undefined for one over the limit, which is dropped.
   */
  push(chunk: Buffer): Iterable<Buffer | undefined>;
}

const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/** A splitter that buffers at most `maxBytes` of an unfinished line. */
export function createLineSplitter(maxBytes: number): LineSplitter {
  let held: Buffer[] = [];
  let length = 0;
  const hold = (piece: Buffer): void => {
    length += piece.length;
    if (length > maxBytes) held = [];
    else if (piece.length > 0) held.push(piece);
  };
  const take = (): Buffer | undefined => {
    const line = length > maxBytes ? undefined : Buffer.concat(held);
    held = [];
    length = 0;
    return line?.at(-1) === RETURN ? line.subarray(0, -1) : line;
  };
  return {
    *push(chunk) {
      let from = 0;
      for (let to = chunk.indexOf(LINE_FEED); to >= 0; to = chunk.indexOf(LINE_FEED, from)) {
        hold(chunk.subarray(from, to));
        yield take();
        from = to + 1;
      }
      hold(chunk.subarray(from));
    },
  };
}
