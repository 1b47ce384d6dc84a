import {
  AIMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  ToolMessage,
} from '@langchain/core/messages';
import { describe, expect, test } from 'vitest';
import { ReaderError } from '../../../src/contract/index.ts';
import type { CodecName } from '../../../src/history/codec.ts';
import { CODECS, codecOf, detectCodec } from '../../../src/history/codecs/index.ts';

const hello = { role: 'user', content: 'hello' };
const parts = { role: 'user', content: [{ type: 'text', text: 'hello' }] };
const png = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };

const instances = [
  new HumanMessage('hello'),
  new AIMessage({ content: '', tool_calls: [{ id: 'c', name: 'read', args: {} }] }),
  new ToolMessage({ content: 'x', tool_call_id: 'c' }),
];

/** Lists as each format has them; the shortest that tell. */
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
  [
    'pi',
    'calls',
    [
      { role: 'user', content: 'x', timestamp: 1 },
      {
        role: 'assistant',
        content: [{ type: 'toolCall', id: 'c', name: 'read', arguments: {} }],
        timestamp: 2,
      },
      {
        role: 'toolResult',
        toolCallId: 'c',
        toolName: 'read',
        content: [{ type: 'text', text: 'x' }],
        isError: false,
        timestamp: 3,
      },
    ],
  ],
];

describe('which format it is', () => {
  test.each(SAMPLES)('%s: %s', (name, _, messages) => {
    expect(detectCodec(messages).name).toBe(name);
  });

  test.each(SAMPLES)('%s: %s, with a message of nothing known', (_, __, messages) => {
    expect(() => detectCodec([...messages, { what: 'ever' }])).toThrow(ReaderError);
  });

  test.each([[[]], [[null]], [['text']], [[{}]], [[{ what: 'ever' }]], [[[hello]]]])(
    '%j is none',
    (messages) => {
      expect(() => detectCodec(messages)).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }));
    },
  );

  test('the error says what was found and which formats there are', () => {
    const failure = (messages: readonly unknown[]): unknown => {
      try {
        return detectCodec(messages);
      } catch (error) {
        return error;
      }
    };
    for (const messages of [[], [7], [{}]]) {
      const error = failure(messages);
      expect(error).toBeInstanceOf(ReaderError);
      for (const { name } of CODECS)
        expect(error).toHaveProperty('hint', expect.stringContaining(`\`${name}\``));
    }
    expect(failure([7])).toHaveProperty('message', expect.stringContaining('number'));
  });
});

describe('a format by its name', () => {
  test('every one is there once', () => {
    expect(new Set(CODECS.map(({ name }) => name)).size).toBe(8);
    for (const codec of CODECS) expect(codecOf(codec.name)).toBe(codec);
  });

  test('another is refused', () => {
    // The name comes from an option or a command line.
    expect(() => codecOf('vertex' as CodecName)).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }));
  });
});
