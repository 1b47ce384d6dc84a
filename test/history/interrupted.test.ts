// Calls without a result: answered in the required type, or removed with their group if only the tool could answer.
// OpenAI's formats have several types, the others one.

import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import {
  type Compactor,
  codecOf,
  createCompactor,
  createLangChainCodec,
  createMemoryStorage,
  type HistoryOptions,
  type HistoryState,
  type Repair,
} from '../../src/history/index.ts';
import { HISTORY_FORMATS, type HistoryFormat, historyOf } from '../support/histories.ts';
import { JUDGES } from '../support/history-rules/index.ts';
import type { Result, Turn } from '../support/history-script.ts';

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

  const said = (text: string): Turn => ({ kind: 'user', text, media: null });
  /** A response with calls; those whose ids end in `!` have results. */
  const asked = (...ids: readonly string[]): Turn => ({
    kind: 'assistant',
    thinking: null,
    text: '',
    hosted: '',
    calls: ids.map((id) => ({
      id: id.replace('!', ''),
      name: 'read',
      args: {},
      result: id.endsWith('!') ? resultOf(id.replace('!', '')) : null,
      approved: false,
    })),
  });
  const resultOf = (id: string): Result => ({ text: `of ${id}`, json: false, isError: false, media: null });
  const langChain = createLangChainCodec({ HumanMessage, AIMessage, ToolMessage });
  const optionsOf = (format: HistoryFormat): HistoryOptions<unknown> => ({
    window: 100_000,
    format: format === 'langchain' ? langChain : codecOf(format === 'ai-sdk-prompt' ? 'ai-sdk' : format),
  });
  const listOf = (format: HistoryFormat, ...turns: readonly Turn[]): readonly unknown[] =>
    historyOf(format, { turns, bareIds: false }).messages;
  const openIn = (repairs: readonly Repair[]): number =>
    repairs.filter(({ kind }) => kind === 'interrupted-call').length;

  describe.each(HISTORY_FORMATS)('%s', (format) => {
    const judge = JUDGES[format];
    const make = (state?: HistoryState): Compactor<unknown> =>
      createCompactor<unknown>({ ...optionsOf(format), ...(state && { state }) });

    it.each([
      ['a!', 'b', 'c'],
      ['a', 'b!', 'c'],
      ['a', 'b', 'c!'],
    ])('answers all of %s, %s, %s but the one with a result at the end', async (...ids) => {
      const list = listOf(format, said('go'), asked(...ids));
      expect(judge(list)).not.toEqual([]);
      const { messages, report } = await make().compact(list);
      expect(judge(messages)).toEqual([]);
      expect(openIn(report.repairs)).toBe(2);
      expect(JSON.stringify(messages)).toContain(`of ${ids.find((id) => id.endsWith('!'))?.[0]}`);
      expect((await make().compact(messages)).messages).toEqual(messages);
    });

    it('answers two calls before the user continues, also behind the result of a call that does not exist', async () => {
      const stray: Turn = { kind: 'stray', id: 'x', name: 'read', result: resultOf('x') };
      for (const between of [[], [stray]]) {
        const list = listOf(format, said('go'), asked('a', 'b'), ...between, said('stop'));
        const { messages, report } = await make().compact(list);
        expect(openIn(report.repairs)).toBe(2);
        expect(judge(messages)).toEqual([]);
        expect((await make().compact(messages)).messages).toEqual(messages);
      }
    });

    it('does not answer calls if none has a result yet: they may be pending', async () => {
      const { report } = await make().compact(listOf(format, said('go'), asked('a', 'b', 'c')));
      expect(openIn(report.repairs)).toBe(0);
    });

    it('replaces the answer with a result that arrives later', async () => {
      const compactor = make();
      await compactor.compact(listOf(format, said('go'), asked('a!', 'b', 'c')));
      const { messages } = await compactor.compact(listOf(format, said('go'), asked('a!', 'b!', 'c!')));
      const text = JSON.stringify(messages);
      expect(text).not.toContain('interrupted');
      for (const id of ['a', 'b', 'c']) expect(text).toContain(`of ${id}`);
      expect(judge(messages)).toEqual([]);
      expect((await make(compactor.state()).compact(messages)).messages).toEqual(messages);
    });
  });

  it.each(['openai-chat', 'ai-sdk', 'ollama'] as const)('%s: before a system message', async (format) => {
    const system: Turn = { kind: 'system', text: 'Be brief.' };
    for (const [calls, open] of [
      [['a', 'b'], 2],
      [['a!', 'b'], 1],
    ] as const) {
      const list = listOf(format, said('go'), asked(...calls), system);
      const { messages, report } = await createCompactor<unknown>(optionsOf(format)).compact(list);
      expect(openIn(report.repairs)).toBe(open);
      expect(messages.at(-1)).toBe(list.at(-1));
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
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'a', toolName: 'read', output: { type: 'text', value: 'of a' } },
        ],
      },
    ];
    const compactor = createCompactor<Native>({ window: 100_000, format: 'ai-sdk' });
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
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'of a' }] },
    ];
    const { messages, report } = await createCompactor<Native>({
      window: 100_000,
      format: 'anthropic',
    }).compact(list);
    expect(messages).toEqual(list);
    expect(report.repairs).toEqual([]);
    const stopped = await createCompactor<Native>({ window: 100_000, format: 'anthropic' }).compact([
      ...list.slice(0, 2),
      user('stop'),
    ]);
    expect(stopped.report.repairs).toMatchObject([{ kind: 'interrupted-call', callId: 'a' }]);
    expect(JUDGES.anthropic(stopped.messages)).toEqual([]);
  });
});
