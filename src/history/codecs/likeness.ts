// Detects whether a list of messages has a format, message by message. Each codec defines what its format looks like.

import { guarded } from './native.ts';

/** `no`: another format; `may`: could be this format; `is`: almost certainly this format. */
export type Likeness = 'no' | 'may' | 'is';

/** Builds a likeness from two checks: could the message be of the format, and is it certainly. */
export function likenessBy(
  mayBe: (message: unknown) => boolean,
  isSurely: (message: unknown) => boolean,
): (message: unknown) => Likeness {
  return (message) => {
    if (!mayBe(message)) return 'no';
    return isSurely(message) ? 'is' : 'may';
  };
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
