// The tools of the conformance suites that answer in one round.

import { setTimeout as delay } from 'node:timers/promises';
import { fromJsonSchema } from '@modelcontextprotocol/server';
import { NOTHING, PNG, said } from './answers.mjs';

/** Samples of silence in a WAV file of 8 kHz, 8 bits, mono. */
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA==';

/** Between two notifications; the suites ask for about 50 ms. */
const PAUSE_MS = 50;

export function addTools(server) {
  const add = (name, run, inputSchema = NOTHING) =>
    server.registerTool(name, { description: `Fixture ${name}`, inputSchema }, run);
  addContent(add);
  add('test_error_handling', () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  add('test_tool_with_logging', async (_args, { mcpReq }) => {
    for (const text of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', text);
      await delay(PAUSE_MS);
    }
    return said('Logged.');
  });
  add('test_logging_tool', async (_args, { mcpReq }) => {
    await mcpReq.log('info', 'Only for those who asked');
    return said('Logged.');
  });
  add('test_tool_with_progress', async (_args, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      const params = { progressToken, progress, total: 100 };
      if (progressToken !== undefined) await mcpReq.notify({ method: 'notifications/progress', params });
      await delay(PAUSE_MS);
    }
    return said('Done.');
  });
  add('json_schema_2020_12_tool', () => said('Matched.'), fromJsonSchema(SCHEMA_2020_12));
  add('test_custom_headers', () => said('Received.'), fromJsonSchema(HEADER_SCHEMA));
}

function addContent(add) {
  add('test_simple_text', () => said('This is a simple text response for testing.'));
  add('test_image_content', () => ({ content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] }));
  add('test_audio_content', () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }));
  add('test_embedded_resource', () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }));
  add('test_multiple_content_types', () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: PNG, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ],
  }));
}

const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const HEADER_SCHEMA = {
  type: 'object',
  properties: {
    region: { type: 'string', description: 'Mirrored', 'x-mcp-header': 'Region' },
    query: { type: 'string', description: 'Not mirrored' },
  },
};
