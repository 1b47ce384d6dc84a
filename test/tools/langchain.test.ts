// The tools invoked by LangChain: with plain arguments, with tool calls, and with what its own check would throw at.

import { readFile } from 'node:fs/promises';
import { ToolMessage } from '@langchain/core/messages';
import type { DynamicStructuredTool } from '@langchain/core/tools';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { afterEach, expect, it } from 'vitest';
import { toLangChainTools } from '../../src/tools/langchain.ts';
import { makePlace, type Place } from './place.ts';

let place: Place | undefined;
afterEach(() => place?.remove());

async function tools(
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<Map<string, DynamicStructuredTool>> {
  place = await makePlace(files);
  return new Map((await toLangChainTools(place.tools)).map((tool) => [tool.name, tool]));
}
const call = (
  name: string,
  args: Record<string, unknown>,
): { type: 'tool_call'; id: string; name: string; args: Record<string, unknown> } => ({
  type: 'tool_call',
  id: 'call-1',
  name,
  args,
});

it('answers plain arguments with content, and a tool call with its message', async () => {
  const read = (await tools({ 'a.txt': 'one\ntwo\n' })).get('read_file');
  expect(await read?.invoke({ path: 'a.txt' })).toBe('one\ntwo\n');
  expect(await read?.invoke({ file_path: 'a.txt', offset: '2' })).toBe('two\n[Note: line 2 of 2]\n');
  const message: unknown = await read?.invoke(call('read_file', { filePath: 'a.txt' }));
  expect(message).toBeInstanceOf(ToolMessage);
  expect(message).toMatchObject({
    content: 'one\ntwo\n',
    tool_call_id: 'call-1',
    status: 'success',
    name: 'read_file',
  });
});

it('gives errors as messages, never as exceptions', async () => {
  const read = (await tools({ 'a.txt': 'one\n' })).get('read_file');
  for (const args of [
    {},
    { path: 'b.txt' },
    { path: { a: 1 } },
    { path: 'a.txt', curser: 1 },
    { path: 'a.txt', max_tokens: -1 },
  ]) {
    expect(await read?.invoke(call('read_file', args))).toMatchObject({
      status: 'error',
      tool_call_id: 'call-1',
      content: expect.stringMatching(/^Error [A-Z_]+: /),
    });
    expect(await read?.invoke(args)).toMatch(/^Error [A-Z_]+: /);
  }
});

it('gives pictures as blocks that LangChain knows', async () => {
  const picture = await readFile('fixtures/image/fields.png');
  const read = (await tools({ 'p.png': picture })).get('read_file');
  const message: unknown = await read?.invoke(call('read_file', { path: 'p.png' }));
  if (!(message instanceof ToolMessage)) throw new Error('no message');
  const data = picture.toString('base64');
  expect(message.content).toMatchObject([
    { type: 'text' },
    { type: 'image', source_type: 'base64', mime_type: 'image/png', data },
  ]);
  expect(message.contentBlocks).toMatchObject([
    { type: 'text' },
    { type: 'image', mimeType: 'image/png', data },
  ]);
});

it('stops with the signal of the run', async () => {
  const read = (await tools({ 'a.txt': 'one\n' })).get('read_file');
  expect(await read?.invoke({ path: 'a.txt' }, { signal: AbortSignal.abort() })).toMatch(/^Error ABORTED: /);
});

it('shows a model the plain schema', async () => {
  const made = await tools({});
  const read = made.get('read_file');
  expect(read && convertToOpenAITool(read)).toMatchObject({
    type: 'function',
    function: { name: 'read_file', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
  });
  expect(read?.metadata).toEqual({ readOnly: true, offload: false });
});
