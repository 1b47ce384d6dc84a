// Recognises a conversation in a dropped file, and tells what compaction did to each of its messages.

type Message = Readonly<Record<string, unknown>>;

export interface Conversation {
  readonly file: File;
  readonly name: string;
  readonly messages: readonly Message[];
  /** Sent beside the messages by providers that take it so. */
  readonly system?: string;
}

const MAX_BYTES = 8_000_000;

/** The conversation in a JSON or JSON Lines file; null when it is something else. */
export async function conversationIn(file: File): Promise<Conversation | null> {
  if (!/\.jsonl?$/i.test(file.name) || file.size > MAX_BYTES) return null;
  const value = parsed(await file.text());
  const held = isRecord(value) ? value['messages'] : value;
  if (!Array.isArray(held) || held.length < 2) return null;
  const messages: readonly unknown[] = held;
  if (!messages.every(isMessage)) return null;
  const system = isRecord(value) ? value['system'] : undefined;
  return { file, name: file.name, messages, ...(typeof system === 'string' && { system }) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    try {
      return text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line): unknown => JSON.parse(line));
    } catch {
      return null;
    }
  }
}

const isRecord = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isMessage = (value: unknown): value is Message => isRecord(value) && typeof value['role'] === 'string';

export type Fate = 'kept' | 'replaced' | 'removed' | 'added';

/** One message of the conversation before, or one that compaction wrote. */
export interface Line {
  readonly fate: Fate;
  /** In the conversation before, from 1; null for an added message. */
  readonly number: number | null;
  readonly role: string;
  readonly excerpt: string;
  /** Characters before, and after for what is sent on. */
  readonly before: number;
  readonly after: number;
}

/** Every message in order, with what became of it. */
export function fatesOf(before: readonly Message[], after: readonly unknown[]): readonly Line[] {
  const texts = before.map((message) => JSON.stringify(message));
  const lines: Line[] = [];
  let next = 0;
  const removeUntil = (end: number) => {
    for (; next < end; next++) lines.push(lineOf('removed', next, before[next], texts[next] ?? '', ''));
  };
  for (const message of after) {
    if (!isRecord(message)) continue;
    const text = JSON.stringify(message);
    const same = texts.indexOf(text, next);
    const at = same >= 0 ? same : twinOf(message, before, next);
    if (at < 0) lines.push(lineOf('added', null, message, '', text));
    else {
      removeUntil(at);
      lines.push(lineOf(same >= 0 ? 'kept' : 'replaced', at, message, texts[at] ?? '', text));
      next = at + 1;
    }
  }
  removeUntil(before.length);
  return lines;
}

/** The message that `message` stands for: the one with the same tool calls. */
function twinOf(message: Message, before: readonly Message[], from: number): number {
  const ids = idsOf(message);
  if (ids === '') return -1;
  return before.findIndex(
    (other, index) => index >= from && other['role'] === message['role'] && idsOf(other) === ids,
  );
}

const ID = /"(?:id|tool_call_id|tool_use_id|toolCallId|call_id)":"([^"]+)"/g;
const idsOf = (message: Message): string =>
  [...JSON.stringify(message).matchAll(ID)].map(([, id]) => id).join('\u0000');

function lineOf(
  fate: Fate,
  index: number | null,
  message: Message | undefined,
  before: string,
  after: string,
): Line {
  return {
    fate,
    number: index === null ? null : index + 1,
    role: String(message?.['role'] ?? ''),
    excerpt: excerptOf(message),
    before: before.length,
    after: after.length,
  };
}

function excerptOf(message: Message | undefined): string {
  const content = message?.['content'];
  const calls = message?.['tool_calls'];
  const text =
    typeof content === 'string' && content !== ''
      ? content
      : JSON.stringify(content ?? calls ?? message ?? '');
  return text.replace(/\s+/g, ' ').slice(0, 160);
}
