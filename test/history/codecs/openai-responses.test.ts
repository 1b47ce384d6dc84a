import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { openAiAgents } from '../../../src/history/codecs/openai/agents.ts';
import { openAiChat } from '../../../src/history/codecs/openai/chat.ts';
import { openAiResponses } from '../../../src/history/codecs/openai/responses.ts';
import { createEstimator } from '../../../src/history/cost/estimate.ts';
import { checkSamples } from './codec-checks.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const LONG_ID = `call_${'ab1'.repeat(500)}`;

const typed = {
  easy: { role: 'user', content: 'Hello' },
  developer: { role: 'developer', content: 'Be brief.' },
  easyAssistant: { role: 'assistant', content: 'Hi' },
  message: {
    type: 'message',
    role: 'user',
    content: [
      { type: 'input_text', text: 'See' },
      { type: 'input_image', detail: 'low', image_url: `data:image/png;base64,${PNG}` },
      { type: 'input_image', detail: 'auto', file_id: 'file_1' },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
      { type: 'input_file', file_url: 'https://example.com/a.pdf' },
    ],
  },
  output: {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [
      { type: 'output_text', text: 'Done $&', annotations: [] },
      { type: 'refusal', refusal: 'No' },
    ],
  },
  reasoning: {
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: 'I think' }],
    content: [{ type: 'reasoning_text', text: 'so' }],
    encrypted_content: 'gAAAAABabc1',
  },
  call: { type: 'function_call', id: 'fc_1', call_id: LONG_ID, name: 'read', arguments: '{"path":"$&"}' },
  result: { type: 'function_call_output', call_id: LONG_ID, output: 'text of the file' },
  resultInParts: {
    type: 'function_call_output',
    call_id: 'call_2',
    output: [
      { type: 'input_text', text: 'one' },
      { type: 'input_image', image_url: `data:image/png;base64,${PNG}` },
      { type: 'input_text', text: 'two' },
    ],
  },
  pictureOnly: {
    type: 'function_call_output',
    call_id: 'call_2',
    output: [{ type: 'input_image', image_url: `data:image/png;base64,${PNG}` }],
  },
  custom: { type: 'custom_tool_call', call_id: 'call_3', name: 'exec', input: 'ls $&' },
  customResult: { type: 'custom_tool_call_output', call_id: 'call_3', output: 'a b c' },
  computer: {
    type: 'computer_call',
    id: 'cu_1',
    call_id: 'call_4',
    action: { type: 'click', button: 'left', x: 1, y: 2 },
    pending_safety_checks: [],
    status: 'completed',
  },
  computerResult: {
    type: 'computer_call_output',
    call_id: 'call_4',
    output: { type: 'computer_screenshot', image_url: `data:image/png;base64,${PNG}` },
  },
  localShell: {
    type: 'local_shell_call',
    id: 'lsh_1',
    call_id: 'call_5',
    action: { type: 'exec', command: ['ls'], env: {} },
    status: 'completed',
  },
  localShellResult: { type: 'local_shell_call_output', id: 'call_5', output: 'a b c' },
  shell: { type: 'shell_call', call_id: 'call_6', action: { commands: ['ls', 'false'] } },
  shellResult: {
    type: 'shell_call_output',
    call_id: 'call_6',
    output: [
      { stdout: 'a b c', stderr: '', outcome: { type: 'exit', exit_code: 0 } },
      { stdout: '', stderr: 'bad', outcome: { type: 'exit', exit_code: 1 } },
    ],
  },
  patch: {
    type: 'apply_patch_call',
    call_id: 'call_7',
    operation: { type: 'create_file', path: 'a.txt', diff: '+a' },
    status: 'completed',
  },
  patchResult: {
    type: 'apply_patch_call_output',
    call_id: 'call_7',
    status: 'failed',
    output: 'no such file',
  },
  mcp: {
    type: 'mcp_call',
    id: 'mcp_1',
    server_label: 'docs',
    name: 'search',
    arguments: '{"q":"x"}',
    output: 'found',
    approval_request_id: 'mcpr_1',
  },
  mcpFailed: {
    type: 'mcp_call',
    id: 'mcp_2',
    server_label: 'docs',
    name: 'search',
    arguments: '{"q":"x"}',
    error: 'refused',
  },
  mcpTools: { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 'docs', tools: [] },
  approval: {
    type: 'mcp_approval_request',
    id: 'mcpr_1',
    server_label: 'docs',
    name: 'search',
    arguments: '{}',
  },
  approved: { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
  webSearch: {
    type: 'web_search_call',
    id: 'ws_1',
    status: 'completed',
    action: { type: 'search', query: 'x' },
  },
  fileSearch: {
    type: 'file_search_call',
    id: 'fs_1',
    status: 'completed',
    queries: ['x'],
    results: [{ file_id: 'file_1', text: 'one' }, { text: 'two' }],
  },
  code: {
    type: 'code_interpreter_call',
    id: 'ci_1',
    code: 'print(1)',
    container_id: 'cntr_1',
    status: 'completed',
    outputs: [
      { type: 'logs', logs: '1' },
      { type: 'image', url: 'https://example.com/a.png' },
    ],
  },
  picture: { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: PNG },
  program: { type: 'program', id: 'pr_1', call_id: 'call_8', code: 'f()', fingerprint: 'x' },
  programCall: {
    type: 'function_call',
    call_id: 'call_9',
    name: 'read',
    arguments: '{}',
    caller: { type: 'program', caller_id: 'call_8' },
  },
  programResult: { type: 'program_output', id: 'po_1', call_id: 'call_8', result: '3', status: 'completed' },
  compaction: { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAAABabc1' },
  trigger: { type: 'compaction_trigger' },
  reference: { type: 'item_reference', id: 'msg_0' },
  toolSearch: {
    type: 'tool_search_call',
    call_id: 'call_10',
    arguments: { query: 'x' },
    execution: 'client',
  },
  toolsFound: { type: 'tool_search_output', call_id: 'call_10', tools: [], execution: 'client' },
  hostedSearch: { type: 'tool_search_call', call_id: null, arguments: {}, execution: 'server' },
  hostedShell: {
    type: 'shell_call',
    call_id: 'call_12',
    action: { commands: ['ls'] },
    environment: { type: 'container_reference', container_id: 'cntr_1' },
  },
  tools: { type: 'additional_tools', role: 'developer', tools: [] },
} satisfies Record<string, OpenAI.Responses.ResponseInputItem>;

const extended = {
  plainReference: { id: 'msg_0' },
  stored: { type: 'reasoning', id: 'rs_1', summary: [] },
  unsealed: { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'so' }] },
  laterCall: { type: 'dream_call', call_id: 'call_11', dream: 'x' },
  laterResult: { type: 'dream_call_output', call_id: 'call_11', dream: 'x' },
};

const samples: Record<string, unknown> = { ...typed, ...extended };

checkSamples(openAiResponses, samples);

describe('openAiResponses', () => {
  it.each<[keyof typeof typed | keyof typeof extended, object]>([
    ['developer', { role: 'system', items: [{ kind: 'system' }] }],
    [
      'message',
      {
        role: 'user',
        items: [
          { kind: 'user', text: 'See' },
          { kind: 'media', media: { mimeType: 'image/png', bytes: 70, width: 1, height: 1 } },
          { kind: 'media', media: { type: 'image', bytes: null } },
          { kind: 'media', media: { type: 'document', mimeType: 'application/pdf', bytes: 5 } },
          { kind: 'media', media: { type: 'document', bytes: null } },
        ],
      },
    ],
    ['output', { role: 'assistant', items: [{ kind: 'text', text: 'Done $&' }, { text: 'No' }] }],
    [
      'reasoning',
      { role: 'assistant', items: [{ kind: 'reasoning', text: 'I think\nso', sealed: true, weight: 9 }] },
    ],
    ['stored', { items: [{ kind: 'reasoning', sealed: true, weight: 0 }] }],
    ['unsealed', { role: 'assistant', items: [{ kind: 'reasoning', text: 'so', sealed: false }] }],
    [
      'call',
      {
        role: 'assistant',
        items: [{ kind: 'call', callId: LONG_ID, toolName: 'read', args: { path: '$&' }, sealed: false }],
      },
    ],
    ['result', { role: 'tool', items: [{ kind: 'result', callId: LONG_ID, text: 'text of the file' }] }],
    [
      'resultInParts',
      {
        role: 'tool',
        items: [
          { kind: 'result', text: 'one\ntwo' },
          { kind: 'media', callId: 'call_2' },
        ],
      },
    ],
    ['custom', { items: [{ kind: 'call', toolName: 'exec', text: 'ls $&', args: null }] }],
    ['customResult', { role: 'tool', items: [{ kind: 'result', callId: 'call_3', text: 'a b c' }] }],
    ['computer', { items: [{ kind: 'call', callId: 'call_4', args: { type: 'click' } }] }],
    [
      'computerResult',
      {
        role: 'tool',
        items: [
          { kind: 'result', sealed: true },
          { kind: 'media', sealed: true, media: { width: 1 } },
        ],
      },
    ],
    ['localShell', { items: [{ kind: 'call', callId: 'call_5' }] }],
    ['localShellResult', { role: 'tool', items: [{ kind: 'result', callId: 'call_5', text: 'a b c' }] }],
    ['shell', { items: [{ kind: 'call', callId: 'call_6', args: { commands: ['ls', 'false'] } }] }],
    ['shellResult', { role: 'tool', items: [{ kind: 'result', text: 'a b c\nbad', isError: true }] }],
    ['patch', { items: [{ kind: 'call', callId: 'call_7', args: { path: 'a.txt' } }] }],
    ['patchResult', { role: 'tool', items: [{ kind: 'result', callId: 'call_7', isError: true }] }],
    ['mcp', { role: 'assistant', items: [{ kind: 'opaque', links: ['approval:mcpr_1'] }] }],
    ['mcpFailed', { items: [{ kind: 'opaque' }] }],
    ['mcpTools', { role: 'assistant', items: [{ kind: 'opaque', links: [] }] }],
    ['approval', { role: 'assistant', items: [{ kind: 'opaque', links: ['approval:mcpr_1'] }] }],
    ['approved', { role: 'tool', items: [{ kind: 'opaque', links: ['approval:mcpr_1'] }] }],
    ['webSearch', { items: [{ kind: 'opaque' }] }],
    ['fileSearch', { items: [{ kind: 'opaque' }] }],
    ['code', { items: [{ kind: 'opaque' }] }],
    ['picture', { items: [{ kind: 'opaque' }] }],
    ['program', { items: [{ kind: 'call', sealed: true, links: ['program:call_8'] }] }],
    ['programCall', { items: [{ kind: 'call', links: ['program:call_8'] }] }],
    [
      'programResult',
      { role: 'assistant', items: [{ kind: 'result', links: ['program:call_8'], text: '3' }] },
    ],
    ['compaction', { role: 'assistant', items: [{ kind: 'opaque', boundary: true }] }],
    ['trigger', { role: 'system', items: [{ kind: 'opaque' }] }],
    ['tools', { role: 'system', items: [{ kind: 'opaque' }] }],
    ['reference', { role: 'assistant', items: [{ kind: 'opaque', links: ['item:msg_0'] }] }],
    ['plainReference', { role: 'assistant', items: [{ kind: 'opaque', links: ['item:msg_0'] }] }],
    [
      'toolSearch',
      { role: 'assistant', items: [{ kind: 'call', callId: 'call_10', providerExecuted: false }] },
    ],
    ['toolsFound', { role: 'tool', items: [{ kind: 'result', callId: 'call_10', sealed: true }] }],
    ['hostedSearch', { role: 'assistant', items: [{ kind: 'opaque' }] }],
    ['hostedShell', { items: [{ kind: 'call', callId: 'call_12', providerExecuted: true }] }],
    ['laterCall', { role: 'assistant', items: [{ kind: 'opaque', links: ['call:call_11'] }] }],
    ['laterResult', { role: 'tool', items: [{ kind: 'opaque', links: ['call:call_11'] }] }],
  ])('views %s', (name, view) => {
    expect(openAiResponses.view(samples[name])).toMatchObject(view);
  });

  it('writes each type in its own form', () => {
    const text = (message: unknown, index: number) =>
      openAiResponses.edit(message, [{ op: 'text', item: index, text: 'gone' }]);
    expect(text(typed.resultInParts, 0)).toEqual({
      ...typed.resultInParts,
      output: [{ type: 'input_text', text: 'gone' }, typed.resultInParts.output[1]],
    });
    expect(text(typed.pictureOnly, 0)).toEqual({
      ...typed.pictureOnly,
      output: [{ type: 'input_text', text: 'gone' }, typed.pictureOnly.output[0]],
    });
    expect(text(typed.shellResult, 0)).toEqual({
      ...typed.shellResult,
      output: [{ stdout: 'gone', stderr: '', outcome: { type: 'exit', exit_code: 1 } }],
    });
    expect(text(typed.computerResult, 0)).toBe(typed.computerResult);
    expect(
      openAiResponses.edit(typed.patch, [{ op: 'args', item: 0, args: { type: 'delete_file' } }]),
    ).toEqual({
      ...typed.patch,
      operation: { type: 'delete_file' },
    });
    expect(openAiResponses.edit(typed.custom, [{ op: 'args', item: 0, args: { a: 1 } }])).toBe(typed.custom);
  });

  it('answers each tool with its own type', () => {
    const answers = openAiResponses.answer(
      [
        ...[typed.call, typed.localShell, typed.shell, typed.patch, typed.custom, typed.toolSearch].map(
          (message) => {
            const { callId, toolName, form } = openAiResponses.view(message).items[0] ?? {};
            return { callId: callId ?? '', toolName: toolName ?? '', ...(form && { form }) };
          },
        ),
      ],
      'interrupted',
    );
    expect(answers).toMatchObject([
      { type: 'function_call_output', call_id: LONG_ID, output: 'interrupted' },
      { type: 'local_shell_call_output', id: 'call_5', output: 'interrupted' },
      { type: 'shell_call_output', output: [{ stderr: 'interrupted', outcome: { exit_code: 1 } }] },
      { type: 'apply_patch_call_output', status: 'failed', output: 'interrupted' },
      { type: 'custom_tool_call_output', call_id: 'call_3', output: 'interrupted' },
      {
        type: 'tool_search_output',
        call_id: 'call_10',
        execution: 'client',
        status: 'incomplete',
        tools: [],
      },
    ]);
    expect(answers.map((answer) => openAiResponses.view(answer).items[0]?.callId)).toEqual([
      LONG_ID,
      'call_5',
      'call_6',
      'call_7',
      'call_3',
      'call_10',
    ]);
  });

  it('answers a function of any name as a function, addressed to the program that called it', () => {
    const caller = { type: 'program', caller_id: 'prog_1' } as const;
    const shell = { type: 'function_call', call_id: 'a', name: 'shell_call', arguments: '{}' } as const;
    const calls = [shell, { ...shell, caller }, { ...typed.custom, caller }].map((message) => {
      const { callId, toolName, form } = openAiResponses.view(message).items[0] ?? {};
      return { callId: callId ?? '', toolName: toolName ?? '', ...(form && { form }) };
    });
    expect(openAiResponses.answer(calls, 'interrupted')).toEqual([
      { type: 'function_call_output', call_id: 'a', output: 'interrupted' },
      { type: 'function_call_output', call_id: 'a', output: 'interrupted', caller },
      { type: 'custom_tool_call_output', call_id: 'call_3', output: 'interrupted', caller },
    ] satisfies OpenAI.Responses.ResponseInputItem[]);
  });

  it('cannot answer a computer call', () => {
    expect(openAiResponses.view(typed.computer).items[0]?.form).toEqual({ result: null, caller: null });
  });

  it('detects only its own lists', () => {
    const mayBe = new Set([
      'easy',
      'developer',
      'easyAssistant',
      'plainReference',
      'laterCall',
      'laterResult',
    ]);
    for (const [name, message] of Object.entries(samples)) {
      expect(openAiResponses.detect([message]), name).toBe(!mayBe.has(name));
      expect(openAiResponses.detect([message, typed.call]), name).toBe(true);
      if (!mayBe.has(name)) expect(openAiChat.detect([message]), name).toBe(false);
      if (!mayBe.has(name)) expect(openAiAgents.detect([message]), name).toBe(false);
    }
    const foreign: Record<string, unknown> = {
      chatCall: { role: 'assistant', content: null, tool_calls: [] },
      chatParts: { role: 'user', content: [{ type: 'text', text: 'x' }] },
      chatResult: { role: 'tool', tool_call_id: 'a', content: 'x' },
      anthropicCall: { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'b', input: {} }] },
      aiSdkResult: { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'b' }] },
      agentsCall: { type: 'function_call', callId: 'a', name: 'b', arguments: '{}' },
      agentsSearch: { type: 'tool_search_call', callId: 'a', arguments: {} },
      agentsReasoning: { type: 'reasoning', content: [{ type: 'input_text', text: 'x' }] },
      gemini: { role: 'user', parts: [{ text: 'x' }] },
      pi: { role: 'toolResult', toolCallId: 'a', content: [] },
    };
    for (const [name, message] of Object.entries(foreign)) {
      expect(openAiResponses.detect([message]), name).toBe(false);
      expect(openAiResponses.detect([typed.call, message]), name).toBe(false);
    }
  });
});

it('prices pictures inside parts of the provider', () => {
  const picture = `iVBORw0KGgoAAAANSUhEUgAAAgAAAAIACAYAAAD0eNT6${'A1b2C3d4'.repeat(400)}`;
  const { message } = createEstimator('openai', 'gpt-5.4', 'openai-responses');
  const costOf = (result: string): number =>
    message(openAiResponses.view({ type: 'image_generation_call', id: 'ig_1', status: 'completed', result }));
  expect(costOf(picture)).toBeGreaterThan(costOf('') + 80);
});
