// What became of each message of a conversation, by the events that the compactor recorded. No view.

import type { Message } from './conversation.ts';
import { textOf } from './message-text.ts';
import type { Compaction } from './wire.ts';

export type Fate = 'kept' | 'replaced' | 'removed' | 'added';

/** One message of the conversation before, or one that compaction wrote. */
export interface Line {
  /** Names the line; the number of its entry in the compactor's events. */
  readonly entry: number;
  readonly fate: Fate;
  /** In the conversation before, from 1; null for an added message. */
  readonly number: number | null;
  readonly role: string;
  /** As it came; empty for an added message. */
  readonly original: string;
  /** What replaces it, or the text of an added message; empty for the others. */
  readonly sent: string;
  /** Characters as JSON, before and after. 0 where there is no message. */
  readonly before: number;
  readonly after: number;
  /** Tokens of the original, as its replacement tells them; null where it does not. */
  readonly tokens: number | null;
  /** Numbers of the messages that a digest in this one covers. */
  readonly covers: readonly number[];
  /** Entry of the digest that covers it; null without one. */
  readonly coveredBy: number | null;
  /** Where the original is kept, as the replacement names it; null where it is not kept. */
  readonly pointer: string | null;
  /** What a provider would have refused in it. */
  readonly repair: string | null;
}

type Event = Compaction['state']['events'][number];
type Edit = Extract<Event, { type: 'edited' }>['edits'][number];

interface Entry {
  readonly number: number;
  /** In the conversation before, from 0; null for a message the compactor wrote. */
  readonly position: number | null;
  readonly texts: string[];
  gone: boolean;
  covers: readonly number[];
  coveredBy: number | null;
}

/** Every message in order. `state` must be that of a first compaction, which saw all of `before`. */
export function fatesOf(
  before: readonly Message[],
  { messages, report, state }: Compaction,
): readonly Line[] {
  const entries = replayed(state.events);
  const positions = new Map(entries.map(({ number, position }) => [number, position]));
  const repairs = new Map(report.repairs.map(({ message, kind }) => [message, kind]));
  const lines: Line[] = [];
  let next = 0;
  for (const entry of entries) {
    const after = entry.gone ? undefined : messages[next++];
    if (entry.gone && entry.position === null) continue; // a digest that a later one took in
    const original = entry.position === null ? undefined : before[entry.position];
    const sent = entry.texts.join('\n');
    lines.push({
      entry: entry.number,
      fate: fateOf(entry),
      number: entry.position === null ? null : entry.position + 1,
      role: roleOf(original ?? after),
      original: original === undefined ? '' : textOf(original),
      sent: entry.gone ? '' : sent,
      before: original === undefined ? 0 : JSON.stringify(original).length,
      after: after === undefined ? 0 : JSON.stringify(after).length,
      tokens: entry.gone ? null : tokensIn(sent),
      covers: entry.covers.flatMap((number) => {
        const position = positions.get(number);
        return typeof position === 'number' ? [position + 1] : [];
      }),
      coveredBy: entry.coveredBy,
      pointer: entry.gone ? null : pointerIn(sent),
      repair: (entry.position === null ? undefined : repairs.get(entry.position)) ?? null,
    });
  }
  return lines;
}

function fateOf({ gone, position, texts }: Entry): Fate {
  if (gone) return 'removed';
  if (position === null) return 'added';
  return texts.length > 0 ? 'replaced' : 'kept';
}

/** The entries in the order of the messages. */
function replayed(events: readonly Event[]): readonly Entry[] {
  const order: Entry[] = [];
  const known: Entry[] = [];
  const enter = (position: number | null, texts: string[]): Entry => {
    const entry = { number: known.length, position, texts, gone: false, covers: [], coveredBy: null };
    known.push(entry);
    return entry;
  };
  const cover = (by: Entry, runs: readonly (readonly [number, number])[]) => {
    by.covers = runs.flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, index) => first + index),
    );
    for (const number of by.covers) {
      const covered = known[number];
      if (covered?.gone) covered.coveredBy = by.number;
    }
  };
  for (const event of events) {
    if (event.type === 'seen') for (const _ of event.marks) order.push(enter(order.length, []));
    else if (event.type === 'gone') for (const number of event.entries) setGone(known[number]);
    else if (event.type === 'edited') {
      const entry = known[event.entry];
      if (!entry) continue;
      entry.texts.push(...event.edits.map(textOfEdit));
      if (event.mark === null) entry.gone = true;
      if (event.covers) cover(entry, event.covers);
    } else if (event.type === 'made') {
      const entry = enter(null, [event.made.text]);
      const at = order.findIndex(({ number }) => number === event.before);
      order.splice(at < 0 ? order.length : at, 0, entry);
      cover(entry, event.covers);
    }
  }
  return order;
}

function setGone(entry: Entry | undefined): void {
  if (entry) entry.gone = true;
}

function textOfEdit(edit: Edit): string {
  if (edit.op === 'args') return textOf(edit.args);
  return edit.op === 'remove' ? '(a part was taken out)' : edit.text;
}

/** The first line of a replacement, as in `[history: result of read left out, ~120 tokens; full text: PATH]`. */
const firstLine = (text: string): string =>
  text.split('\n').find((line) => line.startsWith('[history: ')) ?? '';

function tokensIn(text: string): number | null {
  const [, tokens] = /~(\d+) tokens?(?!.*~\d)/.exec(firstLine(text)) ?? [];
  return tokens === undefined ? null : Number(tokens);
}

const pointerIn = (text: string): string | null =>
  /; full text: ([^;\]]+)\]/.exec(firstLine(text))?.[1] ?? null;

const isResult = (part: unknown): boolean =>
  typeof part === 'object' && part !== null && 'type' in part && part.type === 'tool_result';

function roleOf(message: unknown): string {
  const { role, type, content } = { ...(message as Message | undefined) }; // any JSON value spreads to its fields
  // Anthropic gives the results of tools the role of the user.
  if (Array.isArray(content) && content.length > 0 && content.every(isResult)) return 'tool';
  return typeof role === 'string' ? role : typeof type === 'string' ? type.replaceAll('_', ' ') : '';
}
