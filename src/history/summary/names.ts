// Names in a text: paths, identifiers, ids, versions. What a reader can neither guess nor say in other words, so that a text
// either has it letter by letter or does not have it at all. Independent of the language of the prose around it.

/** Characters between names: blanks, quotes, brackets, operators and escapes. */
const RUN = /[^\s"'`“”‘’«»(){}[\]<>,;=|&*!?\\^%+~]+/g;
/** Punctuation of the sentence, at the ends of a run. A leading slash is part of a path. */
const OUTER = '_/.-:@#$';
/** Shorter ones, such as `i18n` without its `n`, stand in most texts by chance. */
const MIN_LENGTH = 4;
/** Longer runs are data: base64, minified code. */
export const MAX_NAME = 200;
/** A digit or a joint inside, or a capital after a small letter: what no plain word has. */
const JOINED = /[\d_/.:@#$-]|\p{Ll}\p{Lu}/u;

/** Every name of `text`, in order, with repeats. Takes time linear in the text. */
export function namesIn(text: string): string[] {
  return boundedRuns(text).filter((name) => JOINED.test(name.slice(1)));
}

/** What may be names, by length alone: cheaper, for a caller who looks for some he knows. */
export function boundedRuns(text: string): string[] {
  const names: string[] = [];
  for (const run of text.match(RUN) ?? []) {
    if (run.length < MIN_LENGTH) continue;
    const name = unpunctuated(run);
    if (name !== '') names.push(name);
  }
  return names;
}

/** A run without outer punctuation; empty where that is too short or too long. */
function unpunctuated(run: string): string {
  const { length } = run;
  if (length > MAX_NAME * 2) return '';
  let from = 0;
  let to = length;
  while (from < to && OUTER.includes(run.charAt(from)) && run.charAt(from) !== '/') from += 1;
  while (to > from && OUTER.includes(run.charAt(to - 1))) to -= 1;
  if (to - from < MIN_LENGTH || to - from > MAX_NAME) return '';
  return to - from === length ? run : run.slice(from, to);
}
