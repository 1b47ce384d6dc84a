// Finds the mails of a mailbox file (RFC 4155) in one pass and constant memory.

import { type Bytes, type Source, throwIfAborted } from '../../../src/contract/index.ts';

/** A mail in the file, without the separator line before it. */
export interface MailPlace {
  readonly from: Bytes;
  readonly to: Bytes;
}

export interface Mailbox {
  readonly places: readonly MailPlace[];
  /** True if there are more mails than are counted. */
  readonly more: boolean;
}

const MAX_MAILS = 200_000;
/** Maximum length of a separator line; real ones contain an address and a date. */
const MAX_MARK = 1024;
/** `From `, an address, and a date that ends in a year, optionally with a time zone. */
const MARK = /^From \S.*\d{4}\s*(?:[+-]\d{4}\s*)?$/;

/** Finds the mails. A separator line counts at the start, or after an empty line. */
export async function findMails(source: Source, signal: AbortSignal): Promise<Mailbox> {
  const starts: { readonly mark: Bytes; readonly body: Bytes }[] = [];
  let more = false;
  // The end of the previous chunk, so that no separator is split.
  let held = Buffer.alloc(0);
  let base = 0;
  const scan = (last: boolean): void => {
    let at = 0;
    for (;;) {
      const found =
        base === 0 && at === 0 && held.subarray(0, 5).toString('latin1') === 'From ' ? 0 : next(held, at);
      if (found < 0) break;
      const end = held.indexOf(0x0a, found);
      if (end < 0 && !last && held.length - found < MAX_MARK) {
        keepFrom(found);
        return;
      }
      at = found + 1;
      const stop = end < 0 ? held.length : end;
      if (stop - found > MAX_MARK || !MARK.test(held.toString('latin1', found, stop))) continue;
      if (starts.length >= MAX_MAILS) {
        more = true;
        break;
      }
      starts.push({ mark: base + found, body: base + Math.min(held.length, stop + 1) });
    }
    keepFrom(Math.max(0, held.length - 4));
  };
  const keepFrom = (at: number): void => {
    // Two bytes before a separator show whether the preceding line is empty.
    const from = Math.max(0, at - 4);
    base += from;
    held = held.subarray(from);
  };
  for await (const piece of source.chunks()) {
    throwIfAborted(signal);
    held = Buffer.concat([held, piece]);
    scan(false);
    if (more) break;
  }
  if (!more) scan(true);
  const unique = starts.filter(({ mark }, i) => i === 0 || mark !== starts[i - 1]?.mark);
  const places = unique.map(({ body }, i) => ({ from: body, to: unique[i + 1]?.mark ?? source.size }));
  return { places, more };
}

/** Position of the next `From ` that follows an empty line. */
function next(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf('\nFrom ', from); at >= 0; at = bytes.indexOf('\nFrom ', at + 1)) {
    const before = bytes[at - 1] === 0x0d ? at - 2 : at - 1;
    if (bytes[before] === 0x0a) return at + 1;
  }
  return -1;
}
