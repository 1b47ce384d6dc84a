// The shapes for each provider, those of OpenAI and Anthropic held to the types of their own packages, and calls answered.

import { readFile } from 'node:fs/promises';
import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { afterEach, expect, it } from 'vitest';
import { runAnthropicToolUse, toAnthropicTools } from '../../src/tools/anthropic.ts';
import { runBedrockToolUse, toBedrockTools } from '../../src/tools/bedrock.ts';
import { runGeminiFunctionCall, toGeminiTools } from '../../src/tools/gemini.ts';
import { runMistralToolCall, toMistralTools } from '../../src/tools/mistral.ts';
import { runOpenAiToolCall, runOpenAiToolCalls, toOpenAiTools } from '../../src/tools/openai.ts';
import { makePlace, type Place } from './place.ts';

let place: Place | undefined;
afterEach(() => place?.remove());

async function made(): Promise<Place> {
  place = await makePlace({
    'a.txt': 'one\ntwo\n',
    'p.png': await readFile('fixtures/image/fields.png'),
    's.wav': await readFile('fixtures/audio/tone.wav'),
  });
  return place;
}
const chat = (
  id: string,
  name: string,
  args: unknown,
): OpenAI.Chat.ChatCompletionMessageFunctionToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
});
const response = (name: string, args: unknown): OpenAI.Responses.ResponseFunctionToolCall => ({
  type: 'function_call',
  call_id: 'c',
  name,
  arguments: JSON.stringify(args),
});
const use = (name: string, input: unknown): Anthropic.ToolUseBlockParam => ({
  type: 'tool_use',
  id: 't',
  name,
  input,
});

it('defines the tools as each API takes them', async () => {
  const { tools } = await made();
  const forChat = toOpenAiTools(tools, 'chat') satisfies OpenAI.Chat.ChatCompletionTool[];
  const forResponses = toOpenAiTools(tools, 'responses') satisfies OpenAI.Responses.Tool[];
  const forAnthropic = toAnthropicTools(tools) satisfies Anthropic.Tool[];
  const names = tools.map(({ name }) => name);
  expect(forChat.map((tool) => tool.function.name)).toEqual(names);
  expect(forResponses.map((tool) => tool.name)).toEqual(names);
  expect(forAnthropic.map((tool) => tool.name)).toEqual(names);
  // Strict mode would want every argument.
  expect(forChat.every((tool) => tool.function.strict === false)).toBe(true);
  expect(forResponses.every((tool) => tool.strict === false)).toBe(true);
  // Each caller's own: changing one changes no other.
  const [first] = forAnthropic;
  if (first) first.input_schema.properties = {};
  expect(Object.keys(toAnthropicTools(tools)[0]?.input_schema.properties ?? {})).toContain('path');
});

it('answers calls of a Chat turn, with media after all tool messages', async () => {
  const { tools } = await made();
  const messages = (await runOpenAiToolCalls(tools, [
    chat('1', 'read_file', { file_path: 'p.png' }),
    chat('2', 'read_file', { path: 'a.txt' }),
    chat('3', 'read_file', '{"path": "a'),
    chat('4', 'read_fil', {}),
    chat('5', 'read_file', { path: 's.wav' }),
    chat('6', 'shell', {}),
  ])) satisfies OpenAI.Chat.ChatCompletionMessageParam[];
  expect(messages.map(({ role }) => role)).toEqual(['tool', 'tool', 'tool', 'tool', 'tool', 'tool', 'user']);
  expect(messages[0]?.content).toMatch(/\[Note: the media follow in a user message\.\]\n$/);
  expect(messages[1]).toEqual({ role: 'tool', tool_call_id: '2', content: 'one\ntwo\n' });
  expect(messages[2]?.content).toMatch(/^Error BAD_INPUT: The arguments are not valid JSON\./);
  expect(messages[3]?.content).toBe('Error BAD_INPUT: Unknown tool `read_fil`. Did you mean `read_file`?');
  expect(messages[4]?.content).toContain('[Note: `s.wav` (audio/wav, ');
  expect(messages[5]?.content).toMatch(
    /^Error BAD_INPUT: Unknown tool `shell`\. The tools are `read_file`, /,
  );
  expect(messages[6]?.content).toMatchObject([
    { type: 'text', text: 'From the tool call 1: p.png' },
    { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/png;base64,iVBOR/) } },
  ]);
  const { media } = await runOpenAiToolCall(tools, chat('5', 'read_file', { path: 's.wav' }), {
    accepts: ['audio/*'],
  });
  expect(media?.content[1]).toMatchObject({ type: 'input_audio', input_audio: { format: 'wav' } });
});

it('answers a custom call of a Chat turn, as the SDK types what a message may hold', async () => {
  const { tools } = await made();
  const calls: OpenAI.Chat.ChatCompletionMessageToolCall[] = [
    { id: '1', type: 'custom', custom: { name: 'shell', input: 'ls' } },
  ];
  const [message] = await runOpenAiToolCalls(tools, calls);
  expect(message).toMatchObject({ role: 'tool', tool_call_id: '1' });
  expect(message?.content).toMatch(/^Error BAD_INPUT: Unknown tool `shell`\. /);
});

it('answers a call of the Responses API, pictures in its output', async () => {
  const { tools } = await made();
  const text = (await runOpenAiToolCall(
    tools,
    response('read_file', { path: 'a.txt' }),
  )) satisfies OpenAI.Responses.ResponseInputItem.FunctionCallOutput;
  expect(text).toEqual({ type: 'function_call_output', call_id: 'c', output: 'one\ntwo\n' });
  const picture = await runOpenAiToolCall(tools, response('read_file', { path: 'p.png' }));
  expect(picture.output).toMatchObject([
    { type: 'input_text' },
    { type: 'input_image', image_url: expect.stringMatching(/^data:image\/png;base64,iVBOR/) },
  ]);
  const sound = await runOpenAiToolCall(tools, response('read_file', { path: 's.wav' }), {
    accepts: ['audio/*'],
  });
  expect(sound.output).toContain('[Note: `s.wav` (audio/wav, ');
});

it('answers a tool use of Anthropic, pictures in its result', async () => {
  const { tools } = await made();
  const text = (await runAnthropicToolUse(
    tools,
    use('read_file', { path: 'a.txt' }),
  )) satisfies Anthropic.ToolResultBlockParam;
  expect(text).toEqual({
    type: 'tool_result',
    tool_use_id: 't',
    is_error: false,
    content: [{ type: 'text', text: 'one\ntwo\n' }],
  });
  const picture = await runAnthropicToolUse(tools, use('read_file', { path: 'p.png' }));
  expect(picture.content[1]).toMatchObject({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png' },
  });
  const sound = await runAnthropicToolUse(tools, use('read_file', { path: 's.wav' }));
  expect(sound.content).toHaveLength(1);
  expect(await runAnthropicToolUse(tools, use('read_file', { path: 'b.txt' }))).toMatchObject({
    is_error: true,
  });
});

it('holds the model to the schema in strict mode, where the schema says all', async () => {
  const { tools } = await made();
  const strict = toOpenAiTools(tools, 'chat', { strict: true }) satisfies OpenAI.Chat.ChatCompletionTool[];
  const read = strict.find((tool) => tool.function.name === 'read_file');
  const parameters = read?.function.parameters as {
    readonly properties: Record<string, { readonly type: unknown; readonly enum?: unknown[] }>;
    readonly required: string[];
    readonly additionalProperties: boolean;
  };
  expect(read?.function.strict).toBe(true);
  expect(parameters.additionalProperties).toBe(false);
  expect(parameters.required).toEqual(Object.keys(parameters.properties));
  expect(parameters.properties['lines']?.type).toEqual(['string', 'null']);
  expect(JSON.stringify(strict)).toMatch(/"enum":\[[^\]]*,null\]/);
  // Their lists hold objects with keys of the caller's.
  const loose = strict.filter((tool) => !tool.function.strict).map((tool) => tool.function.name);
  expect(loose).toEqual(['edit_file', 'save_result']);
  // As a model answers in strict mode: null for what it leaves out.
  const args = Object.fromEntries(
    parameters.required.map((name) => [name, name === 'path' ? 'a.txt' : null]),
  );
  const { message } = await runOpenAiToolCall(tools, chat('1', 'read_file', args));
  expect(message.content).toBe('one\ntwo\n');
});

it('answers a call of Gemini with its part, media only where the model takes it', async () => {
  const { tools } = await made();
  const [declared] = toGeminiTools(tools);
  expect(declared?.functionDeclarations.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
  const text = await runGeminiFunctionCall(tools, { id: '7', name: 'read_file', args: { path: 'a.txt' } });
  expect(text).toEqual({
    functionResponse: { id: '7', name: 'read_file', response: { output: 'one\ntwo\n' } },
  });
  const call = { name: 'read_file', args: { path: 'p.png' } };
  const told = await runGeminiFunctionCall(tools, call);
  expect(told.functionResponse.parts).toBeUndefined();
  const shown = await runGeminiFunctionCall(tools, call, { accepts: ['image/*'] });
  expect(shown.functionResponse.parts?.[0]?.inlineData.mimeType).toMatch(/^image\//);
  expect(await runGeminiFunctionCall(tools, { name: 'reed_file' })).toMatchObject({
    functionResponse: { response: { error: expect.stringContaining('Did you mean `read_file`?') } },
  });
});

it('answers a tool use of Bedrock with its block', async () => {
  const { tools } = await made();
  const [spec] = toBedrockTools(tools);
  expect(spec?.toolSpec).toMatchObject({ name: 'read_file', inputSchema: { json: { type: 'object' } } });
  const use = { toolUseId: 't', name: 'read_file', input: { path: 'p.png' } };
  const { toolResult } = await runBedrockToolUse(tools, use);
  expect(toolResult).toMatchObject({ toolUseId: 't', status: 'success' });
  const picture = toolResult.content.find((block) => 'image' in block);
  expect(picture && 'image' in picture && picture.image.source.bytes.length).toBeGreaterThan(100);
  const failed = await runBedrockToolUse(tools, { ...use, input: { path: 'absent' } });
  expect(failed.toolResult).toMatchObject({
    status: 'error',
    content: [{ text: expect.stringContaining('Error') }],
  });
});

it('answers a call of Mistral with its message', async () => {
  const { tools } = await made();
  expect(toMistralTools(tools).map((tool) => tool.function.name)).toEqual(tools.map(({ name }) => name));
  for (const args of [{ path: 'a.txt' }, '{"path": "a.txt"}'])
    expect(
      await runMistralToolCall(tools, { id: 'm', function: { name: 'read_file', arguments: args } }),
    ).toEqual({
      role: 'tool',
      toolCallId: 'm',
      name: 'read_file',
      content: 'one\ntwo\n',
    });
});
