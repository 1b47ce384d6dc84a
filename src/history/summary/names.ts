// Finds names in a text: paths, identifiers, ids, versions. They can be neither guessed nor paraphrased, so a text
// either contains one exactly or not at all. Independent of the language of the surrounding prose.

/** Characters between names: whitespace, quotes, brackets, operators and escapes. Shorter runs occur in most texts by chance. */
const RUN = /[^\s"'`“”‘’«»(){}[\]<>,;=|&*!?\\^%+~]{4,}/g;
/** Sentence punctuation at the ends of a run. A leading slash belongs to a path. */
const OUTER = '_/.-:@#$';
/** As of a run, without its outer punctuation. */
const MIN_LENGTH = 4;
/** Longer runs are data: base64, minified code. */
export const MAX_NAME = 200;
/** A digit or joining character inside, or a capital after a small letter; plain words have neither. */
const JOINED = /[\d_/.:@#$-]|\p{Ll}\p{Lu}/u;

/** Every name in `text`, in order, with repeats. Takes time linear in the text. */
export function namesIn(text: string): string[] {
  return boundedRuns(text).filter((name) => JOINED.test(name.slice(1)));
}

/** Candidates by length only; cheaper, for looking up known names. */
export function boundedRuns(text: string): string[] {
  const names: string[] = [];
  for (const run of text.match(RUN) ?? []) {
    const name = unpunctuated(run);
    if (name !== '') names.push(name);
  }
  return names;
}

/** A run without outer punctuation; empty if it is too short or too long. */
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
