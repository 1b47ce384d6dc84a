// Calls without a result: answered in the required type, or removed with their group if only the tool could answer.
// OpenAI's formats have several types, the others one.

import { describe, expect, it } from 'vitest';
import { codecOf, createCompactor, createMemoryStorage } from '../../src/history/index.ts';
import { JUDGES } from '../support/history-rules/index.ts';

type Native = Readonly<Record<string, unknown>>;
type Format = 'openai-chat' | 'openai-responses' | 'openai-agents';

const user = (content: string): Native => ({ role: 'user', content });
const carried = (providerData: Native): Native => ({ type: 'unknown', providerData });

/** The answer to each call; null if it is removed. */
const RESPONSES: Readonly<Record<string, readonly [call: Native, answer: Native | null]>> = {
  'a function': [
    { type: 'function_call', call_id: 'a', name: 'read', arguments: '{}' },
    { type: 'function_call_output', call_id: 'a' },
  ],
  'a function named like another type': [
    { type: 'function_call', call_id: 'a', name: 'computer_call', arguments: '{}' },
    { type: 'function_call_output', call_id: 'a' },
  ],
  'a custom tool': [
    { type: 'custom_tool_call', call_id: 'a', name: 'exec', input: 'ls' },
    { type: 'custom_tool_call_output', call_id: 'a' },
  ],
  'a shell': [
    { type: 'shell_call', call_id: 'a', action: { commands: ['ls'] }, environment: { type: 'local' } },
    { type: 'shell_call_output', call_id: 'a' },
  ],
  'a local shell': [
    {
      type: 'local_shell_call',
      id: 'lsh_1',
      call_id: 'a',
      action: { type: 'exec', command: ['ls'], env: {} },
      status: 'completed',
    },
    { type: 'local_shell_call_output', id: 'a' },
  ],
  'a patch': [
    {
      type: 'apply_patch_call',
      call_id: 'a',
      operation: { type: 'delete_file', path: 'a.txt' },
      status: 'completed',
    },
    { type: 'apply_patch_call_output', call_id: 'a', status: 'failed' },
  ],
  'a search for tools': [
    { type: 'tool_search_call', call_id: 'a', arguments: { goal: 'x' }, execution: 'client' },
    { type: 'tool_search_output', call_id: 'a', execution: 'client', status: 'incomplete', tools: [] },
  ],
  'a screen': [
    {
      type: 'computer_call',
      id: 'cu_1',
      call_id: 'a',
      actions: [{ type: 'screenshot' }],
      pending_safety_checks: [{ id: 'cu_sc_1' }],
      status: 'completed',
    },
    null,
  ],
};

const AGENTS: typeof RESPONSES = {
  'a function': [
    { type: 'function_call', callId: 'a', name: 'read', arguments: '{}' },
    { type: 'function_call_result', callId: 'a', name: 'read', status: 'incomplete' },
  ],
  'a custom tool': [
    carried({ type: 'custom_tool_call', call_id: 'a', name: 'exec', input: 'ls' }),
    { type: 'unknown', providerData: { type: 'custom_tool_call_output', call_id: 'a' } },
  ],
  'a local shell': [
    carried({ type: 'local_shell_call', call_id: 'a', action: { type: 'exec', command: ['ls'], env: {} } }),
    { type: 'unknown', providerData: { type: 'local_shell_call_output', id: 'a' } },
  ],
  'a shell': [
    { type: 'shell_call', callId: 'a', action: { commands: ['ls'] } },
    { type: 'shell_call_output', callId: 'a' },
  ],
  'a patch': [
    {
      type: 'apply_patch_call',
      callId: 'a',
      operation: { type: 'delete_file', path: 'a.txt' },
      status: 'completed',
    },
    { type: 'apply_patch_call_output', callId: 'a', status: 'failed' },
  ],
  'a search for tools': [
    {
      type: 'tool_search_call',
      arguments: { goal: 'x' },
      providerData: { call_id: 'a', execution: 'client' },
    },
    { type: 'tool_search_output', callId: 'a', execution: 'client', tools: [] },
  ],
  'a screen': [
    { type: 'computer_call', callId: 'a', action: { type: 'screenshot' }, status: 'completed' },
    null,
  ],
};

const CHAT: typeof RESPONSES = {
  'a function': [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'a' },
  ],
  'a custom tool': [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'exec', input: 'ls' } }],
    },
    { role: 'tool', tool_call_id: 'a' },
  ],
};

const cases = Object.entries({
  'openai-chat': CHAT,
  'openai-responses': RESPONSES,
  'openai-agents': AGENTS,
}).flatMap(([format, table]) =>
  Object.entries(table).map(([name, [call, answer]]) => [format as Format, name, call, answer] as const),
);

describe('an interrupted call of', () => {
  it.each(cases)('%s: %s', async (format, _, call, answer) => {
    const list = [user('go'), call, user('stop')];
    const judge = JUDGES[format];
    expect(judge(list)).not.toEqual([]);
    const compactor = createCompactor<Native>({ window: 100_000, format });
    const { messages, report } = await compactor.compact(list);
    expect(judge(messages)).toEqual([]);
    expect(report.repairs).toEqual([{ kind: 'interrupted-call', callId: 'a', message: 1 }]);
    if (answer === null) expect(messages).toEqual([list[0], list[2]]);
    else expect(messages).toMatchObject([list[0], call, answer, list[2]]);
    const again = await compactor.compact(list);
    expect(again).toMatchObject({ messages, report: { action: 'none', repairs: [] } });
    const kept = createCompactor<Native>({ window: 100_000, format, state: compactor.state() });
    expect((await kept.compact(messages)).messages).toEqual(messages);
    expect((await kept.compact([...list, user('go on')])).messages).toEqual([...messages, user('go on')]);
  });

  it.each(['openai-responses', 'openai-agents'] as const)(
    '%s is removed with its whole turn, and restored',
    async (format) => {
      const id = format === 'openai-responses' ? 'call_id' : 'callId';
      const thought =
        format === 'openai-responses'
          ? { type: 'reasoning', id: 'rs_1', summary: [] }
          : { type: 'reasoning', id: 'rs_1', content: [] };
      const turn = [
        thought,
        { type: 'function_call', id: 'fc_1', [id]: 'b', name: 'read', arguments: '{}' },
        { type: 'computer_call', id: 'cu_1', [id]: 'a', action: { type: 'wait' }, status: 'completed' },
        format === 'openai-responses'
          ? { type: 'function_call_output', call_id: 'b', output: 'found' }
          : { type: 'function_call_result', callId: 'b', name: 'read', status: 'completed', output: 'found' },
      ];
      const storage = createMemoryStorage();
      const list = [user('go'), ...turn, user('stop')];
      const compactor = createCompactor<Native>({ window: 100_000, format, storage });
      const { messages, report } = await compactor.compact(list);
      expect(messages).toEqual([user('go'), user('stop')]);
      expect(JUDGES[format](messages)).toEqual([]);
      expect(report.repairs).toEqual([{ kind: 'interrupted-call', callId: 'a', message: 4 }]);
      const restored = await Promise.all(report.pointers.map((pointer) => compactor.restore(pointer)));
      expect(restored).toMatchObject(turn.map((message) => ({ kind: 'message', message })));
    },
  );

  it('does not answer provider-run tools and decisions of the user', async () => {
    const list = [
      user('go'),
      {
        type: 'shell_call',
        id: 'sh_1',
        call_id: 'a',
        action: { commands: ['ls'] },
        environment: { type: 'container_reference', container_id: 'cntr_1' },
      },
      { type: 'tool_search_call', id: 'ts_1', call_id: null, arguments: {}, execution: 'server' },
      { type: 'mcp_approval_request', id: 'mcpr_1', name: 'ask', arguments: '{}', server_label: 'docs' },
      user('stop'),
    ];
    expect(JUDGES['openai-responses'](list)).toEqual([]);
    const { messages, report } = await createCompactor<Native>({
      window: 100_000,
      format: 'openai-responses',
    }).compact(list);
    expect(messages).toEqual(list);
    expect(report.repairs).toEqual([]);
  });

  const OTHERS = {
    'ai-sdk': [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: {} },
          { type: 'tool-call', toolCallId: 'b', toolName: 'read', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'stop' }] },
    ],
    anthropic: [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 'read', input: {} },
          { type: 'tool_use', id: 'b', name: 'read', input: {} },
        ],
      },
      { role: 'user', content: 'stop' },
    ],
    gemini: [
      { role: 'user', parts: [{ text: 'go' }] },
      {
        role: 'model',
        parts: [
          { functionCall: { id: 'a', name: 'read', args: {} } },
          { functionCall: { id: 'b', name: 'read', args: {} } },
        ],
      },
      { role: 'user', parts: [{ text: 'stop' }] },
    ],
  } as const;

  it.each(['ai-sdk', 'anthropic', 'gemini'] as const)(
    '%s: two calls before the user continues',
    async (format) => {
      const list: readonly Native[] = OTHERS[format];
      const { messages, report } = await createCompactor<Native>({ window: 100_000, format }).compact(list);
      expect(report.repairs.map(({ callId }) => callId)).toEqual(['a', 'b']);
      expect(JUDGES[format](messages)).toEqual([]);
    },
  );

  const STRAY = {
    'ai-sdk': [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'read', input: {} }],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'b', toolName: 'read', output: { type: 'text', value: 'x' } },
        ],
      },
      { role: 'user', content: 'stop' },
    ],
    anthropic: [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'b', content: 'x' }] },
      { role: 'user', content: 'stop' },
    ],
    gemini: [
      { role: 'user', parts: [{ text: 'go' }] },
      { role: 'model', parts: [{ functionCall: { id: 'a', name: 'read', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { id: 'b', name: 'read', response: { output: 'x' } } }] },
      { role: 'user', parts: [{ text: 'stop' }] },
    ],
  } as const;

  it.each(['ai-sdk', 'anthropic', 'gemini'] as const)(
    '%s: a call before the result of a call that does not exist',
    async (format) => {
      const list: readonly Native[] = STRAY[format];
      const { messages, report } = await createCompactor<Native>({ window: 100_000, format }).compact(list);
      expect(report.repairs.map(({ kind, callId }) => `${kind} ${callId}`).sort()).toEqual([
        'interrupted-call a',
        'orphan-result b',
      ]);
      expect(JUDGES[format](messages)).toEqual([]);
      expect((await createCompactor<Native>({ window: 100_000, format }).compact(messages)).messages).toEqual(
        messages,
      );
    },
  );

  type Anyone = Format | 'ai-sdk' | 'anthropic' | 'gemini' | 'bedrock' | 'mistral' | 'ollama';

  /** Mistral's ids have nine characters. */
  const nine = (id: string): string => id.repeat(9);

  interface Writer {
    user(text: string): Native;
    calls(...ids: readonly string[]): readonly Native[];
    /** Result messages in the format's form. */
    results(...ids: readonly string[]): readonly Native[];
  }

  const WRITERS: Readonly<Record<Anyone, Writer>> = {
    'openai-chat': {
      user,
      calls: (...ids) => [
        {
          role: 'assistant',
          content: null,
          tool_calls: ids.map((id) => ({
            id,
            type: 'function',
            function: { name: 'read', arguments: '{}' },
          })),
        },
      ],
      results: (...ids) => ids.map((id) => ({ role: 'tool', tool_call_id: id, content: `of ${id}` })),
    },
    'openai-responses': {
      user,
      calls: (...ids) =>
        ids.map((id) => ({ type: 'function_call', call_id: id, name: 'read', arguments: '{}' })),
      results: (...ids) =>
        ids.map((id) => ({ type: 'function_call_output', call_id: id, output: `of ${id}` })),
    },
    'openai-agents': {
      user,
      calls: (...ids) =>
        ids.map((id) => ({ type: 'function_call', callId: id, name: 'read', arguments: '{}' })),
      results: (...ids) =>
        ids.map((id) => ({
          type: 'function_call_result',
          callId: id,
          name: 'read',
          status: 'completed',
          output: `of ${id}`,
        })),
    },
    'ai-sdk': {
      user,
      calls: (...ids) => [
        {
          role: 'assistant',
          content: ids.map((id) => ({ type: 'tool-call', toolCallId: id, toolName: 'read', input: {} })),
        },
      ],
      results: (...ids) =>
        ids.map((id) => ({
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: id,
              toolName: 'read',
              output: { type: 'text', value: `of ${id}` },
            },
          ],
        })),
    },
    anthropic: {
      user,
      calls: (...ids) => [
        { role: 'assistant', content: ids.map((id) => ({ type: 'tool_use', id, name: 'read', input: {} })) },
      ],
      results: (...ids) => [
        {
          role: 'user',
          content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: `of ${id}` })),
        },
      ],
    },
    gemini: {
      user: (text) => ({ role: 'user', parts: [{ text }] }),
      calls: (...ids) => [
        { role: 'model', parts: ids.map((id) => ({ functionCall: { id, name: 'read', args: {} } })) },
      ],
      results: (...ids) => [
        {
          role: 'user',
          parts: ids.map((id) => ({
            functionResponse: { id, name: 'read', response: { output: `of ${id}` } },
          })),
        },
      ],
    },
    bedrock: {
      user: (text) => ({ role: 'user', content: [{ text }] }),
      calls: (...ids) => [
        {
          role: 'assistant',
          content: ids.map((id) => ({ toolUse: { toolUseId: id, name: 'read', input: {} } })),
        },
      ],
      results: (...ids) => [
        {
          role: 'user',
          content: ids.map((id) => ({ toolResult: { toolUseId: id, content: [{ text: `of ${id}` }] } })),
        },
      ],
    },
    mistral: {
      user,
      calls: (...ids) => [
        {
          role: 'assistant',
          content: '',
          toolCalls: ids.map((id) => ({ id: nine(id), function: { name: 'read', arguments: '{}' } })),
        },
      ],
      results: (...ids) =>
        ids.map((id) => ({ role: 'tool', toolCallId: nine(id), name: 'read', content: `of ${id}` })),
    },
    ollama: {
      user,
      calls: (...ids) => [
        {
          role: 'assistant',
          content: '',
          tool_calls: ids.map((id) => ({ id, function: { name: 'read', arguments: {} } })),
        },
      ],
      results: (...ids) =>
        ids.map((id) => ({ role: 'tool', tool_name: 'read', tool_call_id: id, content: `of ${id}` })),
    },
  };
  const formats = Object.keys(WRITERS) as Anyone[];
  const make = (format: Anyone) => createCompactor<Native>({ window: 100_000, format });

  describe.each(formats)('%s', (format) => {
    const write = WRITERS[format];
    const asked = [write.user('go'), ...write.calls('a', 'b', 'c')];
    const judge = JUDGES[format];

    it.each(['a', 'b', 'c'])(
      'answers all but %s, which is the only one with a result at the end',
      async (id) => {
        const list = [...asked, ...write.results(id)];
        expect(judge(list)).not.toEqual([]);
        const { messages, report } = await make(format).compact(list);
        expect(judge(messages)).toEqual([]);
        const open = ['a', 'b', 'c'].filter((one) => one !== id);
        expect(report.repairs.map(({ kind, callId }) => `${kind} ${callId}`)).toEqual(
          open.map((one) => `interrupted-call ${format === 'mistral' ? nine(one) : one}`),
        );
        expect(JSON.stringify(messages)).toContain(`of ${id}`);
        expect((await make(format).compact(messages)).messages).toEqual(messages);
      },
    );

    it('does not answer calls if none has a result yet: they may be pending', async () => {
      const { messages, report } = await make(format).compact(asked);
      expect(messages).toEqual(asked);
      expect(report.repairs).toEqual([]);
    });

    it('replaces the answer with a result that arrives later, in any list', async () => {
      const some = [...asked, ...write.results('a')];
      const all = [...asked, ...write.results('a', 'b', 'c')];
      // If one message holds all results, it is replaced with one that has all of them.
      const lists = codecOf(format).rules.results === 'next' ? ['originals'] : ['originals', 'own'];
      for (const which of lists) {
        const compactor = make(format);
        const first = await compactor.compact(some);
        const own = [...first.messages, ...write.results('b', 'c')];
        const { messages } = await compactor.compact(which === 'own' ? own : all);
        const text = JSON.stringify(messages);
        expect(text).not.toContain('interrupted');
        for (const id of ['a', 'b', 'c']) expect(text).toContain(`of ${id}`);
        expect(judge(messages)).toEqual([]);
        const restored = createCompactor<Native>({ window: 100_000, format, state: compactor.state() });
        expect((await restored.compact(messages)).messages).toEqual(messages);
      }
    });
  });

  it.each(['openai-chat', 'ai-sdk', 'ollama'] as const)('%s: before a system message', async (format) => {
    const write = WRITERS[format];
    const system = { role: 'system', content: 'Be brief.' };
    for (const results of [[], write.results('a')]) {
      const list = [write.user('go'), ...write.calls('a', 'b'), ...results, system];
      const { messages, report } = await make(format).compact(list);
      expect(report.repairs.map(({ callId }) => callId)).toEqual(results.length === 0 ? ['a', 'b'] : ['b']);
      expect(messages.at(-1)).toBe(system);
      expect(JUDGES[format](messages.slice(0, -1))).toEqual([]);
    }
  });

  it('waits for approval of one call next to the result of another', async () => {
    const list: Native[] = [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: {} },
          { type: 'tool-call', toolCallId: 'b', toolName: 'remove', input: {} },
          { type: 'tool-approval-request', approvalId: 'ask-b', toolCallId: 'b' },
        ],
      },
      ...WRITERS['ai-sdk'].results('a'),
    ];
    const compactor = make('ai-sdk');
    expect((await compactor.compact(list)).messages).toEqual(list);
    const approved = {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId: 'ask-b', approved: true }],
    };
    expect((await compactor.compact([...list, approved])).messages).toEqual([...list, approved]);
    const { messages, report } = await compactor.compact([...list, { role: 'user', content: 'no, stop' }]);
    expect(report.repairs).toEqual([{ kind: 'interrupted-call', callId: 'b', message: 2 }]);
    expect(JUDGES['ai-sdk'](messages)).toEqual([]);
  });

  it("keeps the result of a call in the same message as a provider's compaction", async () => {
    const list: Native[] = [
      user('go'),
      {
        role: 'assistant',
        content: [
          { type: 'compaction', content: 'What came before.' },
          { type: 'tool_use', id: 'a', name: 'read', input: {} },
        ],
      },
      ...WRITERS.anthropic.results('a'),
    ];
    const { messages, report } = await make('anthropic').compact(list);
    expect(messages).toEqual(list);
    expect(report.repairs).toEqual([]);
    const stopped = await make('anthropic').compact([...list.slice(0, 2), user('stop')]);
    expect(stopped.report.repairs).toMatchObject([{ kind: 'interrupted-call', callId: 'a' }]);
    expect(JUDGES.anthropic(stopped.messages)).toEqual([]);
  });
});
