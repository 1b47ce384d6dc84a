// Whether a line can stand below a result: of several texts, or of a value that is no text, an edit would make another thing.

import { isDeepStrictEqual } from 'node:util';
import type { Codec } from './codec.ts';

/** Whether the text of an item goes back into `message` as it came out of it. */
export function takesText<M>(codec: Codec<M>, message: M, item: number): boolean {
  const text = codec.view(message).items[item]?.text ?? '';
  const edited = codec.edit(message, [{ op: 'text', item, text }]);
  return edited !== null && isDeepStrictEqual(codec.encode(edited), codec.encode(message));
}
