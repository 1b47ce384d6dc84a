// The token tables as modules, for bundlers, which leave files behind. Costs a bundle 1.6 MB; `table-files.ts` loads sooner.

import { brotliDecompressSync } from 'node:zlib';
import { PACKED as CL100K } from './cl100k_base.generated.ts';
import { PACKED as O200K } from './o200k_base.generated.ts';
import type { EncodingName } from './vocabulary.ts';

const PACKED: Readonly<Record<EncodingName, string>> = { cl100k_base: CL100K, o200k_base: O200K };

/** The table that `.config/build-ranks.mjs` wrote. */
export function tableOf(encoding: EncodingName): Uint8Array {
  return brotliDecompressSync(Buffer.from(PACKED[encoding], 'base64'));
}
