// The official client of the first SDK, as a session of the tests.

import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FirstHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Answer, IDENTITY, parameters, type Session, withKey } from '../../mcp/session.ts';

/** Over standard input and output. */
export async function firstClient(args: readonly string[]): Promise<Session> {
  const client = new FirstClient(IDENTITY);
  await client.connect(new FirstTransport(parameters(args)));
  return firstSession(client);
}

/** Over HTTP, with a key. */
export async function firstHttpClient(url: string, key: string): Promise<Session> {
  const client = new FirstClient(IDENTITY);
  const transport = new FirstHttpTransport(new URL(url), withKey(key));
  // Its own types do not fit each other under `exactOptionalPropertyTypes`.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return firstSession(client);
}

function firstSession(client: FirstClient): Session {
  return {
    instructions: client.getInstructions(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, given, options) =>
      (await client.callTool({ name, arguments: given }, undefined, {
        timeout: 50_000,
        ...options,
      })) as Answer,
    resources: (cursor) => client.listResources(cursor === undefined ? {} : { cursor }),
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    read: async (uri) => (await client.readResource({ uri })).contents,
    ping: () => client.ping(),
    close: () => client.close(),
  };
}
