// Adds text to a searchable archive before a compaction replaces it. Exact originals are stored separately, so a search
// that misses something loses no message.

import { type Patience, within } from '../contract/index.ts';
import { isPlaceholder } from './archive/placeholder.ts';
import type { TranscriptMessage } from './archive/transcript.ts';
import { subjectOf } from './policy/file-uses.ts';
import { refuseAborted } from './problem.ts';

/** A text for the archive. */
export interface RecallText {
  readonly text: string;
  readonly kind: 'message' | 'result';
  /** A role, or a tool name and the subject of its call. */
  readonly source: string;
}

/** A searchable archive, such as `openRecall` of `lectern/recall` returns. Adding a text twice is harmless. */
export interface HistoryRecall {
  add(entries: readonly RecallText[]): Promise<void>;
}

const MAX_SOURCE = 200;

/**
 * Adds the texts of `messages` and of results moved to files. Returns false if there is no archive, or it failed or
 * timed out.
 * @throws {ReaderError} ABORTED
 */
export async function addToRecall(
  recall: HistoryRecall | null,
  messages: readonly TranscriptMessage[],
  results: readonly { readonly text: string }[],
  patience: Patience,
): Promise<boolean> {
  if (recall === null) return false;
  const subjects = new Map<string, string>();
  for (const { view } of messages)
    for (const item of view.items)
      if (item.kind === 'call' && item.callId !== null) subjects.set(item.callId, ` ${subjectOf(item)}`);
  const texts = [
    ...messages.flatMap((message) => textsOf(message, subjects)),
    ...results.map(({ text }) => ({ text, kind: 'result' as const, source: 'tool' })),
  ];
  try {
    await within(() => recall.add(texts), patience);
    return true;
  } catch {
    refuseAborted(patience.signal);
    // The notice mentions `recall` only if the text can be found there.
    return false;
  }
}

function textsOf({ view, names }: TranscriptMessage, subjects: ReadonlyMap<string, string>): RecallText[] {
  return view.items.flatMap(({ kind, text, callId }, at) => {
    if (text === '' || isPlaceholder(text)) return [];
    const subject = kind === 'result' && callId !== null ? (subjects.get(callId) ?? '') : '';
    const source = `${names[at] ?? view.role}${subject}`.trim().slice(0, MAX_SOURCE);
    return [
      {
        text: kind === 'call' ? `${source} ${text}` : text,
        kind: kind === 'result' ? ('result' as const) : ('message' as const),
        source,
      },
    ];
  });
}

/** Line added to a notice when the text can be recalled. */
export const RECALL_LINE =
  'Call `recall` with names, paths or words from these messages to see their text again.';
