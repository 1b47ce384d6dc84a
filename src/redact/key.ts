// The key of placeholders.

import { createHash, randomBytes } from 'node:crypto';

let ofProcess: Uint8Array | undefined;

/** The key that several processes share by a variable, else one of this process. */
export function keyOf({
  LECTERN_REDACT_KEY: given,
}: Readonly<Record<string, string | undefined>>): Uint8Array {
  if (given !== undefined && given !== '') return createHash('sha256').update(given).digest();
  ofProcess ??= randomBytes(32);
  return ofProcess;
}
