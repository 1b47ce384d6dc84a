// A digest of a file's earlier state, with which a walk can continue after the file has grown, as a log does.

import { createHash } from 'node:crypto';
import type { Bytes, Source } from '../contract/index.ts';
import type { Opened } from './source/open.ts';

/**
 * A short file is digested completely; a longer one by its end, the last part read, and blocks spread over the rest.
 */
const TAIL: Bytes = 64 * 1024;
const BLOCK: Bytes = 4096;
const BLOCKS = 48;
/** 48 bits, like a cursor's fingerprint. */
const LENGTH = 8;

/** The opened file, if `source` is that file itself and not a file inside it; its bytes can be read here. */
export const followable = (
  { source: file, entry }: Opened,
  source: Pick<Source, 'size'>,
): Source | undefined => (entry === undefined && file.size === source.size ? file : undefined);

/** What a cursor keeps of a file that may grow: its current size and a digest; `at` is how far it was read. */
export const prefixOf = async (file: Source, at: Bytes): Promise<string> =>
  `${await digestOf(file, file.size, at)}${file.size.toString(36)}`;

/**
 * Whether `file` still begins with the file `prefix` was made from. May miss a change inside a long file that keeps its
 * length, because a file rewritten in place is not a log.
 */
export async function hasGrown(prefix: string, file: Source, at: Bytes): Promise<boolean> {
  const size = Number.parseInt(prefix.slice(LENGTH), 36);
  if (!(size >= 0 && size < file.size && at <= size)) return false;
  return (await digestOf(file, size, at)) === prefix.slice(0, LENGTH);
}

async function digestOf(file: Source, size: Bytes, at: Bytes): Promise<string> {
  const digest = createHash('sha256').update(`${size}.`);
  const rest = Math.max(0, size - TAIL);
  if (rest <= BLOCK * BLOCKS) digest.update(await file.read(0, rest));
  else
    for (let block = 0; block < BLOCKS; block += 1)
      digest.update(await file.read(Math.floor((block * (rest - BLOCK)) / (BLOCKS - 1)), BLOCK));
  const read = Math.min(at, rest);
  digest.update(await file.read(Math.max(0, read - TAIL), Math.min(TAIL, read)));
  return digest
    .update(await file.read(rest, size - rest))
    .digest('base64url')
    .slice(0, LENGTH);
}
