import {
  Agent,
  type AgentInputItem,
  MemorySession,
  type Model,
  type ModelRequest,
  type ModelResponse,
  protocol,
  Runner,
  type StreamEvent,
  setTracingDisabled,
  tool,
  Usage,
} from '@openai/agents-core';
import { describe, expect, it, vi } from 'vitest';
import { createEstimator, type Report } from '../../../src/history/index.ts';
import {
  compactingInputFilter,
  compactingModel,
  compactingSession,
} from '../../../src/history/integrations/openai-agents/index.ts';
import { agentItems } from '../../../src/history/integrations/openai-agents/items.ts';
import { draws } from '../../support/draws.ts';
import { compared, JUDGES } from '../../support/history-rules/index.ts';
import { logText as log } from '../../support/log-text.ts';

// Runs agents for many steps.
vi.setConfig({ testTimeout: 180_000 });

setTracingDisabled(true);

const WINDOW = 20_000;
const STEPS = draws(200, 50);
const QUESTION = 'Find the slowest order of every log.';
const estimator = createEstimator('conservative');

function tokensOf(items: readonly AgentInputItem[]): number {
  let tokens = 0;
  for (const item of items) tokens += estimator.message(agentItems.view(item));
  return tokens;
}

interface Script {
  readonly steps: number;
  readonly reasons?: boolean;
  readonly refuse?: (items: readonly AgentInputItem[]) => void;
  readonly usage?: (items: readonly AgentInputItem[]) => number;
}

type Output = Extract<StreamEvent, { type: 'response_done' }>['response']['output'];

/** A model that calls `read` for a number of steps and records its input. */
class Scripted implements Model {
  readonly asked: AgentInputItem[][] = [];
  readonly requests: ModelRequest[] = [];
  readonly #script: Script;
  #step = 0;

  constructor(script: Script) {
    this.#script = script;
  }

  #answer(request: ModelRequest): ModelResponse {
    const items = typeof request.input === 'string' ? [] : request.input;
    this.asked.push(structuredClone(items));
    this.requests.push(request);
    this.#script.refuse?.(items);
    this.#step += 1;
    const step = this.#step;
    const inputTokens = Math.round(this.#script.usage?.(items) ?? tokensOf(items));
    const output: Output = [];
    if (this.#script.reasons)
      output.push({
        type: 'reasoning',
        id: `rs_${step}`,
        content: [{ type: 'input_text', text: `Thought ${step}.` }],
        providerData: { encrypted_content: `sealed ${step}` },
      });
    if (step % (this.#script.steps + 1) === 0)
      output.push({
        type: 'message',
        role: 'assistant',
        id: `msg_${step}`,
        status: 'completed',
        content: [{ type: 'output_text', text: `Answer ${step}.` }],
      });
    else
      for (const part of step % 5 === 0 ? ['a', 'b'] : ['a'])
        output.push({
          type: 'function_call',
          id: `fc_${step}${part}`,
          callId: `call_${step}${part}`,
          name: 'read',
          arguments: JSON.stringify({ step }),
          status: 'completed',
        });
    return {
      usage: new Usage({ inputTokens, outputTokens: 10, totalTokens: inputTokens + 10 }),
      output,
      responseId: `resp_${step}`,
    };
  }

  getResponse(request: ModelRequest): Promise<ModelResponse> {
    return Promise.resolve().then(() => this.#answer(request));
  }

  async *getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent> {
    yield { type: 'response_started' };
    const { responseId = '', usage, ...answer } = this.#answer(request);
    const output = answer.output as Output;
    const { inputTokens, outputTokens, totalTokens } = usage;
    yield {
      type: 'response_done',
      response: { id: responseId, output, usage: { inputTokens, outputTokens, totalTokens } },
    };
  }
}

const sizeAt = (step: number): number => (step % 37 === 0 ? 30_000 : 3000);

const read = tool({
  name: 'read',
  description: 'Reads the log of a step.',
  parameters: {
    type: 'object',
    properties: { step: { type: 'number' } },
    required: ['step'],
    additionalProperties: false,
  },
  strict: true,
  execute: (args: unknown) => {
    const { step } = args as { step: number };
    return log(step, sizeAt(step));
  },
});

const userText = (item: AgentInputItem): string | null =>
  'role' in item && item.role === 'user' ? JSON.stringify(item.content) : null;

function check(asked: readonly (readonly AgentInputItem[])[], users: readonly string[], most = WINDOW): void {
  for (const items of asked) {
    expect(JUDGES['openai-agents'](items)).toEqual([]);
    expect(tokensOf(items)).toBeLessThanOrEqual(most);
    for (const item of items) protocol.ModelItem.parse(item);
    const texts = items.map(userText).join('\n');
    for (const user of users) expect(texts).toContain(user);
  }
}

const agentOf = (model: Model): Agent =>
  new Agent({ name: 'Reader', instructions: 'You read logs.', model, tools: [read] });

describe(`a run of ${STEPS} steps`, () => {
  const all = { maxTurns: 500 };

  it.each([
    ['through a model', false],
    ['through a model that streams', true],
  ])('%s receives valid requests within the window', async (_, stream) => {
    const model = new Scripted({ steps: STEPS, reasons: true });
    const reports: Report[] = [];
    const compacting = compactingModel(model, {
      window: WINDOW,
      onCompaction: (report) => reports.push(report),
    });
    const runner = new Runner();
    const session = new MemorySession();
    if (stream) {
      const run = await runner.run(agentOf(compacting), QUESTION, { ...all, session, stream: true });
      await run.completed;
      expect(run.finalOutput).toBe(`Answer ${STEPS + 1}.`);
    } else {
      const run = await runner.run(agentOf(compacting), QUESTION, { ...all, session });
      expect(run.finalOutput).toBe(`Answer ${STEPS + 1}.`);
    }
    expect(model.asked).toHaveLength(STEPS + 1);
    check(model.asked, [QUESTION]);
    const kept = await session.getItems();
    for (const items of model.asked.filter((_, at) => at % 10 === 0))
      expect(compared('openai-agents', kept, items)).toEqual([]);
    expect(JSON.stringify(kept)).not.toContain('[history: ');
    expect(kept.filter(({ type }) => type === 'function_call_result')).toHaveLength(
      STEPS + Math.floor(STEPS / 5),
    );
    expect(reports.every(({ fits }) => fits)).toBe(true);
    expect(reports.length).toBeLessThan(STEPS * 0.6);
  });

  it('a call filter has the same effect and leaves the session unchanged', async () => {
    const model = new Scripted({ steps: STEPS, reasons: true });
    const session = new MemorySession();
    const callModelInputFilter = compactingInputFilter({ window: WINDOW });
    await new Runner().run(agentOf(model), QUESTION, { ...all, session, callModelInputFilter });
    expect(model.asked).toHaveLength(STEPS + 1);
    check(model.asked, [QUESTION]);
    const kept = await session.getItems();
    expect(JSON.stringify(kept)).not.toContain('[history: ');
    expect(kept.filter(({ type }) => type === 'function_call_result')).toHaveLength(
      STEPS + Math.floor(STEPS / 5),
    );
  });

  it('works with ids omitted', async () => {
    const model = new Scripted({ steps: 60, reasons: true });
    const callModelInputFilter = compactingInputFilter({ window: WINDOW });
    await new Runner().run(agentOf(model), QUESTION, {
      ...all,
      callModelInputFilter,
      reasoningItemIdPolicy: 'omit',
    });
    check(model.asked, [QUESTION]);
  });
});

describe('compactingSession', () => {
  const question = (run: number): string => `Question ${run}: what about it?`;

  async function talk(runs: number, steps: number) {
    const inner = new MemorySession();
    const session = compactingSession(inner, { window: WINDOW });
    const model = new Scripted({ steps, reasons: true });
    const runner = new Runner();
    for (let run = 1; run <= runs; run += 1)
      await runner.run(agentOf(model), question(run), { session, maxTurns: 500 });
    return { inner, session, model };
  }

  it('gives every run a view that fits, while the session keeps every item', async () => {
    const { inner, session, model } = await talk(50, 2);
    check(model.asked, [question(1)], Number.POSITIVE_INFINITY);
    const first = model.asked.filter((_, at) => at % 3 === 0);
    for (const [run, items] of first.entries()) check([items], [question(run + 1)]);
    const kept = await inner.getItems();
    expect(JSON.stringify(kept)).not.toContain('[history: ');
    expect(kept.filter((item) => userText(item) !== null)).toHaveLength(50);
    expect(tokensOf(await session.getItems())).toBeLessThan(WINDOW);
    expect(tokensOf(kept)).toBeGreaterThan(WINDOW * 5);
  });

  it('gives the same view until an item is added, and continues from a state', async () => {
    const { inner, session } = await talk(12, 2);
    const view = await session.getItems();
    expect(await session.getItems()).toEqual(view);
    const state = JSON.parse(JSON.stringify(session.compactor.state()));
    const resumed = compactingSession(inner, { window: WINDOW, state });
    expect(await resumed.getItems()).toEqual(view);
    expect(resumed.compactor.stats().compactions).toBe(session.compactor.stats().compactions);
  });

  it('pops, clears and counts the original items', async () => {
    const { inner, session } = await talk(12, 2);
    const before = await inner.getItems();
    expect(await session.getItems(3)).toEqual(before.slice(-3));
    for (let at = 1; at <= 4; at += 1) expect(await session.popItem()).toEqual(before.at(-at));
    expect(await inner.getItems()).toEqual(before.slice(0, -4));
    const view = await session.getItems();
    // Calls whose results were removed wait for new ones; the SDK omits them.
    const faults = JUDGES['openai-agents'](view).filter((fault) => !fault.startsWith('end: no result'));
    expect(faults).toEqual([]);
    for (let left = before.length - 4; left > 3; left -= 1) {
      await session.popItem();
      const items = await session.getItems();
      const own = items.filter((item) => !JSON.stringify(item).includes('[history: '));
      const kept = new Set((await inner.getItems()).map((item) => JSON.stringify(item)));
      for (const item of own) expect(kept).toContain(JSON.stringify(item));
    }
    await session.clearSession();
    expect(await session.getItems()).toEqual([]);
    await session.addItems([{ role: 'user', content: 'Anew.' }]);
    expect(await session.getItems()).toEqual([{ role: 'user', content: 'Anew.' }]);
  });

  it('keeps items added during compaction', async () => {
    const { inner } = await talk(12, 2);
    let release = (): void => undefined;
    const waiting = new Promise<void>((done) => {
      release = done;
    });
    const session = compactingSession(inner, {
      window: WINDOW,
      policy: { drop: { at: 0.1, notice: 0.1 } },
      summarizer: async () => {
        await waiting;
        return 'They looked at logs, one after another, and found nothing slow so far.';
      },
    });
    const making = session.getItems();
    const late: AgentInputItem = { role: 'user', content: 'And one more thing.' };
    await session.addItems([late]);
    release();
    await making;
    const kept = await inner.getItems();
    expect(kept.at(-1)).toEqual(late);
    expect((await session.getItems()).at(-1)).toEqual(late);
  });

  it('restores the original items when a run clears the view and puts it back', async () => {
    const { inner, session } = await talk(12, 2);
    const before = await inner.getItems();
    const view = await session.getItems();
    expect(view).not.toEqual(before);
    await session.clearSession();
    await session.addItems(view);
    expect(await inner.getItems()).toEqual(before);
  });

  it('compares with the original items', async () => {
    const call = { callId: 'call_1', name: 'read', status: 'completed' } as const;
    const before: AgentInputItem[] = [
      { role: 'user', content: QUESTION },
      { type: 'function_call', ...call, arguments: '{"step":37}' },
      { type: 'function_call_result', ...call, output: { type: 'text', text: log(37, 30_000) } },
    ];
    const session = compactingSession(new MemorySession({ initialItems: before }), { window: WINDOW });
    const view = await session.getItems();
    expect(view).toHaveLength(before.length);
    expect(JSON.stringify(view)).toContain('[history: ');
    expect(session.prepareHistoryItemsForPersistenceComparison(view)).toEqual(before);
  });

  it("has exactly the session's optional methods", async () => {
    const session = compactingSession(new MemorySession({ sessionId: 's1' }), { window: 128_000 });
    expect(await session.getSessionId()).toBe('s1');
    expect(session).toBeInstanceOf(MemorySession);
    expect('runCompaction' in session).toBe(false);
    await session.applyHistoryTransaction({
      operationId: 'one',
      transaction: { type: 'append_items', items: [{ role: 'user', content: 'x', type: 'message' }] },
    });
    expect(await session.getItems()).toHaveLength(1);
    const contexts: unknown[] = [];
    class Aware extends MemorySession {
      readonly acceptsRunContext = true;
      override getItems(limit?: number, context?: unknown): Promise<AgentInputItem[]> {
        contexts.push(context);
        return super.getItems(limit);
      }
    }
    const model = new Scripted({ steps: 0 });
    await new Runner().run(agentOf(model), QUESTION, {
      session: compactingSession(new Aware(), { window: 128_000 }),
      context: { user: 7 },
    });
    expect(contexts).toContainEqual(expect.objectContaining({ context: { user: 7 } }));
  });
});

describe('if the provider keeps the conversation', () => {
  it.each(['model', 'filter'] as const)('the %s does nothing', async (how) => {
    const model = new Scripted({ steps: 8 });
    const options = { window: 2048 };
    const agent = agentOf(how === 'model' ? compactingModel(model, options) : model);
    await new Runner().run(agent, QUESTION, {
      conversationId: 'conv_1',
      maxTurns: 50,
      ...(how === 'filter' && { callModelInputFilter: compactingInputFilter(options) }),
    });
    expect(model.asked).toHaveLength(9);
    for (const items of model.asked.slice(1)) {
      expect(items.length).toBeGreaterThan(0);
      expect(items.every(({ type }) => type === 'function_call_result')).toBe(true);
      expect(JSON.stringify(items)).not.toContain('[history: ');
    }
  });
});

describe('a prompt rejected as too long', () => {
  const refusal = (): Error =>
    Object.assign(
      new Error(
        "This model's maximum context length is 12000 tokens. However, your messages resulted in 24000 tokens.",
      ),
      { status: 400, code: 'context_length_exceeded' },
    );

  it.each([false, true])('is compacted and retried (stream: %s)', async (stream) => {
    const model = new Scripted({
      steps: 30,
      refuse: (items) => {
        if (tokensOf(items) > 9000) throw refusal();
      },
    });
    const agent = agentOf(compactingModel(model, { window: WINDOW }));
    if (stream) {
      const run = await new Runner().run(agent, QUESTION, { maxTurns: 100, stream: true });
      const types: string[] = [];
      for await (const event of run) if (event.type === 'raw_model_stream_event') types.push(event.data.type);
      await run.completed;
      expect(run.finalOutput).toBe('Answer 31.');
      expect(types.filter((type) => type === 'response_started')).toHaveLength(31);
    } else {
      const run = await new Runner().run(agent, QUESTION, { maxTurns: 100 });
      expect(run.finalOutput).toBe('Answer 31.');
    }
    expect(model.asked.length).toBeGreaterThan(31);
    check(model.asked, [QUESTION]);
  });

  it('throws any other kind of error', async () => {
    const limit = Object.assign(new Error('Rate limit reached: 30000 tokens per min'), { status: 429 });
    const model = new Scripted({
      steps: 0,
      refuse: () => {
        throw limit;
      },
    });
    await expect(
      new Runner().run(agentOf(compactingModel(model, { window: 128_000 })), QUESTION),
    ).rejects.toThrow('Rate limit');
    expect(model.asked).toHaveLength(1);
  });
});

it('learns the actual size of requests', async () => {
  const sizes: number[] = [];
  for (const factor of [1, 1.5]) {
    const model = new Scripted({ steps: 60, usage: (items) => tokensOf(items) * factor });
    await new Runner().run(agentOf(compactingModel(model, { window: WINDOW })), QUESTION, { maxTurns: 100 });
    sizes.push(Math.max(...model.asked.slice(5).map(tokensOf)));
  }
  const [plain = 0, dear = 0] = sizes;
  expect(dear).toBeLessThan(plain * 0.85);
  expect(dear * 1.5).toBeLessThanOrEqual(WINDOW);
});

it('separates concurrent runs, with and without ids', async () => {
  for (const conversation of [undefined, (call: { context: unknown }) => String(call.context)]) {
    const callModelInputFilter = compactingInputFilter({
      window: WINDOW,
      ...(conversation && { conversation }),
    });
    await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        const model = new Scripted({ steps: 30 });
        const mine = tool({
          name: 'read',
          description: 'Reads.',
          parameters: {
            type: 'object',
            properties: { step: { type: 'number' } },
            required: ['step'],
            additionalProperties: false,
          },
          strict: true,
          execute: (args: unknown) => `${name} ${log((args as { step: number }).step, 3000)}`,
        });
        const agent = new Agent<string>({ name: 'Reader', model, tools: [mine] });
        await new Runner().run(agent, QUESTION, { context: name, maxTurns: 100, callModelInputFilter });
        check(model.asked, [QUESTION]);
        for (const items of model.asked)
          for (const item of items)
            if (item.type === 'function_call_result') {
              const [result] = agentItems.view(item).items;
              if (!result?.text.startsWith('[history: ')) expect(result?.text.slice(0, 2)).toBe(`${name} `);
            }
      }),
    );
  }
});

it('stores a user message over the window truncated, at its own position', async () => {
  const model = new Scripted({ steps: 1 });
  const session = new MemorySession({
    initialItems: Array.from({ length: 12 }, (_, at): AgentInputItem[] => [
      { type: 'message', role: 'user', content: `Earlier question ${at}` },
      {
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: log(at, 1500) }],
      },
    ]).flat(),
  });
  const before = await session.getItems();
  await new Runner().run(agentOf(model), `START ${log(1, 40_000)}`, {
    session,
    callModelInputFilter: compactingInputFilter({ window: WINDOW }),
  });
  check(model.asked, ['Earlier question 0', 'START']);
  const kept = await session.getItems();
  expect(kept.slice(0, before.length)).toEqual(before);
  const added = kept.slice(before.length);
  expect(added.map((item) => ('role' in item ? item.role : item.type))).toEqual([
    'user',
    'function_call',
    'function_call_result',
    'assistant',
  ]);
  expect(JSON.stringify(added[0])).toContain('START');
  expect(tokensOf(added.slice(0, 1))).toBeLessThan(WINDOW);
});
