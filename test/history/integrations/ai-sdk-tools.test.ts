import { generateText, jsonSchema, stepCountIs, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { createCompactor, createMemoryStorage, type HistoryStorage } from '../../../src/history/index.ts';
import { offloadingTools } from '../../../src/history/integrations/ai-sdk/index.ts';
import { answering } from './long-loop.ts';

const long = Array.from({ length: 300 }, (_, line) => `line ${line} of a long result`).join('\n');
const policy = { offload: { over: 500, lines: 3 }, truncate: { over: 200, keep: 'head' } } as const;
const inputSchema = jsonSchema<Record<string, never>>({ type: 'object', properties: {} });
const call = { toolCallId: 'call_1', messages: [] };

function offloading(storage: HistoryStorage = createMemoryStorage()): ReturnType<typeof createCompactor> {
  return createCompactor({ policy, storage });
}

/** The pointer in the first line of a shortened result. */
function pointerIn(text: unknown): string {
  const found = /full text: ([^\]]+)\]/.exec(String(text));
  return found?.[1] ?? '';
}

describe('offloadingTools', () => {
  it('replaces a long text on arrival, and archives all of it', async () => {
    const compactor = offloading();
    const tools = offloadingTools({ search: tool({ inputSchema, execute: async () => long }) }, compactor);
    const answer = await tools.search.execute?.({}, call);
    expect(String(answer).length).toBeLessThan(500);
    expect(String(answer)).toContain('line 0 of a long result');
    expect((await compactor.restore(pointerIn(answer))).text).toBe(long);
  });

  it('replaces a long value with its shortened JSON, and keeps short values unchanged', async () => {
    const rows = Array.from({ length: 200 }, (_, id) => ({ id, name: `row ${id}` }));
    const short = { rows: [1, 2] };
    const compactor = offloading();
    const tools = offloadingTools(
      {
        query: tool({ inputSchema, execute: () => rows }),
        count: tool({ inputSchema, execute: () => short }),
        nothing: tool({ inputSchema, execute: () => undefined }),
      },
      compactor,
    );
    const answer = await tools.query.execute?.({}, call);
    expect((await compactor.restore(pointerIn(answer))).text).toBe(JSON.stringify(rows));
    expect(await tools.count.execute?.({}, call)).toBe(short);
    expect(await tools.nothing.execute?.({}, call)).toBeUndefined();
  });

  it('shortens the model output of a tool with `toModelOutput`, and keeps its result', async () => {
    const compactor = offloading();
    const output = { rows: long };
    const picture = { type: 'image-data' as const, data: 'AAAA', mediaType: 'image/png' };
    const told = (value: string) => (options: { output: { rows: string } }) => {
      if (value === 'content')
        return {
          type: 'content' as const,
          value: [{ type: 'text' as const, text: options.output.rows }, picture],
        };
      return {
        type: value === 'error' ? ('error-text' as const) : ('text' as const),
        value: options.output.rows,
      };
    };
    const tools = offloadingTools(
      {
        text: tool({ inputSchema, execute: () => output, toModelOutput: told('text') }),
        content: tool({ inputSchema, execute: () => output, toModelOutput: told('content') }),
        error: tool({ inputSchema, execute: () => output, toModelOutput: told('error') }),
      },
      compactor,
    );
    const ask = { toolCallId: 'call_1', input: {}, output };
    expect(await tools.text.execute?.({}, call)).toBe(output);
    const text = await tools.text.toModelOutput?.(ask);
    expect(text?.type).toBe('text');
    expect((await compactor.restore(pointerIn(JSON.stringify(text)))).text).toBe(long);
    const content = await tools.content.toModelOutput?.(ask);
    expect(content).toMatchObject({ type: 'content', value: [{ type: 'text' }, picture] });
    expect(JSON.stringify(content).length).toBeLessThan(1000);
    const error = await tools.error.toModelOutput?.(ask);
    expect(error?.type).toBe('error-text');
    expect(await tools.text.toModelOutput?.({ ...ask, output: { rows: 'short' } })).toEqual({
      type: 'text',
      value: 'short',
    });
  });

  it('answers version 5, which passes only the output and does not await, synchronously and unchanged', () => {
    const told = { type: 'text', value: 'long '.repeat(80_000) };
    const { rows } = offloadingTools({ rows: { execute: () => 1, toModelOutput: () => told } }, offloading());
    const ask: (output: unknown) => unknown = rows.toModelOutput;
    expect([ask({ toolCallId: 'a column', rows: 1 }), ask('x'), ask([])].every((is) => is === told)).toBe(
      true,
    );
  });

  it('does not change result streams, tools without execute, or errors', async () => {
    const outer = tool({ inputSchema });
    const failure = new Error('no such table');
    const tools = offloadingTools(
      {
        outer,
        stream: tool({
          inputSchema,
          async *execute() {
            yield 'half';
            yield long;
          },
        }),
        failing: tool({
          inputSchema,
          execute: async (): Promise<string> => {
            throw failure;
          },
        }),
      },
      offloading(),
    );
    expect(tools.outer).toBe(outer);
    const parts: unknown[] = [];
    const stream = tools.stream.execute?.({}, call);
    if (stream && typeof stream === 'object' && Symbol.asyncIterator in stream)
      for await (const part of stream) parts.push(part);
    expect(parts).toEqual(['half', long]);
    await expect(tools.failing.execute?.({}, call)).rejects.toBe(failure);
  });

  it('never moves reader results to files, and keeps results whole if the storage fails', async () => {
    const compactor = offloading();
    const tools = offloadingTools({ read_file: tool({ inputSchema, execute: () => long }) }, compactor);
    expect(await tools.read_file.execute?.({}, call)).not.toContain('saved');
    const full: HistoryStorage = {
      ...createMemoryStorage(),
      write: () => Promise.reject(new Error('ENOSPC')),
    };
    const failing = offloadingTools({ search: tool({ inputSchema, execute: () => long }) }, offloading(full));
    expect(await failing.search.execute?.({}, call)).toBe(long);
  });

  it("keeps a tool's other properties, and `this` in its methods", async () => {
    class Table {
      readonly #rows = long;
      readonly description = 'A table.';
      readonly inputSchema = inputSchema;
      execute(): string {
        return this.#rows;
      }
      name(): string {
        return 'table';
      }
    }
    const tools = offloadingTools({ table: new Table() }, offloading());
    expect(tools.table.description).toBe('A table.');
    expect(tools.table).toBeInstanceOf(Table);
    expect(tools.table.name()).toBe('table');
    expect(String(await tools.table.execute()).length).toBeLessThan(500);
  });

  it('serves generateText', async () => {
    const answer = answering(2);
    const model = new MockLanguageModelV3({ doGenerate: async ({ prompt }) => answer(prompt) });
    await generateText({
      model,
      prompt: 'Read.',
      tools: offloadingTools({ read: tool({ inputSchema, execute: async () => long }) }, offloading()),
      stopWhen: stepCountIs(3),
    });
    const [, second] = model.doGenerateCalls;
    expect(JSON.stringify(second?.prompt)).toContain('[history: result of read saved');
    expect(JSON.stringify(second?.prompt).length).toBeLessThan(2000);
  });

  it('accepts values that JSON cannot represent', async () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const odd = [cycle, 1n, Symbol('x'), () => 1];
    const tools = offloadingTools({ odd: { execute: (at: number): unknown => odd[at] } }, offloading());
    for (const [at, value] of odd.entries()) expect(await tools.odd.execute(at)).toBe(value);
    expect(offloadingTools({ a: null, b: 1 }, offloading())).toEqual({ a: null, b: 1 });
  });
});
