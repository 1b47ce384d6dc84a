// Checks that apply to every codec, on messages of its format and on arbitrary values.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Codec } from '../../../src/history/codecs/codec.ts';
import type { Edit, Item } from '../../../src/history/codecs/message.ts';
import { draws } from '../../support/draws.ts';

const anything: fc.Arbitrary<unknown> = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withSparseArray: true,
  withTypedArray: true,
  withObjectString: true,
});

/** Texts that contain replacement patterns and JSON syntax. */
export const said: fc.Arbitrary<string> = fc.oneof(
  fc.string({ minLength: 1 }).map((text) => `t${text}`),
  fc.constantFrom("$& $` $' $1", '"quoted" \\ \n line', '\u{1f600} \ud83d', 'x'.repeat(5000)),
);

/** Names of any length, like ids. */
export const callId: fc.Arbitrary<string> = fc.oneof(
  fc.stringMatching(/^[a-z]{1,8}_[A-Za-z0-9]{1,20}$/),
  fc.constant(`call_${'i'.repeat(1500)}`),
);

const anyEdit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ op: fc.constant('text' as const), item: fc.integer({ min: -1, max: 9 }), text: fc.string() }),
  fc.record({ op: fc.constant('media' as const), item: fc.integer({ min: -1, max: 9 }), text: fc.string() }),
  fc.record({ op: fc.constant('args' as const), item: fc.integer({ min: -1, max: 9 }), args: fc.object() }),
  fc.record({ op: fc.constant('remove' as const), item: fc.integer({ min: -1, max: 9 }) }),
  fc.record({ op: fc.constant('append' as const), text: fc.string() }),
  fc.record({
    op: fc.constant('answer' as const),
    calls: fc.array(fc.record({ callId: fc.string(), toolName: fc.string() }), { maxLength: 3 }),
    text: fc.string(),
  }),
);

export interface Format {
  readonly codec: Codec;
  /** Messages of the format. */
  readonly message: fc.Arbitrary<unknown>;
  /** An object with the format's fields that contains `junk`. */
  readonly around: (junk: fc.Arbitrary<unknown>) => fc.Arbitrary<unknown>;
  /** The parts of a native message. */
  readonly partsOf: (message: unknown) => readonly unknown[];
  /** Whether the text of `item` can be replaced. */
  readonly takesText: (item: Item) => boolean;
  /** Content that repeats another item weighs nothing next to that item, and arguments that are not an object may stay. */
  readonly isLoose?: boolean;
}

/** Ids that count positions do not identify what stayed. */
function unplaced({ callId: id, ...rest }: Item): unknown {
  return { ...rest, callId: id?.startsWith('#') ? null : id };
}

function editsOf({ takesText, isLoose = false }: Format, items: readonly Item[], text: string): Edit[] {
  return items.flatMap((own, index): Edit[] => {
    const removal: Edit = { op: 'remove', item: index };
    if (own.sealed) return [removal];
    if (own.kind === 'media') return [removal, { op: 'media', item: index, text }];
    if (own.kind === 'call')
      return own.providerExecuted || (isLoose && own.args === null)
        ? [removal]
        : [removal, { op: 'args', item: index, args: { text } }];
    return takesText(own) ? [removal, { op: 'text', item: index, text }] : [removal];
  });
}

function checkEdit(
  { codec, partsOf, isLoose = false }: Format,
  message: unknown,
  edit: Edit & { item: number },
): void {
  const before = codec.view(message).items;
  const target = before[edit.item];
  if (!target) throw new Error('no such item');
  const inside = target.kind === 'media' && target.callId !== null;
  const next = codec.edit(message, [edit]);
  const away = (own: Item, index: number): boolean =>
    index === edit.item ||
    (edit.op === 'remove' &&
      target.kind === 'result' &&
      own.kind === 'media' &&
      own.callId === target.callId);
  const host = (index: number): number => {
    let at = index;
    while (before[at]?.kind === 'media') at -= 1;
    return at;
  };
  if (next === null) {
    expect(edit.op).toBe('remove');
    const left = before.filter((own, index) => !away(own, index));
    expect(left.every((own) => own.kind === 'reasoning' || own.text.trim() === '')).toBe(true);
    return;
  }
  const after = codec.view(next).items;
  const gone = partsOf(message).filter((part) => !partsOf(next).includes(part));
  // Images of a result may be separate parts, which are removed with it.
  expect(gone.length).toBeLessThanOrEqual(Math.max(1, before.filter(away).length));
  if (edit.op === 'remove') {
    const left = before.filter((own, index) => !away(own, index));
    const read = (item: Item): unknown => unplaced(isLoose ? { ...item, weight: 0 } : item);
    expect(after.map(read)).toEqual(left.map(read));
  } else if (inside && edit.op === 'media') {
    const result = host(edit.item);
    // A result that is an object reads as JSON.
    const read = after[result]?.text ?? '';
    expect(read.includes(edit.text) || read.includes(JSON.stringify(edit.text).slice(1, -1))).toBe(true);
    const others = (items: readonly Item[], drop: number): unknown[] =>
      items.filter((_, index) => index !== result && index !== drop).map(unplaced);
    expect(others(after, -1)).toEqual(others(before, edit.item));
  } else {
    const own = after[edit.item];
    if (edit.op === 'args') expect(own?.args).toEqual(edit.args);
    if (edit.op === 'text') expect(own).toEqual({ ...target, text: edit.text, isBlank: own?.isBlank });
    if (edit.op === 'media') expect([own?.text, own?.media]).toEqual([edit.text, null]);
    const others = (items: readonly Item[]): unknown[] =>
      items.filter((_, index) => index !== edit.item).map(unplaced);
    expect(others(after)).toEqual(others(before));
  }
}

/** Declares the tests. */
export function checkCodec(format: Format): void {
  const { codec, message, around } = format;

  it('reads, edits and encodes anything without throwing', () => {
    const hostile = fc.oneof(anything, around(anything), message);
    fc.assert(
      fc.property(hostile, fc.array(anyEdit, { maxLength: 4 }), (junk, edits) => {
        const view = codec.view(junk);
        expect(Array.isArray(view.items)).toBe(true);
        codec.detect([junk]);
        codec.edit(junk, edits);
        const encoded = codec.encode(junk);
        expect(JSON.parse(JSON.stringify(encoded))).toEqual(JSON.parse(JSON.stringify(encoded)));
        expect(encoded).not.toBe(undefined);
      }),
      { numRuns: draws(1500) },
    );
  });

  it('survives getters that throw, proxies, cycles and very long lists', () => {
    const thrower = Object.defineProperty({}, 'type', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const cycle: Record<string, unknown> = { role: 'user' };
    cycle['content'] = [cycle];
    cycle['parts'] = [cycle];
    cycle['message'] = cycle;
    let deep: unknown = 'x';
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    for (const junk of [
      thrower,
      revoked.proxy,
      cycle,
      { role: 'user', content: [thrower], parts: [revoked.proxy] },
      { role: 'user', content: deep, parts: deep },
    ]) {
      expect(codec.view(junk).items.length).toBeGreaterThan(0);
      expect(codec.detect([junk])).toBe(false);
      codec.edit(junk, [{ op: 'text', item: 0, text: 'x' }]);
      codec.edit(junk, [{ op: 'append', text: 'x' }]);
      JSON.stringify(codec.encode(junk));
    }
    const many = Array.from({ length: 100_000 }, () => ({ type: 'text', text: 'x' }));
    const long = { role: 'user', content: many, parts: many };
    expect(codec.view(long).items).toHaveLength(100_000);
    expect(codec.edit(long, [{ op: 'text', item: 99_999, text: 'y' }])).not.toBe(null);
  });

  it('returns the same message if nothing is edited', () => {
    const nothing: Edit[] = [
      { op: 'text', item: 999, text: 'x' },
      { op: 'remove', item: -1 },
      { op: 'answer', calls: [], text: 'x' },
    ];
    fc.assert(
      fc.property(message, (own) => {
        expect(codec.edit(own, [])).toBe(own);
        expect(codec.edit(own, nothing)).toBe(own);
      }),
    );
  });

  it('applies an edit to its item only', () => {
    fc.assert(
      fc.property(message, said, (own, text) => {
        const before = JSON.stringify(own);
        for (const edit of editsOf(format, codec.view(own).items, text)) {
          if ('item' in edit) checkEdit(format, own, edit);
        }
        expect(JSON.stringify(own)).toBe(before);
      }),
      { numRuns: draws(300) },
    );
  });

  it('changes sealed parts only by removing them', () => {
    fc.assert(
      fc.property(message, said, (own, text) => {
        codec.view(own).items.forEach(({ sealed }, index) => {
          if (!sealed) return;
          const edits: Edit[] = [
            { op: 'text', item: index, text },
            { op: 'args', item: index, args: { text } },
            { op: 'media', item: index, text },
          ];
          for (const edit of edits) expect(codec.edit(own, [edit])).toBe(own);
        });
      }),
    );
  });

  it('appends texts to user messages only', () => {
    fc.assert(
      fc.property(message, said, (own, text) => {
        const { role, items } = codec.view(own);
        const edited = codec.edit(own, [{ op: 'append', text }]);
        // A text may stand beside parts that are opaque, unless the message is opaque as a whole.
        if (edited === own)
          expect(role !== 'user' || items.every(({ kind }) => kind === 'opaque')).toBe(true);
        else {
          expect(role).toBe('user');
          expect(codec.view(edited).items.at(-1)?.text.endsWith(text)).toBe(true);
        }
      }),
    );
  });

  it('answers a call with its id', () => {
    fc.assert(
      fc.property(callId, said, (id, text) => {
        const answers = codec.answer([{ callId: id, toolName: 'read' }], text);
        const items = answers.flatMap((answer) => codec.view(answer).items);
        expect(items).toMatchObject([{ kind: 'result', callId: id, text }]);
      }),
    );
  });

  it('creates a notice as a single text, deterministically', () => {
    for (const role of ['user', 'assistant'] as const) {
      const notice = codec.notice("[history: $& of $' left out]", role);
      const { role: own, items } = codec.view(notice);
      expect(own).toBe(role);
      expect(items.map(({ kind, text }) => [kind, text])).toEqual([
        [role === 'user' ? 'user' : 'text', "[history: $& of $' left out]"],
      ]);
      expect(codec.encode(notice)).toEqual(codec.encode(codec.notice("[history: $& of $' left out]", role)));
    }
  });
}

/** Declares the tests for a format of which there are only examples, in which texts of any kind can be replaced. */
export function checkSamples(codec: Codec, samples: Readonly<Record<string, unknown>>): void {
  describe(codec.name, () => {
    checkCodec({
      codec,
      message: fc.constantFrom(...Object.values(samples)),
      around: (junk) =>
        fc
          .tuple(
            fc.constantFrom(...Object.values(samples)),
            fc.array(fc.nat(9), { minLength: 1, maxLength: 4 }),
            junk,
          )
          .map(([own, path, value]) => broken(own, path, value)),
      partsOf: () => [],
      isLoose: true,
      takesText: ({ kind, sealed }) => !sealed && /^(?:system|user|text|result)$/.test(kind),
    });
  });
}

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
