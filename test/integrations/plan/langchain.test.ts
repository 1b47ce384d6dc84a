import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { tool } from '@langchain/core/tools';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { createAgent } from 'langchain';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createLoopGuard } from '../../../src/plan/index.ts';
import { loopGuardMiddleware } from '../../../src/plan/integrations/langchain.ts';

/** Calls `look` with the same argument so often. */
class Stubborn extends FakeListChatModel {
  asked = 0;
  readonly calls: number;
  constructor(calls: number) {
    super({ responses: ['done'] });
    this.calls = calls;
  }
  override bindTools(): this {
    return this;
  }
  override async _generate(): Promise<ChatResult> {
    this.asked += 1;
    const message =
      this.asked > this.calls
        ? new AIMessage('done')
        : new AIMessage({
            content: '',
            tool_calls: [{ id: `c${this.asked}`, name: 'look', args: { at: 'a' }, type: 'tool_call' }],
          });
    return { generations: [{ text: '', message }] };
  }
}

it('warns at the end of a result, refuses by option, and lets go in the next run', async () => {
  let runs = 0;
  const look = tool(
    () => {
      runs += 1;
      return 'nothing';
    },
    { name: 'look', schema: z.object({ at: z.string() }) },
  );
  const middleware = [loopGuardMiddleware(createLoopGuard({ block: true }))];
  const agent = createAgent({ model: new Stubborn(5), tools: [look], middleware });
  const { messages } = await agent.invoke({ messages: [new HumanMessage('x')] });
  const results = messages.filter((one: BaseMessage) => ToolMessage.isInstance(one));
  expect(runs).toBe(3);
  expect(results.map(({ content }) => String(content).slice(0, 13))).toEqual([
    'nothing',
    'nothing',
    'nothing\n[Note',
    'Not run: `loo',
    'Not run: `loo',
  ]);
  expect(results.at(-1)).toMatchObject({ status: 'error', tool_call_id: 'c5' });
  await createAgent({ model: new Stubborn(1), tools: [look], middleware }).invoke({
    messages: [new HumanMessage('y')],
  });
  expect(runs).toBe(4);
});
