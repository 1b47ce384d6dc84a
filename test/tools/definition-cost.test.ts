// What the definitions cost every conversation, and that they require what a call cannot do without.

import { expect, it } from 'vitest';
import { z } from 'zod';
import { createReader, createWorkspace } from '../../src/index.ts';
import { createTools, inputSchemaOf } from '../../src/tools/index.ts';

const reader = createReader({ workspace: createWorkspace({ root: 'fixtures' }), environment: {} });
const tools = createTools({ reader, readOnly: true, queries: false });

it('costs at most 900 tokens for the tools that only read', () => {
  const written = tools.map(
    ({ name, description, input }) =>
      `## ${name}\n${description}\n${JSON.stringify(z.toJSONSchema(input).properties)}\n`,
  );
  expect(reader.count(written.join(''))).toBeLessThanOrEqual(900);
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
