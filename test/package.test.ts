// The package against its files: its lock names every optional part of every platform, its version and its exports are those
// of the sources.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PACKAGE_VERSION } from '../src/version.ts';
import { MANIFEST } from './support/consumer.ts';
import { PAGES, pageAt } from './support/pages.ts';

interface Locked {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

// npm refuses a lock file that misses an optional part, also one of another platform, and leaves such parts out itself
// where the registry it writes from has none of them.
it('locks every optional part of every platform', () => {
  const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
    ),
  );
  expect(missing).toEqual([]);
});

it('exports few names, each in the documents', async () => {
  const names = Object.keys(await import('../src/index.ts')).sort();
  expect(names).toEqual([
    'ATTACHMENT_LIMITS',
    'EXIT_STATUS',
    'HTTP_STATUS',
    'ReaderError',
    'cacheDirectory',
    'containerToHostPath',
    'createDiskCache',
    'createMemoryCache',
    'createPrivateData',
    'createReadPool',
    'createReader',
    'createTokenCounter',
    'createWorkspace',
    'hostToContainerPath',
    'prepareAttachments',
    'pruneWorkspaces',
    'removeWorkspace',
  ]);
  const text = PAGES.map(pageAt).join('\n');
  expect(names.filter((name) => !text.includes(`\`${name}`) && !text.includes(`${name}(`))).toEqual([]);
});

it('says the version of its manifest', () => {
  expect(PACKAGE_VERSION).toBe(MANIFEST.version);
});

// Bundling may let an entry point export what chunks share.
it.each(Object.entries(MANIFEST.exports).filter(([, target]) => target?.default))(
  'exports of %s what its source exports',
  async (_entry, target) => {
    const module = target?.default?.replace('./dist/', '../') ?? '';
    const source: object = await import(/* @vite-ignore */ module.replace(/\.js$/, '.ts'));
    const published: object = await import(/* @vite-ignore */ `../${target?.default}`);
    expect(Object.keys(published).sort()).toEqual(Object.keys(source).sort());
  },
);
