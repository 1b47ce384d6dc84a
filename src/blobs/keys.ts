// Which names are keys. The same for every store, so that content can move between them.

import { isWellFormed, quoted, ReaderError } from '../contract/index.ts';

/** S3 naming rules for general purpose buckets; also what older buckets may be called. */
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$/;

export const isBucket = (name: string): boolean => BUCKET.test(name);

/** S3 allows 1024 bytes including the prefix of the store. */
const MAX_KEY_BYTES = 900;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f]/;

export function isKey(key: string): boolean {
  return (
    key !== '' &&
    key.length <= MAX_KEY_BYTES &&
    Buffer.byteLength(key) <= MAX_KEY_BYTES &&
    !CONTROL.test(key) &&
    isWellFormed(key) &&
    key.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  );
}

/** @throws {ReaderError} BAD_INPUT */
export function checkKey(key: string): void {
  if (isKey(key)) return;
  throw new ReaderError(
    'BAD_INPUT',
    `${quoted(key)} is not a valid key: expected 1 to ${MAX_KEY_BYTES} bytes without control characters, with \`/\` between non-empty parts, none of them \`.\` or \`..\`.`,
    'Use another name.',
  );
}

/** Orders keys as S3 does: by their bytes as UTF-8. */
export function compareKeys(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
