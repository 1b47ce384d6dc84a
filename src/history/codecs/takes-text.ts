// Whether a line can be added below a result. One of several texts, or of another value than text, would change its form.

import { isDeepStrictEqual } from 'node:util';
import type { Codec } from './codec.ts';

/** Whether the text of an item goes back into `message` as it came out of it. */
export function takesText<M>(codec: Codec<M>, message: M, item: number): boolean {
  const text = codec.view(message).items[item]?.text ?? '';
  const edited = codec.edit(message, [{ op: 'text', item, text }]);
  return edited !== null && isDeepStrictEqual(codec.encode(edited), codec.encode(message));
}
