// States of an earlier version: what they decided holds on, and can be taken back as what today's decide.

import { describe, expect, it } from 'vitest';
import { eventsOfToday } from '../../src/history/earlier-events.ts';
import { codecOf } from '../../src/history/index.ts';
import { Ledger, type LedgerEvent } from '../../src/history/ledger.ts';
import { type Chat, contentOf, says, user } from '../support/chat.ts';

const codec = codecOf<Chat>('openai-chat');
const mark = (message: Chat): string => new Ledger(codec).mark(message);
const talk = (count: number): Chat[] =>
  Array.from({ length: count }, (_, at) => (at % 2 === 0 ? user : says)(`m${at}`));
const texts = (ledger: Ledger<Chat>, list: readonly Chat[]): string[] =>
  ledger.follow(list).map(({ message }) => contentOf(message));
const NOTICE = '[history: 2 earlier messages left out]';
const made = { kind: 'notice', text: NOTICE, role: 'user' } as const;
const seen = (list: readonly Chat[]): LedgerEvent => ({ type: 'seen', marks: list.map(mark) });

describe('events of an earlier version', () => {
  it('take back a notice that was told before what it stands for was gone', () => {
    const list = talk(5);
    const edits = [{ op: 'text', item: 0, text: `m0 ${NOTICE}` } as const];
    const edited = codec.edit(list[0] ?? {}, edits) ?? {};
    const ledger = new Ledger(
      codec,
      eventsOfToday([
        seen(list),
        { type: 'edited', entry: 0, edits, mark: mark(edited), covers: [1, 2] },
        { type: 'gone', entries: [1, 2] },
      ]),
    );
    expect(texts(ledger, list)).toEqual([`m0 ${NOTICE}`, 'm3', 'm4']);
    expect(texts(ledger, talk(3))).toEqual(['m0', 'm1', 'm2']);
  });

  it('count in positions no message of ours that was taken back', () => {
    const list = talk(5);
    const [m0, m1] = talk(2);
    const last = user('y');
    const events: LedgerEvent[] = [
      seen(list),
      { type: 'gone', entries: [1, 2] },
      { type: 'made', before: 1, made, mark: mark(user(NOTICE)), covers: [1, 2] },
      { type: 'rewound', position: 3 },
      seen([user('x')]),
      { type: 'rewound', position: 3 },
      seen([last]),
    ];
    const ledger = new Ledger(codec, eventsOfToday(events));
    const known = ledger.events.length;
    expect(texts(ledger, [m0 ?? {}, m1 ?? {}, last])).toEqual(['m0', 'm1', 'y']);
    expect(ledger.events).toHaveLength(known);
  });

  it('keep a word for an answer with its notice', () => {
    const word = { kind: 'notice', text: '[history: the answer is left out]', role: 'assistant' } as const;
    const list = talk(5);
    const events: LedgerEvent[] = [
      seen(list),
      { type: 'gone', entries: [1] },
      { type: 'made', before: 1, made, mark: mark(user(NOTICE)), covers: [1] },
      { type: 'made', before: 2, made: word, mark: mark(says(word.text)), covers: [] },
    ];
    const ledger = new Ledger(codec, eventsOfToday(events));
    expect(texts(ledger, list)).toEqual(['m0', NOTICE, word.text, 'm2', 'm3', 'm4']);
    expect(texts(ledger, talk(2))).toEqual(['m0', 'm1']);
    expect(texts(ledger, list)).toEqual(['m0', 'm1', 'm2', 'm3', 'm4']);
  });
});
