// Whether a summary speaks of what it stands for: it was asked to copy names, paths, ids and numbers letter by letter, and a
// text with none of them is of something else, such as a request to be given the conversation. Independent of the language.

/** What may be a path, an identifier or a number. */
const WORD = /[\p{L}\p{N}_/][\p{L}\p{N}_./:@#-]{2,}[\p{L}\p{N}_]/gu;
/** With a digit, a slash, an underscore or a dot in it, or a capital after a small letter: no plain word. */
const NAME = /[\p{N}/_.]|\p{Ll}\p{Lu}/u;
/** A transcript of fewer names may well be summed up without any. */
const LEAST_NAMES = 8;

/** The transcript has names enough, and the summary not one of them. */
export function sharesNoName(summary: string, transcript: string): boolean {
  const names = new Set<string>();
  for (const [word] of transcript.matchAll(WORD)) {
    if (NAME.test(word)) names.add(word);
    if (names.size >= LEAST_NAMES) break;
  }
  if (names.size < LEAST_NAMES) return false;
  for (const [word] of summary.matchAll(WORD)) if (NAME.test(word) && transcript.includes(word)) return false;
  return true;
}
