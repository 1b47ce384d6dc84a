// A Source of text whose secrets are replaced. It is read in blocks with the text around them, so that a read at any
// place replaces the same bytes.

import { createHash } from 'node:crypto';
import type { Bytes, Source } from '../contract/index.ts';
import { MAX_SECRET } from './find.ts';
import type { Redactor } from './redactor.ts';

const BLOCK: Bytes = 256 * 1024;
/** Text before and after a block that is looked at with it: more than a secret in two bytes a character. */
const AROUND: Bytes = 2 * MAX_SECRET + 1024;
/** Blocks that are kept; most readers go forward. */
const KEPT = 4;

/** What is read block by block. */
export interface Readable {
  readonly size: Bytes;
  /** As in a `Source`. */
  read(position: Bytes, length: Bytes): Promise<Uint8Array>;
}

/** Fills a buffer from a position, without secrets; fewer bytes only at the end. */
export type ReadInto = (target: Uint8Array, position: Bytes) => Promise<number>;

export function redactedReads(readable: Readable, redactor: Redactor): ReadInto {
  const blocks = new Map<number, Promise<Uint8Array>>();
  const blockAt = (number: number): Promise<Uint8Array> => {
    const kept = blocks.get(number);
    if (kept) return kept;
    const made = redactedBlock(readable, redactor, number);
    blocks.set(number, made);
    made.catch(() => blocks.delete(number));
    for (const [oldest] of blocks) {
      if (blocks.size <= KEPT) break;
      blocks.delete(oldest);
    }
    return made;
  };
  return async (target, position) => {
    let filled = 0;
    while (filled < target.length) {
      const at = position + filled;
      const block = await blockAt(Math.floor(at / BLOCK));
      const piece = block.subarray(at % BLOCK, (at % BLOCK) + target.length - filled);
      if (piece.length === 0) break;
      target.set(piece, filled);
      filled += piece.length;
    }
    return filled;
  };
}

/** `source` without its secrets: same size, and every other byte unchanged. */
export function redactedSource(source: Source, redactor: Redactor): Source {
  let identity: Promise<string> | undefined;
  const readInto = redactedReads(source, redactor);
  const read = async (position: Bytes, length: Bytes): Promise<Uint8Array> => {
    const target = new Uint8Array(Math.max(0, Math.min(length, source.size - position)));
    return target.subarray(0, await readInto(target, position));
  };
  return {
    name: source.name,
    extension: source.extension,
    mimeType: source.mimeType,
    size: source.size,
    ...(source.remote === true && { remote: true }),
    identity: () => {
      identity ??= identityOf(source, redactor);
      return identity;
    },
    read,
    readInto,
    async *chunks(from = 0) {
      for (let at = from; at < source.size; ) {
        // Up to the end of a block.
        const piece = await read(at, BLOCK - (at % BLOCK));
        if (piece.length === 0) return;
        yield piece;
        at += piece.length;
      }
    },
    bytes: async () => {
      const bytes = await source.bytes();
      const own = Uint8Array.from(bytes);
      redactor.bytes(own, 0, own.length);
      return own;
    },
  };
}

/** True for the identity of a source whose secrets are replaced. */
export const isRedacted = (identity: string): boolean => identity.startsWith('redacted ');

/**
 * A hash of a content tells a guess from the truth, and cursors hold a part of it: secrets are left out of it. Large
 * files are not identified by their content.
 */
async function identityOf(source: Source, redactor: Redactor): Promise<string> {
  const identity = await source.identity();
  if (!identity.startsWith('sha256:')) return `redacted ${identity}`;
  const bytes = Uint8Array.from(await source.read(0, source.size));
  redactor.blank(bytes);
  return `redacted ${createHash('sha256').update(bytes).digest('hex')}`;
}

async function redactedBlock(source: Readable, redactor: Redactor, number: number): Promise<Uint8Array> {
  const start = number * BLOCK;
  const first = Math.max(0, start - AROUND);
  const bytes = await source.read(first, start - first + BLOCK + AROUND);
  const [from, to] = [start - first, Math.min(bytes.length, start - first + BLOCK)];
  if (to <= from) return new Uint8Array(0);
  redactor.bytes(bytes, from, to);
  return bytes.slice(from, to);
}
