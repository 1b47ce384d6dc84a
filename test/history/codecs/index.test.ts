import {
  AIMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  ToolMessage,
} from '@langchain/core/messages';
import { describe, expect, test } from 'vitest';
import { ReaderError } from '../../../src/contract/index.ts';
import type { CodecName } from '../../../src/history/codecs/codec.ts';
import { CODECS, codecOf, detectCodec } from '../../../src/history/codecs/index.ts';

const hello = { role: 'user', content: 'hello' };
const parts = { role: 'user', content: [{ type: 'text', text: 'hello' }] };
const png = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };

const instances = [
  new HumanMessage('hello'),
  new AIMessage({ content: '', tool_calls: [{ id: 'c', name: 'read', args: {} }] }),
  new ToolMessage({ content: 'x', tool_call_id: 'c' }),
];

/** The shortest unambiguous list of each format. */
const SAMPLES: readonly (readonly [CodecName, string, readonly unknown[]])[] = [
  ['openai-chat', 'a text', [hello]],
  ['openai-chat', 'texts as parts', [parts, { role: 'assistant', content: [{ type: 'text', text: 'x' }] }]],
  [
    'openai-chat',
    'system, user, assistant',
    [{ role: 'system', content: 'be' }, hello, { role: 'assistant', content: 'hi' }],
  ],
  [
    'openai-chat',
    'calls',
    [
      hello,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'read', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'x' },
    ],
  ],
  [
    'openai-chat',
    'a picture',
    [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] }],
  ],
  [
    'openai-responses',
    'items',
    [
      hello,
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'function_call', call_id: 'c', name: 'read', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'x' },
    ],
  ],
  [
    'openai-responses',
    'a message',
    [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }] }],
  ],
  [
    'openai-agents',
    'items',
    [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }] },
      { type: 'function_call', callId: 'c', name: 'read', arguments: '{}', status: 'completed' },
      {
        type: 'function_call_result',
        callId: 'c',
        name: 'read',
        output: { type: 'text', text: 'x' },
        status: 'completed',
      },
    ],
  ],
  [
    'anthropic',
    'calls',
    [
      hello,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'read', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'x' }] },
    ],
  ],
  ['anthropic', 'a picture', [{ role: 'user', content: [{ type: 'image', source: png }] }]],
  [
    'anthropic',
    'thinking',
    [
      hello,
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'x', signature: 'E' },
          { type: 'text', text: 'x' },
        ],
      },
    ],
  ],
  [
    'ai-sdk',
    'calls',
    [
      hello,
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'read', input: {} }] },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c', toolName: 'read', output: { type: 'text', value: 'x' } },
        ],
      },
    ],
  ],
  ['ai-sdk', 'a picture', [{ role: 'user', content: [{ type: 'image', image: 'AA==' }] }]],
  [
    'ai-sdk',
    'a file',
    [parts, { role: 'user', content: [{ type: 'file', data: 'AA==', mediaType: 'application/pdf' }] }],
  ],
  [
    'ai-sdk',
    'options',
    [{ ...hello, providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } }],
  ],
  ['ai-sdk', 'reasoning', [parts, { role: 'assistant', content: [{ type: 'reasoning', text: 'x' }] }]],
  ['langchain', 'instances', instances],
  ['langchain', 'instances beside plain messages', [hello, ...instances]],
  ['langchain', 'serialized', JSON.parse(JSON.stringify(instances))],
  ['langchain', 'stored', mapChatMessagesToStoredMessages(instances)],
  [
    'langchain',
    'plain',
    [hello, { role: 'assistant', content: '', tool_calls: [{ id: 'c', name: 'read', args: {} }] }],
  ],
  ['gemini', 'a text', [{ role: 'user', parts: [{ text: 'x' }] }]],
  [
    'gemini',
    'calls',
    [
      { role: 'user', parts: [{ text: 'x' }] },
      { role: 'model', parts: [{ functionCall: { name: 'read', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'read', response: { output: 'x' } } }] },
    ],
  ],
  ['bedrock', 'a text', [{ role: 'user', content: [{ text: 'x' }] }]],
  [
    'bedrock',
    'calls',
    [
      { role: 'user', content: [{ text: 'x' }] },
      { role: 'assistant', content: [{ toolUse: { toolUseId: 'c', name: 'read', input: {} } }] },
      { role: 'user', content: [{ toolResult: { toolUseId: 'c', content: [{ text: 'x' }] } }] },
    ],
  ],
  [
    'mistral',
    'calls',
    [
      hello,
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'a', function: { name: 'read', arguments: '{}' } }],
      },
      { role: 'tool', toolCallId: 'a', name: 'read', content: 'x' },
    ],
  ],
  [
    'mistral',
    'a picture',
    [{ role: 'user', content: [{ type: 'image_url', imageUrl: 'data:image/png;base64,AA==' }] }],
  ],
  [
    'mistral',
    'thinking',
    [hello, { role: 'assistant', content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'x' }] }] }],
  ],
  [
    'ollama',
    'calls',
    [
      hello,
      { role: 'assistant', content: '', tool_calls: [{ function: { name: 'read', arguments: {} } }] },
      { role: 'tool', tool_name: 'read', content: 'x' },
    ],
  ],
  ['ollama', 'a picture', [{ role: 'user', content: 'see', images: ['AA=='] }]],
  ['ollama', 'thinking', [hello, { role: 'assistant', content: 'x', thinking: 'hm' }]],
];

describe('format detection', () => {
  test.each(SAMPLES)('is %s for %s', (name, _, messages) => {
    expect(detectCodec(messages).name).toBe(name);
  });

  test.each(SAMPLES)('%s: %s, with an unknown message', (_, __, messages) => {
    expect(() => detectCodec([...messages, { what: 'ever' }])).toThrow(ReaderError);
  });

  test.each([[[]], [[null]], [['text']], [[{}]], [[{ what: 'ever' }]], [[[hello]]]])(
    '%j matches no format',
    (messages) => {
      expect(() => detectCodec(messages)).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }));
    },
  );

  const failure = (messages: readonly unknown[], option?: string): ReaderError => {
    try {
      detectCodec(messages, option);
    } catch (error) {
      if (error instanceof ReaderError) return error;
    }
    throw new Error('no ReaderError was thrown');
  };

  test.each<[messages: readonly unknown[], found: string]>([
    [[7], 'message 1 is a number and fits no format'],
    [[hello, null], 'message 2 is null and fits no format'],
    [[hello, 'text', 7], 'message 2 is a string and fits no format'],
    [[[hello]], 'message 1 is an array and fits no format'],
    [[hello, {}], 'message 2 is an object without keys and fits no format'],
    [[hello, hello, { at: 1, event: 'x' }], 'message 3 has the keys `at`, `event` and fits no format'],
    [[hello, { what: 'ever' }, {}], 'message 2 has the key `what` and fits no format'],
    [[{ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1 }], '`f` and 2 more and fits no format'],
    [
      [hello, { role: 'tool', tool_call_id: 'c', content: 'x' }, { role: 'user', parts: [{ text: 'x' }] }],
      'message 3 has the keys `role`, `parts` and does not fit those before it',
    ],
  ])('%j: the error describes the first message that fits no format', (messages, found) => {
    expect(failure(messages).message).toContain(found);
  });

  test('the hint is the next step for the detected problem', () => {
    expect(failure([]).hint).toContain('at least one message');
    for (const messages of [[7], [null], ['text'], [[hello]]])
      expect(failure(messages).hint).toContain('Pass message objects');
    for (const { name } of CODECS) expect(failure([{ what: 1 }]).hint).toContain(`\`${name}\``);
    expect(failure([{ what: 1 }]).hint).toContain('set the format with `format`');
    expect(failure([{ what: 1 }], '`--format NAME`').hint).toContain('set the format with `--format NAME`');
  });

  test.each(['text', 'step-start', 'tool-read', 'dynamic-tool'])(
    'UI messages with %s are reported',
    (type) => {
      const messages = [{ id: 'm', role: 'user', parts: [{ type, text: 'x' }] }];
      expect(failure(messages).hint).toContain('`convertToModelMessages`');
      expect(failure([{ role: 'user', parts: 'x' }]).hint).not.toContain('convert');
    },
  );

  test('a message that throws when read is unknown', () => {
    const hostile = {
      role: 'user',
      get parts(): unknown {
        throw new Error('no');
      },
    };
    expect(failure([hostile]).message).toContain('`role`, `parts`');
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    expect(failure([proxy]).message).toContain('message 1 is an object without keys and fits no format');
    expect(failure([{ role: 'user', parts: proxy }]).message).toContain('`role`, `parts`');
  });

  test('a long list is detected in one pass', () => {
    const many = Array.from({ length: 20_000 }, () => hello);
    expect(failure([...many, 7]).message).toContain('message 20001');
  });
});

describe('a format by name', () => {
  test('each exists once', () => {
    expect(new Set(CODECS.map(({ name }) => name)).size).toBe(10);
    for (const codec of CODECS) expect(codecOf(codec.name)).toBe(codec);
  });

  test('an unknown one is rejected', () => {
    // The name comes from an option or a command line.
    expect(() => codecOf('vertex' as CodecName)).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }));
  });
});
