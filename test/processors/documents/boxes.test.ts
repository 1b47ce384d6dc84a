// Where blocks lie on their page or slide: on request, in points, by the place of their text in the part.

import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { createReader, type FileExtractionResult, type Reader } from '../../../src/index.ts';

// Starts processes.
vi.setConfig({ testTimeout: 120_000 });

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../fixtures/documents/${name}`, import.meta.url));
const environment = {};
const inline = createReader({ environment, cache: false });
const isolated = createReader({ environment, cache: false, isolation: 'process' });
afterAll(async () => {
  await isolated.close();
});

interface Placed {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The text of every block with its box, a list for each part. */
function placed(result: FileExtractionResult): { width: number; height: number; blocks: Placed[] }[] {
  if (!result.success) throw new Error(result.error.message);
  return result.content.flatMap((part) => {
    if (part.kind !== 'text' || !part.boxes) return [];
    const { width, height, blocks } = part.boxes;
    return [
      {
        width,
        height,
        blocks: blocks.map(({ from, to, ...box }) => ({ text: part.text.slice(from, to), ...box })),
      },
    ];
  });
}

const read = async (reader: Reader, name: string, all = true): Promise<FileExtractionResult> =>
  await reader.read(fixture(name), all ? { boxes: true, all } : { boxes: true, maxTokens: 120 });

describe.each(['gauges.pdf', 'gates.pptx'])('the boxes of %s', (name) => {
  test('are on the page, each around its own text', async () => {
    const pages = placed(await read(inline, name));
    expect(pages.length).toBeGreaterThan(0);
    for (const { width, height, blocks } of pages)
      for (const { text, left, top, right, bottom } of blocks) {
        expect(text.trim()).not.toBe('');
        expect(left).toBeLessThanOrEqual(right);
        expect(top).toBeLessThanOrEqual(bottom);
        expect([left, top, width - right, height - bottom].filter((distance) => distance < -5)).toEqual([]);
      }
    const all = pages.flatMap(({ blocks }) => blocks.map(({ text }) => text));
    expect(new Set(all).size).toBeGreaterThan(1);
  });

  test('match the shown text if it is cut', async () => {
    const [whole] = placed(await read(inline, name));
    const [cut] = placed(await read(inline, name, false));
    if (!whole || !cut) throw new Error('No boxes.');
    expect(cut.blocks.length).toBeGreaterThan(0);
    for (const [index, block] of cut.blocks.entries()) {
      const { text, ...box } = block;
      expect(whole.blocks[index]).toMatchObject(box);
      expect(whole.blocks[index]?.text.startsWith(text)).toBe(true);
    }
  });

  test('are also returned from a child process', async () => {
    expect(placed(await read(isolated, name))).toEqual(placed(await read(inline, name)));
  });

  test('are absent unless asked for', async () => {
    expect(placed(await inline.read(fixture(name)))).toEqual([]);
  });
});

test('a heading of a PDF is above the paragraph below it', async () => {
  const [page] = placed(await read(inline, 'gauges.pdf'));
  const [first, second] = page?.blocks ?? [];
  if (!first || !second) throw new Error('No boxes.');
  expect(first.text).toMatch(/^#/);
  expect(first.bottom).toBeLessThanOrEqual(second.top + 1);
});

test('a format without boxes says that they have no effect', async () => {
  const result = await inline.read(
    { name: 'a.txt', bytes: new TextEncoder().encode('one\n') },
    { boxes: true },
  );
  expect(result.success && result.warnings).toEqual([
    { code: 'IGNORED_FIELD', message: '`boxes` has no effect on text files.' },
  ]);
});
