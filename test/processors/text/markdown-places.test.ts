// Sections and tables of Markdown files.

import { describe, expect, it } from 'vitest';
import { createReader, type ReadRequest } from '../../../src/index.ts';

const reader = createReader({ environment: {}, cache: false });
const TEXT = `---
title: x
---
# Guide

## 1.2 Install it

run

\`\`\`
# no heading
| no | table |
| - | - |
\`\`\`

### Deeper

| Name | Value |
|---|:-:|
| a \\| b | \`c\` |
d |

## Next

end
`;
const read = async (request: ReadRequest): Promise<string> => {
  const result = await reader.read({ name: 'guide.md', bytes: Buffer.from(TEXT) }, request);
  return result.success ? result.text : `${result.error.code}: ${result.error.message} ${result.error.hint}`;
};

describe('a section of Markdown', () => {
  it('goes from its heading to the next one of its level, by number or words', async () => {
    const lines = TEXT.split('\n').slice(5, 22).join('\n');
    for (const section of ['1.2', '1.2 Install it', 'install IT', 'Install'])
      expect(await read({ section })).toBe(`${lines}\n[Note: lines 6-22 of 25]\n`);
    expect(await read({ section: 'Next' })).toMatch(/^## Next\n\nend\n/);
  });

  it('ends where it ends, also page by page', async () => {
    let text = '';
    let cursor: string | undefined;
    do {
      const request = cursor === undefined ? { section: '1.2', maxTokens: 60 } : { cursor, maxTokens: 60 };
      const result = await reader.read({ name: 'guide.md', bytes: Buffer.from(TEXT) }, request);
      if (!result.success) throw new Error(result.error.message);
      text += result.content.map((part) => (part.kind === 'text' ? part.text : '')).join('');
      const next = result.truncation?.next;
      cursor = text.endsWith('d |\n\n') ? undefined : next?.cursor;
    } while (cursor !== undefined);
    expect(text).toBe(`${TEXT.split('\n').slice(5, 22).join('\n')}\n`);
  });

  it('is refused with the headings that are there', async () => {
    expect(await read({ section: 'Instal' })).toBe(
      'BAD_INPUT: No heading of the document is `Instal`. Use the number or the words of a heading, such as `Next`, `Guide`, `Deeper`, `1.2 Install it`.',
    );
  });
});

describe('a format of tables', () => {
  it('is named as without effect on the whole text', async () => {
    for (const format of ['csv', 'json'] as const)
      expect(await reader.read({ name: 'guide.md', bytes: Buffer.from(TEXT) }, { format })).toMatchObject({
        warnings: [
          { code: 'IGNORED_FIELD', message: `\`format\` \`${format}\` has no effect without \`table\`.` },
        ],
      });
  });
});

describe('a table of Markdown', () => {
  it('is rows and columns, in any format of tables', async () => {
    expect(await read({ table: '1' })).toBe('Name,Value\na | b,`c`\nd,\n');
    expect(await read({ table: '1', rows: '2', format: 'json' })).toContain('{"Name":"d","Value":""}');
    expect(await read({ table: '1', columns: 'Value' })).toContain('Value\n`c`\n');
  });

  it('is refused for a number without a table, as rows are without a number', async () => {
    expect(await read({ table: '2' })).toMatch(/^BAD_INPUT: `table` is 2, but the document has 1 table\./);
    expect(await read({ rows: '2' })).toMatch(/^BAD_INPUT: `rows` and `columns` select parts of a table/);
  });
});
