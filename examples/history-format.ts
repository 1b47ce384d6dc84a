import {
  type ChangeAt,
  compact,
  createCodec,
  item,
  type MessageFormat,
  type Slot,
  slot,
} from 'lectern/history';

// Messages of the pi coding agent: `{ role: 'toolResult', toolCallId, … }` and calls among the content.
type Fields = Readonly<Record<string, unknown>>;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const asPart = (said: string): Fields => ({ type: 'text', text: said });

/** What a part of a content is, where it is, and which fields of it can be changed. */
function readPart(part: Fields, index: number, kind: 'user' | 'text'): Slot {
  const at = ['content', index];
  const sealed = part['thinkingSignature'] !== undefined || part['thoughtSignature'] !== undefined;
  if (part['type'] === 'text') return slot(at, item(kind, { text: text(part['text']) }), { text: ['text'] });
  if (part['type'] === 'thinking')
    return slot(at, item('reasoning', { text: text(part['thinking']), sealed }));
  if (part['type'] !== 'toolCall') return slot(at, item('opaque', { weight: JSON.stringify(part).length }));
  const args = Object(part['arguments']);
  const facts = { callId: text(part['id']), toolName: text(part['name']), args, sealed };
  return slot(at, item('call', { ...facts, text: JSON.stringify(args) }), { args: ['arguments'] });
}

const pi: MessageFormat = {
  name: 'pi',
  rules: {
    startsWith: 'user',
    endsWithUser: false,
    alternates: false,
    results: 'after',
    resultsTogether: false,
    callId: null,
    mayBeEmpty: true,
    reasoningAlone: false,
    argsBesideSealed: false,
  },
  detect: (messages) => messages.some((message) => Object(message).role === 'toolResult'),
  read: (message) => {
    const { role, content } = message;
    const parts: readonly Fields[] = Array.isArray(content) ? content : [];
    if (role !== 'toolResult') {
      const [side, kind] =
        role === 'assistant' ? (['assistant', 'text'] as const) : (['user', 'user'] as const);
      return { role: side, slots: parts.map((part, index) => readPart(part, index, kind)) };
    }
    const own = item('result', {
      text: parts.map((part) => text(part['text'])).join('\n'),
      callId: text(message['toolCallId']),
      toolName: text(message['toolName']),
      isError: message['isError'] === true,
    });
    const write = (before: unknown, change: ChangeAt): unknown => {
      const instead = change(0)?.text ?? null;
      return instead === null ? before : [asPart(instead)];
    };
    return { role: 'tool', slots: [{ items: [own], places: [{ at: ['content'], write }] }] };
  },
  list: 'content',
  part: asPart,
  notice: (said, role) => ({ role, content: [asPart(said)], timestamp: 0 }),
  answer: ({ callId, toolName }, said) => ({
    role: 'toolResult',
    toolCallId: callId,
    toolName,
    content: [asPart(said)],
    isError: true,
    timestamp: 0,
  }),
};

const session: object[] = [{ role: 'user', content: [asPart('Find the late orders.')], timestamp: 0 }];
for (let month = 1; month <= 24; month += 1) {
  const id = `call_${month}`;
  const rows = Array.from({ length: 150 }, (_, row) => `order-${month}-${row},late by ${row % 9} days`);
  session.push(
    {
      role: 'assistant',
      content: [{ type: 'toolCall', id, name: 'query', arguments: { month } }],
      timestamp: 0,
    },
    {
      role: 'toolResult',
      toolCallId: id,
      toolName: 'query',
      content: [asPart(rows.join('\n'))],
      timestamp: 0,
    },
  );
}
const { messages, report } = await compact(session, { format: createCodec(pi), window: 30_000 });
console.log(`${report.codec}: ${report.action}, ${session.length} messages, now ${messages.length}`);
