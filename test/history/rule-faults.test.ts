// Every rule of the format checkers fails on a minimal list that breaks it and passes on the original list.

import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { expect, it } from 'vitest';
import type { HistoryFormat } from '../support/histories.ts';
import { charactersWhole, compared, JUDGES, sealedIntact } from '../support/history-rules/index.ts';

type List = readonly unknown[];
/** The change that breaks the rule, the list, and the expected finding. */
type Fault = readonly [name: string, messages: List, finding: RegExp];

function faultsOf(format: HistoryFormat, good: List, faults: readonly Fault[]): void {
  it(`${format}: takes the good list`, () => {
    expect(JUDGES[format](good)).toEqual([]);
  });
  it.each(faults)(`${format}: %s`, (_name, messages, finding) => {
    expect(JUDGES[format](messages).join('\n')).toMatch(finding);
  });
}

// OpenAI Chat

{
  const system = { role: 'system', content: 'be brief' };
  const user = { role: 'user', content: 'go' };
  const call = (...ids: string[]): unknown => ({
    role: 'assistant',
    content: null,
    tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'read', arguments: '{}' } })),
  });
  const result = (id: string): unknown => ({ role: 'tool', tool_call_id: id, content: 'ok' });
  const done = { role: 'assistant', content: 'done' };
  faultsOf(
    'openai-chat',
    [system, user, call('a', 'b'), result('b'), result('a'), done],
    [
      ['nothing', [], /no message/],
      ['a role', [{ role: 'robot', content: 'x' }], /role robot/],
      ['an orphan', [user, result('a')], /without its call/],
      ['a late result', [user, call('a'), user, result('a')], /before the results of a/],
      [
        'a result after the next answer',
        [user, call('a'), result('a'), done, result('a')],
        /without its call/,
      ],
      ['a second result', [user, call('a'), result('a'), result('a')], /second result/],
      ['an open call', [user, call('a', 'b'), result('a')], /end: no results of b/],
      ['two calls of one id', [user, call('a', 'a'), result('a')], /two calls a/],
      ['a long id', [user, call('a'.repeat(41)), result('a'.repeat(41))], /41 characters/],
      ['no calls', [user, { role: 'assistant', content: 'x', tool_calls: [] }], /empty/],
      ['no content', [{ role: 'assistant', content: null }], /no content/],
      ['empty content', [{ role: 'user', content: [] }], /content is empty/],
      ['an alien part', [{ role: 'user', content: [{ type: 'hologram' }] }], /part hologram/],
      [
        'a picture as result',
        [user, call('a'), { ...Object(result('a')), content: [{ type: 'image_url', image_url: {} }] }],
        /part image_url/,
      ],
      [
        'arguments as object',
        [
          user,
          {
            role: 'assistant',
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'r', arguments: {} } }],
          },
          result('a'),
        ],
        /a call that is none/,
      ],
      [
        'a bad name',
        [
          user,
          {
            role: 'assistant',
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'r d', arguments: '' } }],
          },
          result('a'),
        ],
        /a call of r d/,
      ],
    ],
  );
}

// Anthropic

const thinking = { type: 'thinking', thinking: 'hm', signature: 'c2ln' };
{
  const user = { role: 'user', content: 'go' };
  const use = (id: string): unknown => ({ type: 'tool_use', id, name: 'read', input: {} });
  const says = (...content: unknown[]): unknown => ({ role: 'assistant', content });
  const gives = (...content: unknown[]): unknown => ({ role: 'user', content });
  const result = (id: string, more: object = {}): unknown => ({
    type: 'tool_result',
    tool_use_id: id,
    content: 'ok',
    ...more,
  });
  const text = { type: 'text', text: 'x' };
  faultsOf(
    'anthropic',
    [
      user,
      says(thinking, text, use('a'), use('b')),
      gives(result('b'), result('a'), text),
      says(use('c')),
      gives(result('c')),
    ],
    [
      ['nothing', [], /no message/],
      ['a system message', [user, { role: 'system', content: 'x' }], /role system/],
      ['the assistant first', [says(text), user], /does not begin/],
      ['the assistant last', [user, says(text)], /ends with the assistant/],
      ['an empty text', [{ role: 'user', content: ' \n' }], /empty text/],
      ['no content', [{ role: 'user', content: [] }], /content is empty/],
      ['an orphan', [user, says(text), gives(result('a'))], /without its call/],
      ['a missing result', [user, says(use('a'), use('b')), gives(result('a'))], /lacks the result of b/],
      ['a late result', [user, says(use('a')), user, gives(result('a'))], /lacks the result of a/],
      ['an open call', [user, says(use('a'))], /end: no results of a/],
      ['a second result', [user, says(use('a')), gives(result('a'), result('a'))], /second result/],
      ['text before results', [user, says(use('a')), gives(text, result('a'))], /behind other content/],
      [
        'an id twice',
        [user, says(use('a')), gives(result('a')), says(use('a')), gives(result('a'))],
        /second call a/,
      ],
      ['an odd id', [user, says(use('a:1')), gives(result('a:1'))], /id a:1/],
      ['thinking alone', [user, says(thinking), user], /ends with thinking/],
      ['unsigned thinking', [user, says({ ...thinking, signature: '' }, text), user], /without signature/],
      [
        'thinking of the loop gone',
        [user, says(use('a')), gives(result('a')), says(thinking, use('b')), gives(result('b'))],
        /does not begin with thinking/,
      ],
      [
        'thinking behind text',
        [user, says(text, thinking, use('a')), gives(result('a'))],
        /does not begin with thinking/,
      ],
      ['thinking by the user', [gives(thinking)], /block thinking/],
      ['an alien block', [gives({ type: 'hologram' })], /block hologram/],
      [
        'an empty error',
        [user, says(use('a')), gives(result('a', { content: '', is_error: true }))],
        /error result without/,
      ],
      [
        'an error with a picture',
        [
          user,
          says(use('a')),
          gives(result('a', { content: [{ type: 'image', source: {} }], is_error: true })),
        ],
        /error result with media/,
      ],
      [
        'an empty text in a result',
        [user, says(use('a')), gives(result('a', { content: [{ type: 'text', text: '' }] }))],
        /empty text in a result/,
      ],
      [
        'input as text',
        [user, says({ ...Object(use('a')), input: '{}' }), gives(result('a'))],
        /input is no object/,
      ],
      [
        'a search without result',
        [user, says({ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }, text), user],
        /server call s/,
      ],
      [
        'a result of no search',
        [user, says({ type: 'web_search_tool_result', tool_use_id: 's', content: [] }, text), user],
        /without its call/,
      ],
      [
        'five cache marks',
        [gives(...Array.from({ length: 5 }, () => ({ ...text, cache_control: { type: 'ephemeral' } })))],
        /5 cache marks/,
      ],
    ],
  );
}

// AI SDK

{
  const user = { role: 'user', content: 'go' };
  const call = (id: string, more: object = {}): unknown => ({
    type: 'tool-call',
    toolCallId: id,
    toolName: 'read',
    input: {},
    ...more,
  });
  const result = (id: string, output: unknown = { type: 'text', value: 'ok' }): unknown => ({
    type: 'tool-result',
    toolCallId: id,
    toolName: 'read',
    output,
  });
  const says = (...content: unknown[]): unknown => ({ role: 'assistant', content });
  const gives = (...content: unknown[]): unknown => ({ role: 'tool', content });
  const reasoning = { type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 'c2ln' } } };
  const text = { type: 'text', text: 'x' };
  const ask = { type: 'tool-approval-request', approvalId: 'q', toolCallId: 'a' };
  const allow = { type: 'tool-approval-response', approvalId: 'q', approved: true };
  faultsOf(
    'ai-sdk',
    [
      { role: 'system', content: 's' },
      user,
      says(reasoning, text, call('a'), ask),
      gives(allow),
      gives(result('a')),
      says(call('b', { providerExecuted: true }), result('b'), text),
      user,
    ],
    [
      ['nothing', [], /no message/],
      ['the assistant first', [says(text), user], /does not begin/],
      ['the assistant last', [user, says(text)], /ends with the assistant/],
      ['a late system message', [user, { role: 'system', content: 's' }], /behind others/],
      ['a role', [user, { role: 'developer', content: 's' }], /role developer/],
      ['an orphan', [user, gives(result('a'))], /without its call/],
      ['a late result', [user, says(call('a')), user, gives(result('a'))], /before the results of a/],
      ['an open call', [user, says(call('a'))], /end: no results of a/],
      ['a second result', [user, says(call('a')), gives(result('a'), result('a'))], /second result/],
      ['two calls of one id', [user, says(call('a'), call('a')), gives(result('a'))], /two calls/],
      ['output as text', [user, says(call('a')), gives(result('a', 'ok'))], /output undefined/],
      ['reasoning alone', [user, says(reasoning), user], /nothing but reasoning/],
      ['nothing said', [user, says({ type: 'text', text: '' }), user], /nothing in it/],
      ['an alien part', [user, says({ type: 'hologram' }), user], /part hologram/],
      ['an approval of nothing', [user, says(text, ask), user], /approval of a without/],
      ['an answer to no approval', [user, says(call('a')), gives(allow, result('a'))], /without its request/],
      [
        'reasoning of the loop gone',
        [user, says(call('a')), gives(result('a')), says(reasoning, call('b')), gives(result('b'))],
        /does not begin with thinking/,
      ],
      ['a result of a call nobody ran', [user, says(text, result('b')), user], /without its call/],
    ],
  );
}

// OpenAI Responses and Agents

const rs = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'c2ln' };
const fc = (id: string): object => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name: 'read',
  arguments: '{}',
});
{
  const user = { role: 'user', content: 'go' };
  const out = (id: string): object => ({ type: 'function_call_output', call_id: id, output: 'ok' });
  const exec = { type: 'custom_tool_call', call_id: 'a', name: 'exec', input: 'ls' };
  const said = { type: 'custom_tool_call_output', call_id: 'a', output: 'ok' };
  const shell = { type: 'shell_call', call_id: 'a', action: { commands: ['ls'] } };
  const ended = { stdout: '', stderr: '', outcome: { type: 'exit', exit_code: 0 } };
  const ran = { type: 'shell_call_output', call_id: 'a', output: [ended] };
  const screen = { type: 'computer_call', call_id: 'a', actions: [{ type: 'wait' }] };
  const picture = { type: 'computer_screenshot', file_id: 'file_1' };
  const shot = { type: 'computer_call_output', call_id: 'a', output: picture };
  const patch = { type: 'apply_patch_call', call_id: 'a', operation: { type: 'delete_file', path: 'a' } };
  const patched = { type: 'apply_patch_call_output', call_id: 'a', status: 'failed' };
  const local = { type: 'local_shell_call', call_id: 'a', action: { type: 'exec', command: ['ls'] } };
  const told = { type: 'local_shell_call_output', id: 'a', output: 'ok' };
  const search = { type: 'tool_search_call', call_id: 'a', arguments: {}, execution: 'client' };
  const found = { type: 'tool_search_output', call_id: 'a', tools: [], execution: 'client' };
  const approved = { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true };
  faultsOf(
    'openai-responses',
    [user, rs, fc('a'), fc('b'), out('b'), out('a')],
    [
      ['nothing', [], /no item/],
      ['an orphan', [user, out('a')], /without its call/],
      ['an early result', [user, out('a'), fc('a')], /without its call before/],
      ['an open call', [user, fc('a')], /no result of a/],
      ['a second result', [user, fc('a'), out('a'), out('a')], /second result/],
      ['a second call', [user, fc('a'), fc('a'), out('a')], /second call/],
      ['reasoning alone', [user, rs], /without its following item/],
      ['reasoning before a result', [user, fc('a'), rs, out('a')], /without its following item/],
      ['an item twice', [user, rs, fc('a'), out('a'), rs, fc('b'), out('b')], /second item rs_1/],
      ['an id of another type', [user, { ...rs, id: 'fc_1' }, fc('a'), out('a')], /id fc_1 of reasoning/],
      ['a long id', [user, fc('a'.repeat(65)), out('a'.repeat(65))], /call_id aaa/],
      ['an alien item', [user, { type: 'hologram' }], /type hologram/],
      ['an alien part', [{ role: 'user', content: [{ type: 'text', text: 'x' }] }], /part text/],
      ['empty content', [{ role: 'user', content: [] }], /content is empty/],
      ['a tool role', [{ role: 'tool', content: 'x' }], /role tool/],
      ['a result without output', [user, fc('a'), { ...out('a'), output: null }], /neither text nor parts/],
      ['compaction without content', [user, { type: 'compaction' }], /compaction without/],
      ['no summary', [user, { ...rs, summary: null }, fc('a'), out('a')], /without id or summary/],
      ['arguments as object', [user, { ...fc('a'), arguments: {} }, out('a')], /no text/],
      ['a result of another type', [user, exec, out('a')], /function_call_output of a, not custom_tool/],
      ['a custom call without input', [user, { ...exec, input: {} }, said], /without name or input/],
      ['a custom result without output', [user, exec, { ...said, output: {} }], /neither text nor parts/],
      [
        'a shell that did not end',
        [user, shell, { ...ran, output: [{ stdout: '', stderr: '' }] }],
        /what it is/,
      ],
      ['a shell without output', [user, shell, { ...ran, output: 'x' }], /what it is/],
      ['no screenshot', [user, screen, { ...shot, output: { type: 'text' } }], /what it is/],
      ['a patch of no state', [user, patch, { ...patched, status: 'ok' }], /what it is/],
      ['a local shell without text', [user, local, { ...told, output: [] }], /what it is/],
      ['a search without tools', [user, search, { ...found, tools: null }], /what it is/],
      ['an open search', [user, search], /no result of a/],
      ['an approval that does not say', [user, { ...approved, approve: 'yes' }], /what it is/],
    ],
  );
  it('openai-responses: accepts results of every type', () => {
    for (const pair of [
      [exec, said],
      [shell, ran],
      [screen, shot],
      [patch, patched],
      [local, told],
      [search, found],
    ])
      expect(JUDGES['openai-responses']([user, ...pair])).toEqual([]);
    expect(JUDGES['openai-responses']([user, approved])).toEqual([]);
  });

  it('openai-responses: reasoning is removed with its item', () => {
    const before = [user, rs, fc('a'), out('a'), { ...rs, id: 'rs_2' }, fc('b'), out('b')];
    expect(compared('openai-responses', before, before.slice(4))).toEqual([]);
    expect(compared('openai-responses', before, before.toSpliced(1, 1)).join()).toMatch(
      /fc_a follows no reasoning/,
    );
    expect(compared('openai-responses', before, before.toSpliced(2, 3)).join()).toMatch(/fc_b follows rs_1/);
  });
}
{
  const user = { type: 'message', role: 'user', content: 'go' };
  const call = (id: string): object => ({ type: 'function_call', callId: id, name: 'read', arguments: '{}' });
  const out = (id: string): object => ({
    type: 'function_call_result',
    callId: id,
    name: 'read',
    status: 'completed',
    output: 'ok',
  });
  const reasoning = { type: 'reasoning', id: 'rs_1', content: [] };
  faultsOf(
    'openai-agents',
    [user, reasoning, call('a'), out('a')],
    [
      ['an orphan', [user, out('a')], /without its call/],
      ['an open call', [user, call('a')], /no result of a/],
      ['a second result', [user, call('a'), out('a'), out('a')], /second result/],
      ['reasoning alone', [user, reasoning], /without its following item/],
      ['a result without status', [user, call('a'), { ...out('a'), status: 'ok' }], /without name or status/],
      ['a result without output', [user, call('a'), { ...out('a'), output: 3 }], /without output/],
      [
        'assistant text as string',
        [user, { type: 'message', role: 'assistant', content: 'x', status: 'completed' }],
        /wrong type/,
      ],
      ['an alien item', [user, { type: 'hologram' }], /type hologram/],
      ['an alien part', [{ role: 'user', content: [{ type: 'text' }] }], /part text/],
      [
        'a call without arguments',
        [user, { ...call('a'), arguments: null }, out('a')],
        /without name or arguments/,
      ],
    ],
  );
}

// Gemini

{
  const user = { role: 'user', parts: [{ text: 'go' }] };
  const call = (name: string, more: object = {}): unknown => ({ functionCall: { name, args: {} }, ...more });
  const response = (name: string): unknown => ({ functionResponse: { name, response: { output: 'ok' } } });
  const says = (...parts: unknown[]): unknown => ({ role: 'model', parts });
  const gives = (...parts: unknown[]): unknown => ({ role: 'user', parts });
  const text = { text: 'x' };
  const signed = { thoughtSignature: 'c2ln' };
  faultsOf(
    'gemini',
    [
      user,
      says(text, call('a', signed), call('b')),
      gives(response('a'), response('b')),
      says(call('c', signed)),
      gives(response('c')),
    ],
    [
      ['nothing', [], /no content/],
      ['the model first', [says(text), user], /does not begin/],
      ['the model last', [user, says(text)], /does not end with the user/],
      ['a role', [user, { role: 'assistant', parts: [text] }, user], /role assistant/],
      ['two of one side', [user, user], /its own side/],
      ['no parts', [gives()], /no parts/],
      ['an empty text', [gives({ text: '' })], /empty text/],
      ['an alien part', [gives({ hologram: {} })], /0 kinds of data/],
      ['two kinds of data', [gives({ text: 'x', inlineData: {} })], /2 kinds of data/],
      [
        'too few responses',
        [user, says(call('a'), call('b')), gives(response('a'))],
        /1 responses for 2 calls/,
      ],
      [
        'too many responses',
        [user, says(call('a')), gives(response('a'), response('a'))],
        /2 responses for 1 calls/,
      ],
      [
        'another order',
        [user, says(call('a'), call('b')), gives(response('b'), response('a'))],
        /response 0 is of b/,
      ],
      ['an open call', [user, says(call('a'))], /1 calls without responses/],
      [
        'a late response',
        [user, says(call('a')), user, says(text), gives(response('a'))],
        /0 responses for 1/,
      ],
      ['thoughts alone', [user, says({ text: 'hm', thought: true }), user], /nothing but thoughts/],
      [
        'an unsigned call',
        [user, says(call('a')), gives(response('a')), says(call('b', signed)), gives(response('b'))],
        /not signed/,
      ],
      ['a call by the user', [gives(call('a'))], /a call by the user/],
      [
        'a response as text',
        [user, says(call('a')), gives({ functionResponse: { name: 'a', response: 'ok' } })],
        /no response/,
      ],
    ],
  );
}

// Bedrock

{
  const user = { role: 'user', content: [{ text: 'go' }] };
  const use = (id: string, more: object = {}): unknown => ({
    toolUse: { toolUseId: id, name: 'read', input: {}, ...more },
  });
  const result = (id: string, content: unknown = [{ text: 'ok' }], more: object = {}): unknown => ({
    toolResult: { toolUseId: id, content, ...more },
  });
  const says = (...content: unknown[]): unknown => ({ role: 'assistant', content });
  const gives = (...content: unknown[]): unknown => ({ role: 'user', content });
  const text = { text: 'x' };
  const reasoning = { reasoningContent: { reasoningText: { text: 'hm', signature: 'c2ln' } } };
  const document = { document: { format: 'pdf', name: 'a', source: {} } };
  faultsOf(
    'bedrock',
    [user, says(reasoning, text, use('a'), use('b')), gives(result('b'), result('a'), text)],
    [
      ['nothing', [], /no message/],
      ['the assistant first', [says(text), user], /does not begin/],
      ['the assistant last', [user, says(text)], /ends with the assistant/],
      ['a role', [user, { role: 'system', content: [text] }, user], /role system/],
      ['two of one side', [user, user], /its own side/],
      ['no content', [gives()], /content is empty/],
      ['a blank text', [gives({ text: ' ' })], /blank text/],
      ['an alien block', [gives({ hologram: {} })], /block hologram/],
      ['a block of two kinds', [gives({ text: 'x', image: {} })], /block text/],
      ['a picture without source', [gives({ image: { format: 'png' } })], /image without/],
      ['a document alone', [gives(document)], /document without a text/],
      ['a missing result', [user, says(use('a'), use('b')), gives(result('a'))], /lacks the result of b/],
      ['an orphan', [user, says(text), gives(result('a'))], /without its call/],
      ['a second result', [user, says(use('a')), gives(result('a'), result('a'))], /second result/],
      ['text before results', [user, says(use('a')), gives(text, result('a'))], /behind other content/],
      ['an open call', [user, says(use('a'))], /end: no results of a/],
      ['an odd id', [user, says(use('a:1')), gives(result('a:1'))], /id a:1/],
      ['a long id', [user, says(use('a'.repeat(65))), gives(result('a'.repeat(65)))], /id aaa/],
      ['two calls of one id', [user, says(use('a'), use('a')), gives(result('a'))], /two calls/],
      ['input as text', [user, says(use('a', { input: '{}' })), gives(result('a'))], /input is no object/],
      ['a result without content', [user, says(use('a')), gives(result('a', []))], /without content/],
      [
        'a blank result',
        [user, says(use('a')), gives(result('a', [{ text: '' }]))],
        /blank text in a result/,
      ],
      [
        'a result of no status',
        [user, says(use('a')), gives(result('a', [text], { status: 'x' }))],
        /status/,
      ],
      ['an alien in a result', [user, says(use('a')), gives(result('a', [{ audio: {} }]))], /unknown type/],
      ['reasoning alone', [user, says(reasoning), user], /ends with reasoning/],
      [
        'reasoning of the loop gone',
        [user, says(use('a')), gives(result('a')), says(reasoning, use('b')), gives(result('b'))],
        /does not begin with thinking/,
      ],
    ],
  );
}

// Mistral

{
  const user = { role: 'user', content: 'go' };
  const [a, b] = ['aaaaaaaa1', 'aaaaaaaa2'] as const;
  const call = (...ids: string[]): unknown => ({
    role: 'assistant',
    content: '',
    toolCalls: ids.map((id) => ({ id, function: { name: 'read', arguments: '{}' } })),
  });
  const result = (id: string): unknown => ({ role: 'tool', toolCallId: id, name: 'read', content: 'ok' });
  const done = { role: 'assistant', content: 'done' };
  faultsOf(
    'mistral',
    [{ role: 'system', content: 's' }, user, call(a, b), result(b), result(a), done, user],
    [
      ['nothing', [], /no message/],
      ['a role', [user, { role: 'developer', content: 's' }], /role developer/],
      ['a late system message', [user, { role: 'system', content: 's' }], /system message behind/],
      ['the assistant first', [done, user], /does not begin/],
      ['the assistant last', [user, done], /ends with the assistant/],
      ['the user after a result', [user, call(a), result(a), user], /behind a result/],
      ['an orphan', [user, result(a)], /without its call/],
      ['a second result', [user, call(a), result(a), result(a)], /second result/],
      ['a late result', [user, call(a), user, result(a)], /before the results of/],
      ['an open call', [user, call(a, b), result(a)], /end: no results of/],
      ['two calls of one id', [user, call(a, a), result(a)], /two calls/],
      ['a long id', [user, call('call_0fypS'), result('call_0fypS')], /id call_0fypS/],
      ['calls of the user', [{ role: 'user', content: 'x', toolCalls: [{ id: a }] }], /of another role/],
      ['nothing said', [user, { role: 'assistant', content: '' }, user], /neither content nor calls/],
      ['an empty user', [{ role: 'user', content: '' }], /content is empty/],
      ['content as object', [{ role: 'user', content: {} }], /neither text nor chunks/],
      [
        'an alien chunk',
        [{ role: 'user', content: [{ type: 'image_url', image_url: 'x' }] }],
        /chunk image_url/,
      ],
      ['thinking as text', [{ role: 'user', content: [{ type: 'thinking', thinking: 'x' }] }], /is no list/],
      [
        'a call without arguments',
        [user, { role: 'assistant', toolCalls: [{ id: a, function: { name: 'r d' } }] }, result(a)],
        /a call of r d\n.*without arguments/,
      ],
    ],
  );
}

// Ollama

{
  const user = { role: 'user', content: 'go' };
  const call = (name: string, more: object = {}): object => ({ ...more, function: { name, arguments: {} } });
  const calls = (...tool_calls: object[]): unknown => ({ role: 'assistant', content: '', tool_calls });
  const result = (name: string, more: object = {}): unknown => ({
    role: 'tool',
    tool_name: name,
    content: 'ok',
    ...more,
  });
  const one = { id: '1' };
  faultsOf(
    'ollama',
    [
      user,
      calls(call('read'), call('list'), call('read')),
      result('read'),
      result('read'),
      result('list'),
      calls(call('read', one)),
      result('read', { tool_call_id: '1' }),
    ],
    [
      ['nothing', [], /no message/],
      ['a role', [{ role: 'robot', content: 'x' }], /role robot/],
      ['content as parts', [{ role: 'user', content: [] }], /content is no text/],
      ['no images', [{ ...user, images: [] }], /images are no list/],
      ['an empty image', [{ ...user, images: [''] }], /image without data/],
      ['an orphan', [user, result('read')], /without its call/],
      [
        'a result of another call',
        [user, calls(call('read', one)), result('read', { tool_call_id: '2' })],
        /of 2 without/,
      ],
      ['a second result', [user, calls(call('read')), result('read'), result('read')], /without its call/],
      ['a late result', [user, calls(call('read')), user, result('read')], /before the results of read/],
      ['an open call', [user, calls(call('read'))], /end: no results of read/],
      ['no calls', [user, calls()], /`tool_calls` is no list or empty/],
      ['calls of the user', [{ ...user, tool_calls: [call('read')] }, result('read')], /another role/],
      ['a call of nothing', [user, calls(call('')), result('')], /without a name/],
      [
        'arguments as text',
        [user, calls({ function: { name: 'read', arguments: '{}' } }), result('read')],
        /arguments are no object/,
      ],
      ['nothing said', [user, { role: 'assistant', content: '' }], /nothing in it/],
    ],
  );
}

// LangChain

{
  const user = new HumanMessage('go');
  const tool_calls = (
    ...ids: string[]
  ): { id: string; name: string; args: Record<string, unknown>; type: 'tool_call' }[] =>
    ids.map((id) => ({ id, name: 'read', args: {}, type: 'tool_call' as const }));
  const call = (...ids: string[]): AIMessage =>
    new AIMessage({ content: '', tool_calls: tool_calls(...ids) });
  const result = (id: string): ToolMessage => new ToolMessage({ content: 'ok', tool_call_id: id });
  const use = (id: string): { type: 'tool_use' } & Record<string, unknown> => ({
    type: 'tool_use',
    id,
    name: 'read',
    input: {},
  });
  const thinks = (id: string, used = id): AIMessage =>
    new AIMessage({ content: [thinking, use(used)], tool_calls: tool_calls(id) });
  faultsOf(
    'langchain',
    [new SystemMessage('s'), user, thinks('a'), result('a'), call('b', 'c'), result('c'), result('b')],
    [
      ['nothing', [], /no message/],
      ['no message', [user, { role: 'user', content: 'x' }], /type no message/],
      ['a late system message', [user, new SystemMessage('s')], /behind others/],
      ['the assistant first', [new AIMessage('x'), user], /does not begin/],
      ['the assistant last', [user, new AIMessage('x')], /ends with the assistant/],
      ['an orphan', [user, result('a')], /without its call/],
      ['an open call', [user, call('a')], /end: no results of a/],
      ['a late result', [user, call('a'), user, result('a')], /before the results of a/],
      ['a second result', [user, call('a'), result('a'), result('a')], /second result/],
      ['an id twice', [user, call('a'), result('a'), call('a'), result('a')], /second call a/],
      ['an odd id', [user, call('a.b'), result('a.b')], /id a.b/],
      ['calls that differ', [user, thinks('a', 'b'), result('a')], /differ/],
      ['thinking alone', [user, new AIMessage({ content: [thinking] }), user], /ends with thinking/],
      [
        'thinking of the loop gone',
        [user, call('a'), result('a'), thinks('b'), result('b')],
        /does not begin with thinking/,
      ],
      ['nothing said', [user, new AIMessage(''), user], /nothing in it/],
      ['an empty text', [new HumanMessage({ content: [{ type: 'text', text: '' }] })], /empty text/],
      ['an alien block', [new HumanMessage({ content: [{ type: 'hologram' }] })], /block hologram/],
    ],
  );
}

// Originals

it('detects sealed parts that changed or moved, but not removed ones', () => {
  const other = { ...thinking, signature: 'b3RoZXI' };
  const says = (...content: unknown[]): unknown => ({ role: 'assistant', content });
  const before = [says(thinking, { type: 'text', text: 'x' }), says(other)];
  expect(sealedIntact(before, before)).toEqual([]);
  expect(sealedIntact(before, before.slice(1))).toEqual([]);
  expect(sealedIntact(before, [says(other), says(thinking)]).join()).toMatch(/out of order/);
  expect(sealedIntact(before, [says({ ...thinking, thinking: 'h' })]).join()).toMatch(/changed/);
  expect(sealedIntact([rs], [{ ...rs, summary: [{}] }]).join()).toMatch(/changed/);
  const signedCall = { functionCall: { name: 'a' }, thoughtSignature: 'c2ln' };
  expect(sealedIntact([signedCall], [{ ...signedCall, functionCall: { name: 'b' } }]).join()).toMatch(
    /changed/,
  );
});

it('detects new unpaired surrogates', () => {
  expect(charactersWhole([{ text: 'a👍b' }], [{ text: 'a👍' }])).toEqual([]);
  expect(charactersWhole([{ text: 'a👍b' }], [{ text: 'a👍b'.slice(0, 2) }])).toHaveLength(1);
  expect(charactersWhole([{ text: '\ud83d' }], [{ text: '\ud83d' }])).toEqual([]);
});
