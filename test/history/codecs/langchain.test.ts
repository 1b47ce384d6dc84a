import {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  coerceMessageLikeToMessage,
  FunctionMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLangChainCodec, langChain } from '../../../src/history/codecs/langchain/codec.ts';
import type { Item } from '../../../src/history/codecs/message.ts';
import { callId, checkCodec, said } from './codec-checks.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const LONG_ID = `call_${'x'.repeat(1500)}`;
const DOLLARS = "$& $` $' $$ $1";
const ARGS = { path: 'a.ts' };

const user = new HumanMessage({
  content: [
    { type: 'text', text: 'look' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
  ],
  name: 'ann',
  id: 'u1',
});
const assistant = new AIMessage({
  id: 'msg_1',
  content: [
    { type: 'thinking', thinking: 'hm', signature: 'EqQ' },
    { type: 'text', text: 'I read it.' },
    { type: 'tool_use', id: LONG_ID, name: 'read', input: ARGS },
  ],
  tool_calls: [{ id: LONG_ID, name: 'read', args: ARGS, type: 'tool_call' }],
  response_metadata: { model_provider: 'anthropic' },
});
// Set after construction, as a chat model does.
Reflect.set(assistant, 'usage_metadata', { input_tokens: 1, output_tokens: 2, total_tokens: 3 });
const tool = new ToolMessage({
  content: 'const a = 1;',
  tool_call_id: LONG_ID,
  name: 'read',
  status: 'success',
  artifact: { rows: [1] },
  id: 't1',
});

function items(message: unknown): readonly Item[] {
  return langChain.view(message).items;
}

function kinds(message: unknown): string[] {
  return items(message).map(({ kind }) => kind);
}

/** The forms of one message; an edit has the same effect on all of them. */
function forms(message: AIMessage | HumanMessage | ToolMessage): readonly unknown[] {
  return [message, JSON.parse(JSON.stringify(message)), ...mapChatMessagesToStoredMessages([message])];
}

function edited<T>(message: T, ...edits: Parameters<typeof langChain.edit>[1]): T {
  const result = langChain.edit(message, edits);
  if (result === null) throw new Error('nothing left');
  // An edit keeps the message's class, which these tests check.
  return result as T;
}

describe('view', () => {
  test('every form reads the same, and has one encoding', () => {
    for (const message of [user, assistant, tool]) {
      const [first, ...rest] = forms(message);
      for (const form of rest) {
        expect(langChain.view(form)).toEqual(langChain.view(first));
        expect(langChain.encode(form)).toEqual(langChain.encode(first));
      }
    }
  });

  test('roles', () => {
    const roles = [
      new SystemMessage('a'),
      new HumanMessage('a'),
      new AIMessage('a'),
      tool,
      new ChatMessage('a', 'user'),
      new ChatMessage('a', 'assistant'),
      new FunctionMessage({ content: 'a', name: 'f' }),
      { role: 'user', content: 'a' },
      { role: 'human', content: 'a' },
      { role: 'assistant', content: 'a' },
      { type: 'ai', content: 'a' },
      { getType: () => 'human', content: 'a' },
      { _getType: () => 'ai', content: 'a' },
    ].map((message) => [langChain.view(message).role, kinds(message)[0]]);
    expect(roles).toEqual([
      ['system', 'system'],
      ['user', 'user'],
      ['assistant', 'text'],
      ['tool', 'result'],
      ['user', 'user'],
      ['assistant', 'text'],
      ['tool', 'result'],
      ['user', 'user'],
      ['user', 'user'],
      ['assistant', 'text'],
      ['assistant', 'text'],
      ['user', 'user'],
      ['assistant', 'text'],
    ]);
  });

  test('a call in the content and in tool_calls is one call', () => {
    expect(kinds(assistant)).toEqual(['reasoning', 'text', 'call']);
    expect(items(assistant)[0]).toMatchObject({ text: 'hm', sealed: true });
    expect(items(assistant)[2]).toMatchObject({
      callId: LONG_ID,
      toolName: 'read',
      args: ARGS,
      text: '{"path":"a.ts"}',
    });
  });

  test('calls with the same id are counted separately', () => {
    const twice = { id: 'a', name: 'read', args: {} };
    expect(kinds(new AIMessage({ content: '', tool_calls: [twice, twice] }))).toEqual(['call', 'call']);
  });

  test("Gemini's calls in the content have no id", () => {
    const message = new AIMessage({
      content: [
        { type: 'text', text: 'x' },
        { type: 'functionCall', functionCall: { name: 'b', args: { n: 1 } } },
        { type: 'functionCall', functionCall: { name: 'b', args: { n: 2 } } },
      ],
      tool_calls: [
        { id: '1', name: 'b', args: { n: 1 } },
        { id: '2', name: 'b', args: { n: 2 } },
      ],
    });
    expect(items(message).map(({ kind, callId, args }) => [kind, callId, args])).toEqual([
      ['text', null, null],
      ['call', '1', { n: 1 }],
      ['call', '2', { n: 2 }],
    ]);
  });

  test('signatures of Gemini next to calls seal them', () => {
    for (const additional_kwargs of [
      { __gemini_function_call_thought_signatures__: { a: 'sig' } },
      { signatures: ['', 'sig'] },
    ]) {
      const message = new AIMessage({
        content: '',
        tool_calls: [{ id: 'a', name: 'b', args: {} }],
        additional_kwargs,
      });
      expect(items(message)[0]).toMatchObject({ kind: 'call', sealed: true });
    }
  });

  test('calls that did not parse, and calls of a plain message', () => {
    const invalid = new AIMessage({
      content: '',
      invalid_tool_calls: [{ id: 'a', name: 'b', args: '{"x":', error: 'no', type: 'invalid_tool_call' }],
    });
    expect(items(invalid)).toMatchObject([{ kind: 'call', callId: 'a', args: null, text: '{"x":' }]);
    const raw = {
      type: 'ai',
      content: '',
      additional_kwargs: {
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'b', arguments: '{"x":1}' } }],
      },
    };
    expect(items(raw)).toMatchObject([{ kind: 'call', callId: 'a', toolName: 'b', args: { x: 1 } }]);
  });

  test('reasoning in any place', () => {
    const of = (content: unknown, additional_kwargs: unknown = {}): unknown =>
      items({ type: 'ai', data: { content, additional_kwargs } }).map(({ kind, text, sealed }) => [
        kind,
        text,
        sealed,
      ]);
    expect(of('', { reasoning_content: 'hm' })).toEqual([['reasoning', 'hm', false]]);
    expect(of('', { reasoning: { id: 'rs_1', summary: [{ text: 'a' }, { text: 'b' }] } })).toEqual([
      ['reasoning', 'a\nb', true],
    ]);
    expect(of('', { reasoning: { summary: [], encrypted_content: 'gAAA' } })).toEqual([
      ['reasoning', '', true],
    ]);
    expect(of([{ type: 'reasoning', reasoning: 'hm' }])).toEqual([['reasoning', 'hm', false]]);
    expect(of([{ type: 'reasoning', reasoning: 'hm', extras: { signature: 's' } }])).toEqual([
      ['reasoning', 'hm', true],
    ]);
    expect(of([{ type: 'redacted_thinking', data: 'x' }])).toEqual([['reasoning', '', true]]);
    expect(of([{ type: 'reasoning_content', reasoningText: { text: 'hm', signature: 's' } }])).toEqual([
      ['reasoning', 'hm', true],
    ]);
  });

  test.each([
    { type: 'image_url', image_url: `data:image/png;base64,${PNG}` },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
    { type: 'image', source_type: 'base64', mime_type: 'image/png', data: PNG },
    { type: 'image', mimeType: 'image/png', data: PNG },
    { type: 'image', mimeType: 'image/png', data: new Uint8Array(Buffer.from(PNG, 'base64')) },
    { type: 'media', mimeType: 'image/png', data: PNG },
  ])('the picture %#', (block) => {
    expect(items({ type: 'human', data: { content: [block] } })).toMatchObject([
      {
        kind: 'media',
        text: '',
        media: { type: 'image', mimeType: 'image/png', bytes: 70, width: 1, height: 1 },
      },
    ]);
  });

  test('other media', () => {
    const content = [
      { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
      { type: 'file', fileId: 'f1', mimeType: 'application/pdf' },
      { type: 'video', url: 'https://example.org/v.mp4' },
      { type: 'document', source: { type: 'url', url: 'https://example.org/a.pdf' } },
      { type: 'text-plain', data: 'aGk=', mimeType: 'text/plain' },
    ];
    expect(items({ type: 'human', data: { content } }).map(({ media }) => media?.type)).toEqual([
      'audio',
      'document',
      'video',
      'document',
      'document',
    ]);
  });

  test('tools the provider ran', () => {
    const content = [
      { type: 'server_tool_use', id: 's', name: 'web_search', input: { q: 'a' } },
      { type: 'web_search_tool_result', tool_use_id: 's', content: [{ encrypted_content: 'x' }] },
      { type: 'server_tool_call', id: 't', name: 'code', args: {} },
      { type: 'server_tool_call_result', toolCallId: 't', status: 'error', output: {} },
    ];
    const found = items({ type: 'ai', data: { content } });
    expect(found.map(({ kind }) => kind)).toEqual(['call', 'opaque', 'call', 'opaque']);
    expect(found[2]?.links).toEqual(found[3]?.links);
    expect(found[0]?.links).toEqual(found[1]?.links);
  });

  test('results with text, media and errors', () => {
    const message = new ToolMessage({
      tool_call_id: 'a',
      name: 'shot',
      status: 'error',
      content: [
        { type: 'text', text: 'one' },
        { type: 'image', mimeType: 'image/png', data: PNG },
        { type: 'text', text: 'two' },
        { type: 'non_standard', value: { a: 1 } },
      ],
    });
    expect(items(message)).toMatchObject([
      { kind: 'result', callId: 'a', toolName: 'shot', text: 'one\ntwo', isError: true },
      { kind: 'media', callId: 'a' },
    ]);
    expect(items(message)[0]?.weight).toBeGreaterThan(0);
  });

  test('unknown messages and messages that are not turns are opaque', () => {
    expect(kinds(new RemoveMessage({ id: 'a' }))).toEqual(['opaque']);
    expect(kinds(JSON.parse(JSON.stringify(new RemoveMessage({ id: 'a' }))))).toEqual(['opaque']);
    expect(kinds(7)).toEqual(['opaque']);
    expect(kinds({ type: 'ai', data: { content: [{ type: 'new' }, null] } })).toEqual(['opaque', 'opaque']);
    const compaction = { type: 'compaction', content: 'x' };
    expect(items(new AIMessage({ content: [compaction] }))[0]?.boundary).toBe(true);
    expect(
      items(new AIMessage({ content: [{ type: 'non_standard', value: compaction }] }))[0]?.boundary,
    ).toBe(true);
  });
});

describe('edit', () => {
  test('returns the same object without edits', () => {
    for (const message of [user, assistant, tool, new RemoveMessage({ id: 'a' })]) {
      expect(langChain.edit(message, [])).toBe(message);
      expect(langChain.edit(message, [{ op: 'text', item: 99, text: 'x' }])).toBe(message);
      expect(langChain.edit(message, [{ op: 'answer', calls: [], text: 'x' }])).toBe(message);
    }
    expect(langChain.edit(assistant, [{ op: 'append', text: 'x' }])).toBe(assistant);
    expect(langChain.edit(assistant, [{ op: 'text', item: 0, text: 'x' }])).toBe(assistant);
  });

  test('an instance keeps its class and every field', () => {
    const after = edited(tool, { op: 'text', item: 0, text: DOLLARS });
    expect(after).toBeInstanceOf(ToolMessage);
    expect(after.constructor).toBe(ToolMessage);
    expect(after.getType()).toBe('tool');
    expect(after.content).toBe(DOLLARS);
    expect(after.text).toBe(DOLLARS);
    expect(after.artifact).toBe(tool.artifact);
    expect([after.id, after.name, after.status, after.tool_call_id]).toEqual([
      't1',
      'read',
      'success',
      LONG_ID,
    ]);
    expect(after.toDict().data).toEqual({ ...tool.toDict().data, content: DOLLARS });
    expect(after.lc_kwargs['content']).toBe(DOLLARS);
    expect(tool.content).toBe('const a = 1;');
    expect(tool.lc_kwargs['content']).toBe('const a = 1;');
    const [again] = mapStoredMessagesToChatMessages(mapChatMessagesToStoredMessages([after]));
    expect(again?.content).toBe(DOLLARS);
  });

  test('arguments change in the content and in tool_calls', () => {
    const args = { path: DOLLARS };
    for (const form of forms(assistant)) {
      const after = edited(form, { op: 'args', item: 2, args });
      expect(items(after)).toEqual([
        items(form)[0],
        items(form)[1],
        { ...items(form)[2], args, text: JSON.stringify(args) },
      ]);
      expect(JSON.stringify(langChain.encode(after))).not.toContain('a.ts');
    }
    const after = edited(assistant, { op: 'args', item: 2, args });
    expect(after).toBeInstanceOf(AIMessage);
    expect(after.tool_calls).toEqual([{ id: LONG_ID, name: 'read', args, type: 'tool_call' }]);
    expect(after.content[0]).toBe(assistant.content[0]);
    expect(after.content[2]).toEqual({ type: 'tool_use', id: LONG_ID, name: 'read', input: args });
    expect(after.usage_metadata).toBe(assistant.usage_metadata);
    expect(after.response_metadata).toBe(assistant.response_metadata);
  });

  test("arguments change in raw calls and in OpenAI's original response", () => {
    const message = new AIMessage({
      content: '',
      tool_calls: [
        { id: 'a', name: 'read', args: ARGS },
        { id: 'b', name: 'read', args: ARGS },
      ],
      additional_kwargs: {
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"a.ts"}' } }],
        other: 1,
      },
      response_metadata: {
        output: [
          { type: 'reasoning', id: 'rs_1', summary: [] },
          { type: 'function_call', call_id: 'a', name: 'read', arguments: '{"path":"a.ts"}' },
          { type: 'function_call', call_id: 'b', name: 'read', arguments: '{"path":"a.ts"}' },
        ],
        model: 'm',
      },
    });
    expect(kinds(message)).toEqual(['call', 'call']);
    const after = edited(message, { op: 'args', item: 0, args: { path: 'p' } });
    expect(after.additional_kwargs).toEqual({
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"p"}' } }],
      other: 1,
    });
    expect(after.tool_calls?.[1]).toBe(message.tool_calls?.[1]);
    expect(after.response_metadata).toMatchObject({
      model: 'm',
      output: [{ type: 'reasoning' }, { arguments: '{"path":"p"}' }, { arguments: '{"path":"a.ts"}' }],
    });
    const less = edited(message, { op: 'remove', item: 0 });
    expect(kinds(less)).toEqual(['call']);
    expect(less.response_metadata).toEqual({ model: 'm' });
  });

  test('a streamed message also changes in its chunks', () => {
    const chunk = [
      { content: [{ type: 'text', text: 'x', index: 0 }] },
      {
        content: [{ type: 'tool_use', id: 'a', name: 'read', input: '', index: 1 }],
        tool_call_chunks: [{ id: 'a', name: 'read', args: '', index: 1 }],
      },
      {
        content: [{ type: 'input_json_delta', input: '{"path":"a.ts"}', index: 1 }],
        tool_call_chunks: [{ args: '{"path":"a.ts"}', index: 1 }],
      },
    ]
      .map((fields) => new AIMessageChunk(fields))
      .reduce((left, right) => left.concat(right));
    expect(items(chunk)).toMatchObject([{ kind: 'text' }, { kind: 'call', callId: 'a', args: ARGS }]);
    const after = edited(chunk, { op: 'args', item: 1, args: { path: 'p' } });
    expect(after).toBeInstanceOf(AIMessageChunk);
    expect(after.tool_calls).toMatchObject([{ id: 'a', args: { path: 'p' } }]);
    expect(items(after)[1]).toMatchObject({ args: { path: 'p' } });
    const again = after.concat(new AIMessageChunk(''));
    expect(again.tool_calls).toMatchObject([{ id: 'a', args: { path: 'p' } }]);
    expect(JSON.stringify(langChain.encode(after))).not.toContain('a.ts');
    expect(chunk.tool_calls).toMatchObject([{ id: 'a', args: ARGS }]);
  });

  test('standard content of v1', () => {
    const message = new AIMessage({
      contentBlocks: [
        { type: 'reasoning', reasoning: 'hm' },
        { type: 'tool_call', id: 'a', name: 'read', args: ARGS },
      ],
    });
    expect(kinds(message)).toEqual(['reasoning', 'call']);
    const after = edited(message, { op: 'args', item: 1, args: { path: 'p' } });
    expect(after.contentBlocks).toEqual([
      { type: 'reasoning', reasoning: 'hm' },
      { type: 'tool_call', id: 'a', name: 'read', args: { path: 'p' } },
    ]);
    expect(after.tool_calls).toMatchObject([{ id: 'a', args: { path: 'p' } }]);
  });

  test('removes a call from every place, and parts that are not valid on their own', () => {
    const after = edited(assistant, { op: 'remove', item: 2 });
    expect(after.tool_calls).toEqual([]);
    expect(kinds(after)).toEqual(['reasoning', 'text']);
    expect(
      langChain.edit(assistant, [
        { op: 'remove', item: 1 },
        { op: 'remove', item: 2 },
      ]),
    ).toBeNull();
    expect(langChain.edit(tool, [{ op: 'remove', item: 0 }])).toBeNull();
    const calls = [{ id: 'a', name: 'read', args: {} }];
    const left = edited(new AIMessage({ content: [{ type: 'text', text: 'x' }], tool_calls: calls }), {
      op: 'remove',
      item: 0,
    });
    expect(left.content).toBe('');
  });

  test('all text of a result becomes one; media stay, or become a text', () => {
    const image = { type: 'image', mimeType: 'image/png', data: PNG };
    const message = new ToolMessage({
      tool_call_id: 'a',
      content: [{ type: 'text', text: 'one' }, image, { type: 'text', text: 'two' }],
    });
    expect(edited(message, { op: 'text', item: 0, text: 'T' }).content).toEqual([
      { type: 'text', text: 'T' },
      image,
    ]);
    expect(edited(message, { op: 'media', item: 1, text: 'M' }).content).toEqual([
      { type: 'text', text: 'one' },
      { type: 'text', text: 'M' },
      { type: 'text', text: 'two' },
    ]);
    expect(edited(message, { op: 'text', item: 0, text: 'T' }, { op: 'remove', item: 1 }).content).toBe('T');
  });

  test('texts, media and appended texts of user messages', () => {
    const after = edited(user, { op: 'media', item: 1, text: 'gone' }, { op: 'append', text: 'more' });
    expect(after.content).toEqual([
      { type: 'text', text: 'look' },
      { type: 'text', text: 'gone' },
      { type: 'text', text: 'more' },
    ]);
    expect(after.name).toBe('ann');
    expect(edited(new HumanMessage('a'), { op: 'append', text: 'b' }).content).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]);
  });
});

describe('new messages', () => {
  test('plain messages, which LangChain coerces', () => {
    const notice = langChain.notice('left out', 'user');
    const [answer] = langChain.answer([{ callId: 'a', toolName: 'read' }], 'interrupted');
    // The codec creates what LangChain accepts as a message.
    const made = [notice, answer].map((message) =>
      coerceMessageLikeToMessage(message as { role: 'user'; content: string }),
    );
    expect(made[0]).toBeInstanceOf(HumanMessage);
    expect(made[1]).toBeInstanceOf(ToolMessage);
    expect(made.map(kinds)).toEqual([['user'], ['result']]);
    expect(items(made[1])[0]).toMatchObject({
      callId: 'a',
      toolName: 'read',
      text: 'interrupted',
      isError: true,
    });
    expect(langChain.view(made[1])).toEqual(langChain.view(answer));
  });

  test('instances of the given classes', () => {
    const codec = createLangChainCodec({ HumanMessage, AIMessage, ToolMessage });
    expect(codec.notice('x', 'user')).toBeInstanceOf(HumanMessage);
    expect(codec.notice('x', 'assistant')).toBeInstanceOf(AIMessage);
    const answers = codec.answer(
      [
        { callId: 'a', toolName: 'read' },
        { callId: 'b', toolName: 'read' },
      ],
      'no',
    );
    expect(answers.map((answer) => items(answer)[0]?.callId)).toEqual(['a', 'b']);
    expect(answers[0]).toBeInstanceOf(ToolMessage);
  });
});

describe('detect', () => {
  test('every form, and no other', () => {
    for (const form of [
      ...forms(user),
      ...forms(tool),
      { role: 'human', content: 'a' },
      { type: 'ai', content: 'a' },
    ]) {
      expect(langChain.detect([form])).toBe(true);
      expect(langChain.detect([{ role: 'user', content: 'x' }, form])).toBe(true);
      expect(langChain.detect([form, { role: 'user', parts: [] }])).toBe(false);
    }
    expect(langChain.detect([{ role: 'user', content: 'x' }])).toBe(false);
    expect(
      langChain.detect([{ role: 'assistant', content: '', tool_calls: [{ id: 'a', name: 'b', args: {} }] }]),
    ).toBe(true);
    expect(langChain.detect([])).toBe(false);
  });
});

/** A message with the format's fields that hold `junk`, stored or as an instance. */
function messageAround(junk: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const block = fc.record(
    {
      type: fc.constantFrom(
        'text',
        'thinking',
        'tool_use',
        'image_url',
        'input_json_delta',
        'functionCall',
        'tool_result',
        'reasoning',
      ),
      id: fc.oneof(fc.constantFrom('a', 'b'), junk),
      text: fc.oneof(fc.string(), junk),
      input: junk,
      index: fc.oneof(fc.nat(2), junk),
      functionCall: junk,
      image_url: junk,
      content: junk,
    },
    { requiredKeys: ['type'] },
  );
  const calls = fc.oneof(
    fc.array(fc.record({ id: fc.oneof(fc.constantFrom('a', 'b'), junk), name: junk, args: junk })),
    junk,
  );
  const data = fc.record(
    {
      content: fc.oneof(fc.string(), fc.array(block), junk),
      tool_calls: calls,
      invalid_tool_calls: calls,
      tool_call_chunks: calls,
      additional_kwargs: fc.oneof(fc.record({ tool_calls: calls, reasoning: junk }), junk),
      response_metadata: fc.oneof(fc.record({ output: junk }), junk),
      tool_call_id: junk,
    },
    { requiredKeys: ['content'] },
  );
  const type = fc.constantFrom('human', 'ai', 'system', 'tool', 'generic', 'function', 'remove');
  return fc.oneof(
    fc.record({ type, data }),
    fc
      .tuple(type, data)
      .map(([name, fields]) => ({ ...fields, type: name, getType: () => name, lc_kwargs: fields })),
  );
}

test('reads 100 000 calls with one id in order', () => {
  const tool_calls = Array.from({ length: 100_000 }, (_, n) => ({ id: 'a', name: 'b', args: { n } }));
  const content = tool_calls.map(({ args }) => ({ type: 'tool_use', id: 'a', name: 'b', input: args }));
  const found = items({ type: 'ai', data: { content, tool_calls } });
  expect(found).toHaveLength(100_000);
  expect(found.at(-1)?.args).toEqual({ n: 99_999 });
});

describe('common codec behaviour', () => {
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } };
  const text = said.map((words) => ({ type: 'text', text: words }));
  const thinking = said.map((words) => ({ type: 'thinking', thinking: words, signature: 'EqQ' }));
  const opaque = fc.constant({ type: 'search_result', title: 'x' });
  const calls = fc
    .uniqueArray(callId, { maxLength: 4 })
    .map((ids) => ids.map((id) => ({ id, name: 'read', args: { path: id }, type: 'tool_call' as const })));
  const blocks = fc.array(fc.oneof(text, thinking, opaque, fc.constant(image)), {
    minLength: 1,
    maxLength: 5,
  });
  const assistants = fc
    .tuple(fc.oneof(said, blocks), calls, fc.boolean())
    .map(([content, tool_calls, inContent]) => {
      const uses = tool_calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args }));
      const all = inContent && Array.isArray(content) ? [...content, ...uses] : content;
      return { type: 'ai', data: { content: all, tool_calls, id: 'x', additional_kwargs: { other: 1 } } };
    });
  const users = fc.oneof(said, blocks).map((content) => ({ type: 'human', data: { content, name: 'ann' } }));
  const results = fc
    .tuple(callId, fc.oneof(said, fc.array(fc.oneof(text, fc.constant(image), opaque), { minLength: 1 })))
    .map(([tool_call_id, content]) => ({ type: 'tool', data: { content, tool_call_id, name: 'read' } }));
  const stored = fc.oneof(assistants, users, results);

  checkCodec({
    codec: langChain,
    message: fc.oneof(
      stored,
      stored.map((message) => mapStoredMessagesToChatMessages([message as never])[0]),
      stored.map(({ type, data }) => ({ type, ...data })),
    ),
    around: messageAround,
    partsOf: (message) => {
      const outer = message !== null && typeof message === 'object' ? message : {};
      const inner = 'data' in outer ? outer.data : outer;
      const content =
        inner !== null && typeof inner === 'object' && 'content' in inner ? inner.content : null;
      // Parts of a result are parts of one item.
      return Array.isArray(content) && !('tool_call_id' in Object(inner)) ? content : [];
    },
    takesText: ({ kind }) => kind === 'user' || kind === 'text' || kind === 'system' || kind === 'result',
  });
});
