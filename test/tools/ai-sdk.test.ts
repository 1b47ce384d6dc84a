// The tools driven by the AI SDK itself, with a model that calls them by a script.

import { readFile } from 'node:fs/promises';
import { generateText, type ModelMessage, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { afterEach, expect, it } from 'vitest';
import { toAiSdkTools } from '../../src/tools/ai-sdk.ts';
import { makePlace, type Place } from './place.ts';

let place: Place | undefined;
afterEach(() => place?.remove());

type Call = readonly [tool: string, input: unknown];
type Prompt = Parameters<MockLanguageModelV3['doGenerate']>[0]['prompt'];

/** What the model sees of the newest tool result. */
function lastResult(prompt: Prompt): string {
  const message = prompt.at(-1);
  const part = message?.role === 'tool' ? message.content[0] : undefined;
  if (part?.type !== 'tool-result') return '';
  const { output } = part;
  if (output.type === 'text' || output.type === 'error-text') return output.value;
  return output.type === 'content'
    ? output.value.map((piece) => (piece.type === 'text' ? piece.text : '')).join('')
    : '';
}

/** A model that makes the call `next` says, until it says none. */
function scripted(next: (last: string, turn: number) => Call | undefined): MockLanguageModelV3 {
  let turn = 0;
  return new MockLanguageModelV3({
    doGenerate: ({ prompt }) => {
      const call = next(lastResult(prompt), turn);
      turn += 1;
      return Promise.resolve({
        content: call
          ? [
              {
                type: 'tool-call' as const,
                toolCallId: `call-${turn}`,
                toolName: call[0],
                input: typeof call[1] === 'string' ? call[1] : JSON.stringify(call[1]),
              },
            ]
          : [{ type: 'text' as const, text: 'done' }],
        finishReason: { unified: call ? ('tool-calls' as const) : ('stop' as const), raw: undefined },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      });
    },
  });
}

it('is led through a file to its end, saves a result and finds it again', async () => {
  const rows = Array.from({ length: 400 }, (_, index) => `${index + 1},customer ${index + 1}`);
  place = await makePlace({ 'data/orders.csv': `id,name\n${rows.join('\n')}\n` }, { maxTokensPerFile: 600 });
  const seen: string[] = [];
  const read: string[] = [];
  let saved = false;
  const model = scripted((last, turn) => {
    seen.push(last);
    if (turn === 0) return ['list_files', { directory: 'data' }];
    if (turn === 1) return ['read_file', { file_path: 'data/orders.csv', rows: '1-400' }];
    if (!saved) {
      read.push(...(last.match(/^\d+,customer \d+$/gm) ?? []));
      const cursor = /cursor "([^"]+)"/.exec(last)?.[1];
      const next = /Continue with rows "([^"]+)"/.exec(last)?.[1];
      if (cursor !== undefined) return ['read_file', { path: 'data/orders.csv', cursor }];
      if (next !== undefined) return ['read_file', { path: 'data/orders.csv', rows: next }];
      saved = true;
      return ['save_result', { data: read.map((line) => ({ line })), name: 'all' }];
    }
    if (last.startsWith('Saved ')) return ['search_files', { pattern: 'customer 399', path: 'results' }];
    return undefined;
  });
  const { text, steps } = await generateText({
    model,
    tools: await toAiSdkTools(place.tools),
    stopWhen: stepCountIs(60),
    prompt: 'go',
  });
  expect(text).toBe('done');
  expect(read).toEqual(rows);
  expect(seen[1]).toBe(`data/orders.csv  ${Buffer.byteLength(`id,name\n${rows.join('\n')}\n`)} bytes\n`);
  expect(seen.at(-1)).toMatch(/^results\/all\.csv:400: "?399,customer 399"?\n/);
  for (const said of seen) expect(place.reader.count(said)).toBeLessThanOrEqual(600);
  // The transcript has the arguments in their canonical form.
  expect(steps[1]?.toolCalls[0]?.input).toEqual({ path: 'data/orders.csv', rows: '1-400' });
});

it('gives the model pictures as content parts, and words for what it does not take', async () => {
  const picture = await readFile('fixtures/image/fields.png');
  const sound = await readFile('fixtures/audio/tone.wav');
  place = await makePlace({ 'p.png': picture, 's.wav': sound });
  const calls: Call[] = [
    ['read_file', { path: 'p.png' }],
    ['read_file', { path: 's.wav' }],
  ];
  const model = scripted((_last, turn) => calls[turn]);
  const { response } = await generateText({
    model,
    tools: await toAiSdkTools(place.tools),
    stopWhen: stepCountIs(5),
    prompt: 'go',
  });
  const [first, second] = outputs(response.messages);
  expect(first).toMatchObject({
    type: 'content',
    value: [
      { type: 'text' },
      { type: 'image-data', mediaType: 'image/png', data: picture.toString('base64') },
    ],
  });
  expect(second).toMatchObject({ type: 'text', value: expect.stringContaining('(audio/wav, ') });
  // JSON-safe: a host keeps outputs in its database.
  expect(JSON.parse(JSON.stringify(first))).toEqual(first);

  const again = scripted((_last, turn) => calls[turn]);
  const heard = await generateText({
    model: again,
    tools: await toAiSdkTools(place.tools, { accepts: ['audio/*'] }),
    stopWhen: stepCountIs(5),
    prompt: 'go',
  });
  const [third, fourth] = outputs(heard.response.messages);
  expect(third).toMatchObject({ type: 'text', value: expect.stringContaining('(image/png, ') });
  expect(kinds(fourth)).toEqual(['text', 'file-data audio/wav s.wav', 'file-data audio/wav s.wav']);
});

it('answers version 5 too, which asks with the output alone and knows one part for all media', async () => {
  place = await makePlace({});
  const tools = await toAiSdkTools(place.tools);
  // As version 5 calls it.
  const ask = tools['read_file']?.toModelOutput as unknown as (output: object) => unknown;
  const answer = { isError: false, text: 'a', media: [] };
  expect(ask({ ...answer, isError: true })).toEqual({ type: 'error-text', value: 'a' });
  expect(ask(answer)).toEqual({ type: 'text', value: 'a' });
  const media = [{ data: 'AAAA', mimeType: 'image/png', name: 'a.png' }];
  expect(ask({ ...answer, media })).toEqual({
    type: 'content',
    value: [
      { type: 'text', text: 'a' },
      { type: 'media', data: 'AAAA', mediaType: 'image/png' },
    ],
  });
});

/** The parts of an output, without their data. */
function kinds(output: unknown): string[] {
  const { value } = output as { value: { type: string; mediaType?: string; filename?: string }[] };
  return value.map(({ type, mediaType, filename }) => [type, mediaType, filename].filter(Boolean).join(' '));
}

function outputs(messages: readonly ModelMessage[]): unknown[] {
  return messages.flatMap((message) =>
    message.role === 'tool'
      ? message.content.flatMap((part) => (part.type === 'tool-result' ? [part.output] : []))
      : [],
  );
}

it('answers what no schema would let through', async () => {
  place = await makePlace({ 'a.txt': 'x\n' });
  const calls: Call[] = [
    ['read_file', { curser: 'x', path: 'a.txt' }],
    ['read_file', {}],
    ['read_file', '["a.txt"]'],
    ['read_file', '"a.txt"'],
    ['read_file', { path: 'a.txt', chat_input: 'x' }],
  ];
  const seen: string[] = [];
  const model = scripted((last, turn) => {
    seen.push(last);
    return calls[turn];
  });
  await generateText({
    model,
    tools: await toAiSdkTools(place.tools),
    stopWhen: stepCountIs(9),
    prompt: 'go',
  });
  expect(seen.slice(1).map((text) => text.slice(0, 45))).toEqual([
    'Error BAD_INPUT: Unknown argument `curser`. D',
    'Error BAD_INPUT: `path` is missing. Pass `pat',
    'x\n',
    'x\n',
    'x\n[Note: `chat_input`: unknown argument, igno',
  ]);
});

it('tells the model what the tools take', async () => {
  place = await makePlace({});
  const model = scripted(() => undefined);
  await generateText({ model, tools: await toAiSdkTools(place.tools), prompt: 'go' });
  const [call] = model.doGenerateCalls;
  expect(call?.tools?.map((tool) => tool.name)).toEqual(place.tools.map(({ name }) => name));
  const [read] = call?.tools ?? [];
  expect(read).toMatchObject({
    type: 'function',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  });
  expect(JSON.stringify(read)).not.toContain('additionalProperties');
});
