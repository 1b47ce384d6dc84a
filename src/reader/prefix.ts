// A digest of how a file starts, by which a walk goes on though the file has grown meanwhile, as a log does.

import { createHash } from 'node:crypto';
import type { Bytes, Source } from '../contract/index.ts';
import type { Opened } from './source/open.ts';

/** Of a long prefix its end and blocks spread over the rest are looked at; a shorter one is looked at whole. */
const TAIL: Bytes = 64 * 1024;
const BLOCK: Bytes = 4096;
const BLOCKS = 48;
/** 48 bits, as the fingerprint of a cursor. */
const LENGTH = 8;

/** The file as it was opened, where `source` is that very file and nothing inside it; its bytes can be read here. */
export const followable = ({ source: file, entry }: Opened, source: Source): Source | undefined =>
  entry === undefined && file.size === source.size ? file : undefined;

/**
 * A digest of the first `end` bytes. A change inside a long prefix that keeps its length may go unnoticed: a file that is
 * rewritten in place is no log.
 */
export async function prefixDigest(source: Source, end: Bytes): Promise<string> {
  const digest = createHash('sha256').update(`${end}.`);
  const rest = Math.max(0, end - TAIL);
  if (rest <= BLOCK * BLOCKS) digest.update(await source.read(0, rest));
  else
    for (let block = 0; block < BLOCKS; block += 1)
      digest.update(await source.read(Math.floor((block * (rest - BLOCK)) / (BLOCKS - 1)), BLOCK));
  return digest
    .update(await source.read(rest, end - rest))
    .digest('base64url')
    .slice(0, LENGTH);
}
