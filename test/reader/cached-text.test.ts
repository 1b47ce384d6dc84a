import { describe, expect, it } from 'vitest';
import { createMemoryCache, createReader, type Reader } from '../../src/index.ts';

const DOCUMENT = 'fixtures/documents/survey.docx';
const PAGED = 'fixtures/documents/gauges.pdf';

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

async function whole(reader: Reader, path: string): Promise<string> {
  let text = '';
  for await (const part of reader.stream(path)) if (part.kind === 'text') text += part.text;
  return text;
}

describe('kept', () => {
  it('gives the text of a document that was read, and converts none that was not', async () => {
    const reader = createReader({ cache: createMemoryCache() });
    await expect(textOf(reader.cachedText(DOCUMENT))).rejects.toMatchObject({ code: 'BAD_INPUT' });
    const text = await whole(reader, DOCUMENT);
    expect(text.length).toBeGreaterThan(100);
    expect(await textOf(reader.cachedText(DOCUMENT))).toBe(text);
  });

  it('ends where the reading ended', async () => {
    const reader = createReader({ cache: createMemoryCache() });
    const first = await reader.read(PAGED, { pages: '1' });
    expect(first.success).toBe(true);
    let text = '';
    const walk = async (): Promise<void> => {
      for await (const piece of reader.cachedText(PAGED)) text += piece;
    };
    await expect(walk()).rejects.toMatchObject({ code: 'BAD_INPUT' });
    const all = await whole(reader, PAGED);
    expect(text.length).toBeGreaterThan(0);
    expect(all.startsWith(text)).toBe(true);
    expect(text.length).toBeLessThan(all.length);
  });

  it('refuses what is never converted', async () => {
    const reader = createReader({ cache: createMemoryCache() });
    for (const path of ['orders.csv', 'orders.xlsx', 'parcels.ods'])
      await expect(textOf(reader.cachedText(`fixtures/tabular/${path}`))).rejects.toMatchObject({
        code: 'UNSUPPORTED_FORMAT',
      });
  });
});
