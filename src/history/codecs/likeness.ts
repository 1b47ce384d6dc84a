// Whether a list of messages is of a format, judged message by message. What a format looks like is for its codec to say.

import { guarded } from './native.ts';

/** `no`: of another format; `may`: could be of this one; `is`: could hardly be of any other. */
export type Likeness = 'no' | 'may' | 'is';

/** A likeness told by two questions: whether a message could be of the format, and whether it surely is. */
export function likenessBy(
  mayBe: (message: unknown) => boolean,
  isSurely: (message: unknown) => boolean,
): (message: unknown) => Likeness {
  return (message) => {
    if (!mayBe(message)) return 'no';
    return isSurely(message) ? 'is' : 'may';
  };
}

/** Whether at least one of the messages is of the format, and none of another. Never throws. */
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
