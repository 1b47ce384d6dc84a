import { type AgentInputItem, protocol } from '@openai/agents-core';
import { describe, expect, it } from 'vitest';
import type { Edit } from '../../../src/history/codecs/message.ts';
import { openAiAgents } from '../../../src/history/codecs/openai/agents.ts';
import { openAiChat } from '../../../src/history/codecs/openai/chat.ts';
import { openAiResponses } from '../../../src/history/codecs/openai/responses.ts';
import { checkSamples } from '../../history/codecs/codec-checks.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const LONG_ID = `call_${'ab1'.repeat(500)}`;

const typed = {
  user: { role: 'user', content: 'Hello' },
  system: { type: 'message', role: 'system', content: 'Be brief.' },
  parts: {
    type: 'message',
    role: 'user',
    content: [
      { type: 'input_text', text: 'See' },
      { type: 'input_image', image: `data:image/png;base64,${PNG}` },
      { type: 'input_image', image: { id: 'file_1' } },
      { type: 'input_file', file: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' },
      { type: 'input_file', file: { url: 'https://example.com/a.pdf' } },
      { type: 'audio', audio: 'AAAA', format: 'wav' },
    ],
  },
  said: {
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [
      { type: 'output_text', text: 'Done $&' },
      { type: 'refusal', refusal: 'No' },
      { type: 'audio', audio: { id: 'audio_1' } },
      { type: 'image', image: PNG },
    ],
  },
  reasoning: {
    type: 'reasoning',
    id: 'rs_1',
    content: [{ type: 'input_text', text: 'I think' }],
    rawContent: [{ type: 'reasoning_text', text: 'so' }],
    providerData: { encrypted_content: 'gAAAAABabc1' },
  },
  unsealed: { type: 'reasoning', content: [], rawContent: [{ type: 'reasoning_text', text: 'so' }] },
  call: { type: 'function_call', callId: LONG_ID, name: 'read', arguments: '{"path":"$&"}' },
  result: {
    type: 'function_call_result',
    callId: LONG_ID,
    name: 'read',
    status: 'completed',
    output: 'text of the file',
  },
  resultOfText: {
    type: 'function_call_result',
    callId: 'call_2',
    name: 'read',
    status: 'completed',
    output: { type: 'text', text: 'one' },
  },
  resultOfPicture: {
    type: 'function_call_result',
    callId: 'call_2',
    name: 'read',
    status: 'completed',
    output: {
      type: 'image',
      image: { data: new Uint8Array(Buffer.from(PNG, 'base64')), mediaType: 'image/png' },
    },
  },
  resultOfFile: {
    type: 'function_call_result',
    callId: 'call_2',
    name: 'read',
    status: 'completed',
    output: { type: 'file', file: { data: 'JVBERi0=', mediaType: 'application/pdf', filename: 'a.pdf' } },
  },
  resultInParts: {
    type: 'function_call_result',
    callId: 'call_2',
    name: 'read',
    status: 'completed',
    output: [
      { type: 'input_text', text: 'one' },
      { type: 'input_image', image: `data:image/png;base64,${PNG}` },
      { type: 'input_text', text: 'two' },
    ],
  },
  computer: {
    type: 'computer_call',
    callId: 'call_4',
    status: 'completed',
    actions: [{ type: 'screenshot' }],
  },
  computerResult: {
    type: 'computer_call_result',
    callId: 'call_4',
    output: { type: 'computer_screenshot', data: `data:image/png;base64,${PNG}` },
  },
  shell: { type: 'shell_call', callId: 'call_6', action: { commands: ['ls'] } },
  shellResult: {
    type: 'shell_call_output',
    callId: 'call_6',
    output: [{ stdout: 'a b c', stderr: 'late', outcome: { type: 'timeout' } }],
  },
  patch: {
    type: 'apply_patch_call',
    callId: 'call_7',
    operation: { type: 'create_file', path: 'a.txt', diff: '+a' },
    status: 'completed',
  },
  patchResult: {
    type: 'apply_patch_call_output',
    callId: 'call_7',
    status: 'failed',
    output: 'no such file',
  },
  hosted: {
    type: 'hosted_tool_call',
    id: 'ws_1',
    name: 'web_search_call',
    arguments: '{"q":"x"}',
    status: 'completed',
    output: 'found',
  },
  hostedOpen: { type: 'hosted_tool_call', id: 'fs_1', name: 'file_search_call', status: 'completed' },
  picture: { type: 'hosted_tool_call', id: 'ig_1', name: 'image_generation_call', output: PNG },
  approval: {
    type: 'hosted_tool_call',
    id: 'mcpr_1',
    name: 'mcp_approval_request',
    arguments: '{}',
    providerData: { type: 'mcp_approval_request', id: 'mcpr_1', server_label: 'docs' },
  },
  approved: {
    type: 'hosted_tool_call',
    name: 'mcp_approval_response',
    providerData: { type: 'mcp_approval_response', approve: true, approval_request_id: 'mcpr_1' },
  },
  program: { type: 'program', callId: 'call_8', code: 'f()', fingerprint: 'x' },
  programCall: {
    type: 'function_call',
    callId: 'call_9',
    name: 'read',
    arguments: '{}',
    caller: { type: 'program', callerId: 'call_8' },
  },
  programResult: { type: 'program_output', callId: 'call_8', output: '3', status: 'completed' },
  compaction: { type: 'compaction', encrypted_content: 'gAAAAABabc1' },
  toolSearch: { type: 'tool_search_call', callId: 'call_10', arguments: { query: 'x' }, execution: 'client' },
  toolsFound: { type: 'tool_search_output', call_id: 'call_10', tools: [], execution: 'server' },
  // As `@openai/agents-openai` stores response items: an id in `providerData`, a type the SDK does not have.
  searchKept: {
    type: 'tool_search_call',
    arguments: {},
    providerData: { call_id: 'call_11', execution: 'client' },
  },
  hostedShell: {
    type: 'shell_call',
    callId: 'call_12',
    action: { commands: ['ls'] },
    providerData: { environment: { type: 'container_reference', container_id: 'cntr_1' } },
  },
  hostedByProgram: {
    type: 'hosted_tool_call',
    id: 'ci_1',
    name: 'code_interpreter_call',
    caller: { type: 'program', callerId: 'call_p' },
  },
  custom: {
    type: 'unknown',
    id: 'ctc_1',
    providerData: { type: 'custom_tool_call', call_id: 'call_13', name: 'exec', input: 'ls $&' },
  },
  customResult: {
    type: 'unknown',
    providerData: { type: 'custom_tool_call_output', call_id: 'call_13', output: 'a b' },
  },
  unknown: { type: 'unknown', providerData: { type: 'dream', text: 'x' } },
} satisfies Record<string, AgentInputItem>;

const samples: Record<string, unknown> = typed;

checkSamples(openAiAgents, samples);

describe('openAiAgents', () => {
  it.each<[keyof typeof typed, object]>([
    ['system', { role: 'system', items: [{ kind: 'system', text: 'Be brief.' }] }],
    [
      'parts',
      {
        role: 'user',
        items: [
          { kind: 'user', text: 'See' },
          { kind: 'media', media: { mimeType: 'image/png', bytes: 70, width: 1, height: 1 } },
          { kind: 'media', media: { type: 'image', bytes: null } },
          { kind: 'media', media: { type: 'document', mimeType: 'application/pdf', bytes: 5 } },
          { kind: 'media', media: { type: 'document', bytes: null } },
          { kind: 'media', media: { type: 'audio', mimeType: 'audio/wav', bytes: 3 } },
        ],
      },
    ],
    [
      'said',
      {
        role: 'assistant',
        items: [
          { kind: 'text', text: 'Done $&' },
          { kind: 'text', text: 'No' },
          { kind: 'media', media: { type: 'audio', bytes: null } },
          { kind: 'media', media: { type: 'image', width: 1 } },
        ],
      },
    ],
    ['reasoning', { items: [{ kind: 'reasoning', text: 'I think\nso', sealed: true, weight: 9 }] }],
    ['unsealed', { items: [{ kind: 'reasoning', text: 'so', sealed: false }] }],
    ['call', { role: 'assistant', items: [{ kind: 'call', callId: LONG_ID, args: { path: '$&' } }] }],
    ['result', { role: 'tool', items: [{ kind: 'result', callId: LONG_ID, toolName: 'read' }] }],
    ['resultOfText', { role: 'tool', items: [{ kind: 'result', text: 'one' }] }],
    [
      'resultOfPicture',
      {
        items: [
          { kind: 'result', text: '' },
          { kind: 'media', media: { bytes: 70, width: 1 } },
        ],
      },
    ],
    [
      'resultOfFile',
      { items: [{ kind: 'result' }, { kind: 'media', media: { type: 'document', bytes: 5 } }] },
    ],
    [
      'resultInParts',
      {
        items: [
          { kind: 'result', text: 'one\ntwo' },
          { kind: 'media', callId: 'call_2' },
        ],
      },
    ],
    ['computer', { items: [{ kind: 'call', callId: 'call_4', text: '[{"type":"screenshot"}]' }] }],
    ['computerResult', { role: 'tool', items: [{ sealed: true }, { kind: 'media', sealed: true }] }],
    ['shell', { items: [{ kind: 'call', args: { commands: ['ls'] } }] }],
    ['shellResult', { role: 'tool', items: [{ kind: 'result', text: 'a b c\nlate', isError: true }] }],
    ['patch', { items: [{ kind: 'call', args: { path: 'a.txt' } }] }],
    ['patchResult', { role: 'tool', items: [{ kind: 'result', isError: true }] }],
    ['hosted', { role: 'assistant', items: [{ kind: 'opaque' }] }],
    ['hostedOpen', { items: [{ kind: 'opaque' }] }],
    ['picture', { items: [{ kind: 'opaque' }] }],
    ['approval', { items: [{ kind: 'opaque', links: ['approval:mcpr_1'] }] }],
    ['approved', { items: [{ kind: 'opaque', links: ['approval:mcpr_1'] }] }],
    ['program', { items: [{ kind: 'call', sealed: true, links: ['program:call_8'] }] }],
    ['programCall', { items: [{ kind: 'call', links: ['program:call_8'] }] }],
    ['programResult', { items: [{ kind: 'result', text: '3', links: ['program:call_8'] }] }],
    ['compaction', { role: 'assistant', items: [{ kind: 'opaque', boundary: true }] }],
    ['toolSearch', { role: 'assistant', items: [{ kind: 'call', callId: 'call_10', sealed: false }] }],
    ['toolsFound', { role: 'assistant', items: [{ kind: 'result', callId: 'call_10', sealed: true }] }],
    ['searchKept', { items: [{ kind: 'call', callId: 'call_11', form: { result: 'tool_search_output' } }] }],
    ['hostedShell', { items: [{ kind: 'call', callId: 'call_12', providerExecuted: true }] }],
    ['hostedByProgram', { items: [{ kind: 'opaque', links: ['program:call_p'] }] }],
    ['custom', { items: [{ kind: 'call', callId: 'call_13', toolName: 'exec', text: 'ls $&' }] }],
    ['customResult', { role: 'tool', items: [{ kind: 'result', callId: 'call_13', text: 'a b' }] }],
    ['unknown', { role: 'assistant', items: [{ kind: 'opaque' }] }],
  ])('views %s', (name, view) => {
    expect(openAiAgents.view(samples[name])).toMatchObject(view);
  });

  it('writes each type in its own form', () => {
    const text = (message: unknown, index = 0) =>
      openAiAgents.edit(message, [{ op: 'text', item: index, text: 'gone' }]);
    expect(text(typed.resultOfText)).toEqual({
      ...typed.resultOfText,
      output: { type: 'text', text: 'gone' },
    });
    expect(text(typed.resultInParts)).toEqual({
      ...typed.resultInParts,
      output: [{ type: 'input_text', text: 'gone' }, typed.resultInParts.output[1]],
    });
    const beside = text(typed.resultOfPicture) as { output: unknown };
    expect(beside.output).toEqual([
      { type: 'input_text', text: 'gone' },
      { type: 'input_image', image: `data:image/png;base64,${PNG}` },
    ]);
    expect((text(typed.resultOfFile) as { output: unknown }).output).toEqual([
      { type: 'input_text', text: 'gone' },
      { type: 'input_file', file: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' },
    ]);
    expect(openAiAgents.edit(typed.resultOfPicture, [{ op: 'media', item: 1, text: 'gone' }])).toEqual({
      ...typed.resultOfPicture,
      output: 'gone',
    });
    expect(text(typed.shellResult)).toEqual({
      ...typed.shellResult,
      output: [{ stdout: 'gone', stderr: '', outcome: { type: 'timeout' } }],
    });
  });

  it.each(Object.entries(samples))('creates items that the SDK accepts: %s', (_, message) => {
    const { items } = openAiAgents.view(message);
    const all = items.flatMap((_each, index): Edit[] => [
      { op: 'text', item: index, text: 'gone' },
      { op: 'media', item: index, text: 'gone' },
      { op: 'remove', item: index },
    ]);
    const picked = [[], ...all.map((edit) => [edit]), [{ op: 'append' as const, text: 'more' }]];
    for (const edits of picked) {
      const edited = openAiAgents.edit(message, edits);
      if (edited === null) continue;
      const { success, error } = protocol.ModelItem.safeParse(edited);
      expect(success, `${JSON.stringify(edits)} ${JSON.stringify(edited)} ${error}`).toBe(true);
    }
  });

  it('encodes bytes as base64', () => {
    expect(openAiAgents.encode(typed.resultOfPicture)).toMatchObject({
      output: { image: { data: { $bytes: PNG }, mediaType: 'image/png' } },
    });
  });

  it('creates notices and answers of the real types', () => {
    expect(openAiAgents.notice('x', 'assistant')).toEqual({
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'x' }],
    } satisfies AgentInputItem);
    expect(openAiAgents.answer([{ callId: 'a', toolName: 'read' }], 'x')).toEqual([
      { type: 'function_call_result', callId: 'a', name: 'read', status: 'incomplete', output: 'x' },
    ] satisfies AgentInputItem[]);
    const calls = [typed.custom, typed.shell, typed.patch, typed.searchKept].map((message) => {
      const { callId, toolName, form } = openAiAgents.view(message).items[0] ?? {};
      return { callId: callId ?? '', toolName: toolName ?? '', ...(form && { form }) };
    });
    expect(openAiAgents.answer(calls, 'x')).toMatchObject([
      {
        type: 'unknown',
        providerData: { type: 'custom_tool_call_output', call_id: 'call_13', output: 'x' },
      },
      { type: 'shell_call_output', output: [{ stderr: 'x', outcome: { type: 'exit', exitCode: 1 } }] },
      { type: 'apply_patch_call_output', status: 'failed', output: 'x' },
      { type: 'tool_search_output', callId: 'call_11', execution: 'client', tools: [] },
    ]);
    expect(openAiAgents.view(typed.computer).items[0]?.form).toEqual({ result: null, caller: null });
  });

  it('edits items that the SDK passes through', () => {
    expect(openAiAgents.edit(typed.customResult, [{ op: 'text', item: 0, text: '$&' }])).toEqual({
      type: 'unknown',
      providerData: { type: 'custom_tool_call_output', call_id: 'call_13', output: '$&' },
    });
    const { custom } = typed;
    expect(openAiAgents.edit(custom, [{ op: 'args', item: 0, args: {} }])).toBe(custom);
    expect(openAiAgents.edit(custom, [{ op: 'remove', item: 0 }])).toBe(null);
  });

  it('detects only its own lists', () => {
    const mayBe = new Set([
      'user',
      'system',
      'said',
      'compaction',
      'toolSearch',
      'toolsFound',
      'searchKept',
      'custom',
      'customResult',
      'unknown',
    ]);
    for (const [name, message] of Object.entries(samples)) {
      const sure = !mayBe.has(name) || name === 'said';
      expect(openAiAgents.detect([message]), name).toBe(sure);
      expect(openAiAgents.detect([message, typed.call]), name).toBe(true);
      if (sure) expect(openAiChat.detect([message]), name).toBe(false);
      if (sure) expect(openAiResponses.detect([message]), name).toBe(false);
    }
    const foreign: Record<string, unknown> = {
      chatCall: { role: 'assistant', content: null, tool_calls: [] },
      chatParts: { role: 'user', content: [{ type: 'text', text: 'x' }] },
      responsesCall: { type: 'function_call', call_id: 'a', name: 'b', arguments: '{}' },
      bothNames: { type: 'function_call', call_id: 'a', callId: 'a', name: 'b', arguments: '{}' },
      responsesReasoning: { type: 'reasoning', id: 'rs_1', summary: [] },
      responsesImage: { role: 'user', content: [{ type: 'input_image', image_url: 'https://a/b.png' }] },
      anthropicResult: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] },
      aiSdkCall: { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'b' }] },
      gemini: { role: 'user', parts: [{ text: 'x' }] },
      pi: { role: 'assistant', content: [{ type: 'toolCall', id: 'a', name: 'b', arguments: {} }] },
    };
    for (const [name, message] of Object.entries(foreign)) {
      expect(openAiAgents.detect([message]), name).toBe(false);
      expect(openAiAgents.detect([typed.call, message]), name).toBe(false);
    }
  });
});
