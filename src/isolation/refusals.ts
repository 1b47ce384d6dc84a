// Temporarily refuses content that has killed several processes, to the user who sent it: a refusal to another would
// show that someone has read the content.

import { BoundedMap, ReaderError } from '../contract/index.ts';

/** Content that killed this many processes is refused for this long. */
const MAX_ENDINGS = 2;
const REFUSED_MS = 10 * 60 * 1000;
/** Maximum number of contents remembered. */
const MAX_CONTENTS = 10_000;

/** What identifies content of a user. */
interface Sent {
  readonly user: string;
  readonly content: string;
}

/** Counts, by user and content key, how many processes it has killed. */
export class Refusals {
  readonly #endings = new BoundedMap<string, { readonly count: number; readonly until: number }>({
    most: MAX_CONTENTS,
  });

  /** @throws {ReaderError} CRASHED for content that is refused */
  check(sent: Sent): void {
    const known = this.#endings.get(keyOf(sent));
    if (!known) return;
    if (known.until <= Date.now()) this.#endings.delete(keyOf(sent));
    else if (known.count >= MAX_ENDINGS)
      throw new ReaderError(
        'CRASHED',
        `This content killed ${known.count} processes that read it; it is refused for ${REFUSED_MS / 60_000} minutes.`,
        'Repair the file with the program that wrote it, or read another file.',
      );
  }

  /** Records that a process died while working on the content. */
  add(sent: Sent): void {
    const count = (this.#endings.get(keyOf(sent))?.count ?? 0) + 1;
    this.#endings.set(keyOf(sent), { count, until: Date.now() + REFUSED_MS });
  }
}

const keyOf = ({ user, content }: Sent): string => `${content} ${user}`;
