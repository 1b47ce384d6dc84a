import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gemini } from '../../../src/history/codecs/gemini.ts';
import { callId, checkCodec, said } from './codec-checks.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image = { inlineData: { mimeType: 'image/png', data: PNG } };

function itemsOf(content: unknown): readonly (readonly unknown[])[] {
  return gemini.view(content).items.map(({ kind, text, callId: id }) => [kind, text, id]);
}

describe('properties', () => {
  const signature = fc.constantFrom({}, {}, { thoughtSignature: 'c2ln' });
  const signed = (part: fc.Arbitrary<object>): fc.Arbitrary<object> =>
    fc.tuple(part, signature).map(([own, signatures]) => ({ ...own, ...signatures }));
  const id = fc.option(callId, { nil: undefined }).map((value) => (value === undefined ? {} : { id: value }));
  const name = fc.constantFrom('read', 'run');
  const text = said.map((value) => ({ text: value }));
  const media = fc.constantFrom(image, { fileData: { mimeType: 'video/mp4', fileUri: 'gs://a/b' } });
  const call = fc
    .tuple(id, name, fc.dictionary(fc.string(), fc.jsonValue()))
    .map(([own, called, args]) => ({ functionCall: { ...own, name: called, args } }));
  const answer = fc.oneof(
    said.map((value) => ({ output: value })),
    said.map((value) => ({ error: value })),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue(), { minKeys: 2 }),
  );
  const response = fc
    .tuple(id, name, answer, fc.array(media, { maxLength: 2 }))
    .map(([own, called, value, parts]) => ({
      functionResponse: { ...own, name: called, response: value, ...(parts.length > 0 ? { parts } : {}) },
    }));
  const server = fc.constantFrom(
    { executableCode: { language: 'PYTHON', code: 'print(1)' } },
    { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
    { toolCall: { id: 't1', toolType: 'GOOGLE_SEARCH', args: { q: 'x' } } },
    { toolResponse: { id: 't1', toolType: 'GOOGLE_SEARCH', response: { a: 1, b: 2 } } },
    { laterKind: { a: 1 } },
  );
  const thought = said.map((value) => ({ text: value, thought: true }));
  const distinct = (parts: fc.Arbitrary<object>): fc.Arbitrary<object[]> =>
    fc.uniqueArray(parts, {
      minLength: 1,
      maxLength: 6,
      selector: (part) => (part as { functionResponse?: { id?: string } }).functionResponse?.id ?? part,
    });
  checkCodec({
    codec: gemini,
    message: fc.oneof(
      fc.record({ role: fc.constant('user'), parts: distinct(fc.oneof(text, media, response)) }),
      fc.record({
        role: fc.constant('model'),
        parts: distinct(signed(fc.oneof(text, thought, call, server))),
      }),
    ),
    around: (junk) =>
      fc.record({
        role: fc.constantFrom('user', 'model', 'function', 'system', 'x'),
        parts: fc.oneof(
          junk,
          fc.array(
            fc.oneof(
              junk,
              fc.record({ functionCall: fc.record({ name: junk, args: junk, id: junk }) }),
              fc.record({ functionResponse: fc.record({ name: junk, response: junk, parts: junk }) }),
              fc.record({
                text: junk,
                thought: junk,
                inlineData: junk,
                executableCode: junk,
                toolResponse: junk,
              }),
            ),
          ),
        ),
      }),
    partsOf: (own) => {
      const { parts } = own as { parts: unknown };
      return Array.isArray(parts) ? parts : [];
    },
    takesText: ({ kind, providerExecuted }) => kind !== 'reasoning' && kind !== 'opaque' && !providerExecuted,
  });
});

describe('view', () => {
  it('reads texts, thoughts and media, and seals signed parts', () => {
    const content = {
      role: 'model',
      parts: [
        { text: 'hm', thought: true },
        { text: 'so' },
        { text: '', thoughtSignature: 'c2ln' },
        image,
        { fileData: { mimeType: 'application/pdf', fileUri: 'gs://a/b.pdf' } },
        { laterKind: { a: 1 }, thoughtSignature: 'A'.repeat(1000) },
      ],
    };
    const { role, items } = gemini.view(content);
    expect(role).toBe('assistant');
    expect(items.map(({ kind, text, sealed }) => [kind, text, sealed])).toEqual([
      ['reasoning', 'hm', false],
      ['text', 'so', false],
      ['text', '', true],
      ['media', '', false],
      ['media', '', false],
      ['opaque', '', true],
    ]);
    expect(items[3]?.media).toMatchObject({ type: 'image', width: 1, height: 1 });
    expect(items[4]?.media).toMatchObject({ type: 'document', bytes: null });
    expect(items[5]?.weight).toBeLessThan(40);
    expect(gemini.view({ role: 'user', parts: [{ text: 'x' }] }).role).toBe('user');
    expect(gemini.view({ parts: [{ text: 'x' }] }).items[0]?.kind).toBe('user');
  });

  it('names calls and responses without ids by their index among those of the same name', () => {
    const calls = {
      role: 'model',
      parts: [
        { functionCall: { name: 'read', args: { path: 'a' } }, thoughtSignature: 'c2ln' },
        { functionCall: { name: 'run' } },
        { functionCall: { id: 'c7', name: 'read', args: {} } },
        { functionCall: { name: 'read', args: {} } },
      ],
    };
    const responses = {
      role: 'user',
      parts: [
        { functionResponse: { name: 'run', response: { error: 'no' } } },
        { functionResponse: { name: 'read', response: { output: 'a' } } },
        { functionResponse: { id: 'c7', name: 'read', response: { rows: [1], more: true } } },
        { functionResponse: { name: 'read', response: { output: 'c' } } },
      ],
    };
    expect(itemsOf(calls)).toEqual([
      ['call', '{"path":"a"}', '#0:read'],
      ['call', '{}', '#0:run'],
      ['call', '{}', 'c7'],
      ['call', '{}', '#2:read'],
    ]);
    expect(itemsOf(responses)).toEqual([
      ['result', 'no', '#0:run'],
      ['result', 'a', '#0:read'],
      ['result', '{"rows":[1],"more":true}', 'c7'],
      ['result', 'c', '#2:read'],
    ]);
    expect(gemini.view(responses).items.map(({ isError }) => isError)).toEqual([true, false, false, false]);
    expect(gemini.view(calls).items.map(({ sealed }) => sealed)).toEqual([true, false, false, false]);
  });

  it("keeps parts of Google's own tools as they are, a call and its response linked", () => {
    const content = {
      role: 'model',
      parts: [
        { executableCode: { language: 'PYTHON', code: 'print(1)' } },
        { codeExecutionResult: { outcome: 'OUTCOME_FAILED', output: 'no' } },
        { toolCall: { id: 't1', toolType: 'GOOGLE_SEARCH', args: { q: 'x' } } },
        { toolResponse: { id: 't1', toolType: 'GOOGLE_SEARCH', response: { hits: 2 } } },
      ],
    };
    expect(gemini.view(content).items.map(({ kind, links }) => [kind, links])).toEqual([
      ['opaque', []],
      ['opaque', []],
      ['opaque', ['server:t1']],
      ['opaque', ['server:t1']],
    ]);
  });
});

describe('edit', () => {
  it('keeps errors as errors, and text in its field', () => {
    const content = {
      role: 'user',
      parts: [
        { functionResponse: { name: 'a', response: { error: 'long' } } },
        { functionResponse: { name: 'b', response: { result: 'long' } } },
        { functionResponse: { id: 'c', name: 'c', response: { x: 1, y: 2 }, willContinue: false } },
        { functionResponse: { name: 'd', response: { error: { code: 1 }, output: 'long' } } },
      ],
    };
    const edits = [0, 1, 2, 3].map((item) => ({ op: 'text' as const, item, text: '$&' }));
    expect(gemini.edit(content, edits)).toEqual({
      role: 'user',
      parts: [
        { functionResponse: { name: 'a', response: { error: '$&' } } },
        { functionResponse: { name: 'b', response: { result: '$&' } } },
        { functionResponse: { id: 'c', name: 'c', response: { output: '$&' }, willContinue: false } },
        { functionResponse: { name: 'd', response: { error: '$&' } } },
      ],
    });
  });

  it('puts replacement text where the response refers to the media, otherwise next to the response', () => {
    const named = { inlineData: { mimeType: 'image/png', data: PNG, displayName: 'a.png' } };
    const content = {
      role: 'user',
      parts: [
        { functionResponse: { name: 'a', response: { shot: { $ref: 'a.png' }, ok: true }, parts: [named] } },
        { functionResponse: { name: 'b', response: { output: 'seen' }, parts: [image] } },
        { functionResponse: { name: 'c', response: { x: 1, y: 2 }, parts: [image] } },
      ],
    };
    const edits = [1, 3, 5].map((item) => ({ op: 'media' as const, item, text: 'gone' }));
    expect(gemini.edit(content, edits)).toEqual({
      role: 'user',
      parts: [
        { functionResponse: { name: 'a', response: { shot: 'gone', ok: true }, parts: [] } },
        { functionResponse: { name: 'b', response: { output: 'seen\ngone' }, parts: [] } },
        { functionResponse: { name: 'c', response: { x: 1, y: 2, leftOut: 'gone' }, parts: [] } },
      ],
    });
  });

  it('survives a response with many cycles', () => {
    const response: Record<string, unknown> = { ok: 1 };
    for (const name of ['a', 'b', 'c']) response[name] = response;
    const named = { inlineData: { mimeType: 'image/png', data: PNG, displayName: 'a.png' } };
    const body = { name: 'a', response: { within: { response }, ok: true }, parts: [named] };
    const content = { role: 'user', parts: [{ functionResponse: body }] };
    expect(gemini.edit(content, [{ op: 'media', item: 1, text: 'gone' }])).not.toBe(content);
  });

  it("puts an answer at the position of its call's response", () => {
    const response = (name: string, output: string): unknown => ({
      functionResponse: { name, response: { output } },
    });
    const error = (name: string, id?: string): unknown => ({
      functionResponse: { ...(id === undefined ? {} : { id }), name, response: { error: 'interrupted' } },
    });
    const content = { role: 'user', parts: [response('a', '1'), response('b', '2'), { text: 'go on' }] };
    const calls = [
      { callId: '#0:c', toolName: 'c', at: 3 },
      { callId: '#1:a', toolName: 'a', at: 4 },
      { callId: '#0:b', toolName: 'b', at: 1 },
      { callId: 'c9', toolName: 'd', at: 5 },
    ];
    const next = gemini.edit(content, [{ op: 'answer', calls, text: 'interrupted' }]);
    expect(next).toEqual({
      role: 'user',
      parts: [
        response('a', '1'),
        error('b'),
        response('b', '2'),
        error('c'),
        error('a'),
        error('d', 'c9'),
        { text: 'go on' },
      ],
    });
    expect(gemini.answer(calls.slice(0, 1), 'interrupted')).toEqual([{ role: 'user', parts: [error('c')] }]);
    expect(gemini.edit({ role: 'model', parts: [{ text: 'x' }] }, [{ op: 'append', text: 'y' }])).toEqual({
      role: 'model',
      parts: [{ text: 'x' }],
    });
  });

  it('returns null for empty content and for thoughts only', () => {
    const content = {
      role: 'model',
      parts: [{ text: 'hm', thought: true }, { functionCall: { name: 'a' } }],
    };
    expect(gemini.edit(content, [{ op: 'remove', item: 1 }])).toBe(null);
    expect(gemini.edit({ role: 'user', parts: [{ text: 'x' }] }, [{ op: 'remove', item: 0 }])).toBe(null);
  });

  it('appends to a user content', () => {
    expect(gemini.edit({ role: 'user', parts: [image] }, [{ op: 'append', text: 'note' }])).toEqual({
      role: 'user',
      parts: [image, { text: 'note' }],
    });
  });

  it('encodes bytes', () => {
    const data = new Uint8Array([1, 2]);
    const content = { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data } }] };
    expect(gemini.encode(content)).toEqual({
      role: 'user',
      parts: [{ inlineData: { mimeType: 'image/png', data: { $bytes: 'AQI=' } } }],
    });
  });
});

describe('detect', () => {
  it('requires parts without a kind in every content', () => {
    const user = { role: 'user', parts: [{ text: 'x' }] };
    expect(gemini.detect([user, { role: 'model', parts: [{ functionCall: { name: 'a' } }] }])).toBe(true);
    expect(gemini.detect([])).toBe(false);
    const others: unknown[] = [
      { role: 'user', content: 'x' },
      { role: 'user', parts: [{ type: 'text', text: 'x' }], id: '1' },
      { role: 'user', parts: [{ kind: 'text', text: 'x' }] },
      { role: 'model', parts: [{ function_call: { name: 'a' } }] },
      { role: 'assistant', parts: [{ text: 'x' }] },
      null,
    ];
    for (const other of others) expect(gemini.detect([user, other])).toBe(false);
  });
});
