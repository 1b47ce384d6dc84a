// The examples of the documents that need the SDKs of OpenAI and Anthropic.

import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type ExampleRunner, SDK_EXAMPLES, startExamples } from '../support/example-runner.ts';

// Each example is a process.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let runner: ExampleRunner;
beforeAll(async () => {
  runner = await startExamples(['@anthropic-ai/sdk', 'openai']);
});
afterAll(() => runner.close());

for (const host of ['openai', 'anthropic'])
  it(`gives a model tools through ${host}`, async () => {
    expect(await runner.run(host)).toMatch(/^There are \d+ orders\.\n$/);
  });

it('prepares attachments', async () => {
  const printed = await runner.run('attachments');
  for (const name of ['orders.csv', 'gauges.pdf', 'photo.jpg', 'no-such.txt'])
    expect(printed).toContain(name);
  const sent = JSON.stringify(runner.models.requests.at(-1));
  expect(sent).toContain('"type":"image"');
  expect(sent).toContain('Which orders were late?');
});

it('are all run', () => {
  expect([...runner.ran].sort()).toEqual([...SDK_EXAMPLES].sort());
});
