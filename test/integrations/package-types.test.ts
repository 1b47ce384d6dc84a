// The types of the package in the loops that people write with the SDKs' own types.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Consumer, makeConsumer } from '../support/consumer.ts';
import { EXAMPLES, README } from '../support/pages.ts';

// Compiles a project.
vi.setConfig({ testTimeout: 180_000 });

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
      import { compactingMiddleware, compactingPrepareStep } from 'lectern/history/ai-sdk';
      import { createTools } from 'lectern/tools';

      const prepareStep = compactingPrepareStep({
        window: 128_000,
        summarizer: async ({ instructions, transcript, signal }) =>
          (await generateText({ model: 'm', system: instructions, prompt: transcript, abortSignal: signal })).text,
      });
      const workspace = createWorkspace({ root: '.' });
      const made = createTools({ reader: createReader({ workspace }) });
      const tools = await toAiSdkTools(made);
      const model = wrapLanguageModel({ model: anthropic('m'), middleware: compactingMiddleware({ window: 30_000 }) });
      await generateText({ model, tools, prompt: 'Which?', prepareStep });`,
    history: `
      import Anthropic from '@anthropic-ai/sdk';
      import OpenAI from 'openai';
      import { compact, createCompactor, createHistoryProcessor, type Summarizer } from 'lectern/history';

      const openai = new OpenAI();
      const summarizer: Summarizer = async ({ instructions, transcript, signal }) => {
        const messages = [
          { role: 'system' as const, content: instructions },
          { role: 'user' as const, content: transcript },
        ];
        const { choices } = await openai.chat.completions.create({ model: 'm', messages }, { signal });
        return choices[0]?.message.content ?? '';
      };
      const history = createCompactor<OpenAI.ChatCompletionMessageParam>({ window: 30_000, summarizer });
      const { messages } = await history.compact([{ role: 'user', content: 'Which?' }]);
      await openai.chat.completions.create({ model: 'm', messages });

      const anthropic = new Anthropic();
      const asked: Anthropic.MessageParam[] = [{ role: 'user', content: 'Which?' }];
      const once = await compact(asked, { window: 30_000 });
      await anthropic.messages.create({ model: 'm', max_tokens: 100, messages: once.messages });
      const process = createHistoryProcessor<OpenAI.Responses.ResponseInputItem>({ window: 30_000 });
      await openai.responses.create({ model: 'm', input: await process([{ role: 'user', content: 'Which?' }]) });`,
  };
  let project: Consumer;
  beforeAll(() => {
    project = makeConsumer([...sdks, '@libsql/client']);
  });
  afterAll(() => project.remove());

  it('fit the examples, the code of the README and other loops', async () => {
    // Folders, so that no file replaces another of the same name.
    const inReadme = [...README.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ''], at) => [
      `${at}`,
      code,
    ]);
    expect(inReadme).not.toEqual([]);
    const files: Record<string, string> = {};
    const folders = { examples: [...EXAMPLES], readme: inReadme, loops: Object.entries(LOOPS) };
    for (const [folder, programs] of Object.entries(folders))
      for (const [name, code] of programs) files[`${folder}/${name}.ts`] = code ?? '';
    const said = await project.compile(files, {
      skipLibCheck: true,
      lib: ['es2023', 'dom'],
      noUncheckedIndexedAccess: true,
    });
    expect(said).toEqual([]);
  });
});
