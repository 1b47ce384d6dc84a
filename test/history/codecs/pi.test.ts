import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pi } from '../../../src/history/codecs/pi/codec.ts';
import { callId, checkCodec, said } from './codec-checks.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image = { type: 'image', data: PNG, mimeType: 'image/png' };
const timestamp = '2025-12-08T22:41:05.306Z';

function entry(message: unknown): unknown {
  return { type: 'message', id: 'e1', parentId: null, timestamp, message };
}

function itemsOf(message: unknown): readonly (readonly unknown[])[] {
  return pi.view(message).items.map(({ kind, text, callId: id }) => [kind, text, id]);
}

function messageIn(own: unknown): Record<string, unknown> {
  const native = own as Record<string, unknown>;
  return native['type'] === 'message' ? (native['message'] as Record<string, unknown>) : native;
}

describe('properties', () => {
  const text = said.map((value) => ({ type: 'text', text: value }));
  const list = (parts: fc.Arbitrary<unknown>): fc.Arbitrary<unknown[]> =>
    fc.uniqueArray(parts, { minLength: 1, maxLength: 6, selector: (part) => part });
  const picture = fc.constant(null).map(() => ({ ...image }));
  const user = fc.record({
    role: fc.constantFrom('user', 'custom'),
    content: fc.oneof(said, list(fc.oneof(text, picture))),
  });
  const assistant = fc.record({
    role: fc.constant('assistant'),
    content: list(
      fc.oneof(
        text,
        said.map((value) => ({ type: 'text', text: value, textSignature: 'msg_1' })),
        fc.record({
          type: fc.constant('thinking'),
          thinking: said,
          thinkingSignature: fc.constantFrom('', 'c2ln'),
        }),
        fc.record({
          type: fc.constant('toolCall'),
          id: callId,
          name: fc.constant('read'),
          arguments: fc.dictionary(fc.string(), fc.jsonValue()),
        }),
      ),
    ),
    api: fc.constant('anthropic-messages'),
    stopReason: fc.constant('stop'),
  });
  const result = fc.record({
    role: fc.constant('toolResult'),
    toolCallId: callId,
    toolName: fc.constant('read'),
    content: fc.array(fc.oneof(text, picture), { maxLength: 4 }),
    details: fc.constant({ diff: 'x' }),
    isError: fc.boolean(),
  });
  const others = fc.oneof(
    fc.record({ role: fc.constant('bashExecution'), command: said, output: said }),
    fc.record({ type: fc.constant('branch_summary'), timestamp: fc.constant(timestamp), summary: said }),
    fc.record({ type: fc.constant('custom_message'), timestamp: fc.constant(timestamp), content: said }),
  );
  const message = fc.oneof(user, assistant, result, others);
  checkCodec({
    codec: pi,
    message: fc.oneof(message, fc.oneof(user, assistant, result).map(entry)),
    around: (junk) => {
      const own = fc.record({
        role: fc.constantFrom('user', 'assistant', 'toolResult', 'bashExecution', 'branchSummary', 'x'),
        content: fc.oneof(
          junk,
          fc.array(fc.record({ type: fc.constantFrom('text', 'image', 'toolCall'), data: junk })),
        ),
        command: junk,
        output: junk,
        summary: junk,
        toolCallId: junk,
      });
      const entries = fc.record({
        type: fc.constantFrom('message', 'compaction', 'branch_summary', 'session', 'custom_message'),
        message: fc.oneof(junk, own),
        summary: junk,
        content: junk,
      });
      return fc.oneof(own, entries);
    },
    partsOf: (own) => {
      const { role, content } = messageIn(own);
      return Array.isArray(content) && role !== 'toolResult' ? content : [];
    },
    takesText: ({ kind }) => kind !== 'reasoning' && kind !== 'opaque',
  });
});

describe('view', () => {
  it('reads an entry as the bare message in it', () => {
    const assistant = {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', thinkingSignature: 'c2ln' },
        { type: 'thinking', thinking: 'hm', thinkingSignature: '' },
        { type: 'text', text: 'so' },
        { type: 'toolCall', id: 'toolu_1', name: 'read', arguments: { path: 'a' }, partialJson: '{' },
      ],
      usage: { input: 1 },
    };
    expect(pi.view(entry(assistant))).toEqual(pi.view(assistant));
    const { role, items } = pi.view(assistant);
    expect(role).toBe('assistant');
    expect(items.map(({ kind, text, sealed, callId: id }) => [kind, text, sealed, id])).toEqual([
      ['reasoning', 'hm', true, null],
      ['reasoning', 'hm', false, null],
      ['text', 'so', false, null],
      ['call', '{"path":"a"}', false, 'toolu_1'],
    ]);
    expect(pi.view(entry({ role: 'assistant', content: [], stopReason: 'aborted' })).items).toEqual([]);
  });

  it('reads a result with its pictures', () => {
    const result = {
      role: 'toolResult',
      toolCallId: 'toolu_1',
      toolName: 'read',
      content: [{ type: 'text', text: 'one' }, image, { type: 'text', text: 'two' }],
      isError: true,
      details: { diff: 'x'.repeat(1000) },
    };
    const { role, items } = pi.view(entry(result));
    expect(role).toBe('tool');
    expect(items).toMatchObject([
      { kind: 'result', text: 'one\ntwo', callId: 'toolu_1', toolName: 'read', isError: true, weight: 0 },
      { kind: 'media', callId: 'toolu_1', media: { mimeType: 'image/png', width: 1, height: 1 } },
    ]);
  });

  it('reads commands the user ran, unless they are kept from the model', () => {
    const ran = { role: 'bashExecution', command: 'ls', output: 'a b', exitCode: 0 };
    expect(itemsOf(entry(ran))).toEqual([
      ['user', 'ls', null],
      ['user', 'a b', null],
    ]);
    expect(pi.view({ ...ran, excludeFromContext: true })).toMatchObject({
      role: 'system',
      items: [{ kind: 'opaque', weight: 0 }],
    });
  });

  it('counts nothing for session metadata', () => {
    const entries = [
      { type: 'session', id: 's', timestamp, cwd: '/' },
      { type: 'model_change', timestamp, provider: 'p', modelId: 'm' },
      { type: 'thinking_level_change', timestamp, thinkingLevel: 'low' },
      { type: 'custom', timestamp, customType: 'x', data: { a: 'long' } },
    ];
    for (const own of entries) {
      expect(pi.view(own)).toMatchObject({
        role: 'system',
        items: [{ kind: 'opaque', weight: 0, boundary: false }],
      });
    }
    expect(pi.detect(entries)).toBe(true);
  });

  it('treats a compaction as a boundary with the weight of its summary', () => {
    for (const own of [
      { type: 'compaction', timestamp, summary: 'so far', firstKeptEntryIndex: 3 },
      { role: 'compactionSummary', summary: 'so far', timestamp: 1 },
    ]) {
      expect(pi.view(own)).toMatchObject({
        role: 'user',
        items: [{ kind: 'opaque', boundary: true, weight: 6 }],
      });
    }
  });
});

describe('edit', () => {
  it('keeps the other fields of the entry, the message and the part', () => {
    const own = entry({
      role: 'toolResult',
      toolCallId: 'toolu_1',
      content: [image, { type: 'text', text: 'a', textSignature: '' }, { type: 'text', text: 'b' }],
      details: { diff: 'x' },
    });
    expect(pi.edit(own, [{ op: 'text', item: 0, text: '$&' }])).toEqual(
      entry({
        role: 'toolResult',
        toolCallId: 'toolu_1',
        content: [image, { type: 'text', text: '$&' }],
        details: { diff: 'x' },
      }),
    );
    expect(pi.edit(own, [{ op: 'remove', item: 0 }])).toBe(null);
    const call = {
      type: 'toolCall',
      id: 'a',
      name: 'write',
      arguments: { content: 'long' },
      thoughtSignature: '',
    };
    expect(
      pi.edit(entry({ role: 'assistant', content: [call], usage: { input: 1 } }), [
        { op: 'args', item: 0, args: { content: 'less' } },
      ]),
    ).toEqual(
      entry({
        role: 'assistant',
        content: [{ ...call, arguments: { content: 'less' } }],
        usage: { input: 1 },
      }),
    );
  });

  it('edits the fields of commands and branch summaries, and appends to them', () => {
    const ran = entry({ role: 'bashExecution', command: 'ls', output: 'a b', exitCode: 0 });
    expect(pi.edit(ran, [{ op: 'text', item: 1, text: 'less' }])).toEqual(
      entry({ role: 'bashExecution', command: 'ls', output: 'less', exitCode: 0 }),
    );
    expect(itemsOf(pi.edit(ran, [{ op: 'remove', item: 1 }]))).toEqual([['user', 'ls', null]]);
    expect(itemsOf(pi.edit(ran, [{ op: 'append', text: 'note' }]))).toEqual([
      ['user', 'ls', null],
      ['user', 'a b\n\nnote', null],
    ]);
    const summary = { type: 'branch_summary', timestamp, summary: 'went there', fromId: 'x' };
    expect(pi.edit(summary, [{ op: 'append', text: 'note' }])).toEqual({
      ...summary,
      summary: 'went there\n\nnote',
    });
    expect(pi.edit(summary, [{ op: 'remove', item: 0 }])).toBe(null);
  });

  it('appends only to user messages', () => {
    expect(pi.edit(entry({ role: 'user', content: 'go' }), [{ op: 'append', text: 'note' }])).toEqual(
      entry({
        role: 'user',
        content: [
          { type: 'text', text: 'go' },
          { type: 'text', text: 'note' },
        ],
      }),
    );
    for (const own of [
      entry({ role: 'assistant', content: [] }),
      { type: 'session', id: 's', timestamp },
      { type: 'compaction', summary: 'x', timestamp },
    ]) {
      expect(pi.edit(own, [{ op: 'append', text: 'note' }])).toBe(own);
      expect(pi.edit(own, [])).toBe(own);
    }
  });

  it('returns null if only reasoning is left', () => {
    const own = entry({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', thinkingSignature: 'c2ln' },
        { type: 'text', text: 'so' },
      ],
    });
    expect(pi.edit(own, [{ op: 'remove', item: 1 }])).toBe(null);
  });
});

describe('make', () => {
  it('creates entries with the epoch as timestamp', () => {
    expect(pi.notice('left out', 'user')).toEqual({
      type: 'message',
      timestamp: '1970-01-01T00:00:00.000Z',
      message: { role: 'user', content: [{ type: 'text', text: 'left out' }], timestamp: 0 },
    });
    const answers = pi.answer([{ callId: 'a', toolName: 'read' }], 'interrupted');
    expect(answers).toHaveLength(1);
    expect(pi.view(answers[0])).toMatchObject({
      role: 'tool',
      items: [{ kind: 'result', callId: 'a', toolName: 'read', text: 'interrupted', isError: true }],
    });
  });
});

describe('detect', () => {
  const user = { role: 'user', content: [{ type: 'text', text: 'x' }], timestamp: 1 };
  const result = { role: 'toolResult', toolCallId: 'a', toolName: 'read', content: [], timestamp: 1 };

  it('distinguishes entries and bare messages from other formats', () => {
    expect(pi.detect([entry(user)])).toBe(true);
    expect(pi.detect([user, result])).toBe(true);
    expect(
      pi.detect([user, { role: 'assistant', content: [], api: 'a', provider: 'p', model: 'm', usage: {} }]),
    ).toBe(true);
    expect(pi.detect([user])).toBe(false);
    expect(pi.detect([])).toBe(false);
    const others: unknown[] = [
      { role: 'tool', tool_call_id: 'a', content: 'x' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'x', input: {} }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }] },
      { type: 'compaction', encrypted_content: 'x' },
      { role: 'user', parts: [{ text: 'x' }] },
      null,
    ];
    for (const other of others) expect(pi.detect([user, result, other])).toBe(false);
  });
});
