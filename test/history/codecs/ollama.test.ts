import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ollama } from '../../../src/history/codecs/ollama.ts';
import { compact } from '../../../src/history/index.ts';
import { draws } from '../../support/draws.ts';
import { JUDGES } from '../../support/history-rules/index.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const call = (name: string, more: object = {}): object => ({
  ...more,
  function: { name, arguments: { n: 1 } },
});
const calls = {
  role: 'assistant',
  content: '',
  thinking: 'hm',
  tool_calls: [call('read'), call('list'), call('read')],
};
const result = (name: string, content: string): object => ({ role: 'tool', tool_name: name, content });
const pictures = { role: 'user', content: 'see', images: [PNG, new Uint8Array(Buffer.from(PNG, 'base64'))] };

describe('view', () => {
  it('numbers calls by name, and pairs results by name', () => {
    expect(ollama.view(calls).items).toMatchObject([
      { kind: 'reasoning', text: 'hm' },
      { kind: 'call', callId: '#0:read', toolName: 'read', args: { n: 1 } },
      { kind: 'call', callId: '#0:list' },
      { kind: 'call', callId: '#1:read' },
    ]);
    expect(ollama.view(result('read', 'x')).items).toMatchObject([
      { kind: 'result', callId: '#:read', toolName: 'read', text: 'x' },
    ]);
    const named = { role: 'assistant', content: '', tool_calls: [call('read', { id: 'call_1' })] };
    expect(ollama.view(named).items[0]?.callId).toBe('call_1');
    expect(ollama.view({ ...result('read', 'x'), tool_call_id: 'call_1' }).items[0]?.callId).toBe('call_1');
  });

  it('reads images as base64 and bytes', () => {
    const media = { type: 'image', mimeType: 'image/png', width: 1, height: 1 };
    expect(ollama.view(pictures).items).toMatchObject([
      { kind: 'user', text: 'see' },
      { kind: 'media', media },
      { kind: 'media', media },
    ]);
    expect(ollama.view({ ...result('look', 'x'), images: [PNG] }).items[1]).toMatchObject({
      kind: 'media',
      callId: '#:look',
    });
  });
});

describe('edit', () => {
  it('puts what stands for an image behind the text of a result, and keeps images of the user', () => {
    const shown = { ...result('look', 'seen'), images: [PNG, PNG] };
    const edited = ollama.edit(shown, [
      { op: 'media', item: 1, text: '[history: a]' },
      { op: 'remove', item: 2 },
    ]);
    expect(edited).toEqual(result('look', 'seen\n[history: a]'));
    expect(ollama.edit(pictures, [{ op: 'media', item: 1, text: '[history: a]' }])).toBe(pictures);
    expect(ollama.edit(pictures, [{ op: 'remove', item: 1 }])).toEqual({
      ...pictures,
      images: [pictures.images[1]],
    });
  });

  it('appends to the text, changes arguments, and leaves no empty list', () => {
    expect(ollama.edit({ role: 'user', content: 'go' }, [{ op: 'append', text: 'note' }])).toEqual({
      role: 'user',
      content: 'go\n\nnote',
    });
    expect(ollama.edit(calls, [{ op: 'args', item: 1, args: { n: 2 } }])).toMatchObject({
      tool_calls: [{ function: { name: 'read', arguments: { n: 2 } } }, call('list'), call('read')],
    });
    const said = { role: 'assistant', content: 'So.', tool_calls: [call('read')] };
    expect(ollama.edit(said, [{ op: 'remove', item: 1 }])).toEqual({ role: 'assistant', content: 'So.' });
    expect(ollama.edit(said, [{ op: 'remove', item: 0 }])).toEqual({ ...said, content: '' });
    expect(
      ollama.edit(
        calls,
        [1, 2, 3].map((item) => ({ op: 'remove' as const, item })),
      ),
    ).toBe(null);
  });

  it('never throws, and returns the same message if nothing changes', () => {
    const field = fc.oneof(fc.anything(), fc.string(), fc.array(fc.anything()));
    const message = fc.record(
      {
        role: fc.constantFrom('user', 'assistant', 'tool', 7),
        content: field,
        images: field,
        tool_calls: field,
      },
      { requiredKeys: ['role'] },
    );
    fc.assert(
      fc.property(message, fc.string(), (own, text) => {
        const { items } = ollama.view(own);
        ollama.detect([own]);
        expect(ollama.edit(own, [{ op: 'remove', item: items.length }])).toBe(own);
        items.forEach((_, item) => {
          ollama.edit(own, [{ op: 'text', item, text }]);
          ollama.edit(own, [{ op: 'media', item, text }]);
        });
      }),
      { numRuns: draws(500) },
    );
  });
});

it('pairs results of calls of one name in their order, and answers the call that has none', async () => {
  const list = [{ role: 'user', content: 'go' }, calls, result('read', 'one'), result('read', 'two')];
  const options = { format: 'ollama', window: 100_000 } as const;
  const { messages, report } = await compact(list, options);
  expect(report.repairs.map(({ kind, callId }) => `${kind} ${callId}`)).toEqual(['interrupted-call #0:list']);
  expect(JUDGES.ollama(messages)).toEqual([]);
  expect(messages.slice(0, 4)).toEqual(list);
  expect((await compact(messages, options)).messages).toEqual(messages);
});

it('detects only its own lists', () => {
  const user = { role: 'user', content: 'go' };
  expect(ollama.detect([user, calls, result('read', 'x')])).toBe(true);
  expect(ollama.detect([pictures])).toBe(true);
  expect(ollama.detect([user])).toBe(false);
  const others = [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', function: { name: 'read', arguments: '{}' } }],
    },
    { role: 'assistant', content: '', toolCalls: [] },
    { role: 'user', content: [{ type: 'text', text: 'x' }] },
    { role: 'user', parts: [{ text: 'x' }] },
  ];
  for (const other of others) expect(ollama.detect([user, calls, other])).toBe(false);
});
