import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import { ContextOverflowError } from '@langchain/core/errors';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import * as messageClasses from '@langchain/core/messages';
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { tool } from '@langchain/core/tools';
import { MemorySaver } from '@langchain/langgraph';
import { createAgent, createMiddleware } from 'langchain';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createLangChainCodec } from '../../../src/history/codecs/langchain/codec.ts';
import { createEstimator, createMemoryStorage, type Report } from '../../../src/history/index.ts';
import { compactingMiddleware } from '../../../src/history/integrations/langchain.ts';
import { draws } from '../../support/draws.ts';
import { compared, JUDGES } from '../../support/history-rules/index.ts';
import { logText as log } from '../../support/log-text.ts';

// Runs agents for many steps.
vi.setConfig({ testTimeout: 180_000 });

const WINDOW = 20_000;
const STEPS = draws(200, 80);
const estimator = createEstimator('conservative');
const codec = createLangChainCodec(messageClasses);

function tokensOf(messages: readonly BaseMessage[]): number {
  let tokens = 0;
  for (const message of messages) tokens += estimator.message(codec.view(message));
  return tokens;
}

interface Script {
  /** Number of calls before the model answers. */
  readonly steps: number;
  /** May throw like a provider. */
  readonly refuse?: (messages: readonly BaseMessage[], asked: number) => void;
  readonly usage?: (messages: readonly BaseMessage[]) => number;
}

interface Answer {
  readonly content: string;
  readonly tool_calls: { id: string; name: string; args: Record<string, unknown>; type: 'tool_call' }[];
  readonly usage_metadata: { input_tokens: number; output_tokens: number; total_tokens: number };
}

/** A chat model that calls `read` for a number of steps and records its input. */
class Scripted extends BaseChatModel {
  readonly asked: BaseMessage[][] = [];
  readonly script: Script;
  readonly window: number | undefined;

  constructor(script: Script, window?: number) {
    super({});
    this.script = script;
    this.window = window;
  }

  override get profile(): { maxInputTokens?: number } {
    return this.window === undefined ? {} : { maxInputTokens: this.window };
  }

  _llmType(): string {
    return 'scripted';
  }

  override bindTools(): this {
    return this;
  }

  answerTo(messages: readonly BaseMessage[]): Answer {
    this.asked.push([...messages]);
    this.script.refuse?.(messages, this.asked.length);
    const step = this.asked.length;
    const input = Math.round(this.script.usage?.(messages) ?? tokensOf(messages));
    return {
      content: `Step ${step}: looking on.`,
      tool_calls:
        step > this.script.steps
          ? []
          : [{ id: `call_${step}`, name: 'read', args: { step }, type: 'tool_call' }],
      usage_metadata: { input_tokens: input, output_tokens: 20, total_tokens: input + 20 },
    };
  }

  _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const { content, tool_calls, usage_metadata } = this.answerTo(messages);
    const message = new AIMessage({ content, tool_calls });
    Object.assign(message, { usage_metadata });
    return Promise.resolve({ generations: [{ text: message.text, message }] });
  }
}

class Streaming extends Scripted {
  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: this['ParsedCallOptions'],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { content, tool_calls, usage_metadata } = this.answerTo(messages);
    for (const word of content.split(/(?<= )/)) {
      const chunk = new ChatGenerationChunk({ text: word, message: new AIMessageChunk({ content: word }) });
      yield chunk;
      await run?.handleLLMNewToken(word, undefined, undefined, undefined, undefined, { chunk });
    }
    const message = new AIMessageChunk({
      content: '',
      tool_call_chunks: tool_calls.map(({ id, name, args }, index) => ({
        id,
        name,
        args: JSON.stringify(args),
        index,
      })),
    });
    Object.assign(message, { usage_metadata });
    yield new ChatGenerationChunk({ text: '', message });
  }
}

const sizeAt = (step: number): number => (step % 37 === 0 ? 30_000 : 3000);

const read = tool(({ step }: { step: number }) => log(step, sizeAt(step)), {
  name: 'read',
  description: 'Reads the log of a step.',
  schema: z.object({ step: z.number().describe('Which one') }),
});

const human = (message: BaseMessage): string => `human ${message.text}`;

/** Checks every list a model received. */
function check(asked: readonly (readonly BaseMessage[])[], first: string, most = WINDOW): void {
  for (const messages of asked) {
    expect(JUDGES.langchain(messages)).toEqual([]);
    expect(tokensOf(messages)).toBeLessThanOrEqual(most);
    const users = messages.filter((message) => HumanMessage.isInstance(message)).map(human);
    expect(users).toContain(`human ${first}`);
    expect(messages.every((message) => typeof message.getType === 'function')).toBe(true);
  }
}

const QUESTION = 'Find the slowest order of every log.';

describe(`an agent of ${STEPS} steps`, () => {
  it.each([
    ['that waits', Scripted],
    ['that streams', Streaming],
  ])('%s receives valid prompts within the window, and keeps its state', async (_, Model) => {
    const reports: Report[] = [];
    const model = new Model({ steps: STEPS });
    const middleware = compactingMiddleware({
      window: WINDOW,
      onCompaction: (report) => reports.push(report),
    });
    const agent = createAgent({
      model,
      tools: [read],
      systemPrompt: 'You read logs.',
      middleware: [middleware],
    });
    const { messages } = await agent.invoke(
      { messages: [new HumanMessage(QUESTION)] },
      { recursionLimit: 1000 },
    );

    expect(model.asked).toHaveLength(STEPS + 1);
    check(model.asked, QUESTION);
    for (const list of model.asked.filter((_, at) => at % 10 === 0))
      expect(compared('langchain', messages, list)).toEqual([]);
    expect(messages).toHaveLength(2 * STEPS + 2);
    const results = messages.filter((message) => ToolMessage.isInstance(message));
    for (const [at, message] of results.entries()) expect(message.content).toBe(log(at + 1, sizeAt(at + 1)));
    expect(messages.some((message) => message.text.includes('[history: '))).toBe(false);
    expect(reports.length).toBeGreaterThan(5);
    expect(reports.length).toBeLessThan(STEPS * 0.6);
    expect(reports.every(({ fits }) => fits)).toBe(true);
  });
});

it('passes streamed tokens through', async () => {
  const model = new Streaming({ steps: 3 });
  const agent = createAgent({
    model,
    tools: [read],
    middleware: [compactingMiddleware({ window: WINDOW })],
  });
  const words: string[] = [];
  for await (const [chunk] of await agent.stream(
    { messages: [new HumanMessage(QUESTION)] },
    { streamMode: 'messages' },
  ))
    if (AIMessageChunk.isInstance(chunk)) words.push(chunk.text);
  expect(words.join('')).toContain('Step 4: looking on.');
});

it('counts the system message and the tools', async () => {
  const before: number[] = [];
  const ask = async (systemPrompt: string, description: string): Promise<void> => {
    const model = new Scripted({ steps: 0, usage: () => 0 });
    const middleware = compactingMiddleware({
      window: 60_000,
      onCompaction: (report) => before.push(report.before.tokens),
    });
    const long = tool(() => '', { name: 'long', description, schema: z.object({}) });
    const agent = createAgent({ model, tools: [long], systemPrompt, middleware: [middleware] });
    await agent.invoke({ messages: [new HumanMessage(log(1, 90_000))] });
  };
  await ask('', '');
  await ask(log(2, 5000), '');
  await ask('', log(3, 5000));
  const [bare = 0, system = 0, tools = 0] = before;
  expect(system - bare).toBeGreaterThan(3000);
  expect(tools - bare).toBeGreaterThan(3000);
});

it("uses the chat model's window if none is set", async () => {
  const reports: Report[] = [];
  const model = new Scripted({ steps: 20 }, 16_000);
  const middleware = compactingMiddleware({ onCompaction: (report) => reports.push(report) });
  const agent = createAgent({ model, tools: [read], middleware: [middleware] });
  await agent.invoke({ messages: [new HumanMessage(QUESTION)] }, { recursionLimit: 100 });
  expect(reports.map(({ window }) => window)).toContain(16_000);
  check(model.asked, QUESTION, 16_000);
});

it('learns the actual size of prompts', async () => {
  const sizes: number[] = [];
  for (const factor of [1, 1.5]) {
    const model = new Scripted({ steps: 60, usage: (messages) => tokensOf(messages) * factor });
    const middleware = compactingMiddleware({ window: WINDOW });
    const agent = createAgent({ model, tools: [read], middleware: [middleware] });
    await agent.invoke({ messages: [new HumanMessage(QUESTION)] }, { recursionLimit: 500 });
    sizes.push(Math.max(...model.asked.slice(5).map(tokensOf)));
  }
  const [plain = 0, dear = 0] = sizes;
  expect(dear).toBeLessThan(plain * 0.85);
  expect(dear * 1.5).toBeLessThanOrEqual(WINDOW);
});

describe('a prompt rejected as too long', () => {
  const refusal = (): Error =>
    ContextOverflowError.fromError(new Error('prompt is too long: 24000 tokens > 12000 maximum'));

  it.each([
    ['of LangChain', refusal],
    [
      'of a provider',
      () =>
        Object.assign(
          new Error(
            "This model's maximum context length is 12000 tokens. However, your messages resulted in 24000 tokens.",
          ),
          { status: 400 },
        ),
    ],
    ['as a cause', () => new Error('Call failed.', { cause: refusal() })],
  ])('%s is compacted and retried', async (_, error) => {
    const model = new Scripted({
      steps: 30,
      refuse: (messages) => {
        if (tokensOf(messages) > 9000) throw error();
      },
    });
    const agent = createAgent({
      model,
      tools: [read],
      middleware: [compactingMiddleware({ window: WINDOW })],
    });
    const { messages } = await agent.invoke(
      { messages: [new HumanMessage(QUESTION)] },
      { recursionLimit: 500 },
    );
    expect(messages.at(-1)?.text).toContain('looking on');
    check(model.asked, QUESTION);
    expect(model.asked.some((list) => tokensOf(list) > 9000)).toBe(true);
  });

  it('is rethrown the second time; any other error is thrown immediately', async () => {
    for (const [error, asked] of [
      [refusal(), 2],
      [Object.assign(new Error('Rate limit reached: 30000 tokens per min'), { status: 429 }), 1],
    ] as const) {
      const model = new Scripted({
        steps: 0,
        refuse: () => {
          throw error;
        },
      });
      const agent = createAgent({
        model,
        tools: [read],
        middleware: [compactingMiddleware({ window: WINDOW })],
      });
      const history = Array.from({ length: 10 }, (_, at) => [
        new HumanMessage(`Question ${at}`),
        new AIMessage(log(at, 800)),
      ]).flat();
      await expect(agent.invoke({ messages: [...history, new HumanMessage('Now?')] })).rejects.toThrow(
        error.message,
      );
      expect(model.asked).toHaveLength(asked);
    }
  });
});

it('separates concurrent threads', async () => {
  const middleware = compactingMiddleware({ window: WINDOW });
  const model = { of: new Map<string, Scripted>() };
  await Promise.all(
    ['a', 'b', 'c'].map(async (thread) => {
      const own = new Scripted({ steps: 40 });
      model.of.set(thread, own);
      const mine = tool(({ step }: { step: number }) => `${thread} ${log(step, 3000)}`, {
        name: 'read',
        description: 'Reads.',
        schema: z.object({ step: z.number() }),
      });
      const agent = createAgent({ model: own, tools: [mine], middleware: [middleware] });
      await agent.invoke(
        { messages: [new HumanMessage(QUESTION)] },
        { recursionLimit: 500, configurable: thread === 'c' ? {} : { thread_id: thread } },
      );
    }),
  );
  for (const [thread, { asked }] of model.of) {
    check(asked, QUESTION);
    for (const messages of asked)
      for (const message of messages)
        if (ToolMessage.isInstance(message) && !message.text.startsWith('[history: '))
          expect(message.text.slice(0, 2)).toBe(`${thread} `);
  }
});

it("continues a checkpointer's thread, from its state or by reading it again", async () => {
  const checkpointer = new MemorySaver();
  const storage = createMemoryStorage();
  const config = { configurable: { thread_id: 'order 7' }, recursionLimit: 500 };
  const names: string[] = [];
  const first = new Scripted({ steps: 40 });
  const ask = async (model: Scripted, question: string): Promise<void> => {
    const middleware = compactingMiddleware({
      window: WINDOW,
      storage,
      optionsFor: (name) => {
        names.push(name);
        return { goal: `The goal of ${name}` };
      },
    });
    const agent = createAgent({ model, tools: [read], checkpointer, middleware: [middleware] });
    await agent.invoke({ messages: [new HumanMessage(question)] }, config);
  };
  await ask(first, QUESTION);
  const second = new Scripted({ steps: 0 });
  await ask(second, 'And the fastest?');
  const third = new Scripted({ steps: 0 });
  await ask(third, 'Thanks.');
  expect(names).toEqual(['order 7', 'order 7', 'order 7']);
  check([...first.asked, ...second.asked, ...third.asked], QUESTION);
  expect(second.asked[0]?.at(-1)?.text).toBe('And the fastest?');
  expect(JSON.stringify(first.asked.at(-1))).toContain('The goal of order 7');
});

it('keeps changes that other middleware makes to the prompt', async () => {
  const model = new Scripted({ steps: 5 });
  const other = createMiddleware({
    name: 'Other',
    wrapModelCall: (request, handler) =>
      handler({ ...request, systemMessage: request.systemMessage.concat('\nBe brief.') }),
  });
  const ours = compactingMiddleware({ window: WINDOW });
  for (const middleware of [
    [other, ours],
    [ours, other],
  ]) {
    const agent = createAgent({ model, tools: [read], systemPrompt: 'You read logs.', middleware });
    await agent.invoke({ messages: [new HumanMessage(QUESTION)] });
    const system = model.asked.at(-1)?.[0];
    expect(SystemMessage.isInstance(system) && system.text).toContain('Be brief.');
  }
});

it('rejects invalid options immediately', () => {
  const badInput = expect.objectContaining({ code: 'BAD_INPUT' });
  expect(() => compactingMiddleware({ window: -1 })).toThrow(badInput);
  expect(() => compactingMiddleware({ conversations: 0 })).toThrow(badInput);
});

it('returns a middleware for createAgent', () => {
  expect(compactingMiddleware()).toMatchObject({ name: 'LecternCompaction' });
});
