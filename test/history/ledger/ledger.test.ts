// The ledger recognises its conversation in every form, and forgets what a caller rewinds.

import { describe, expect, it } from 'vitest';
import { codecOf } from '../../../src/history/index.ts';
import { Ledger } from '../../../src/history/ledger/ledger.ts';
import { type Chat, contentOf, says, system, user } from '../../support/chat.ts';

const codec = codecOf<Chat>('openai-chat');
const texts = (ledger: Ledger<Chat>, list: readonly Chat[]): string[] =>
  ledger.follow(list).map(({ message }) => contentOf(message));
const talk = (count: number, who: string = 'm'): Chat[] =>
  Array.from({ length: count }, (_, at) => (at % 2 === 0 ? user : says)(`${who}${at}`));

/** A notice that replaces m1 and m2, and a shortened m3. */
function decided(): { ledger: Ledger<Chat>; list: Chat[]; given: Chat[] } {
  const ledger = new Ledger(codec);
  const list = talk(5);
  ledger.follow(list);
  ledger.remove([1, 2]);
  const edits = [{ op: 'text', item: 0, text: 'short' } as const];
  const edited = codec.edit(list[3] ?? {}, edits) ?? {};
  ledger.edit(3, edits, edited);
  const made = { kind: 'notice', text: '[history: 2 earlier messages left out]', role: 'user' } as const;
  ledger.insert(1, made, [1, 2]);
  return { ledger, list, given: ledger.follow(list).map(({ message }) => message) };
}

const NOTICE = '[history: 2 earlier messages left out]';
const LATER = '[history: 4 earlier messages left out]';

/** Removes entries and inserts a notice before the first. */
function take(ledger: Ledger<Chat>, gone: number[], text: string, covers: number[]): void {
  ledger.remove(gone);
  const made = { kind: 'notice', text, role: 'user' } as const;
  ledger.insert(gone[0] ?? null, made, covers);
}

/** A notice that replaces m1 and m2, and after m6 another that replaces that notice, m3 and m4. */
function decidedTwice(): { ledger: Ledger<Chat>; list: Chat[]; first: Chat[] } {
  const ledger = new Ledger(codec);
  const list = talk(7);
  ledger.follow(list);
  take(ledger, [1, 2], NOTICE, [1, 2]);
  const first = ledger.follow(list).map(({ message }) => message);
  take(ledger, [7, 3, 4], LATER, [1, 2, 7, 3, 4]);
  return { ledger, list, first };
}

const SHOWN = ['m0', '[history: 2 earlier messages left out]', 'short', 'm4'];

describe('a ledger', () => {
  it('returns messages by reference', () => {
    const ledger = new Ledger(codec);
    const list = talk(4);
    const shown = ledger.follow(list);
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
    const saved = ledger.saved();
    expect(texts(ledger, given)).toEqual(SHOWN);
    expect(ledger.follow(given).map(({ message }) => message)).toEqual(given);
    expect(texts(ledger, list)).toEqual(SHOWN);
    expect(ledger.saved()).toEqual(saved);
  });

  it('accepts new messages after either', () => {
    for (const of of ['list', 'given'] as const) {
      const one = decided();
      const more = [...one[of], says('m5'), user('m6')];
      expect(texts(one.ledger, more)).toEqual([...SHOWN, 'm5', 'm6']);
      expect(texts(one.ledger, [...one.list, says('m5'), user('m6')])).toEqual([...SHOWN, 'm5', 'm6']);
    }
  });

  it('forgets messages the caller rewinds, with their notices', () => {
    const { ledger, list } = decided();
    const edited = [...list.slice(0, 2), user('another')];
    expect(texts(ledger, edited)).toEqual(['m0', 'm1', 'another']);
    expect(ledger.forgotten).toBe(1);
    expect(ledger.saved().list).toHaveLength(3);
    // A restored message is like any other.
    expect(texts(ledger, list)).toEqual(['m0', 'm1', 'm2', 'm3', 'm4']);
  });

  it('keeps decisions before the rewind position', () => {
    const { ledger, list } = decided();
    expect(texts(ledger, [...list.slice(0, 4), user('again')])).toEqual([...SHOWN.slice(0, 3), 'again']);
    expect(ledger.forgotten).toBe(0);
  });

  it('reads a list again, as it is, that is rewound into what a notice replaces', () => {
    expect(texts(decidedTwice().ledger, talk(7))).toEqual(['m0', LATER, 'm5', 'm6']);
    for (const of of ['list', 'first'] as const) {
      const one = decidedTwice();
      const end = one[of].findIndex((message) => contentOf(message) === 'm4');
      const again = [...one[of].slice(0, end), user('another')];
      expect(texts(one.ledger, again)).toEqual(again.map(contentOf));
      expect(one.ledger.forgotten).toBe(1);
      // An earlier notice in it is one still.
      const notices = one.ledger.follow(again).flatMap(({ isNotice }, at) => (isNotice ? [at] : []));
      expect(notices).toEqual(of === 'first' ? [1] : []);
      expect(one.ledger.forgotten).toBe(1);
    }
  });

  it('keeps a notice that the list holds, even if the messages it covers are rewound', () => {
    const ledger = new Ledger(codec);
    ledger.follow(talk(8));
    take(ledger, [1, 2, 4, 6], LATER, [1, 2, 4, 6]);
    const given = ledger.follow(talk(8)).map(({ message }) => message);
    expect(given.map(contentOf)).toEqual(['m0', LATER, 'm3', 'm5', 'm7']);
    // This list contains the notice's content nowhere else.
    expect(texts(ledger, [...given.slice(0, 3), says('another')])).toEqual(['m0', LATER, 'm3', 'another']);
  });

  it('restores partly removed messages', () => {
    const ledger = new Ledger(codec);
    const parts = (...all: string[]): Chat => ({
      role: 'user',
      content: all.map((text) => ({ type: 'text', text })),
    });
    const list = [user('m0'), parts('a', 'b', 'c'), says('m2'), user('m3'), says('m4'), user('m5')];
    const remove = (item: number): void => {
      const [, shown] = ledger.follow(list).filter(({ made }) => made === null);
      const edits = [{ op: 'remove', item } as const];
      const edited = codec.edit(shown?.message ?? {}, edits) ?? {};
      ledger.edit(1, edits, edited);
    };
    const partsOf = (of: readonly Chat[]): (string | undefined)[] =>
      ledger.follow(of).flatMap(({ view }) => view.items.map(({ text }) => text));
    ledger.follow(list);
    remove(0);
    take(ledger, [2], NOTICE, [1, 2]);
    remove(0);
    take(ledger, [6, 4], LATER, [1, 2, 6, 1, 4]);
    expect(partsOf(list)).toEqual(['m0', 'c', LATER, 'm3', 'm5']);
    expect(partsOf([...list.slice(0, 4), says('other')])).toEqual(['m0', 'a', 'b', 'c', 'm2', 'm3', 'other']);
    expect(partsOf([...list.slice(0, 2), says('other')])).toEqual(['m0', 'a', 'b', 'c', 'other']);
  });

  describe('with three notices, two of them superseded', () => {
    const LAST = '[history: 6 earlier messages left out]';
    const shown = ['m0', LAST, 'm7', 'm8'];
    function condensed(): { ledger: Ledger<Chat>; list: Chat[]; given: Chat[] } {
      const ledger = new Ledger(codec);
      const list = talk(9);
      const followed = (of: readonly Chat[]): Chat[] => ledger.follow(of).map(({ message }) => message);
      followed(list);
      take(ledger, [1, 2], NOTICE, [1, 2]);
      const first = followed(list);
      followed(first);
      take(ledger, [9, 3, 4], LATER, [1, 2, 9, 3, 4]);
      const second = followed(first);
      followed(second);
      take(ledger, [10, 5, 6], LAST, [1, 2, 9, 3, 4, 10, 5, 6]);
      const given = followed(second);
      followed(given);
      return { ledger, list, given };
    }

    it('keeps the newest, and the marks of the originals', () => {
      const { ledger, given } = condensed();
      const { list, gone, covers } = ledger.saved();
      const mark = expect.stringMatching(/^[0-9a-f]{32}$/);
      const marks = Array.from({ length: 8 }, () => mark);
      expect(list).toMatchObject([mark, { made: { text: LAST } }, ...marks]);
      expect(gone).toEqual([[2, 7]]);
      expect(covers).toMatchObject([{ by: 1, entries: [[2, 7]] }]);
      expect(texts(ledger, given)).toEqual(shown);
    });

    it('recognises the originals and restores them', () => {
      for (const through of [false, true]) {
        const { ledger, list, given } = condensed();
        const one = through ? new Ledger(codec, JSON.parse(JSON.stringify(ledger.saved()))) : ledger;
        expect(texts(one, list)).toEqual(shown);
        expect(texts(one, given)).toEqual(shown);
        expect(texts(one, [...list, user('more')])).toEqual([...shown, 'more']);
        expect(one.forgotten).toBe(0);
        expect(texts(one, [...list.slice(0, 4), user('other')])).toEqual(['m0', 'm1', 'm2', 'm3', 'other']);
        expect(one.forgotten).toBe(1);
      }
    });
  });

  it('forgets many messages that no list holds, and reads the originals again, as they are', () => {
    for (const through of [false, true]) {
      const ledger = new Ledger(codec);
      const list = talk(103);
      ledger.follow(list);
      const gone = Array.from({ length: 100 }, (_, at) => at + 1);
      take(ledger, gone, NOTICE, gone);
      const given = ledger.follow(list).map(({ message }) => message);
      ledger.follow(given);
      expect(ledger.saved().list).toHaveLength(4);
      const one = through ? new Ledger(codec, JSON.parse(JSON.stringify(ledger.saved()))) : ledger;
      expect(texts(one, given)).toEqual(['m0', NOTICE, 'm101', 'm102']);
      expect(texts(one, list)).toEqual(list.map(contentOf));
    }
  });

  it('drops fillers together with their notice', () => {
    const ledger = new Ledger(codec);
    ledger.follow(talk(7));
    const word = (before: number): void => {
      const made = { kind: 'notice', text: '[history: answer left out]', role: 'assistant' } as const;
      ledger.insert(before, made);
    };
    take(ledger, [1], NOTICE, [1]);
    word(2);
    take(ledger, [7, 8, 3], LATER, [1, 7, 8, 3]);
    word(2);
    word(4);
    expect(texts(ledger, [...talk(3), says('other')])).toEqual(['m0', 'm1', 'm2', 'other']);
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
    again.follow([user('m0'), user(NOTICE), says('m1')]);
    const state = JSON.parse(JSON.stringify(again.saved()));
    expect(
      new Ledger(codec, state).follow([user('m0'), user(NOTICE), says('m1')]).map(({ isNotice }) => isNotice),
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
    expect(ledger.follow(yes(9))).toHaveLength(9);
    ledger.remove([2, 3]);
    expect(ledger.follow(yes(9)).map(({ entry }) => entry)).toEqual([0, 1, 4, 5, 6, 7, 8]);
    expect(ledger.follow(yes(11)).map(({ entry }) => entry)).toEqual([0, 1, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('treats changed instructions as the same entry', () => {
    const ledger = new Ledger(codec);
    ledger.follow([system('It is one.'), ...talk(3)]);
    ledger.remove([2]);
    const [first, ...rest] = ledger.follow([system('It is two.'), ...talk(3)]);
    expect(contentOf(first?.message)).toBe('It is two.');
    expect(rest.map(({ entry }) => entry)).toEqual([1, 3]);
  });

  it('continues from its saved form as JSON', () => {
    const { ledger, list, given } = decided();
    const again = new Ledger(codec, JSON.parse(JSON.stringify(ledger.saved())));
    expect(texts(again, list)).toEqual(SHOWN);
    expect(texts(new Ledger(codec, JSON.parse(JSON.stringify(ledger.saved()))), given)).toEqual(SHOWN);
    expect(again.saved()).toEqual(ledger.saved());
  });

  // Quadratic work would time out.
  it('follows a list of 60 000 messages', () => {
    const ledger = new Ledger(codec);
    const list = talk(60_000);
    expect(ledger.follow(list)).toHaveLength(60_000);
    ledger.remove(Array.from({ length: 40_000 }, (_, at) => at + 1));
    expect(ledger.follow(list)).toHaveLength(20_000);
    expect(ledger.follow(list.slice(0, 100))).toHaveLength(1);
  });
});
