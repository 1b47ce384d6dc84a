// The types of the package, as strict projects see them without its optional peers. The types of SDKs are tested in
// test/integrations.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { type Consumer, MANIFEST, makeConsumer } from './support/consumer.ts';

// Compiles projects.
vi.setConfig({ testTimeout: 180_000 });

/** Optional peers that the declarations of an entry point need. */
const PEERS: Readonly<Record<string, readonly string[]>> = {
  'lectern/tools/ai-sdk': ['ai'],
  'lectern/tools/langchain': ['@langchain/core'],
  'lectern/history/langchain': ['@langchain/core', 'langchain'],
  'lectern/plan/langchain': ['@langchain/core', 'langchain'],
  'lectern/history/openai-agents': ['@openai/agents-core'],
};
const ENTRIES = Object.keys(MANIFEST.exports)
  .filter((entry) => entry !== './package.json')
  .map((entry) => `lectern${entry.slice(1)}`);

const imports = (entries: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    entries.map((entry) => [`${entry.replace(/\W/g, '-')}.ts`, `export * as it from '${entry}';\n`]),
  );

/** Packages that a declaration file and all it reaches name. */
function packagesNamed(path: string, seen = new Set<string>()): Set<string> {
  const named = new Set<string>();
  if (seen.has(path)) return named;
  seen.add(path);
  const text = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8').replaceAll(
    /\/\*[\s\S]*?\*\//g,
    '',
  );
  for (const [, name = ''] of text.matchAll(
    /(?:^(?:im|ex)port\b[^;'"]*from |\bimport\()["']([^"']+)["']/gm,
  )) {
    if (name.startsWith('.')) {
      const file = join(dirname(path), name.replace(/\.[jt]s$/, '.d.ts'));
      for (const one of packagesNamed(file, seen)) named.add(one);
    } else if (!name.startsWith('node:')) named.add(/^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
  }
  return named;
}

const made: Consumer[] = [];
function consumer(): Consumer {
  const one = makeConsumer();
  made.push(one);
  return one;
}
afterAll(() => {
  for (const one of made) one.remove();
});

describe('a strict project that checks declarations', () => {
  const alone = ENTRIES.filter((entry) => !(entry in PEERS));

  // Each compiles for as long as fifty other files are tested: under CI alone.
  for (const [name, options] of [
    ['nodenext, exact optional properties', { module: 'nodenext', exactOptionalPropertyTypes: true }],
    ['node16', { module: 'node16' }],
    ['bundler, with the DOM', { module: 'esnext', moduleResolution: 'bundler', lib: ['es2023', 'dom'] }],
  ] as const)
    it.runIf(process.env['CI'])(`compiles without any optional peer: ${name}`, async () => {
      expect(alone).toContain('lectern/history');
      expect(await consumer().compile(imports(alone), options)).toEqual([]);
    });

  for (const entry of ENTRIES)
    it(`finds what the declarations of ${entry} name among its packages and peers`, () => {
      const known = new Set([...Object.keys(MANIFEST.dependencies), ...(PEERS[entry] ?? [])]);
      const unknown = [
        ...packagesNamed(MANIFEST.exports[`.${entry.slice('lectern'.length)}`]?.types ?? ''),
      ].filter((name) => !known.has(name));
      expect(unknown).toEqual([]);
    });
});
