// What the definitions cost every conversation, and that they require what a call cannot do without.

import { expect, it } from 'vitest';
import { z } from 'zod';
import { createReader, createWorkspace } from '../../src/index.ts';
import { createQueryEngine } from '../../src/query/index.ts';
import { createTools, inputSchemaOf, type Tool } from '../../src/tools/index.ts';

const reader = createReader({ workspace: createWorkspace({ root: 'fixtures' }), environment: {} });
const engine = createQueryEngine({ environment: {} });
const tools = createTools({ reader, readOnly: true, queries: engine });

it.each([
  ['with the bounds of numbers', (tool: Tool) => z.toJSONSchema(tool.input).properties],
  ['as it is sent', (tool: Tool) => inputSchemaOf(tool).properties],
])(
  'costs at most 900 tokens for the tools that only read, 130 of them for queries, %s',
  (_, propertiesOf) => {
    const written = (tool: Tool): string =>
      `## ${tool.name}\n${tool.description}\n${JSON.stringify(propertiesOf(tool))}\n`;
    const costs = new Map(tools.map((tool) => [tool.name, reader.count(written(tool))]));
    expect(costs.get('query_result')).toBeLessThanOrEqual(130);
    expect([...costs.values()].reduce((sum, cost) => sum + cost)).toBeLessThanOrEqual(900);
  },
);

it('names attachments of mail and pointers with wildcards', () => {
  const described = tools
    .map((tool) => `${tool.description} ${JSON.stringify(inputSchemaOf(tool))}`)
    .join(' ');
  for (const form of ['mail.eml!/', '/paths/*/*']) expect(described).toContain(form);
});

it('requires a path to read', () => {
  const required = tools.map((tool) => [tool.name, inputSchemaOf(tool).required ?? []]);
  expect(Object.fromEntries(required)).toMatchObject({
    read_file: ['path'],
    list_files: [],
    find_files: ['pattern'],
    file_info: ['path'],
  });
});
