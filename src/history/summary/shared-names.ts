// Whether a summary is about what it stands for: it was asked to copy names, paths, ids and numbers letter by letter, and a
// text with none of them is about something else, such as a request to be given the conversation.

import { namesIn } from './names.ts';

/** A transcript with fewer names can be summarized without any. */
const LEAST_NAMES = 8;

/** True where the transcript has names enough and the summary repeats none of them. */
export function sharesNoName(summary: string, transcript: string): boolean {
  if (new Set(namesIn(transcript)).size < LEAST_NAMES) return false;
  return !namesIn(summary).some((name) => transcript.includes(name));
}
