// What goes into an archive that the agent can search, before a compaction replaces it. The exact originals lie elsewhere: a
// search that misses something costs no message.

import { type Patience, within } from '../contract/index.ts';
import { isPlaceholder } from './archive/placeholder.ts';
import type { TranscriptMessage } from './archive/transcript.ts';
import { refuseAborted } from './problem.ts';

/** A text for the archive. */
export interface RecallText {
  readonly text: string;
  readonly kind: 'message' | 'result';
  /** A role, or the name of a tool and what it was called for. */
  readonly source: string;
}

/** Where texts are added to be found again, such as `openRecall` of `lectern/recall` gives. Adding one twice does no harm. */
export interface HistoryRecall {
  add(entries: readonly RecallText[]): Promise<void>;
}

const MAX_SOURCE = 200;

/** Arguments that say what a call is about. */
const ABOUT = ['path', 'file_path', 'filePath', 'command', 'cmd', 'pattern', 'query', 'url'];

/**
 * Adds the texts of `messages` and of results that went to files. False when the archive failed, did not answer in time or is
 * absent.
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
    for (const { kind, callId, args } of view.items)
      if (kind === 'call' && callId !== null) subjects.set(callId, subjectOf(args));
  const texts = [
    ...messages.flatMap((message) => textsOf(message, subjects)),
    ...results.map(({ text }) => ({ text, kind: 'result' as const, source: 'tool' })),
  ];
  try {
    await within(() => recall.add(texts), patience);
    return true;
  } catch {
    refuseAborted(patience.signal);
    // The notice names what finds the text only where something does.
    return false;
  }
}

function subjectOf(args: Readonly<Record<string, unknown>> | null): string {
  const value = ABOUT.map((name) => args?.[name]).find((one) => typeof one === 'string');
  return typeof value === 'string' ? ` ${value}` : '';
}

function textsOf({ view, names }: TranscriptMessage, subjects: ReadonlyMap<string, string>): RecallText[] {
  return view.items.flatMap(({ kind, text, callId }, at) => {
    if (text === '' || isPlaceholder(text)) return [];
    const subject = kind === 'result' && callId !== null ? (subjects.get(callId) ?? '') : '';
    const source = `${names[at] ?? view.role}${subject}`.slice(0, MAX_SOURCE);
    return [
      {
        text: kind === 'call' ? `${source} ${text}` : text,
        kind: kind === 'result' ? ('result' as const) : ('message' as const),
        source,
      },
    ];
  });
}

/** What a notice says of it. */
export const RECALL_LINE =
  'Call `recall` with names, paths or words of these messages to see their text again.';
