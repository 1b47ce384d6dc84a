import { describe, expect, it } from 'vitest';
import { mistral } from '../../../src/history/codecs/mistral.ts';
import { compact } from '../../../src/history/index.ts';
import { JUDGES } from '../../support/history-rules/index.ts';
import { checkSamples } from './codec-checks.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

const samples = {
  system: { role: 'system', content: 'Be brief.' },
  user: { role: 'user', content: 'Hello' },
  parts: {
    role: 'user',
    content: [
      { type: 'text', text: 'See' },
      { type: 'image_url', imageUrl: { url: `data:image/png;base64,${PNG}`, detail: 'low' } },
      { type: 'image_url', imageUrl: 'https://example.com/a.png' },
      { type: 'document_url', documentUrl: 'data:application/pdf;base64,JVBERi0=', documentName: 'a.pdf' },
      { type: 'input_audio', inputAudio: 'AAAA' },
      { type: 'file', fileId: 'file-1' },
      { type: 'reference', referenceIds: [1] },
    ],
  },
  said: { role: 'assistant', content: 'Hi' },
  thought: {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }], signature: 'c2ln' },
      { type: 'thinking', thinking: [{ type: 'text', text: 'so' }] },
      { type: 'text', text: 'Done.' },
    ],
  },
  calls: {
    role: 'assistant',
    content: '',
    toolCalls: [
      { id: 'aaaaaaaa1', type: 'function', function: { name: 'read', arguments: '{"path":"a.txt"}' } },
      { id: 'aaaaaaaa2', function: { name: 'read', arguments: { path: 'b.txt' } } },
    ],
  },
  result: { role: 'tool', toolCallId: 'aaaaaaaa1', name: 'read', content: 'text' },
  resultInParts: {
    role: 'tool',
    toolCallId: 'aaaaaaaa2',
    content: [
      { type: 'text', text: 'seen' },
      { type: 'image_url', imageUrl: `data:image/png;base64,${PNG}` },
    ],
  },
};

checkSamples(mistral, samples);

describe('mistral', () => {
  it('views every part', () => {
    const { parts, thought, calls, resultInParts } = samples;
    expect(mistral.view(parts).items).toMatchObject([
      { kind: 'user', text: 'See' },
      { kind: 'media', media: { type: 'image', mimeType: 'image/png', width: 1 } },
      { kind: 'media', media: { type: 'image', bytes: null } },
      { kind: 'media', media: { type: 'document', mimeType: 'application/pdf', bytes: 5 } },
      { kind: 'media', media: { type: 'audio', bytes: 3 } },
      { kind: 'media', media: { type: 'document', bytes: null } },
      { kind: 'opaque' },
    ]);
    expect(mistral.view(thought).items).toMatchObject([
      { kind: 'reasoning', text: 'hm', sealed: true },
      { kind: 'reasoning', text: 'so', sealed: false },
      { kind: 'text', text: 'Done.' },
    ]);
    expect(mistral.view(calls).items).toMatchObject([
      { kind: 'call', callId: 'aaaaaaaa1', toolName: 'read', args: { path: 'a.txt' } },
      { kind: 'call', callId: 'aaaaaaaa2', args: { path: 'b.txt' } },
    ]);
    expect(mistral.view(resultInParts).items).toMatchObject([
      { kind: 'result', callId: 'aaaaaaaa2', text: 'seen' },
      { kind: 'media', callId: 'aaaaaaaa2' },
    ]);
  });

  it('writes arguments as they were, and leaves no empty list of calls', () => {
    const { calls } = samples;
    const edited = mistral.edit(calls, [
      { op: 'args', item: 0, args: { path: 'x' } },
      { op: 'args', item: 1, args: { path: 'y' } },
    ]);
    expect(edited).toMatchObject({
      toolCalls: [{ function: { arguments: '{"path":"x"}' } }, { function: { arguments: { path: 'y' } } }],
    });
    const said = { ...calls, content: 'So.' };
    const removed = [0, 1].map((index) => ({ op: 'remove' as const, item: index + 1 }));
    expect(mistral.edit(said, removed)).toEqual({ role: 'assistant', content: 'So.' });
  });

  it('gives ids of other providers nine letters or digits, the same for a call and its result', async () => {
    const list = [
      samples.user,
      {
        role: 'assistant',
        content: '',
        toolCalls: [
          { id: 'call_0fypS1hVX', function: { name: 'read', arguments: '{}' } },
          { id: 'call_0fypS1hVX', function: { name: 'read', arguments: '{}' } },
        ],
      },
      { role: 'tool', toolCallId: 'call_0fypS1hVX', name: 'read', content: 'one' },
      { role: 'tool', toolCallId: 'call_0fypS1hVX', name: 'read', content: 'two' },
    ];
    const { messages } = await compact(list, { format: 'mistral', window: 100_000 });
    expect(JUDGES.mistral(messages)).toEqual([]);
    expect(messages.slice(2)).toMatchObject([{ content: 'one' }, { content: 'two' }]);
    expect((await compact(messages, { format: 'mistral', window: 100_000 })).messages).toEqual(messages);
  });

  it('detects only its own lists', () => {
    const { user, calls, parts } = samples;
    expect(mistral.detect(Object.values(samples))).toBe(true);
    expect(mistral.detect([user])).toBe(false);
    const others = [
      { role: 'tool', tool_call_id: 'a', content: 'x' },
      { role: 'tool', content: 'x' },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: 'y' }] },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] },
      { role: 'user', content: 'x', images: ['AA=='] },
    ];
    for (const other of others)
      for (const own of [calls, parts]) expect(mistral.detect([own, other])).toBe(false);
  });
});
