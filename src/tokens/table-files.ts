// The token tables as files beside this module, where Node.js runs the package as it was installed. Bundlers take
// `table-modules.ts` in its place (`imports` in package.json, under the condition `module`, which only they set).

import { readFileSync } from 'node:fs';
import type { EncodingName } from './vocabulary.ts';

/** The table that `.config/build-ranks.mjs` wrote. */
export function tableOf(encoding: EncodingName): Uint8Array {
  return readFileSync(new URL(`./${encoding}.generated.bin`, import.meta.url));
}
