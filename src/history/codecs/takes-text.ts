// Decides whether a line can be added below a result. With several texts, or a value that is not text, a line would
// change the result's form.

import { isDeepStrictEqual } from 'node:util';
import type { Codec } from './codec.ts';

/** Whether an item's text can be written back into `message` without changing its form. */
export function takesText<M>(codec: Codec<M>, message: M, item: number): boolean {
  const text = codec.view(message).items[item]?.text ?? '';
  const edited = codec.edit(message, [{ op: 'text', item, text }]);
  return edited !== null && isDeepStrictEqual(codec.encode(edited), codec.encode(message));
}
