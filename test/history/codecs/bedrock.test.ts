import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bedrock } from '../../../src/history/codecs/bedrock.ts';
import { callId, checkCodec, said } from './codec-checks.ts';

const PNG = new Uint8Array(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
);
const image = { image: { format: 'png', source: { bytes: PNG } } };
const report = { document: { format: 'txt', name: 'report', source: { text: 'three' } } };
const result = (content: readonly unknown[], more: object = {}): object => ({
  toolResult: { toolUseId: 'a', content, ...more },
});

describe('properties', () => {
  const text = said.map((value) => ({ text: value }));
  const media = fc.constantFrom(image, report, {
    video: { format: 'mp4', source: { s3Location: { uri: 's3://v' } } },
  });
  const inner = fc.oneof(text, media, fc.record({ json: fc.dictionary(fc.string(), fc.string()) }));
  const answer = fc.record({
    toolResult: fc.record(
      {
        toolUseId: callId,
        content: fc.array(inner, { minLength: 1, maxLength: 4 }),
        status: fc.constantFrom('success', 'error'),
      },
      { requiredKeys: ['toolUseId', 'content'] },
    ),
  });
  const call = fc.record({
    toolUse: fc.record({
      toolUseId: callId,
      name: fc.constant('read'),
      input: fc.dictionary(fc.string(), fc.jsonValue()),
    }),
  });
  const reasoning = fc.record({
    reasoningContent: fc.oneof(
      fc.record({ reasoningText: fc.record({ text: said, signature: fc.constantFrom('', 'c2ln') }) }),
      fc.constant({ redactedContent: PNG }),
    ),
  });
  const unknown = fc.constant({ guardContent: { text: { text: 'x' } } });
  const distinct = (parts: fc.Arbitrary<unknown>): fc.Arbitrary<unknown[]> =>
    fc.uniqueArray(parts, {
      minLength: 1,
      maxLength: 6,
      selector: (part) => (part as { toolResult?: { toolUseId: string } }).toolResult?.toolUseId ?? part,
    });
  checkCodec({
    codec: bedrock,
    message: fc.oneof(
      fc.record({ role: fc.constant('user'), content: distinct(fc.oneof(text, media, answer, unknown)) }),
      fc.record({
        role: fc.constant('assistant'),
        content: distinct(fc.oneof(text, call, reasoning, unknown)),
      }),
    ),
    around: (junk) => {
      const block = fc.record(
        { text: junk, image: junk, toolUse: junk, toolResult: junk },
        { requiredKeys: [] },
      );
      return fc.record({
        role: fc.constantFrom('user', 'assistant', 'tool'),
        content: fc.oneof(junk, fc.array(fc.oneof(junk, block))),
      });
    },
    partsOf: (own) => (own as { content: readonly unknown[] }).content,
    takesText: ({ kind }) => kind !== 'reasoning' && kind !== 'opaque',
  });
});

describe('view', () => {
  it('reads calls, results with media, and sealed reasoning', () => {
    const { role, items } = bedrock.view({
      role: 'assistant',
      content: [
        { reasoningContent: { reasoningText: { text: 'hm', signature: 'c2ln' } } },
        { reasoningContent: { redactedContent: PNG } },
        { text: 'I read.' },
        { toolUse: { toolUseId: 'a', name: 'read', input: { path: 'a.ts' } } },
        { toolUse: { toolUseId: 's', name: 'search', input: {}, type: 'server_tool_use' } },
        { citationsContent: { content: [{ text: 'cited' }], citations: [] } },
        { cachePoint: { type: 'default' } },
      ],
    });
    expect(role).toBe('assistant');
    expect(items).toMatchObject([
      { kind: 'reasoning', text: 'hm', sealed: true },
      { kind: 'reasoning', text: '', sealed: true, weight: PNG.length },
      { kind: 'text', text: 'I read.' },
      { kind: 'call', callId: 'a', toolName: 'read', args: { path: 'a.ts' }, providerExecuted: false },
      { kind: 'call', callId: 's', providerExecuted: true, links: ['s'] },
      { kind: 'text', text: 'cited' },
      { kind: 'opaque', weight: 0 },
    ]);
    const found = { searchResult: { source: 'https://x.test', title: 'T', content: [{ text: 'two' }] } };
    const content = [{ text: 'one' }, image, { json: { n: 1 } }, found, report];
    expect(
      bedrock.view({ role: 'user', content: [result(content, { status: 'error' })] }).items,
    ).toMatchObject([
      { kind: 'result', callId: 'a', text: 'one\n{"n":1}\nT\nhttps://x.test\ntwo', isError: true },
      { kind: 'media', callId: 'a', media: { type: 'image', mimeType: 'image/png', width: 1, height: 1 } },
      { kind: 'media', callId: 'a', media: { type: 'document', mimeType: 'text/plain', bytes: 5 } },
    ]);
  });

  it('knows no size of what lies in S3, and takes a blank text in a result for blank', () => {
    const stored = {
      document: { format: 'pdf', name: 'r', source: { s3Location: { uri: 's3://b/r.pdf' } } },
    };
    const { items } = bedrock.view({ role: 'user', content: [stored, result([{ text: ' ' }])] });
    expect(items).toMatchObject([
      { kind: 'media', media: { type: 'document', mimeType: 'application/pdf', bytes: null } },
      { kind: 'result', isBlank: true },
    ]);
  });
});

describe('edit', () => {
  it('keeps JSON and media of a result where only its text changes, and never leaves it without content', () => {
    const message = { role: 'user', content: [result([image, { json: { n: 1 } }])] };
    expect(bedrock.edit(message, [{ op: 'text', item: 0, text: 'less' }])).toEqual({
      role: 'user',
      content: [result([image, { text: 'less' }])],
    });
    const shot = { role: 'user', content: [result([image])] };
    expect(bedrock.edit(shot, [{ op: 'remove', item: 1 }])).toEqual({
      role: 'user',
      content: [result([{ text: '(empty)' }])],
    });
  });

  it('renames a call and its result', () => {
    const call = { role: 'assistant', content: [{ toolUse: { toolUseId: 'a:1', name: 'read', input: {} } }] };
    expect(bedrock.edit(call, [{ op: 'id', item: 0, callId: 'a_1' }])).toEqual({
      role: 'assistant',
      content: [{ toolUse: { toolUseId: 'a_1', name: 'read', input: {} } }],
    });
    const answer = { role: 'user', content: [result([{ text: 'x' }])] };
    expect(bedrock.edit(answer, [{ op: 'id', item: 0, callId: 'b' }])).toEqual({
      role: 'user',
      content: [{ toolResult: { toolUseId: 'b', content: [{ text: 'x' }] } }],
    });
  });

  it('answers open calls among the results, in the order of their calls', () => {
    const message = { role: 'user', content: [result([{ text: 'x' }]), { text: 'go on' }] };
    const calls = [{ callId: 'b', toolName: 'read', at: 1 }];
    const answer = { toolResult: { toolUseId: 'b', content: [{ text: 'interrupted' }], status: 'error' } };
    expect(bedrock.edit(message, [{ op: 'answer', calls, text: 'interrupted' }])).toEqual({
      role: 'user',
      content: [result([{ text: 'x' }]), answer, { text: 'go on' }],
    });
    expect(bedrock.answer(calls, 'interrupted')).toEqual([{ role: 'user', content: [answer] }]);
  });

  it('leaves no message of marks alone', () => {
    const message = { role: 'user', content: [{ text: 'x' }, { cachePoint: { type: 'default' } }] };
    expect(bedrock.edit(message, [{ op: 'remove', item: 0 }])).toBe(null);
  });
});

it('detects blocks without a type', () => {
  const user = { role: 'user', content: [{ text: 'x' }] };
  expect(bedrock.detect([user])).toBe(true);
  const others = [
    { role: 'user', content: 'x' },
    { role: 'user', content: [{ type: 'text', text: 'x' }] },
    { role: 'user', parts: [{ text: 'x' }] },
    { role: 'tool', content: [{ text: 'x' }] },
    { role: 'system', content: [{ text: 'x' }] },
  ];
  for (const other of others) expect(bedrock.detect([user, other])).toBe(false);
});
