// The types of the package, as strict projects see them: with no optional peer installed, with one, and in the loops that
// people write with the SDKs' own types.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Consumer, MANIFEST, makeConsumer } from './support/consumer.ts';
import { EXAMPLES } from './support/pages.ts';

// Compiles projects.
vi.setConfig({ testTimeout: 180_000 });

/** Optional peers that the declarations of an entry point need. */
const PEERS: Readonly<Record<string, readonly string[]>> = {
  'lectern/tools/ai-sdk': ['ai'],
  'lectern/tools/langchain': ['@langchain/core'],
  'lectern/history/langchain': ['@langchain/core', 'langchain'],
  'lectern/plan/langchain': ['@langchain/core', 'langchain'],
  'lectern/history/openai-agents': ['@openai/agents-core'],
};
const ENTRIES = Object.keys(MANIFEST.exports)
  .filter((entry) => entry !== './package.json')
  .map((entry) => `lectern${entry.slice(1)}`);

const imports = (entries: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    entries.map((entry) => [`${entry.replace(/\W/g, '-')}.ts`, `export * as it from '${entry}';\n`]),
  );

/** Packages that a declaration file and all it reaches name. */
function packagesNamed(path: string, seen = new Set<string>()): Set<string> {
  const named = new Set<string>();
  if (seen.has(path)) return named;
  seen.add(path);
  const text = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8').replaceAll(
    /\/\*[\s\S]*?\*\//g,
    '',
  );
  for (const [, name = ''] of text.matchAll(
    /(?:^(?:im|ex)port\b[^;'"]*from |\bimport\()["']([^"']+)["']/gm,
  )) {
    if (name.startsWith('.')) {
      const file = join(dirname(path), name.replace(/\.[jt]s$/, '.d.ts'));
      for (const one of packagesNamed(file, seen)) named.add(one);
    } else if (!name.startsWith('node:')) named.add(/^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
  }
  return named;
}

const made: Consumer[] = [];
function consumer(packages?: readonly string[]): Consumer {
  const one = makeConsumer(packages);
  made.push(one);
  return one;
}
afterAll(() => {
  for (const one of made) one.remove();
});

describe('a strict project that checks declarations', () => {
  const alone = ENTRIES.filter((entry) => !(entry in PEERS));

  // Each compiles for as long as fifty other files are tested: under CI alone.
  for (const [name, options] of [
    ['nodenext, exact optional properties', { module: 'nodenext', exactOptionalPropertyTypes: true }],
    ['node16', { module: 'node16' }],
    ['bundler, with the DOM', { module: 'esnext', moduleResolution: 'bundler', lib: ['es2023', 'dom'] }],
  ] as const)
    it.runIf(process.env['CI'])(`compiles without any optional peer: ${name}`, async () => {
      expect(alone).toContain('lectern/history');
      expect(await consumer().compile(imports(alone), options)).toEqual([]);
    });

  for (const entry of ENTRIES)
    it(`finds what the declarations of ${entry} name among its packages and peers`, () => {
      const known = new Set([...Object.keys(MANIFEST.dependencies), ...(PEERS[entry] ?? [])]);
      const unknown = [
        ...packagesNamed(MANIFEST.exports[`.${entry.slice('lectern'.length)}`]?.types ?? ''),
      ].filter((name) => !known.has(name));
      expect(unknown).toEqual([]);
    });
});

describe('the types of the SDKs', () => {
  const sdks = ['@anthropic-ai/sdk', '@ai-sdk/anthropic', 'ai', 'openai'];
  const LOOPS: Readonly<Record<string, string>> = {
    responses: `
      import OpenAI from 'openai';
      import { createReader, createWorkspace } from 'lectern';
      import { runOpenAiToolCall, toOpenAiTools } from 'lectern/tools/openai';
      import { createTools } from 'lectern/tools';

      const workspace = createWorkspace({ root: '.' });
      const tools = createTools({ reader: createReader({ workspace }) });
      const openai = new OpenAI();
      let input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Which?' }];
      let previous: string | null = null;
      for (;;) {
        const request = { model: 'm', input, previous_response_id: previous, tools: toOpenAiTools(tools, 'responses') };
        const response: OpenAI.Responses.Response = await openai.responses.create(request);
        previous = response.id;
        const calls = response.output.filter((item) => item.type === 'function_call');
        if (calls.length === 0) break;
        input = await Promise.all(calls.map((call) => runOpenAiToolCall(tools, call)));
      }`,
    attachments: `
      import OpenAI from 'openai';
      import { prepareAttachments } from 'lectern';

      const openai = new OpenAI();
      const chat = await prepareAttachments(['a.pdf'], { target: 'openai-chat' });
      await openai.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: chat.content }] });
      const { content } = await prepareAttachments(['a.pdf'], { target: 'openai-responses' });
      await openai.responses.create({ model: 'm', input: [{ role: 'user', content }] });`,
    'ai-sdk-attachments': `
      import { generateText } from 'ai';
      import { prepareAttachments } from 'lectern';

      const { content } = await prepareAttachments(['a.pdf'], { target: 'ai-sdk' });
      await generateText({ model: 'm', messages: [{ role: 'user', content }] });`,
    'ai-sdk-history': `
      import { anthropic } from '@ai-sdk/anthropic';
      import { generateText, wrapLanguageModel } from 'ai';
      import { createReader, createWorkspace } from 'lectern';
      import { toAiSdkTools } from 'lectern/tools/ai-sdk';
      import { createCompactor, summarizeWithAiSdk } from 'lectern/history';
      import { compactingMiddleware, compactingPrepareStep, offloadingTools } from 'lectern/history/ai-sdk';
      import { createTools } from 'lectern/tools';

      const summarizer = summarizeWithAiSdk(anthropic('m'));
      summarizeWithAiSdk('anthropic/m');
      const compactor = createCompactor({ format: 'ai-sdk', summarizer });
      const workspace = createWorkspace({ root: '.' });
      const made = createTools({ reader: createReader({ workspace }) });
      const tools = offloadingTools(await toAiSdkTools(made), compactor);
      const model = wrapLanguageModel({ model: anthropic('m'), middleware: compactingMiddleware({ window: 30_000 }) });
      await generateText({ model, tools, prompt: 'Which?', prepareStep: compactingPrepareStep({ window: 30_000 }, { tools }) });`,
    history: `
      import Anthropic from '@anthropic-ai/sdk';
      import OpenAI from 'openai';
      import { compact, createCompactor, createHistoryProcessor, summarizeWithAnthropic, summarizeWithOpenAi } from 'lectern/history';

      const openai = new OpenAI();
      const summarizer = summarizeWithOpenAi({ client: openai, model: 'm' });
      const history = createCompactor<OpenAI.ChatCompletionMessageParam>({ window: 30_000, summarizer });
      const { messages } = await history.compact([{ role: 'user', content: 'Which?' }]);
      await openai.chat.completions.create({ model: 'm', messages });

      const anthropic = new Anthropic();
      summarizeWithAnthropic({ client: anthropic, model: 'm' });
      const asked: Anthropic.MessageParam[] = [{ role: 'user', content: 'Which?' }];
      const once = await compact(asked, { window: 30_000 });
      await anthropic.messages.create({ model: 'm', max_tokens: 100, messages: once.messages });
      const process = createHistoryProcessor<OpenAI.Responses.ResponseInputItem>({ window: 30_000 });
      await openai.responses.create({ model: 'm', input: await process([{ role: 'user', content: 'Which?' }]) });`,
  };
  let project: Consumer;
  beforeAll(() => {
    project = consumer(sdks);
  });

  it('fit the examples of the documents and other loops', async () => {
    const files = { ...Object.fromEntries(EXAMPLES), ...LOOPS };
    const said = await project.compile(
      Object.fromEntries(Object.entries(files).map(([name, code]) => [`${name}.ts`, code])),
      { skipLibCheck: true, lib: ['es2023', 'dom'] },
    );
    expect(said).toEqual([]);
  });
});
