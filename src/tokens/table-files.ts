// Loads the token tables from files next to this module, if Node.js runs the installed package. Bundlers use
// `table-modules.ts` instead (`imports` in package.json, under the condition `module`, which only bundlers set).

import { readFileSync } from 'node:fs';
import type { EncodingName } from './vocabulary.ts';

/** The table written by `.config/build-ranks.mjs`. */
export function tableOf(encoding: EncodingName): Uint8Array {
  return readFileSync(new URL(`./${encoding}.generated.bin`, import.meta.url));
}
