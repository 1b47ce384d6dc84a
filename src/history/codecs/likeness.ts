// Detects whether a list of messages has a format, message by message. Each codec defines what its format looks like.

import type { Role } from './message.ts';
import { guarded, type Native, nativeOf } from './native.ts';

/** `no`: another format; `may`: could be this format; `is`: almost certainly this format. */
export type Likeness = 'no' | 'may' | 'is';

/** What the messages of a format look like. */
interface Looks {
  readonly roles: Pick<ReadonlyMap<unknown, Role>, 'has'>;
  /** Fields of other formats. */
  readonly foreign: readonly string[];
  /** Whether a message with such a role and without such fields could be of the format, and whether it surely is. */
  mayBe(message: Native): boolean;
  isSurely(message: Native): boolean;
}

/** Detects lists of messages that look so. Never throws. */
export function detectLike({ roles, foreign, mayBe, isSurely }: Looks): ReturnType<typeof detectBy> {
  return detectBy((message) => {
    const native = nativeOf(message);
    if (!native || !roles.has(native['role']) || foreign.some((name) => name in native)) return 'no';
    return mayBe(native) ? (isSurely(native) ? 'is' : 'may') : 'no';
  });
}

/** Whether at least one message certainly has the format and none has another. Never throws. */
export function detectBy(
  likeness: (message: unknown) => Likeness,
): (messages: readonly unknown[]) => boolean {
  return (messages) =>
    guarded(() => {
      let isSure = false;
      const isOther = messages.some((message) => {
        const like = likeness(message);
        isSure ||= like === 'is';
        return like === 'no';
      });
      return isSure && !isOther;
    }, false);
}
