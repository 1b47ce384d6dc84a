import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { openAiChat } from '../../../src/history/codecs/openai/chat.ts';
import { checkSamples } from './codec-checks.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const LONG_ID = `call_${'ab1'.repeat(500)}`;

type Message = OpenAI.ChatCompletionMessageParam;

const call = (id: string, name: string, args: string): OpenAI.ChatCompletionMessageToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

const typed = {
  system: { role: 'system', content: 'Be brief.', name: 'host' },
  developer: { role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] },
  user: { role: 'user', content: 'Hello', name: 'Ann' },
  parts: {
    role: 'user',
    content: [
      { type: 'text', text: 'See' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'low' } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' } },
      { type: 'file', file: { file_id: 'file-1' } },
    ],
  },
  said: { role: 'assistant', content: 'Hi' },
  saidInParts: {
    role: 'assistant',
    content: [
      { type: 'text', text: 'One' },
      { type: 'refusal', refusal: 'No' },
    ],
  },
  refused: { role: 'assistant', content: null, refusal: 'I will not' },
  spoken: { role: 'assistant', content: null, audio: { id: 'audio_1' } },
  calls: {
    role: 'assistant',
    content: null,
    tool_calls: [
      call('call_1', 'read', '{"path":"a.txt"}'),
      call(LONG_ID, 'read', '{"path":"b.txt"}'),
      { id: 'call_3', type: 'custom', custom: { name: 'patch', input: '*** Begin' } },
      call('call_4', 'list', ''),
    ],
  },
  saidAndCalls: {
    role: 'assistant',
    content: 'Reading $&',
    tool_calls: [call('call_5', 'read', '{"path":"$&"}')],
  },
  oldCall: { role: 'assistant', content: null, function_call: { name: 'get', arguments: '{"a":1}' } },
  oldResult: { role: 'function', name: 'get', content: '42' },
  result: { role: 'tool', tool_call_id: LONG_ID, content: 'text $& of the file' },
  resultInParts: {
    role: 'tool',
    tool_call_id: 'call_1',
    content: [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ],
  },
  emptyResult: { role: 'tool', tool_call_id: 'call_1', content: '' },
} satisfies Record<string, Message>;

/** Fields added by compatible servers. */
const extended = {
  reasoned: { role: 'assistant', content: 'So.', reasoning_content: 'Let me think' },
  routed: {
    role: 'assistant',
    content: '',
    reasoning: 'Let me think',
    reasoning_details: [{ type: 'reasoning.encrypted', data: 'abc' }],
    tool_calls: [call('call_6', 'read', '{}')],
  },
  signed: {
    role: 'assistant',
    content: 'So.',
    thinking_blocks: [{ type: 'thinking', thinking: 'x', signature: 'y' }],
  },
  video: { role: 'user', content: [{ type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } }] },
  pictureResult: {
    role: 'tool',
    tool_call_id: 'call_1',
    content: [
      { type: 'text', text: 'seen' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
    ],
  },
};

const samples: Record<string, unknown> = { ...typed, ...extended };

checkSamples(openAiChat, samples);

describe('openAiChat', () => {
  it('views every part', () => {
    const view = (name: string) => openAiChat.view(samples[name]);
    expect(view('developer')).toMatchObject({ role: 'system', items: [{ kind: 'system' }] });
    expect(view('parts').items).toMatchObject([
      { kind: 'user', text: 'See' },
      { kind: 'media', media: { type: 'image', mimeType: 'image/png', bytes: 70, width: 1, height: 1 } },
      { kind: 'media', media: { type: 'image', mimeType: null, bytes: null, width: null } },
      { kind: 'media', media: { type: 'audio', mimeType: 'audio/wav', bytes: 3 } },
      { kind: 'media', media: { type: 'document', mimeType: 'application/pdf', bytes: 5 } },
      { kind: 'media', media: { type: 'document', bytes: null } },
    ]);
    expect(view('saidInParts').items).toMatchObject([
      { kind: 'text', text: 'One' },
      { kind: 'text', text: 'No' },
    ]);
    expect(view('refused').items).toMatchObject([{ kind: 'text', text: 'I will not' }]);
    expect(view('spoken').items).toMatchObject([{ kind: 'media', media: { type: 'audio' } }]);
    expect(view('calls')).toMatchObject({
      role: 'assistant',
      items: [
        { kind: 'call', callId: 'call_1', toolName: 'read', args: { path: 'a.txt' } },
        { kind: 'call', callId: LONG_ID, args: { path: 'b.txt' } },
        { kind: 'call', callId: 'call_3', toolName: 'patch', text: '*** Begin', args: null },
        { kind: 'call', callId: 'call_4', args: null },
      ],
    });
    expect(view('resultInParts')).toMatchObject({
      role: 'tool',
      items: [{ kind: 'result', callId: 'call_1', text: 'one\ntwo' }],
    });
    expect(view('pictureResult').items).toMatchObject([
      { kind: 'result', text: 'seen' },
      { kind: 'media', callId: 'call_1' },
    ]);
    expect(view('routed').items).toMatchObject([
      { kind: 'reasoning', text: 'Let me think', sealed: false },
      { kind: 'reasoning', sealed: true, weight: 0 },
      { kind: 'call' },
    ]);
    expect(view('signed').items[0]).toMatchObject({ kind: 'reasoning', sealed: true });
    expect(view('oldCall').items[0]?.callId).toBe(view('oldResult').items[0]?.callId);
  });

  it('keeps other parts and fields unchanged', () => {
    const { parts, calls, system } = typed;
    const said = openAiChat.edit(parts, [
      { op: 'media', item: 1, text: '[history: a picture]' },
      { op: 'append', text: 'More' },
    ]);
    expect(said).toEqual({
      role: 'user',
      content: [
        parts.content[0],
        { type: 'text', text: '[history: a picture]' },
        ...parts.content.slice(2),
        { type: 'text', text: 'More' },
      ],
    });
    // Reads only the parts of the edited message that the test created.
    const { content } = said as typeof parts;
    expect(content[0]).toBe(parts.content[0]);
    expect(content[3]).toBe(parts.content[3]);
    const called = openAiChat.edit(calls, [{ op: 'args', item: 1, args: { path: '$&' } }]) as typeof calls;
    expect(called.tool_calls[1]).toEqual(call(LONG_ID, 'read', '{"path":"$&"}'));
    expect(called.tool_calls[0]).toBe(calls.tool_calls[0]);
    expect(called.tool_calls[2]).toBe(calls.tool_calls[2]);
    expect(openAiChat.edit(calls, [{ op: 'args', item: 2, args: { path: 'x' } }])).toBe(calls);
    expect(openAiChat.edit(system, [{ op: 'text', item: 0, text: 'x' }])).toEqual({
      ...system,
      content: 'x',
    });
  });

  it('converts a text message to parts when a text is appended', () => {
    expect(openAiChat.edit(typed.user, [{ op: 'append', text: 'More' }])).toEqual({
      role: 'user',
      name: 'Ann',
      content: [
        { type: 'text', text: 'Hello' },
        { type: 'text', text: 'More' },
      ],
    });
  });

  it('merges a result into one text', () => {
    expect(openAiChat.edit(typed.resultInParts, [{ op: 'text', item: 0, text: '$&' }])).toEqual({
      role: 'tool',
      tool_call_id: 'call_1',
      content: [{ type: 'text', text: '$&' }],
    });
    expect(
      openAiChat.edit(extended.pictureResult, [
        { op: 'text', item: 0, text: 'gone' },
        { op: 'media', item: 1, text: 'a picture' },
      ]),
    ).toEqual({
      role: 'tool',
      tool_call_id: 'call_1',
      content: [
        { type: 'text', text: 'gone' },
        { type: 'text', text: 'a picture' },
      ],
    });
  });

  it('drops a message that is not valid on its own', () => {
    const removed = (message: unknown, ...items: number[]) =>
      openAiChat.edit(
        message,
        items.map((index) => ({ op: 'remove' as const, item: index })),
      );
    expect(removed(typed.calls, 0, 1, 2, 3)).toBe(null);
    expect(removed(typed.calls, 0, 1, 3)).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [typed.calls.tool_calls[2]],
    });
    expect(removed(typed.saidAndCalls, 1)).toEqual({ role: 'assistant', content: 'Reading $&' });
    expect(removed(typed.saidAndCalls, 0)).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: typed.saidAndCalls.tool_calls,
    });
    expect(removed(extended.routed, 2)).toBe(null);
    expect(removed(extended.reasoned, 1)).toBe(null);
    expect(removed(extended.reasoned, 0)).toEqual({ role: 'assistant', content: 'So.' });
  });

  it('answers calls, legacy ones by name', () => {
    const [answer] = openAiChat.answer([{ callId: 'call_1', toolName: 'read' }], 'interrupted');
    expect(answer).toEqual({ role: 'tool', tool_call_id: 'call_1', content: 'interrupted' });
    const { callId } = openAiChat.view(typed.oldCall).items[0] ?? { callId: null };
    expect(openAiChat.answer([{ callId: callId ?? '', toolName: 'get' }], 'interrupted')).toEqual([
      { role: 'function', name: 'get', content: 'interrupted' },
    ]);
  });

  it('detects only its own lists', () => {
    for (const message of Object.values(samples)) expect(openAiChat.detect([message])).toBe(true);
    expect(openAiChat.detect(Object.values(samples))).toBe(true);
    const foreign: Record<string, unknown> = {
      responses: { type: 'function_call', call_id: 'a', name: 'b', arguments: '{}' },
      responsesMessage: { type: 'message', role: 'user', content: 'x' },
      responsesParts: { role: 'user', content: [{ type: 'input_text', text: 'x' }] },
      anthropicCall: { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'b', input: {} }] },
      anthropicResult: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] },
      anthropicImage: {
        role: 'user',
        content: [{ type: 'image', source: { type: 'base64', data: 'x', media_type: 'image/png' } }],
      },
      aiSdkCall: {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'b', input: {} }],
      },
      aiSdkResult: { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'b' }] },
      aiSdkFile: { role: 'user', content: [{ type: 'file', data: 'x', mediaType: 'application/pdf' }] },
      gemini: { role: 'user', parts: [{ text: 'x' }] },
      langchain: { getType: () => 'human', content: 'x' },
      pi: { role: 'toolResult', toolCallId: 'a', toolName: 'b', content: [{ type: 'text', text: 'x' }] },
      piAssistant: { role: 'assistant', content: [{ type: 'text', text: 'x' }], stopReason: 'stop' },
      resultWithoutId: { role: 'tool', content: 'x' },
    };
    for (const [name, message] of Object.entries(foreign)) {
      expect(openAiChat.detect([message]), name).toBe(false);
      expect(openAiChat.detect([typed.user, message]), name).toBe(false);
    }
  });
});
