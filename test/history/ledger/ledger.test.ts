// The ledger recognises its conversation in every form, and forgets what a caller rewinds.

import { describe, expect, it } from 'vitest';
import type { Edit } from '../../../src/history/codecs/message.ts';
import { codecOf } from '../../../src/history/index.ts';
import { Ledger, type Step } from '../../../src/history/ledger/ledger.ts';
import { type Chat, contentOf, says, system, user } from '../../support/chat.ts';

const codec = codecOf<Chat>('openai-chat');
const NOTICE = '[history: 2 earlier messages left out]';
const LATER = '[history: 4 earlier messages left out]';

const followed = (ledger: Ledger<Chat>, list: readonly Chat[]): Chat[] =>
  ledger.follow(list).map(({ message }) => message);
const texts = (ledger: Ledger<Chat>, list: readonly Chat[]): string[] =>
  followed(ledger, list).map(contentOf);
const talk = (count: number, who: string = 'm'): Chat[] =>
  Array.from({ length: count }, (_, at) => (at % 2 === 0 ? user : says)(`${who}${at}`));
const through = (ledger: Ledger<Chat>): Ledger<Chat> =>
  new Ledger(codec, JSON.parse(JSON.stringify(ledger.saved())));

/** Decisions about messages of `list` by their texts: those that go, edits, and a notice in front of the first that goes. */
interface Decided {
  readonly gone?: readonly string[];
  readonly edits?: Readonly<Record<string, Edit>>;
  readonly notice?: string;
}

/** Follows the list, and returns what is shown then. */
function decide(
  ledger: Ledger<Chat>,
  list: readonly Chat[],
  { gone = [], edits = {}, notice }: Decided,
): Chat[] {
  const steps = followed(ledger, list).flatMap((message, at): Step<Chat>[] => {
    const text = contentOf(message);
    const made = { kind: 'notice', text: notice ?? '', role: 'user' } as const;
    const added: Step<Chat>[] = notice !== undefined && text === gone[0] ? [{ made, isNotice: true }] : [];
    if (gone.includes(text)) return added;
    const own = edits[text] ? [edits[text]] : [];
    return [{ at, edits: own, message: codec.edit(message, own) ?? message, isNotice: false }];
  });
  return ledger.decide(steps).map(({ message }) => message);
}

/** A notice that replaces m1 and m2, and a shortened m3. */
function decided(): { ledger: Ledger<Chat>; list: Chat[]; given: Chat[] } {
  const ledger = new Ledger(codec);
  const list = talk(5);
  const edits = { m3: { op: 'text', item: 0, text: 'short' } } as const;
  return { ledger, list, given: decide(ledger, list, { gone: ['m1', 'm2'], edits, notice: NOTICE }) };
}

/** A notice that replaces m1 and m2, and after m6 another that replaces that notice, m3 and m4. */
function decidedTwice(): { ledger: Ledger<Chat>; list: Chat[]; first: Chat[]; given: Chat[] } {
  const ledger = new Ledger(codec);
  const list = talk(7);
  const [m5 = {}, m6 = {}] = list.slice(5);
  const first = [...decide(ledger, talk(5), { gone: ['m1', 'm2'], notice: NOTICE }), m5, m6];
  return { ledger, list, first, given: decide(ledger, first, { gone: [NOTICE, 'm3', 'm4'], notice: LATER }) };
}

const SHOWN = ['m0', NOTICE, 'short', 'm4'];

describe('a ledger', () => {
  it('returns messages by reference', () => {
    const list = talk(4);
    const shown = new Ledger(codec).follow(list);
    expect(shown.map(({ message, position }) => [message, position])).toEqual(
      list.map((message, at) => [message, at]),
    );
    shown.forEach(({ message }, at) => {
      expect(message).toBe(list[at]);
    });
  });

  it('applies its decisions to the originals, and recognises its own output', () => {
    const { ledger, list, given } = decided();
    expect(given.map(contentOf)).toEqual(SHOWN);
    expect(given[0]).toBe(list[0]);
    for (const one of [ledger, through(ledger)]) {
      const saved = one.saved();
      expect(saved).toEqual(ledger.saved());
      expect(followed(one, given)).toEqual(given);
      expect(texts(one, list)).toEqual(SHOWN);
      expect(one.saved()).toEqual(saved);
    }
  });

  it('accepts new messages after either', () => {
    for (const of of ['list', 'given'] as const) {
      const one = decided();
      const more = [...one[of], says('m5'), user('m6')];
      expect(texts(one.ledger, more)).toEqual([...SHOWN, 'm5', 'm6']);
      expect(texts(one.ledger, [...one.list, says('m5'), user('m6')])).toEqual([...SHOWN, 'm5', 'm6']);
    }
  });

  it('keeps of removed messages only how many they are, and one fingerprint', () => {
    const { ledger } = decidedTwice();
    const mark = expect.stringMatching(/^[0-9a-f]{32}$/);
    expect(ledger.saved().now).toEqual({
      cut: { count: 5, mark },
      list: [
        mark,
        { made: { kind: 'notice', text: LATER, role: 'user' }, marks: [mark], notice: 0 },
        4,
        mark,
        mark,
      ],
    });
  });

  it('shows the same for the originals, its output, and the list that it decided about', () => {
    for (const of of ['list', 'first', 'given'] as const) {
      const { ledger, ...lists } = decidedTwice();
      for (const one of [ledger, through(ledger)]) {
        expect(texts(one, lists[of])).toEqual(['m0', LATER, 'm5', 'm6']);
        expect(texts(one, [...lists[of], says('m7')])).toEqual(['m0', LATER, 'm5', 'm6', 'm7']);
        expect(one.forgotten).toBe(0);
      }
    }
  });

  it('forgets messages the caller rewinds, with their notices', () => {
    const { ledger, list } = decided();
    const edited = [...list.slice(0, 2), user('another')];
    expect(texts(ledger, edited)).toEqual(['m0', 'm1', 'another']);
    expect(ledger.forgotten).toBe(1);
    expect(ledger.saved().now.list).toHaveLength(3);
    // A restored message is like any other.
    expect(texts(ledger, list)).toEqual(['m0', 'm1', 'm2', 'm3', 'm4']);
  });

  it('keeps decisions before the rewind position', () => {
    const { ledger, list } = decided();
    expect(texts(ledger, [...list.slice(0, 4), user('again')])).toEqual([...SHOWN.slice(0, 3), 'again']);
    expect(ledger.forgotten).toBe(0);
  });

  it('goes back to the notice before, if the list holds that or what it speaks for', () => {
    for (const of of ['list', 'first'] as const) {
      const { ledger, ...lists } = decidedTwice();
      const end = lists[of].findIndex((message) => contentOf(message) === 'm4');
      const again = [...lists[of].slice(0, end), user('another')];
      expect(texts(ledger, again)).toEqual(['m0', NOTICE, 'm3', 'another']);
      expect(ledger.forgotten).toBe(1);
    }
  });

  it('reads a list again, as it is, that is rewound further', () => {
    const { ledger, list } = decidedTwice();
    expect(texts(ledger, [...list.slice(0, 2), user('another')])).toEqual(['m0', 'm1', 'another']);
    expect(ledger.forgotten).toBe(1);
  });

  it('keeps a notice that the list holds, even if the messages it covers are rewound', () => {
    const ledger = new Ledger(codec);
    const given = decide(ledger, talk(8), { gone: ['m1', 'm2', 'm4', 'm6'], notice: LATER });
    expect(given.map(contentOf)).toEqual(['m0', LATER, 'm3', 'm5', 'm7']);
    // This list contains the notice's content nowhere else.
    const again = [...given.slice(0, 3), says('another')];
    expect(texts(ledger, again)).toEqual(['m0', LATER, 'm3', 'another']);
    expect(decide(ledger, again, { gone: [LATER, 'm3'], notice: NOTICE }).map(contentOf)).toEqual([
      'm0',
      NOTICE,
      'another',
    ]);
    expect(texts(ledger, again)).toEqual(['m0', NOTICE, 'another']);
    // The messages that the list stood for are not known any more.
    expect(texts(ledger, talk(8))).toEqual(talk(8).map(contentOf));
  });

  it('shows a message that lost parts twice', () => {
    const ledger = new Ledger(codec);
    const parts = { role: 'user', content: ['a', 'b', 'c'].map((text) => ({ type: 'text', text })) };
    const list = [user('m0'), parts, says('m2'), user('m3'), says('m4'), user('m5')];
    const partsOf = (of: readonly Chat[]): string[] =>
      ledger.follow(of).flatMap(({ view }) => view.items.map(({ text }) => text));
    const remove = { op: 'remove', item: 0 } as const;
    const edits = { [contentOf(parts)]: remove };
    const first = decide(ledger, list, { gone: ['m2'], edits, notice: NOTICE });
    expect(partsOf(list)).toEqual(['m0', 'b', 'c', NOTICE, 'm3', 'm4', 'm5']);
    const again = { [contentOf(first[1])]: remove };
    decide(ledger, first, { gone: [NOTICE, 'm4'], edits: again, notice: LATER });
    for (const of of [list, first]) expect(partsOf(of)).toEqual(['m0', 'c', LATER, 'm3', 'm5']);
    expect(partsOf([...list.slice(0, 4), says('other')])).toEqual(['m0', 'b', 'c', NOTICE, 'm3', 'other']);
    expect(partsOf([...list.slice(0, 2), says('other')])).toEqual(['m0', 'a', 'b', 'c', 'other']);
  });

  it("recognises another compactor's notice only at valid positions", () => {
    const noticed = (list: readonly Chat[]): number[] =>
      new Ledger(codec).follow(list).flatMap(({ isNotice }, at) => (isNotice ? [at] : []));
    expect(noticed([system('It is.'), user('m0'), user(NOTICE), says('m1')])).toEqual([2]);
    expect(noticed([user(NOTICE), user('m0'), says('m1')])).toEqual([0]);
    // An answer without content is removed.
    const empty: Chat = { role: 'assistant', content: null };
    expect(noticed([empty, user('m0'), user(NOTICE), says('m1')])).toEqual([1]);
    // The list starts with an answer.
    expect(noticed([user(NOTICE), says('m1'), user('m2')])).toEqual([0]);
    expect(noticed([user('m0'), user(NOTICE)])).toEqual([]);
    expect(noticed([user('m0'), says('m1'), user(NOTICE), says('m2')])).toEqual([]);
    expect(noticed([user('m0'), user('m1'), user(NOTICE), says('m2')])).toEqual([]);
    const ledger = new Ledger(codec);
    ledger.follow([user(NOTICE)]);
    expect(ledger.follow([user(NOTICE), says('m1'), user('m2')]).some(({ isNotice }) => isNotice)).toBe(
      false,
    );
    const again = new Ledger(codec);
    const list = [user('m0'), user(NOTICE), says('m1')];
    again.follow(list);
    expect(
      through(again)
        .follow(list)
        .map(({ isNotice }) => isNotice),
    ).toEqual([false, true, false]);
  });

  it('starts over if nothing is recognised', () => {
    const { ledger } = decided();
    expect(texts(ledger, talk(3, 'other'))).toEqual(['other0', 'other1', 'other2']);
    expect(texts(ledger, [])).toEqual([]);
    expect(texts(ledger, talk(1))).toEqual(['m0']);
  });

  it('distinguishes messages with the same text', () => {
    const ledger = new Ledger(codec);
    const yes = (count: number): Chat[] =>
      Array.from({ length: count }, (_, at) => (at % 2 ? says('ok') : user('yes')));
    const all = ledger.follow(yes(9)).map(({ message }, at) => ({ at, edits: [], message, isNotice: false }));
    ledger.decide(all.filter(({ at }) => at !== 2 && at !== 3));
    for (const count of [9, 11])
      expect(ledger.follow(yes(count)).map(({ position }) => position)).toEqual(
        Array.from({ length: count }, (_, at) => at).filter((at) => at !== 2 && at !== 3),
      );
  });

  it('treats changed instructions as the same entry', () => {
    const ledger = new Ledger(codec);
    decide(ledger, [system('It is one.'), ...talk(3)], { gone: ['m1'] });
    expect(texts(ledger, [system('It is two.'), ...talk(3)])).toEqual(['It is two.', 'm0', 'm2']);
  });

  // Quadratic work would time out.
  it('follows a list of 60 000 messages', () => {
    const ledger = new Ledger(codec);
    const list = talk(60_000);
    const all = ledger.follow(list).map(({ message }, at) => ({ at, edits: [], message, isNotice: false }));
    ledger.decide(all.filter(({ at }) => at === 0 || at > 40_000));
    expect(ledger.follow(list)).toHaveLength(20_000);
    expect(ledger.follow(list.slice(0, 100))).toHaveLength(100);
  });
});
