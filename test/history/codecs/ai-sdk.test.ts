import type { ModelMessage } from 'ai';
import { generateText, wrapLanguageModel } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aiSdk } from '../../../src/history/codecs/ai-sdk/codec.ts';
import type { Item } from '../../../src/history/codecs/message.ts';
import { callId, checkCodec, said } from './codec-checks.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const LONG_ID = `call_${'x'.repeat(1500)}`;
const DOLLARS = "$& $` $' $$ $1";

const call = {
  type: 'tool-call',
  toolCallId: LONG_ID,
  toolName: 'read',
  input: { path: 'a.ts' },
  providerOptions: { openai: { itemId: 'fc_1' } },
};
const textResult = {
  type: 'tool-result',
  toolCallId: LONG_ID,
  toolName: 'read',
  output: { type: 'text', value: 'const a = 1;' },
};
const mediaResult = {
  type: 'tool-result',
  toolCallId: 'c2',
  toolName: 'shot',
  output: {
    type: 'content',
    value: [
      { type: 'text', text: 'before' },
      { type: 'image-data', data: PNG, mediaType: 'image/png' },
      { type: 'text', text: 'after' },
      { type: 'file-url', url: 'https://example.org/a.pdf', mediaType: 'application/pdf' },
      { type: 'custom', providerOptions: { anthropic: { type: 'tool-reference' } } },
    ],
  },
  providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
};

const user = {
  role: 'user',
  content: [
    { type: 'text', text: 'look' },
    { type: 'image', image: PNG },
  ],
};
const assistant = {
  role: 'assistant',
  content: [
    { type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 'EqQ' } } },
    { type: 'text', text: 'I read it.' },
    call,
  ],
  providerOptions: { x: { y: 1 } },
};
const tool = { role: 'tool', content: [textResult, mediaResult] };

function kinds(message: unknown): string[] {
  return aiSdk.view(message).items.map(({ kind }) => kind);
}

function at(message: unknown, index: number): Item {
  const found = aiSdk.view(message).items[index];
  if (!found) throw new Error(`no item ${index}`);
  return found;
}

function contentOf(message: unknown): readonly unknown[] {
  const content: unknown =
    message !== null && typeof message === 'object' && 'content' in message ? message.content : null;
  return Array.isArray(content) ? content : [];
}

describe('view', () => {
  test('texts by role', () => {
    expect(aiSdk.view({ role: 'system', content: 'be good' })).toMatchObject({
      role: 'system',
      items: [{ kind: 'system', text: 'be good' }],
    });
    expect(kinds({ role: 'user', content: 'hi' })).toEqual(['user']);
    expect(kinds({ role: 'assistant', content: 'hi' })).toEqual(['text']);
    expect(kinds(user)).toEqual(['user', 'media']);
  });

  test('a call has its id, its name and its arguments, as objects and as JSON', () => {
    expect(at(assistant, 2)).toMatchObject({
      kind: 'call',
      callId: LONG_ID,
      toolName: 'read',
      args: { path: 'a.ts' },
      text: '{"path":"a.ts"}',
      sealed: false,
    });
    const json = { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: '{"a":1}' };
    expect(at({ role: 'assistant', content: [json] }, 0)).toMatchObject({ args: { a: 1 }, text: '{"a":1}' });
  });

  test.each([
    [{ anthropic: { signature: 's' } }, true],
    [{ anthropic: { redactedData: 's' } }, true],
    [{ openai: { itemId: 'rs_1', reasoningEncryptedContent: null } }, true],
    [{ openai: { reasoningEncryptedContent: 'gAAA' } }, true],
    [{ google: { thoughtSignature: 'x' } }, true],
    [{ openai: { reasoningEncryptedContent: null } }, false],
    [{ anthropic: { cacheControl: { type: 'ephemeral' } } }, false],
    [undefined, false],
  ])('reasoning with %j is sealed: %s', (options, sealed) => {
    for (const name of ['providerOptions', 'providerMetadata']) {
      const part = { type: 'reasoning', text: 'hm', ...(options ? { [name]: options } : {}) };
      expect(at({ role: 'assistant', content: [part] }, 0)).toMatchObject({ kind: 'reasoning', sealed });
    }
  });

  test('a call signed by Gemini is sealed; one with an item id of OpenAI is not', () => {
    const signed = { ...call, providerOptions: { google: { thoughtSignature: 'x' } } };
    expect(at({ role: 'assistant', content: [signed] }, 0).sealed).toBe(true);
    expect(at(assistant, 2).sealed).toBe(false);
  });

  test("a call's signature, which the SDK repeats next to the result, seals only the call", () => {
    const options = { google: { thoughtSignature: 'x' } };
    const result = {
      type: 'tool-result',
      toolCallId: 'a',
      toolName: 'read',
      output: { type: 'text', value: 'b' },
    };
    const of = (role: string, providerOptions: object): boolean =>
      at({ role, content: [{ ...result, providerOptions }] }, 0).sealed;
    expect(of('tool', options)).toBe(false);
    expect(of('assistant', options)).toBe(true);
    const server = { google: { ...options.google, serverToolCallId: 's', serverToolType: 'SEARCH' } };
    expect(of('tool', server)).toBe(true);
  });

  test.each([
    [{ type: 'text', value: 'a' }, 'a', false],
    [{ type: 'error-text', value: 'a' }, 'a', true],
    [{ type: 'json', value: { a: [1] } }, '{"a":[1]}', false],
    [{ type: 'error-json', value: 'a' }, '"a"', true],
    [{ type: 'execution-denied', reason: 'no' }, 'no', true],
    [{ type: 'execution-denied' }, '', true],
    [
      {
        type: 'content',
        value: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      'a\nb',
      false,
    ],
    [{ type: 'new', value: 1 }, '{"type":"new","value":1}', false],
  ])('the result %j', (output, text, isError) => {
    const part = { type: 'tool-result', toolCallId: 'a', toolName: 't', output };
    expect(aiSdk.view({ role: 'tool', content: [part] }).items).toMatchObject([
      { kind: 'result', callId: 'a', toolName: 't', text, isError, providerExecuted: false },
    ]);
  });

  test('media inside a result', () => {
    const { items } = aiSdk.view(tool);
    expect(items.map(({ kind, callId }) => [kind, callId])).toEqual([
      ['result', LONG_ID],
      ['result', 'c2'],
      ['media', 'c2'],
      ['media', 'c2'],
    ]);
    expect(items[1]?.weight).toBeGreaterThan(0);
    expect(items[1]?.text).toBe('before\nafter');
    expect(items[2]?.media).toMatchObject({ type: 'image', mimeType: 'image/png', width: 1, height: 1 });
    expect(items[3]?.media).toMatchObject({ type: 'document', bytes: null });
  });

  test.each([
    ['base64', PNG],
    ['a data URL', `data:image/png;base64,${PNG}`],
    ['bytes', new Uint8Array(Buffer.from(PNG, 'base64'))],
    ['an array buffer', Uint8Array.from(Buffer.from(PNG, 'base64')).buffer],
    ['a URL of data', new URL(`data:image/png;base64,${PNG}`)],
    ['v7 data', { type: 'data', data: PNG }],
    ['v7 url', { type: 'url', url: new URL(`data:image/png;base64,${PNG}`) }],
  ])('a file as %s', (_, data) => {
    const part = { type: 'file', data, mediaType: 'image/*' };
    expect(at({ role: 'user', content: [part] }, 0)).toMatchObject({
      kind: 'media',
      text: '',
      media: { type: 'image', mimeType: 'image/png', bytes: 70, width: 1, height: 1 },
    });
  });

  test('a file elsewhere, or of text', () => {
    const media = (data: unknown, mediaType: string): unknown =>
      at({ role: 'user', content: [{ type: 'file', data, mediaType }] }, 0).media;
    expect(media('https://example.org/x', 'audio/mp3')).toMatchObject({ type: 'audio', bytes: null });
    expect(media({ type: 'reference', reference: { openai: 'f' } }, 'video/mp4')).toMatchObject({
      type: 'video',
    });
    expect(media({ type: 'text', text: 'äb' }, 'text/plain')).toMatchObject({ type: 'document', bytes: 3 });
  });

  test('approvals, compactions and unknown parts are opaque', () => {
    const parts = [
      { type: 'tool-approval-request', approvalId: 'p1', toolCallId: 'a' },
      { type: 'text', text: 'summary', providerOptions: { anthropic: { type: 'compaction' } } },
      { type: 'custom', kind: 'openai.compaction', providerOptions: { openai: { itemId: 'cmp_1' } } },
      { type: 'source', sourceType: 'url', id: 's', url: 'https://example.org' },
      { type: 'new' },
    ];
    const { items } = aiSdk.view({ role: 'assistant', content: parts });
    expect(items.every(({ kind }) => kind === 'opaque')).toBe(true);
    expect(items.map(({ boundary }) => boundary)).toEqual([false, true, true, false, false]);
    expect(items.every(({ weight }) => weight > 0)).toBe(true);
    const answer = { type: 'tool-approval-response', approvalId: 'p1', approved: true };
    expect(at({ role: 'tool', content: [answer] }, 0).links).toEqual(items[0]?.links);
  });

  test('tools the provider ran, and who called them', () => {
    const server = {
      type: 'tool-call',
      toolCallId: 's',
      toolName: 'code',
      input: {},
      providerExecuted: true,
    };
    const result = {
      type: 'tool-result',
      toolCallId: 's',
      toolName: 'code',
      output: { type: 'json', value: 1 },
    };
    const called = { ...call, providerOptions: { anthropic: { caller: { type: 'code', toolId: 's' } } } };
    const { items } = aiSdk.view({ role: 'assistant', content: [server, called, result] });
    expect(items.map(({ providerExecuted }) => providerExecuted)).toEqual([true, false, true]);
    expect(items.map(({ links }) => links)).toEqual([['server:s'], ['server:s'], ['server:s']]);
  });

  test("a provider's reasoning is sealed", () => {
    const part = { type: 'reasoning-file', data: PNG, mediaType: 'image/png' };
    expect(at({ role: 'assistant', content: [part] }, 0)).toMatchObject({ kind: 'reasoning', sealed: true });
  });
});

describe('edit', () => {
  test('returns the same object without edits', () => {
    for (const message of [user, assistant, tool]) {
      expect(aiSdk.edit(message, [])).toBe(message);
      expect(aiSdk.edit(message, [{ op: 'text', item: 99, text: 'x' }])).toBe(message);
      expect(aiSdk.edit(message, [{ op: 'answer', calls: [], text: 'x' }])).toBe(message);
    }
    expect(aiSdk.edit(assistant, [{ op: 'append', text: 'x' }])).toBe(assistant);
  });

  test('a text of a result, with the others as they were', () => {
    const edited = aiSdk.edit(tool, [{ op: 'text', item: 0, text: DOLLARS }]);
    expect(contentOf(edited)).toEqual([
      { ...textResult, output: { type: 'text', value: DOLLARS } },
      mediaResult,
    ]);
    expect(contentOf(edited)[1]).toBe(mediaResult);
  });

  test('an error remains an error', () => {
    for (const output of [
      { type: 'error-json', value: { a: 1 }, providerOptions: { x: { y: 1 } } },
      { type: 'execution-denied', reason: 'no' },
    ]) {
      const message = { role: 'tool', content: [{ ...textResult, output }] };
      const edited = aiSdk.edit(message, [{ op: 'text', item: 0, text: 'E' }]);
      expect(at(edited, 0)).toMatchObject({ text: 'E', isError: true });
    }
  });

  test('all text of a result becomes one, media and the rest stay', () => {
    const edited = aiSdk.edit(tool, [{ op: 'text', item: 1, text: 'T' }]);
    const [, image, , file, custom] = mediaResult.output.value;
    expect(contentOf(edited)[1]).toEqual({
      ...mediaResult,
      output: { type: 'content', value: [{ type: 'text', text: 'T' }, image, file, custom] },
    });
    const both = aiSdk.edit(tool, [
      { op: 'text', item: 1, text: 'T' },
      { op: 'media', item: 2, text: 'was a picture' },
      { op: 'remove', item: 3 },
    ]);
    expect(at(both, 1).text).toBe('T\nwas a picture');
    expect(aiSdk.view(both).items).toHaveLength(2);
  });

  test('a text, and a text in place of media, are both kept', () => {
    const [before, image] = mediaResult.output.value;
    const message = {
      role: 'tool',
      content: [{ ...textResult, output: { type: 'content', value: [before, image] } }],
    };
    const edited = aiSdk.edit(message, [
      { op: 'text', item: 0, text: 'T' },
      { op: 'media', item: 1, text: 'M' },
    ]);
    expect(at(edited, 0).text).toBe('T\nM');
  });

  test('content of text alone becomes a text', () => {
    const output = {
      type: 'content',
      value: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    };
    const message = { role: 'tool', content: [{ ...textResult, output }] };
    expect(contentOf(aiSdk.edit(message, [{ op: 'text', item: 0, text: 'T' }]))).toEqual([
      { ...textResult, output: { type: 'text', value: 'T' } },
    ]);
  });

  test('arguments, keeping the other fields of the call and message', () => {
    const edited = aiSdk.edit(assistant, [{ op: 'args', item: 2, args: { path: DOLLARS } }]);
    expect(edited).toEqual({
      ...assistant,
      content: [assistant.content[0], assistant.content[1], { ...call, input: { path: DOLLARS } }],
    });
    expect(contentOf(edited)[0]).toBe(assistant.content[0]);
  });

  test('sealed parts cannot be edited', () => {
    const signed = { ...call, providerOptions: { google: { thoughtSignature: 'x' } } };
    const message = { role: 'assistant', content: [signed] };
    expect(aiSdk.edit(message, [{ op: 'args', item: 0, args: {} }])).toBe(message);
  });

  test('replaces media with a text in the message', () => {
    const edited = aiSdk.edit(user, [{ op: 'media', item: 1, text: 'gone' }]);
    expect(contentOf(edited)).toEqual([user.content[0], { type: 'text', text: 'gone' }]);
  });

  test('removal; an assistant message left with only reasoning is removed', () => {
    expect(aiSdk.edit({ role: 'user', content: 'x' }, [{ op: 'remove', item: 0 }])).toBeNull();
    expect(contentOf(aiSdk.edit(assistant, [{ op: 'remove', item: 1 }]))).toEqual([
      assistant.content[0],
      call,
    ]);
    expect(
      aiSdk.edit(assistant, [
        { op: 'remove', item: 1 },
        { op: 'remove', item: 2 },
      ]),
    ).toBeNull();
    const twice = { role: 'tool', content: [mediaResult, mediaResult] };
    expect(contentOf(aiSdk.edit(twice, [{ op: 'remove', item: 3 }]))).toEqual([mediaResult]);
  });

  test('a text appended to a user message', () => {
    expect(aiSdk.edit({ role: 'user', content: 'a', id: 1 }, [{ op: 'append', text: 'b' }])).toEqual({
      role: 'user',
      id: 1,
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    });
  });

  test('answers come before existing results', () => {
    const edited = aiSdk.edit(tool, [
      { op: 'answer', calls: [{ callId: 'lost', toolName: 'run' }], text: 'interrupted' },
    ]);
    expect(contentOf(edited)).toEqual([
      {
        type: 'tool-result',
        toolCallId: 'lost',
        toolName: 'run',
        output: { type: 'error-text', value: 'interrupted' },
      },
      textResult,
      mediaResult,
    ]);
  });
});

describe('with the real SDK', () => {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };

  test('accepts edited messages, notices and answers, and the prompt in middleware reads the same', async () => {
    const prompts: unknown[] = [];
    const model = wrapLanguageModel({
      model: new MockLanguageModelV3({
        // Otherwise the SDK loads URLs itself.
        supportedUrls: { '*/*': [/^https:/] },
        doGenerate: {
          content: [{ type: 'text', text: 'ok' }],
          finishReason: { unified: 'stop', raw: 'stop' },
          usage,
          warnings: [],
        },
      }),
      middleware: {
        specificationVersion: 'v3',
        transformParams: async ({ params }) => {
          prompts.push(...params.prompt);
          return params;
        },
      },
    });
    const messages = [
      aiSdk.notice('[history: 2 earlier messages left out]', 'user'),
      assistant,
      aiSdk.edit(tool, [{ op: 'text', item: 0, text: 'left out' }]),
      { role: 'assistant', content: [{ ...call, toolCallId: 'lost' }] },
      ...aiSdk.answer([{ callId: 'lost', toolName: 'read' }], 'interrupted'),
      aiSdk.notice('so', 'assistant'),
      aiSdk.edit(user, [{ op: 'append', text: 'more' }]),
    ];
    // The codec returns messages in its input's format.
    await generateText({ model, messages: messages as ModelMessage[], maxRetries: 0 });
    const seen = (list: readonly unknown[]): unknown =>
      list.map((message) => aiSdk.view(message).items.map(({ kind, text, callId }) => [kind, text, callId]));
    const wanted = seen(messages);
    expect(seen(prompts)).toEqual(wanted);
    expect(aiSdk.detect(prompts)).toBe(true);
  });
});

describe('detect', () => {
  test('only its own messages', () => {
    expect(aiSdk.detect([{ role: 'user', content: 'x' }])).toBe(false);
    expect(aiSdk.detect([{ role: 'user', content: 'x' }, assistant, tool])).toBe(true);
    expect(aiSdk.detect([user])).toBe(true);
    expect(aiSdk.detect([assistant, { role: 'tool', tool_call_id: 'a', content: 'x' }])).toBe(false);
    expect(aiSdk.detect([assistant, { role: 'assistant', content: 'x', tool_calls: [] }])).toBe(false);
    expect(aiSdk.detect([])).toBe(false);
  });
});

test('bytes and addresses are JSON', () => {
  const message = {
    role: 'user',
    content: [
      { type: 'image', image: Uint8Array.of(1, 2) },
      { type: 'file', data: new URL('https://example.org/a'), mediaType: 'text/plain' },
    ],
  };
  expect(aiSdk.encode(message)).toEqual({
    role: 'user',
    content: [
      { type: 'image', image: { $bytes: 'AQI=' } },
      { type: 'file', data: 'https://example.org/a', mediaType: 'text/plain' },
    ],
  });
});

/** A part with the format's fields that hold `junk`. */
const partAround = (junk: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.record(
    {
      type: fc.constantFrom('text', 'image', 'file', 'reasoning', 'tool-call', 'tool-result', 'custom'),
      text: fc.oneof(fc.string(), junk),
      input: junk,
      data: junk,
      toolCallId: fc.oneof(fc.string(), junk),
      output: fc.oneof(
        fc.record({
          type: fc.constantFrom('text', 'json', 'content', 'error-text'),
          value: fc.oneof(
            junk,
            fc.array(fc.oneof(fc.record({ type: fc.constant('text'), text: fc.string() }), junk)),
          ),
        }),
        junk,
      ),
      providerOptions: junk,
    },
    { requiredKeys: ['type'] },
  );

describe('common codec behaviour', () => {
  const image = { type: 'image-data', data: PNG, mediaType: 'image/png' };
  const text = said.map((words) => ({ type: 'text', text: words }));
  const reasoning = fc.tuple(said, fc.boolean()).map(([words, signed]) => ({
    type: 'reasoning',
    text: words,
    ...(signed ? { providerOptions: { anthropic: { signature: 'EqQ' } } } : {}),
  }));
  const calls = fc.tuple(callId, fc.boolean()).map(([toolCallId, signed]) => ({
    type: 'tool-call',
    toolCallId,
    toolName: 'read',
    input: { path: 'a' },
    ...(signed ? { providerOptions: { google: { thoughtSignature: 'EqQ' } } } : {}),
  }));
  const outputs = fc.oneof(
    said.map((value) => ({ type: 'text', value })),
    said.map((value) => ({ type: 'error-text', value })),
    said.map((reason) => ({ type: 'execution-denied', reason })),
    said.map((value) => ({ type: 'json', value: { value } })),
    fc
      .array(fc.oneof(text, fc.constant(image), fc.constant({ type: 'custom' })), { minLength: 1 })
      .map((value) => ({ type: 'content', value })),
  );
  const result = fc
    .tuple(callId, outputs)
    .map(([toolCallId, output]) => ({ type: 'tool-result', toolCallId, toolName: 'read', output }));
  const speech = fc.oneof(
    said,
    fc.array(fc.oneof(text, fc.constant({ type: 'image', image: PNG })), { minLength: 1 }),
  );
  const parts = fc.array(
    fc.oneof(text, reasoning, calls, fc.constant({ type: 'source', sourceType: 'url' })),
    {
      minLength: 1,
      maxLength: 6,
    },
  );
  const results = fc.uniqueArray(result, {
    minLength: 1,
    maxLength: 4,
    selector: ({ toolCallId }) => toolCallId,
  });

  checkCodec({
    codec: aiSdk,
    message: fc.oneof(
      said.map((content) => ({ role: 'system', content })),
      speech.map((content) => ({ role: 'user', content, providerOptions: { x: { y: 1 } } })),
      fc.oneof(said, parts).map((content) => ({ role: 'assistant', content })),
      results.map((content) => ({ role: 'tool', content })),
    ),
    around: (junk) =>
      fc.record({
        role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
        content: fc.oneof(junk, fc.array(fc.oneof(junk, partAround(junk)))),
      }),
    partsOf: contentOf,
    takesText: ({ kind }) => kind === 'user' || kind === 'text' || kind === 'system' || kind === 'result',
  });
});
