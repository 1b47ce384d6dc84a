// The rule for keys, the same in every store.

import { isWellFormed, quoted, ReaderError } from '../contract/index.ts';

/** S3 takes 1024 bytes; the rest is left for the prefix of a store. */
const MAX_KEY_BYTES = 900;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it rejects
const CONTROL = /[\x00-\x1f\x7f]/;

/** Returns `key`. @throws {ReaderError} BAD_INPUT */
export function checkKey(key: string): string {
  const parts = key.split('/');
  const isValid =
    Buffer.byteLength(key) <= MAX_KEY_BYTES &&
    isWellFormed(key) &&
    !CONTROL.test(key) &&
    parts.every((part) => part !== '' && part !== '.' && part !== '..');
  if (isValid) return key;
  throw new ReaderError(
    'BAD_INPUT',
    `${quoted(key)} is not a key.`,
    'A key has 1 to 900 bytes: names separated by `/`, none of them empty, `.` or `..`, without control characters.',
  );
}

/** The order in which stores list keys: by their UTF-8 bytes. */
export const compareKeys = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
