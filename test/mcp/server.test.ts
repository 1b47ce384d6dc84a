import { Client, InMemoryTransport, type JSONRPCMessage, ProtocolError } from '@modelcontextprotocol/client';
import { afterEach, expect, test, vi } from 'vitest';
import { createReader, createWorkspace } from '../../src/index.ts';
import { MAX_RESULT_BYTES } from '../../src/mcp/client-limits.ts';
import { createMcpServer } from '../../src/mcp/server.ts';
import type { Tool, ToolPart } from '../../src/tools/tool.ts';
import { fakeTool, text } from './fake-tools.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const end of open.splice(0)) await end.close();
});

/** A server with these tools; its workspace is never touched. */
async function serve(tools: readonly Tool[]): Promise<InMemoryTransport> {
  const workspace = new Proxy(createWorkspace({ root: 'no-such-folder' }), {
    get: ({ mount }, name) => {
      if (name === 'mount') return mount;
      throw new Error('the workspace is not to be used');
    },
  });
  const server = createMcpServer({ reader: createReader({ cache: false, workspace }), tools });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(ours);
  open.push(server);
  return theirs;
}

async function connect(...tools: Tool[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '0' });
  await client.connect(await serve(tools));
  open.push(client);
  return client;
}

/** The other end without a client: all that is sent to it. */
async function connectRaw(
  ...tools: Tool[]
): Promise<{ sent: unknown[]; send: (message: JSONRPCMessage) => Promise<void> }> {
  const transport = await serve(tools);
  const sent: unknown[] = [];
  transport.onmessage = (message) => sent.push(message);
  await transport.start();
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '0' } };
  await transport.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await settle();
  return { sent, send: (message) => transport.send(message) };
}

/** Nothing here waits for more than other turns of the loop. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

test('tools are listed as they are, and arguments reach them as they were sent', async () => {
  const seen: unknown[] = [];
  const client = await connect(
    fakeTool('read_file', async (args) => {
      seen.push(args);
      return text('read');
    }),
    fakeTool('write_file', async () => text('written'), false),
  );
  const { tools } = await client.listTools();
  expect(tools).toEqual([
    {
      name: 'read_file',
      title: 'Title of read_file',
      description: 'Description of read_file',
      inputSchema: expect.objectContaining({
        type: 'object',
        properties: { path: { type: 'string', description: 'which file' }, limit: { type: 'integer' } },
        required: ['path'],
      }),
      annotations: {
        title: 'Title of read_file',
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    expect.objectContaining({
      name: 'write_file',
      annotations: {
        title: 'Title of write_file',
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: false,
      },
    }),
  ]);
  // Neither named nor typed as the schema says: the tools make sense of it, not the protocol.
  const result = await client.callTool({ name: 'read_file', arguments: { file_path: 'a', limit: '5' } });
  expect(seen).toEqual([{ file_path: 'a', limit: '5' }]);
  expect(result.content).toEqual([{ type: 'text', text: 'read' }]);
  expect(result).not.toHaveProperty('structuredContent');
});

test('instructions name only tools that are there', async () => {
  const all = await connect(
    fakeTool('read_file', async () => text('')),
    fakeTool('search_files', async () => text('')),
    fakeTool('save_result', async () => text(''), false),
  );
  expect(all.getInstructions()).toMatch(/`read_file`.*`search_files`.*`save_result`/);
  const some = await connect(fakeTool('read_file', async () => text('')));
  expect(some.getInstructions()).not.toMatch(/search_files|save_result/);
  expect(some.getInstructions()).toContain('All tools are read-only.');
});

test('an unknown tool is an error that lists the tools', async () => {
  const client = await connect(fakeTool('read_file', async () => text('')));
  await expect(client.callTool({ name: 'raed_file', arguments: {} })).rejects.toMatchObject({
    code: -32602,
    message: 'Unknown tool `raed_file`. The tools are `read_file`.',
  });
});

test('no arguments are an empty object', async () => {
  const seen: unknown[] = [];
  const client = await connect(
    fakeTool('read_file', async (args) => {
      seen.push(args);
      return text('');
    }),
  );
  await client.callTool({ name: 'read_file' });
  expect(seen).toEqual([{}]);
});

test('a tool that throws gives an answer without details of the fault', async () => {
  const client = await connect(
    fakeTool('read_file', async () => {
      throw new Error('/home/secret/path');
    }),
  );
  const result = await client.callTool({ name: 'read_file', arguments: {} });
  expect(result.isError).toBe(true);
  expect(JSON.stringify(result)).toContain('INTERNAL');
  expect(JSON.stringify(result)).not.toContain('secret');
});

test('pictures and recordings are blocks of their kind; other media are embedded', async () => {
  const data = Uint8Array.of(1, 2, 3);
  const media = (mimeType: string): ToolPart => ({ kind: 'media', data, mimeType, name: 'a b.bin' });
  const client = await connect(
    fakeTool('read_file', async () => ({
      isError: false,
      parts: [
        { kind: 'text', text: 'facts' },
        media('image/png'),
        media('audio/wav'),
        media('video/mp4'),
        media('image/tiff'),
      ],
    })),
  );
  const { content } = await client.callTool({ name: 'read_file', arguments: {} });
  expect(content).toEqual([
    { type: 'text', text: 'facts' },
    { type: 'image', data: 'AQID', mimeType: 'image/png' },
    { type: 'audio', data: 'AQID', mimeType: 'audio/wav' },
    {
      type: 'resource',
      resource: { uri: 'workspace:///a%20b.bin', mimeType: 'video/mp4', blob: 'AQID' },
    },
    {
      type: 'resource',
      resource: { uri: 'workspace:///a%20b.bin', mimeType: 'image/tiff', blob: 'AQID' },
    },
  ]);
});

const picture = (bytes: number): ToolPart => ({
  kind: 'media',
  data: new Uint8Array(bytes),
  mimeType: 'image/png',
  name: 'big.png',
});

test.each<[string, ToolPart[], RegExp[]]>([
  [
    'the second of two pictures',
    [{ kind: 'text', text: 'facts' }, picture(500_000), picture(400_000)],
    [/^facts$/, /^image$/, /LIMIT_EXCEEDED: `big.png` as image\/png is left out/],
  ],
  [
    'a picture that is too large alone',
    [{ kind: 'text', text: 'facts' }, picture(900_000)],
    [/^facts$/, /LIMIT_EXCEEDED/],
  ],
  [
    'a picture, and not the few words after it,',
    [picture(900_000), { kind: 'text', text: 'facts' }],
    [/LIMIT_EXCEEDED/, /^facts$/],
  ],
  ['a text that is too large', [{ kind: 'text', text: '\u0001'.repeat(200_000) }], [/^Error LIMIT_EXCEEDED/]],
  [
    'a picture before the text beside it',
    [{ kind: 'text', text: 'é'.repeat(300_000) }, picture(400_000)],
    [/^é+$/, /LIMIT_EXCEEDED/],
  ],
])('over the size limit of clients, %s is replaced by an error', async (_what, parts, expected) => {
  const client = await connect(fakeTool('read_file', async () => ({ isError: false, parts })));
  const result = await client.callTool({ name: 'read_file', arguments: {} });
  expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(MAX_RESULT_BYTES);
  const shown = result.content.map((block) => (block.type === 'text' ? block.text : block.type));
  expect(shown).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
});

test('progress is reported during a call: increasing, rate-limited, and never after its end', async () => {
  let late: () => void = () => undefined;
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const { sent, send } = await connectRaw(
    fakeTool('search_files', async (_args, { onProgress }) => {
      for (const progress of [1, 2, 3]) onProgress?.({ progress, total: 10, unit: 'files' });
      now += 300;
      onProgress?.({ progress: 1, total: 10, unit: 'files' });
      onProgress?.({ progress: 20, total: 10, unit: 'files' });
      now += 300;
      late = () => onProgress?.({ progress: 30, unit: 'files' });
      return text('found');
    }),
  );
  await send({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'search_files', arguments: {}, _meta: { progressToken: 'p' } },
  });
  await settle();
  late();
  await settle();
  expect(sent.slice(1)).toEqual([
    {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'p', progress: 1, total: 10, message: 'files' },
    },
    {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'p', progress: 20, message: 'files' },
    },
    expect.objectContaining({ id: 1, result: expect.anything() }),
  ]);
});

test('progress is sent only on request', async () => {
  let given = true;
  const client = await connect(
    fakeTool('search_files', async (_args, { onProgress }) => {
      given = onProgress !== undefined;
      return text('');
    }),
  );
  await client.callTool({ name: 'search_files', arguments: {} });
  expect(given).toBe(false);
});

test('a cancelled call is aborted and never answered', async () => {
  let aborted = false;
  let begun: () => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const { sent, send } = await connectRaw(
    fakeTool('search_files', (_args, { signal }) => {
      begun();
      return new Promise((resolve) => {
        signal?.addEventListener('abort', () => {
          aborted = true;
          resolve(text('too late'));
        });
      });
    }),
  );
  await send({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'search_files', arguments: {} },
  });
  await started;
  await send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  await settle();
  expect(aborted).toBe(true);
  await send({ jsonrpc: '2.0', id: 2, method: 'ping' });
  await settle();
  expect(sent).toMatchObject([{ id: 0 }, { id: 2, result: {} }]);
});

test('more calls than run at once wait their turn', async () => {
  let running = 0;
  let most = 0;
  const client = await connect(
    fakeTool('read_file', async () => {
      running += 1;
      most = Math.max(most, running);
      await settle();
      running -= 1;
      return text('done');
    }),
  );
  const calls = Array.from({ length: 20 }, () => client.callTool({ name: 'read_file', arguments: {} }));
  const results = await Promise.all(calls);
  expect(results).toHaveLength(20);
  expect(most).toBe(4);
});

test('an unknown resource is an error', async () => {
  const client = await connect();
  for (const uri of ['file:///etc/passwd', 'workspace:///a%2fb', 'workspace:///%ff', 'workspace:///a?b', 'x'])
    await expect(client.readResource({ uri })).rejects.toBeInstanceOf(ProtocolError);
});
