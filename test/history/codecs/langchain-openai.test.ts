// Markers that `@langchain/openai` sets for the Responses API: custom and computer tool calls, screenshots, and tools
// that ran at the provider. Its converters (`converters/responses.ts`) define the required form of each.

import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { createLangChainCodec, langChain } from '../../../src/history/codecs/langchain/codec.ts';
import { createEstimator } from '../../../src/history/cost/estimate.ts';
import { createCompactor } from '../../../src/history/index.ts';

const PICTURE = `data:image/png;base64,${'iVBORw0KGgoAAAAN'.repeat(20_000)}`;
const custom = {
  name: 'exec',
  id: 'call_1',
  call_id: 'ctc_1',
  args: { input: 'ls' },
  type: 'tool_call',
  isCustomTool: true,
} as const;
const screen = {
  ...custom,
  name: 'computer_use',
  args: { action: {} },
  isCustomTool: false,
  isComputerTool: true,
};
const asked = (call: object): AIMessage =>
  new AIMessage({ content: '', tool_calls: [call as { name: string; args: object; id: string }] });
const estimator = createEstimator('conservative');
const costOf = (message: unknown): number => estimator.message(langChain.view(message));

describe('interrupted', () => {
  it('a custom tool receives a custom answer', async () => {
    const list: unknown[] = [new HumanMessage('go'), asked(custom), new HumanMessage('stop')];
    const { messages, report } = await createCompactor<unknown>({
      window: 100_000,
      format: 'langchain',
    }).compact(list);
    expect(report.repairs).toMatchObject([{ kind: 'interrupted-call', callId: 'call_1' }]);
    expect(messages[2]).toMatchObject({
      role: 'tool',
      tool_call_id: 'call_1',
      additional_kwargs: { customTool: true },
    });
    const { items } = langChain.view(list[1]);
    const { callId, toolName, form } = items[0] ?? {};
    const call = { callId: callId ?? '', toolName: toolName ?? '', ...(form && { form }) };
    const [answer] = createLangChainCodec({ HumanMessage, AIMessage, ToolMessage }).answer([call], 'x');
    expect(answer).toBeInstanceOf(ToolMessage);
    expect((answer as ToolMessage).additional_kwargs).toEqual({ customTool: true });
  });

  it('removes a computer call', async () => {
    const list: unknown[] = [new HumanMessage('go'), asked(screen), new HumanMessage('stop')];
    const { messages, report } = await createCompactor<unknown>({
      window: 100_000,
      format: 'langchain',
    }).compact(list);
    expect(report.repairs).toMatchObject([{ kind: 'interrupted-call', callId: 'call_1' }]);
    expect(messages).toEqual([list[0], list[2]]);
  });
});

it.each([
  ['an address', PICTURE],
  ['a picture', [{ type: 'image_url', image_url: { url: PICTURE } }]],
  ['a screenshot', [{ type: 'computer_screenshot', image_url: PICTURE }]],
])('a screenshot as %s is media that cannot be edited', (_, content) => {
  const message = new ToolMessage({
    content,
    tool_call_id: 'call_1',
    additional_kwargs: { type: 'computer_call_output' },
  });
  expect(langChain.view(message).items).toMatchObject([
    { kind: 'result', text: '', callId: 'call_1', sealed: true },
    { kind: 'media', callId: 'call_1', sealed: true, media: { type: 'image' } },
  ]);
  expect(costOf(message)).toBeLessThan(10_000);
  expect(langChain.edit(message, [{ op: 'text', item: 0, text: 'x' }])).toBe(message);
  expect(langChain.edit(message, [{ op: 'media', item: 1, text: 'x' }])).toBe(message);
  expect(langChain.edit(message, [{ op: 'remove', item: 0 }])).toBe(null);
});

it('weighs provider-run tools, and edits custom tool calls in the field that is sent', () => {
  const ran = { type: 'mcp_call', id: 'mcp_1', name: 'ask', arguments: '{}', output: 'word '.repeat(10_000) };
  const called = { type: 'custom_tool_call', call_id: 'call_1', name: 'exec', input: 'ls' };
  const message = new AIMessage({
    content: 'done',
    tool_calls: [custom],
    response_metadata: { output: [ran, called] },
  });
  expect(costOf(message)).toBeGreaterThan(8000);
  expect(
    costOf(new AIMessage({ content: 'done', additional_kwargs: { tool_outputs: [ran] } })),
  ).toBeGreaterThan(8000);
  const at = langChain.view(message).items.findIndex(({ kind }) => kind === 'call');
  const edited = langChain.edit(message, [{ op: 'args', item: at, args: { input: 'pwd' } }]) as AIMessage;
  expect(edited.tool_calls).toMatchObject([{ args: { input: 'pwd' } }]);
  expect(edited.response_metadata['output']).toEqual([ran, { ...called, input: 'pwd' }]);
});

it('reads thinking for which LangChain has no block type', () => {
  const message = new AIMessage({
    content: [
      { type: 'non_standard', value: { type: 'redacted_thinking', data: 'c2ln' } },
      { type: 'text', text: 'x' },
    ],
  });
  expect(langChain.view(message).items).toMatchObject([
    { kind: 'reasoning', sealed: true },
    { kind: 'text' },
  ]);
});
