// Reads from the compactor's state what happened to each message of a conversation.

import type { Message } from './conversation.ts';
import { textOf } from './message-text.ts';
import type { Compaction } from './wire.ts';

export type Fate = 'kept' | 'replaced' | 'removed' | 'added';

/** One message of the original conversation, or one that compaction added. */
export interface Line {
  /** Identifies the line: the place of its entry in the compactor's state. */
  readonly entry: number;
  readonly fate: Fate;
  /** Position in the original conversation, from 1; null for an added message. */
  readonly number: number | null;
  readonly role: string;
  /** Original text; empty for an added message. */
  readonly original: string;
  /** The replacement, or the text of an added message; otherwise empty. */
  readonly sent: string;
  /** Length as JSON before and after, in characters; 0 if there is no message. */
  readonly before: number;
  readonly after: number;
  /** Tokens of the original, as stated in its replacement; null if not stated. */
  readonly tokens: number | null;
  /** Numbers of the messages covered by a digest in this one. */
  readonly covers: readonly number[];
  /** Entry of the digest that covers it, if any. */
  readonly coveredBy: number | null;
  /** Pointer to the original, as stated in the replacement; null if the original is not kept. */
  readonly pointer: string | null;
  /** The defect a provider would have rejected, if it was repaired. */
  readonly repair: string | null;
}

type Ledger = NonNullable<Compaction['state']['ledger']>;
type Saved = Exclude<Ledger['now']['list'][number], string | number>;
type Edit = NonNullable<Saved['layers']>[number][number];

interface Entry {
  readonly number: number;
  /** Position in the original conversation, from 0; null for a message the compactor added. */
  readonly position: number | null;
  readonly texts: string[];
  readonly gone: boolean;
  readonly covers: readonly number[];
  readonly coveredBy: number | null;
}

/** Every message in order. `state` must come from a first compaction, whose state has all of `before`. */
export function fatesOf(
  before: readonly Message[],
  { messages, report, state }: Compaction,
): readonly Line[] {
  const entries = state.ledger ? entriesOf(state.ledger) : [];
  const repairs = new Map(report.repairs.map(({ message, kind }) => [message, kind]));
  const lines: Line[] = [];
  let next = 0;
  for (const entry of entries) {
    const after = entry.gone ? undefined : messages[next++];
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
      covers: entry.covers,
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
function entriesOf({ now: { list } }: Ledger): readonly Entry[] {
  const all = list.flatMap((one) =>
    typeof one === 'number' ? Array.from({ length: one }, () => null) : [one],
  );
  const by = all.findIndex((one) => one !== null && typeof one === 'object' && one.notice !== undefined);
  let position = 0;
  const entries = all.map((one, number): Entry => {
    const { made = null, layers = [] } = typeof one === 'object' && one !== null ? one : {};
    const texts = [...(made ? [made.text] : []), ...layers.flat().map(textOfEdit)];
    const own = made ? null : position++;
    const gone = one === null;
    return { number, position: own, texts, gone, covers: [], coveredBy: gone && by >= 0 ? by : null };
  });
  const removed = entries.flatMap(({ gone, position: at }) => (gone && at !== null ? [at + 1] : []));
  return entries.map((entry) => (entry.number === by ? { ...entry, covers: removed } : entry));
}

function textOfEdit(edit: Edit): string {
  if (edit.op === 'args') return textOf(edit.args);
  return 'text' in edit ? edit.text : '(a part was removed)';
}

/** The first line of a replacement, such as `[history: result of read left out, ~120 tokens; full text: PATH]`. */
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
  const { role, type, content } = { ...(message as Message | undefined) }; // spreading is safe for any JSON value
  // Anthropic sends tool results with the role `user`.
  if (Array.isArray(content) && content.length > 0 && content.every(isResult)) return 'tool';
  return typeof role === 'string' ? role : typeof type === 'string' ? type.replaceAll('_', ' ') : '';
}
