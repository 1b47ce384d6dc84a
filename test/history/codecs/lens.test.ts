// The engine of edits, on a small format of its own.

import { describe, expect, it } from 'vitest';
import { createCodec, type Format, GONE, slot } from '../../../src/history/codecs/lens.ts';
import { item } from '../../../src/history/codecs/message.ts';
import { codecOf } from '../../../src/history/index.ts';

const part = (text: string): object => ({ text });
const format: Format = {
  name: 'small',
  rules: { ...codecOf('gemini').rules, alternates: false },
  detect: () => true,
  read: ({ content, calls, copies }) => ({
    role: 'user',
    slots: [
      ...Object.values(Object(content)).map((one, index) => {
        const { text, sealed = false } = Object(one);
        return slot(['content', index], item('user', { text, sealed }), { text: ['text'] });
      }),
      ...Object.values(Object(calls)).map((one, index) => {
        const { id: callId, args } = Object(one);
        const own = item('call', { callId, args, text: JSON.stringify(args) });
        const { places } = slot(['calls', index], own, { args: ['args'], id: ['id'] });
        return { items: [own], places: [...places, { at: ['copies', index], write: () => GONE }] };
      }),
      ...(copies === 'broken' ? [slot(['a', 'b'], item('user', { text: 'x' }), { text: [] })] : []),
    ],
  }),
  list: 'content',
  part,
  notice: (text, role) => ({ role, content: [part(text)] }),
  answer: ({ callId }, text) => ({ answers: callId, text }),
  results: { role: 'user', isResult: (one) => 'answers' in Object(one) },
};
const codec = createCodec(format);

describe('the engine', () => {
  const message = { content: [part('a'), { text: 'b', sealed: true }, part('c')], more: { kept: true } };

  it('ignores edits without a target, of a sealed part, or to the same text', () => {
    expect(
      codec.edit(message, [
        { op: 'text', item: 0, text: 'a' },
        { op: 'text', item: 9, text: 'x' },
        { op: 'text', item: 1, text: 'x' },
        { op: 'args', item: 0, args: {} },
        { op: 'media', item: 0, text: 'x' },
        { op: 'append', text: '' },
      ]),
    ).toBe(message);
  });

  it('copies what it changes, and the last edit of a part applies', () => {
    const edited = codec.edit(message, [
      { op: 'text', item: 2, text: 'x' },
      { op: 'remove', item: 0 },
      { op: 'text', item: 2, text: 'y' },
    ]) as typeof message;
    expect(edited).toEqual({ content: [{ text: 'b', sealed: true }, part('y')], more: { kept: true } });
    expect(edited.content[0]).toBe(message.content[1]);
    expect(edited.more).toBe(message.more);
    expect(message.content).toHaveLength(3);
  });

  it('writes a part at all its places, and removes what the format empties', () => {
    const calls = [
      { id: '1', args: { n: 1 } },
      { id: '2', args: { n: 2 } },
    ];
    const held = { calls, copies: ['one', 'two'] };
    expect(codec.edit(held, [{ op: 'args', item: 1, args: { n: 3 } }])).toEqual({
      calls: [calls[0], { id: '2', args: { n: 3 } }],
      copies: ['one'],
    });
    expect(codec.edit(held, [{ op: 'id', item: 0, callId: 'x' }])).toEqual({
      calls: [{ id: 'x', args: { n: 1 } }, calls[1]],
      copies: ['two'],
    });
    expect(codec.edit(held, [{ op: 'remove', item: 0 }])).toEqual({ calls: [calls[1]], copies: ['two'] });
  });

  it('gives null where nothing is left, and an empty text where it is refused is nothing', () => {
    expect(codec.edit({ content: [part('a')] }, [{ op: 'text', item: 0, text: '' }])).toBe(null);
    expect(codec.edit({ content: [part('a'), part(' ')] }, [{ op: 'remove', item: 0 }])).toBe(null);
    expect(
      codec.edit({ content: [part('a')] }, [
        { op: 'remove', item: 0 },
        { op: 'append', text: 'b' },
      ]),
    ).toEqual({ content: [part('b')] });
  });

  it('puts answers among the results, and appended texts behind everything', () => {
    const answers = (...ids: string[]): object[] => ids.map((id) => ({ answers: id, text: '' }));
    const held = { content: [...answers('b'), part('c')] };
    const calls = ['a', 'c'].map((callId, at) => ({ callId, toolName: 'x', at: at * 2 }));
    expect(
      codec.edit(held, [
        { op: 'append', text: 'd' },
        { op: 'answer', calls, text: '' },
      ]),
    ).toEqual({ content: [...answers('a', 'b', 'c'), part('c'), part('d')] });
  });

  it('keeps the message where a path leads nowhere', () => {
    const broken = { copies: 'broken' };
    expect(codec.edit(broken, [{ op: 'text', item: 0, text: 'y' }])).toBe(broken);
  });

  it('joins messages', () => {
    expect(codec.join?.([{ content: [part('a')], id: 1 }, { content: 'b' }])).toEqual({
      id: 1,
      content: [part('a'), part('b')],
    });
  });
});

it('removes the media of a result with it, and no other', () => {
  const image = { inlineData: { mimeType: 'image/png', data: 'AA==' } };
  const answer = { functionResponse: { name: 'a', response: { output: 'x' }, parts: [image] } };
  const message = { role: 'user', parts: [answer, { text: 'see' }] };
  expect(codecOf('gemini').edit(message, [{ op: 'remove', item: 0 }])).toEqual({
    role: 'user',
    parts: [{ text: 'see' }],
  });
});
