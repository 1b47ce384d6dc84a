import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createReader, type FileExtractionResult } from '../../../src/index.ts';

const reader = createReader({ environment: {}, cache: false });
const fixture = (path: string): Buffer => readFileSync(new URL(`../../../fixtures/${path}`, import.meta.url));

/** The file without its directory and `share` of what stands before it. */
function cutOff(path: string, share: number): Promise<FileExtractionResult> {
  const bytes = fixture(path);
  const directory = bytes.indexOf('PK\u0001\u0002', 0, 'latin1');
  const data = bytes.subarray(0, Math.floor(directory * (1 - share)));
  return reader.read({ bytes: data, name: path.split('/').at(-1) ?? '' });
}

const FILES: readonly string[] = [
  'documents/survey.docx',
  'documents/gates.pptx',
  'documents/river.odt',
  'documents/gates.odp',
  'documents/ferry.epub',
  'tabular/orders.xlsx',
  'archive/project.zip',
];

describe('a truncated container', () => {
  it.each(FILES)('%s without its directory is read whole, with a warning', async (path) => {
    const cut = await cutOff(path, 0);
    const whole = await reader.read({ bytes: fixture(path), name: path.split('/').at(-1) ?? '' });
    if (!cut.success || !whole.success) throw new Error('not read');
    expect(cut.text).toContain('[Note: The file is truncated: its directory is missing');
    if (path.startsWith('archive')) expect(cut.content[0]).toBeDefined();
    else expect(cut.content).toEqual(whole.content);
  });

  it.each(FILES)('%s of any length is a typed error or reported as truncated', async (path) => {
    for (let step = 1; step < 40; step++) {
      const result = await cutOff(path, step / 40);
      if (result.success) expect(result.text).toMatch(/truncated/);
      else expect(result.error.code).toBe('CORRUPT_FILE');
    }
  });

  it('shows all text that remains', async () => {
    const cut = await cutOff('documents/survey.docx', 0.5);
    expect(cut.success && cut.text).toContain('# Harbour crane survey');
  });

  it('shows sheets whose names are lost', async () => {
    const cut = await cutOff('tabular/orders.xlsx', 0.15);
    expect(cut.success && cut.text).toMatch(/Sheet "Sheet1"[\s\S]*sheet list is missing/);
  });
});

it.each(['documents/river.odt', 'documents/survey.docx', 'documents/ferry.epub'])(
  '%s cut off before its text is reported as truncated',
  async (path) => {
    const result = await cutOff(path, 0.97);
    expect(result.success ? undefined : result.error).toMatchObject({
      code: 'CORRUPT_FILE',
      message: expect.stringContaining('truncated before'),
      hint: 'Get a complete copy of the file.',
    });
  },
);
