// OpenAI's own tools in AI SDK messages: checks with `@ai-sdk/openai` that results edited by the codec are still sent as
// results of those tools.

import { createOpenAI } from '@ai-sdk/openai';
import { generateText, type ModelMessage, type ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import { aiSdk } from '../../../src/history/codecs/ai-sdk/codec.ts';
import { createCompactor } from '../../../src/history/index.ts';
import { JUDGES } from '../../support/history-rules/index.ts';

const KEPT = { openai: { store: false } } as const;

/** The `input` the SDK sends for `messages`. */
async function inputOf(messages: readonly unknown[]): Promise<readonly unknown[]> {
  let sent = '';
  const openai = createOpenAI({
    apiKey: 'none',
    fetch: (_url, init) => {
      sent = String(init?.body);
      return Promise.resolve(new Response('{}', { status: 500 }));
    },
  });
  const tools = {
    shell: openai.tools.shell({}),
    local_shell: openai.tools.localShell({}),
    apply_patch: openai.tools.applyPatch({}),
  } as unknown as ToolSet;
  // Messages in the codec's format.
  const list = messages as ModelMessage[];
  await generateText({
    model: openai.responses('gpt-5'),
    messages: list,
    tools,
    maxRetries: 0,
    providerOptions: KEPT,
  }).catch(() => null);
  const body: unknown = JSON.parse(sent);
  return (body as { input: readonly unknown[] }).input;
}

const call = (toolName: string, input: unknown): ModelMessage => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId: 'call_1', toolName, input }],
});
const result = (toolName: string, value: unknown): unknown => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: 'call_1', toolName, output: { type: 'json', value } }],
});
const ended = { type: 'exit', exitCode: 0 };

const TOOLS: Readonly<Record<string, readonly [input: unknown, value: unknown, said: string, item: object]>> =
  {
    shell: [
      { action: { commands: ['ls'] } },
      { output: [{ stdout: 'a', stderr: 'b', outcome: ended }] },
      'a\nb',
      { type: 'shell_call_output', output: [{ stdout: '$& left out', stderr: '' }] },
    ],
    local_shell: [
      { action: { type: 'exec', command: ['ls'] } },
      { output: 'a' },
      'a',
      { type: 'local_shell_call_output', output: '$& left out' },
    ],
    apply_patch: [
      { callId: 'call_1', operation: { type: 'delete_file', path: 'a.txt' } },
      { status: 'completed', output: 'a' },
      'a',
      { type: 'apply_patch_call_output', status: 'completed', output: '$& left out' },
    ],
  };

describe.each(Object.entries(TOOLS))('%s', (name, [input, value, said, item]) => {
  it('keeps the shape of a result it shortens', async () => {
    const message = result(name, value);
    expect(aiSdk.view(message).items).toMatchObject([{ kind: 'result', text: said, isError: false }]);
    const edited = aiSdk.edit(message, [{ op: 'text', item: 0, text: '$& left out' }]);
    expect(aiSdk.view(edited).items[0]?.text).toBe('$& left out');
    const list = [{ role: 'user', content: 'go' }, call(name, input), edited];
    expect((await inputOf(list)).at(-1)).toMatchObject(item);
  });

  it('gets an answer of its own shape when interrupted', async () => {
    const list = [{ role: 'user', content: 'go' }, call(name, input), { role: 'user', content: 'stop' }];
    const { messages } = await createCompactor({ window: 100_000, format: 'ai-sdk' }).compact(list);
    expect(JUDGES['ai-sdk'](messages)).toEqual([]);
    const sent = await inputOf(messages);
    expect(sent.map((each) => (each as { type?: string }).type)).toContain(`${name}_call_output`);
    expect(JSON.stringify(sent)).toContain('[history: ');
  });
});

it('leaves other single-field results and texts unchanged', () => {
  const message = result('read', { output: 'a' });
  expect(aiSdk.view(message).items[0]?.text).toBe('{"output":"a"}');
  expect(aiSdk.edit(message, [{ op: 'text', item: 0, text: 'b' }])).toMatchObject({
    content: [{ output: { type: 'text', value: 'b' } }],
  });
});

it('does not change tools loaded by a search, or calls that are part of another', () => {
  const loaded = result('tool_search', { tools: [{ type: 'function', name: 'read' }] });
  expect(aiSdk.view(loaded).items[0]?.sealed).toBe(true);
  const part = {
    itemId: 'fc_1',
    toolCallId: 'call_0',
    toolName: 'parallel',
    input: '{}',
    index: 0,
    count: 2,
  };
  const message = {
    role: 'assistant',
    content: [
      {
        type: 'tool-call',
        toolCallId: 'call_0_0',
        toolName: 'write',
        input: { content: 'x' },
        providerOptions: { openai: { parallelToolCall: part } },
      },
    ],
  };
  expect(aiSdk.edit(message, [{ op: 'args', item: 0, args: { content: '' } }])).toBe(message);
});
