// ETags of files and the preconditions that compare them (RFC 9110, sections 8.8 and 13).

import { createHash } from 'node:crypto';
import { BoundedMap, bytesOfFile } from '../../contract/index.ts';
import { type OpenFile, ReaderError } from '../../index.ts';

/** The tags of a precondition; `any` for `*`. */
export type Condition = 'any' | readonly Tag[];

interface Tag {
  readonly weak: boolean;
  readonly value: string;
}

const TAG = /\s*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(?:,|$)/gy;

/** Undefined if the header is missing. @throws {ReaderError} BAD_INPUT naming `header` */
export function conditionOf(header: string, value: string | undefined): Condition | undefined {
  if (value === undefined) return undefined;
  if (value.trim() === '*') return 'any';
  const tags: Tag[] = [];
  let end = 0;
  for (const found of value.matchAll(TAG)) {
    tags.push({ weak: found[1] !== undefined, value: found[2] ?? '' });
    end = found.index + found[0].length;
  }
  if (tags.length > 0 && end === value.length) return tags;
  throw new ReaderError(
    'BAD_INPUT',
    `\`${header}\` is not a list of ETags.`,
    'Send the `ETag` of an earlier answer with its quotes, or `*`.',
  );
}

/** Strong comparison, required by `If-Match` and `If-Range`. */
export function matchesStrongly(condition: Condition, sha256: string): boolean {
  return condition === 'any' || condition.some(({ weak, value }) => !weak && value === sha256);
}

/** Weak comparison, required by `If-None-Match`. */
export function matchesWeakly(condition: Condition, sha256: string): boolean {
  return condition === 'any' || condition.some(({ value }) => value === sha256);
}

const HASH = /^[0-9a-f]{64}$/;

/** True for a tag that is the hash of its file. */
export const isHash = (tag: string): boolean => HASH.test(tag);

export const namesHash = (condition: Condition): boolean =>
  condition !== 'any' && condition.some(({ value }) => isHash(value));

/** SHA-256 of files; each unchanged file is read once. */
export interface ContentHashes {
  /** In hex. Reads the whole file if its hash is unknown. */
  of(file: OpenFile, signal: AbortSignal): Promise<string>;
  /** Its ETag without quotes: the hash, or for a large file in object storage what its version there gives. */
  tag(file: OpenFile, signal: AbortSignal): Promise<string>;
}

const MAX_KEPT = 10_000;
/** A larger file in object storage is not read for its tag: a range of it costs only that range. */
const MAX_REMOTE_BYTES = 64 * 1024 * 1024;
/** A file that was changed within the clock tick of its last change has the same times; git calls it racily clean. */
const SETTLED_MS = 2_000;

export function createContentHashes(): ContentHashes {
  const kept = new BoundedMap<string, string>({ most: MAX_KEPT });
  const hashOf = async (file: OpenFile, signal: AbortSignal): Promise<string> => {
    const { key, isSettled } = stateOf(file);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const hash = createHash('sha256');
    for await (const piece of bytesOfFile(file, { signal })) hash.update(piece);
    const found = hash.digest('hex');
    if (isSettled) kept.set(key, found);
    return found;
  };
  return {
    of: hashOf,
    tag: async (file, signal) => {
      if (!('remote' in file) || file.remote.size <= MAX_REMOTE_BYTES) return await hashOf(file, signal);
      return `v-${createHash('sha256').update(file.remote.version).digest('hex')}`;
    },
  };
}

/** What changes with the content. */
function stateOf(file: OpenFile): { readonly key: string; readonly isSettled: boolean } {
  if ('remote' in file) return { key: `${file.name} ${file.remote.version}`, isSettled: true };
  const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = file.stats;
  return {
    key: [dev, ino, size, mtimeNs, ctimeNs].join(' '),
    isSettled: Date.now() - Number(ctimeMs) > SETTLED_MS,
  };
}
