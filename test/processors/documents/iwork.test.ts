// Documents of Apple Pages, Numbers and Keynote: their previews, and what is without one.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createReader } from '../../../src/index.ts';
import { readOk } from '../../support/walk.ts';
import { zipOf } from '../../support/zip.ts';

const reader = createReader({ environment: {}, cache: false });
const pdf = readFileSync('fixtures/documents/gauges.pdf');
const picture = readFileSync('fixtures/image/photo.jpg');

describe('an iWork file', () => {
  it.each(['a.pages', 'a.numbers', 'a.key', 'a.bin'])('is read as its preview in PDF: %s', async (name) => {
    const bytes = zipOf([
      { name: 'Index/Document.iwa', data: 'x' },
      { name: 'QuickLook/Preview.pdf', data: pdf },
    ]);
    const result = await readOk(reader, { name, bytes });
    expect(result).toMatchObject({ processor: 'pdf', metadata: { name } });
    expect(result.warnings).toContainEqual({
      code: 'SKIPPED_CONTENT',
      message: expect.stringContaining('Only the preview in the file (`QuickLook/Preview.pdf`)'),
    });
    expect(result.text).toContain((await readOk(reader, { name: 'gauges.pdf', bytes: pdf })).text.trim());
  });

  it('is read as the picture of its first page', async () => {
    const bytes = zipOf([
      { name: 'Data/a.txt', data: 'a' },
      { name: 'Index/Document.iwa', data: 'x' },
      { name: 'preview.jpg', data: picture },
    ]);
    expect(await readOk(reader, { name: 'a.pages', bytes })).toMatchObject({ processor: 'image' });
    expect((await readOk(reader, { name: 'a.pages', bytes, entry: 'Data/a.txt' })).text).toContain('a');
  });

  it('is refused without a preview', async () => {
    const bytes = zipOf([{ name: 'Index/Document.iwa', data: 'x' }]);
    expect(await reader.read({ name: 'a.pages', bytes })).toMatchObject({
      error: { code: 'UNSUPPORTED_FORMAT', message: expect.stringContaining('without a preview') },
    });
  });
});
