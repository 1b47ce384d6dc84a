// Detects a summary of something else: it should copy names, paths, ids and numbers exactly, so one without any of the
// transcript's names is off topic, for example a request to be sent the conversation.

import { namesIn } from './names.ts';

/** A transcript with fewer names can be summarized without any. */
const LEAST_NAMES = 8;

/** True if the transcript has enough names and the summary contains none of them. */
export function sharesNoName(summary: string, transcript: string): boolean {
  if (new Set(namesIn(transcript)).size < LEAST_NAMES) return false;
  return !namesIn(summary).some((name) => transcript.includes(name));
}
