// The token tables as modules, for bundlers, which do not copy data files. Adds 3.3 MB to a bundle; `table-files.ts` loads
// faster.

import { brotliDecompressSync } from 'node:zlib';
import { PACKED as CL100K } from './cl100k_base.generated.ts';
import { PACKED as O200K } from './o200k_base.generated.ts';
import type { EncodingName } from './vocabulary.ts';

const PACKED: Readonly<Record<EncodingName, string>> = { cl100k_base: CL100K, o200k_base: O200K };

/** The table written by `.config/build-ranks.mjs`. */
export function tableOf(encoding: EncodingName): Uint8Array {
  return brotliDecompressSync(Buffer.from(PACKED[encoding], 'base64'));
}
