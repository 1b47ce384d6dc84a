// Names that tool results brought into a conversation: paths, ids, symbols. What an agent needs again later is mostly such a
// name, exact to the letter, and so they are the first thing to keep of results that go.

import type { TranscriptMessage } from './transcript.ts';

/** A name and how it was used; messages are counted from 0 since the conversation's digest began. */
export interface NameUse {
  readonly name: string;
  /** The message whose result first held it. */
  readonly introduced: number;
  /** Calls and texts of the assistant after that, which held it. */
  readonly uses: number;
  /** The newest message that used it, or whose result held it. */
  readonly last: number;
}

/** Names by worth, the most worth keeping first; those it leaves out are forgotten. */
export type RankNames = (names: readonly NameUse[]) => readonly NameUse[];

/** At most so many names are told apart. */
const MAX_NAMES = 50_000;
const MIN_LENGTH = 8;
const MAX_LENGTH = 120;
const RUN = /[A-Za-z0-9_/.\-:@#]{8,}/g;
/** Something that a plain word does not have, after its first character. */
const TELLING = /^.+[/._\-:\dA-Z@#]/;
const OUTER = new Set('_/.-:@#');

/** Every name in `text`, with repeats: 8 to 120 characters, without outer punctuation. */
export function* namesIn(text: string): Generator<string> {
  for (const [run] of text.matchAll(RUN)) {
    if (run.length > MAX_LENGTH * 2) continue;
    let from = 0;
    let to = run.length;
    while (from < to && OUTER.has(run.charAt(from)) && run.charAt(from) !== '/') from += 1;
    while (to > from && OUTER.has(run.charAt(to - 1))) to -= 1;
    if (to - from < MIN_LENGTH || to - from > MAX_LENGTH) continue;
    const name = run.slice(from, to);
    if (TELLING.test(name)) yield name;
  }
}

/** `earlier` and the names of the results in `messages`, with their uses. In order of introduction. */
export function namesOf(
  earlier: readonly NameUse[] | null,
  messages: readonly TranscriptMessage[],
): NameUse[] {
  const names = new Map<string, { introduced: number; uses: number; last: number }>();
  let index = 0;
  for (const { name, introduced, uses, last } of earlier ?? []) {
    names.set(name, { introduced, uses, last });
    index = Math.max(index, last + 1);
  }
  for (const { view } of messages) {
    for (const item of view.items) {
      if (item.kind === 'result')
        for (const name of namesIn(item.text)) {
          const known = names.get(name);
          if (known) known.last = index;
          else if (names.size < MAX_NAMES) names.set(name, { introduced: index, uses: 0, last: index });
        }
      else if (item.kind === 'call' || item.kind === 'text')
        for (const name of new Set(namesIn(item.text))) {
          const known = names.get(name);
          if (!known) continue;
          known.uses += 1;
          known.last = index;
        }
    }
    index += 1;
  }
  return [...names].map(([name, use]) => ({ name, ...use }));
}

/** Names that were used again, most often and most lately first; then those of the newest results. */
export function rankByUse(names: readonly NameUse[]): NameUse[] {
  return [...names].sort((a, b) => b.uses - a.uses || b.last - a.last || a.introduced - b.introduced);
}
