// What every format owes, held against every fixture: the golden answer, the budget, the same answer from a path, from
// bytes and from a stream, extents that add up, a walk that ends, output that parses, nothing left open.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { createMemoryCache, createReader, type Extent, type ReadSuccess } from '../src/index.ts';
import { someOf } from './support/draws.ts';
import { outlineWalk } from './support/outline-walk.ts';
import { isValid } from './support/validity.ts';
import { contentOf, readOk, walk } from './support/walk.ts';

// Draws many cases.
vi.setConfig({ testTimeout: 180_000 });

const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));
const files = readdirSync(FIXTURES, { withFileTypes: true })
  // Files under a password: `test/reader/password.test.ts`.
  .filter((entry) => entry.isDirectory() && entry.name !== 'protected')
  .flatMap((family) =>
    readdirSync(join(FIXTURES, family.name)).map((name) => join(FIXTURES, family.name, name)),
  )
  .filter((path) => !path.endsWith('.expected.md'));

// Outside of CI a document is converted once for all of its reads.
const reader = createReader({ environment: {}, cache: process.env['CI'] ? false : createMemoryCache() });
/** Formats whose walk gives the text of the whole, character for character. */
const VERBATIM = new Set([
  ...['text', 'code', 'markdown'],
  ...['pdf', 'docx', 'pptx', 'odt', 'odp', 'epub', 'html', 'rtf', 'email', 'eml', 'msg', 'tnef', 'mbox'],
]);

function expectExtentsToAddUp({ truncation }: ReadSuccess): void {
  if (!truncation) return;
  const groups = new Map<string, Extent[]>();
  for (const extent of [...truncation.shown, ...truncation.omitted]) {
    const group = `${extent.unit} ${extent.name ?? ''}`;
    groups.set(group, [...(groups.get(group) ?? []), extent]);
  }
  for (const [group, extents] of groups) {
    const sorted = [...extents].sort((a: Extent, b: Extent) => a.from - b.from);
    const of = sorted.find((extent) => extent.of !== undefined)?.of;
    if (of === undefined) continue;
    let at = 1;
    for (const extent of sorted) {
      expect(extent.from, `${group} has a hole or an overlap at ${at}`).toBe(at);
      at = extent.to + 1;
    }
    expect(at - 1, `${group} does not reach its end`).toBe(of);
  }
}

it('has fixtures to hold formats to', () => {
  expect(files.length).toBeGreaterThan(30);
});

it('has a fixture for every processor', async () => {
  const seen = new Set<string>();
  for (const path of files) seen.add((await readOk(reader, path)).processor);
  // Of a preview, the processor is that of the file inside.
  const readers = reader.processors.filter(({ previews }) => previews !== true);
  expect([...seen].sort()).toEqual(readers.map(({ name }) => name).sort());
});

const probed = new Set(someOf(files));

describe.each(files.map((path) => [path.slice(FIXTURES.length), path]))('%s', (_name, path) => {
  it('reads as it did', async () => {
    const { text } = await readOk(reader, path);
    await expect(text).toMatchFileSnapshot(`${path}.expected.md`);
  });

  // Under `CI` all of the following is asked of every fixture.
  if (!probed.has(path)) return;

  it('keeps every budget', async () => {
    for (const maxTokens of someOf([
      0, 1, 2, 3, 5, 7, 11, 16, 23, 33, 50, 75, 120, 200, 333, 800, 2000, 5000,
    ]))
      expectExtentsToAddUp(await readOk(reader, path, { maxTokens }));
  });

  it('shows what parses, at any budget from 50 tokens up', async () => {
    for (const maxTokens of someOf([50, 64, 90, 150, 400, 1000, 5000])) {
      const result = await readOk(reader, path, { maxTokens });
      for (const part of result.content)
        if (part.kind === 'text')
          expect(isValid(result, part.text), `${maxTokens} tokens:\n${part.text}`).toBe(true);
    }
  });

  it('reads the same from a path, from bytes and from a stream', async () => {
    const bytes = readFileSync(path);
    const name = basename(path);
    const fromPath = await readOk(reader, path, { maxTokens: 700 });
    const fromBytes = await readOk(reader, { bytes, name }, { maxTokens: 700 });
    const pieces = async function* (): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += 777) yield bytes.subarray(at, at + 777);
    };
    const fromStream = await readOk(reader, { stream: pieces(), name }, { maxTokens: 700 });
    expect(fromBytes.text).toBe(fromPath.text);
    expect(fromStream.text).toBe(fromPath.text);
  });

  it('can be walked to its end, and text is rebuilt exactly', async () => {
    const answers = await walk(reader, () => path, { maxTokens: 600 });
    expect(answers.at(-1)?.truncation?.next ?? null).toBe(null);
    const processor = answers[0]?.processor ?? '';
    if (!VERBATIM.has(processor)) return;
    const whole = await readOk(reader, path, { all: true });
    expect(contentOf(answers)).toBe(contentOf([whole]));
  });

  it('gives its outline by cursor, every entry once, whatever the budget', async () => {
    for (const maxTokens of [50, 300]) {
      const { pages, whole } = await outlineWalk(reader, () => path, { maxTokens });
      for (const page of pages) expectExtentsToAddUp(page);
      // Outer levels come first where not all fits, so that the order of lines depends on the budget.
      if (pages.length > 0)
        expect(contentOf(pages).split('\n').sort()).toEqual(contentOf([whole]).split('\n').sort());
    }
    for (const maxTokens of someOf([0, 1, 7, 16, 5000]))
      expectExtentsToAddUp(await readOk(reader, path, { maxTokens, overflow: 'outline' }));
  });

  it('leaves nothing out when all is asked for', async () => {
    const whole = await readOk(reader, path, { all: true });
    if (whole.content.some(({ kind }) => kind === 'binary') || whole.processor === 'video') return;
    expect(whole.truncation?.omitted ?? []).toEqual([]);
  });

  it('gives up when told to, and leaves nothing open', async () => {
    const open = (): number => readdirSync('/proc/self/fd').length;
    const before = open();
    const result = await reader.read(path, { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ success: false, error: { code: 'ABORTED' } });
    expect(open()).toBe(before);
  });

  it('can be inspected without content', async () => {
    const facts = await reader.inspect(path);
    expect(facts).toMatchObject({ success: true, metadata: { name: basename(path) } });
    expect(facts).not.toHaveProperty('content');
    expect(extname(path)).toBeTypeOf('string');
  });
});
