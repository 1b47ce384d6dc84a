// Checks that apply to every codec of OpenAI's formats, on samples of its own messages and on junk.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Codec } from '../../../src/history/codecs/codec.ts';
import type { Edit, Item } from '../../../src/history/codecs/message.ts';
import { draws } from '../../support/draws.ts';

const LOUD = "$& $` $' $1 \u{1f600} [history: x]";

function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    for (const field of Object.values(value)) frozen(field);
    Object.freeze(value);
  }
  return value;
}

function itemsOf(codec: Codec, message: unknown): readonly Item[] {
  return codec.view(message).items;
}

const edits: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ op: fc.constant('text' as const), item: fc.nat(6), text: fc.string() }),
  fc.record({
    op: fc.constant('args' as const),
    item: fc.nat(6),
    args: fc.dictionary(fc.string(), fc.string()),
  }),
  fc.record({ op: fc.constant('media' as const), item: fc.nat(6), text: fc.string() }),
  fc.record({ op: fc.constant('remove' as const), item: fc.nat(6) }),
  fc.record({ op: fc.constant('append' as const), text: fc.string() }),
  fc.record({
    op: fc.constant('answer' as const),
    calls: fc.array(fc.record({ callId: fc.string(), toolName: fc.string() })),
    text: fc.string(),
  }),
);

/** `value` with one nested value replaced. */
function broken(value: unknown, path: readonly number[], junk: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined || typeof value !== 'object' || value === null) return junk;
  const keys = Object.keys(value);
  const key = keys[first % Math.max(1, keys.length)];
  if (key === undefined) return junk;
  const changed = broken(Reflect.get(value, key), rest, junk);
  if (Array.isArray(value)) return value.map((entry: unknown, at) => (String(at) === key ? changed : entry));
  return { ...value, [key]: changed };
}

function throwing(): unknown {
  return {
    role: 'user',
    get content(): string {
      throw new Error('no');
    },
  };
}

function cyclic(): unknown {
  const message: Record<string, unknown> = { role: 'user', type: 'odd', content: [] };
  message['content'] = [message];
  return message;
}

/** Tests `codec` on `samples`, named messages. */
export function keepsToContract(codec: Codec, samples: Readonly<Record<string, unknown>>): void {
  const messages = Object.values(samples);
  const named = Object.entries(samples);

  describe(`${codec.name} of anything`, () => {
    const anyOfIt = fc.oneof(
      fc.anything({ withBigInt: true, withDate: true, withMap: true, withTypedArray: true }),
      fc
        .tuple(
          fc.constantFrom(...messages),
          fc.array(fc.nat(9), { minLength: 1, maxLength: 4 }),
          fc.anything(),
        )
        .map(([message, path, junk]) => broken(message, path, junk)),
    );
    it('views, edits and encodes without throwing', () => {
      fc.assert(
        fc.property(anyOfIt, fc.array(edits, { maxLength: 5 }), (message, made) => {
          const { items } = codec.view(message);
          for (const { text, weight, links } of items) {
            expect(typeof text).toBe('string');
            expect(weight).toBeGreaterThanOrEqual(0);
            expect(Array.isArray(links)).toBe(true);
          }
          expect(codec.edit(message, [])).toBe(message);
          const edited = codec.edit(message, made);
          if (edited !== null) codec.view(edited);
          const encoded = codec.encode(message);
          expect(JSON.parse(JSON.stringify(encoded))).toEqual(encoded);
          codec.detect([message]);
        }),
        { numRuns: draws(2000) },
      );
    });
    it('treats getters that throw, cycles and deep nesting as opaque', () => {
      let deep: unknown = 'x';
      for (let level = 0; level < 50_000; level += 1) deep = [deep];
      for (const message of [throwing(), cyclic(), { role: 'user', content: deep }, null, 7, 'x', []]) {
        expect(itemsOf(codec, message).every(({ kind }) => kind === 'opaque')).toBe(true);
        expect(() => codec.encode(message)).not.toThrow();
        expect(() => codec.edit(message, [{ op: 'append', text: 'x' }])).not.toThrow();
        expect(codec.detect([message])).toBe(false);
      }
      expect(codec.detect([])).toBe(false);
    });
  });

  describe(`${codec.name} edits`, () => {
    it.each(named)('give the same object when nothing changes: %s', (_, sample) => {
      const message = frozen(sample);
      const items = itemsOf(codec, message);
      const same = items.map((each, index): Edit => ({ op: 'text', item: index, text: each.text }));
      expect(codec.edit(message, [])).toBe(message);
      expect(codec.edit(message, same)).toBe(message);
      expect(codec.edit(message, [{ op: 'text', item: items.length, text: 'x' }])).toBe(message);
      expect(codec.edit(message, [{ op: 'remove', item: -1 }])).toBe(message);
      expect(
        codec.edit(message, [{ op: 'answer', calls: [{ callId: 'a', toolName: 'b' }], text: 'x' }]),
      ).toBe(message);
    });
    it.each(named)('show at their item and nowhere else: %s', (_, sample) => {
      const message = frozen(sample);
      const before = codec.view(message);
      before.items.forEach((each, index) => {
        const edit: Edit =
          each.kind === 'call'
            ? { op: 'args', item: index, args: { path: LOUD } }
            : { op: 'text', item: index, text: LOUD };
        const edited = codec.edit(message, [edit]);
        // Arguments that are not an object may or may not be replaced.
        if (each.kind === 'call' && each.args === null) return;
        const editable = !each.sealed && /^(?:system|user|text|result|call)$/.test(each.kind);
        if (!editable) {
          expect(edited).toBe(message);
          return;
        }
        expect(edited).not.toBe(message);
        const after = codec.view(edited);
        expect(after.role).toBe(before.role);
        expect(after.items.length).toBe(before.items.length);
        after.items.forEach((now, at) => {
          const was = before.items[at];
          if (at !== index) expect(now).toEqual(was);
          else if (each.kind === 'call') {
            const text = JSON.stringify({ path: LOUD });
            expect(now).toEqual({ ...was, text, args: { path: LOUD } });
          } else expect(now).toEqual({ ...was, text: LOUD });
        });
        expect(codec.edit(edited, [edit])).toEqual(edited);
      });
    });
    it.each(named)('put texts in the place of media: %s', (_, sample) => {
      const message = frozen(sample);
      const { items } = codec.view(message);
      items.forEach(({ kind, sealed }, index) => {
        if (kind !== 'media') return;
        const edited = codec.edit(message, [{ op: 'media', item: index, text: LOUD }]);
        if (sealed) {
          expect(edited).toBe(message);
          return;
        }
        const after = itemsOf(codec, edited);
        const media = (list: readonly Item[]): number => list.filter((each) => each.kind === 'media').length;
        expect(media(after)).toBe(media(items) - 1);
        expect(after.map(({ text }) => text).join('\n')).toContain(LOUD);
      });
    });
    it.each(named)('take items out: %s', (_, sample) => {
      const message = frozen(sample);
      const { items } = codec.view(message);
      expect(
        items.length === 0
          ? null
          : codec.edit(
              message,
              items.map((_each, index): Edit => ({ op: 'remove', item: index })),
            ),
      ).toBe(null);
      items.forEach((each, index) => {
        const edited = codec.edit(message, [{ op: 'remove', item: index }]);
        if (edited === null) return;
        const media = each.kind === 'result' ? each.callId : null;
        const left = items.filter(
          (other, at) => at !== index && (media === null || other.kind !== 'media' || other.callId !== media),
        );
        // Content that repeats another item only weighs nothing next to that item.
        const unweighed = (list: readonly Item[]): readonly Item[] =>
          list.map((one) => ({ ...one, weight: 0 }));
        expect(unweighed(itemsOf(codec, edited))).toEqual(unweighed(left));
      });
    });
    it.each(named)('append to user messages only: %s', (_, sample) => {
      const message = frozen(sample);
      const before = codec.view(message);
      const edited = codec.edit(message, [{ op: 'append', text: LOUD }]);
      if (before.role !== 'user' || before.items.every(({ kind }) => kind === 'opaque')) {
        expect(edited).toBe(message);
        return;
      }
      const after = itemsOf(codec, edited);
      expect(after.slice(0, -1)).toEqual(before.items);
      expect(after.at(-1)).toMatchObject({ kind: 'user', text: LOUD });
    });
    it.each(named)('leave what encode says of the rest: %s', (_, sample) => {
      const encoded = codec.encode(sample);
      expect(JSON.parse(JSON.stringify(encoded))).toEqual(encoded);
    });
  });

  it(`${codec.name} sees its own notices and answers`, () => {
    for (const role of ['user', 'assistant'] as const) {
      expect(codec.view(codec.notice(LOUD, role))).toMatchObject({
        role,
        items: [{ kind: role === 'user' ? 'user' : 'text', text: LOUD }],
      });
    }
    const callId = `call_${'x'.repeat(1500)}`;
    const answers = codec.answer([{ callId, toolName: 'read' }], LOUD);
    expect(answers.map((answer) => codec.view(answer))).toMatchObject([
      { role: 'tool', items: [{ kind: 'result', callId, text: LOUD }] },
    ]);
  });

  it(`${codec.name} is linear in a message of 100 000 parts and in a text of 5 MB`, () => {
    const content = Array.from({ length: 100_000 }, () => ({ type: 'text', text: 'x' }));
    const message = { role: 'user', content };
    expect(itemsOf(codec, message).length).toBe(100_000);
    const edited = codec.edit(message, [{ op: 'text', item: 5, text: 'y' }]);
    expect(itemsOf(codec, edited)[5]?.text).toBe('y');
    const long = { role: 'user', content: 'x'.repeat(5_000_000) };
    expect(itemsOf(codec, long)[0]?.text.length).toBe(5_000_000);
  });
}
