// The server that the official conformance suites expect: their tools, resources and prompts, none of them the product's.
// Served by the product's HTTP handler, so that the suites exercise that.

import { createRequestStateCodec, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { PNG } from './answers.mjs';
import { addPrompts } from './prompts.mjs';
import { addRounds } from './rounds.mjs';
import { addTools } from './tools.mjs';

/** The same for every request: what one server signs, another verifies. */
const codec = createRequestStateCodec({ key: 'a key of 32 bytes for tests only!' });

/** A new server for one request. */
export function conformanceServer() {
  const server = new McpServer(
    { name: 'lectern-conformance', version: '0' },
    {
      // Nothing changes between two requests of a stateless server, so it announces no changes.
      capabilities: {
        tools: { listChanged: false },
        resources: { listChanged: false, subscribe: true },
        prompts: { listChanged: false },
        logging: {},
        completions: {},
      },
      requestState: { verify: codec.verify },
    },
  );
  addTools(server);
  addRounds(server, codec);
  addPrompts(server);
  addResources(server);
  const none = () => ({});
  server.server.setRequestHandler('resources/subscribe', none);
  server.server.setRequestHandler('resources/unsubscribe', none);
  server.server.setRequestHandler('logging/setLevel', none);
  return server;
}

function addResources(server) {
  const add = (name, uri, content) =>
    server.registerResource(name, uri, { description: name, mimeType: content.mimeType }, () => ({
      contents: [{ uri, ...content }],
    }));
  add('static-text', 'test://static-text', {
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  });
  add('static-binary', 'test://static-binary', { mimeType: 'image/png', blob: PNG });
  add('watched-resource', 'test://watched-resource', { mimeType: 'text/plain', text: 'Watched.' });
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'A template', mimeType: 'application/json' },
    (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
    }),
  );
}
