// The package against its files: its lock names every optional part of every platform, its version and its exports are those
// of the sources.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PACKAGE_VERSION } from '../src/version.ts';
import { MANIFEST } from './support/consumer.ts';
import { exportsOf, LANGCHAIN_ENTRIES } from './support/entries.ts';
import { PAGES, pageAt } from './support/pages.ts';

interface Locked {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
}
const manifestOf = (path: string): Manifest =>
  JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

// npm refuses a lock file that misses an optional part, also one of another platform, and leaves such parts out itself
// where the registry it writes from has none of them.
it.each(['../', 'hosts/', 'integrations/'])('locks every optional part of every platform in %s', (folder) => {
  const lock = readFileSync(new URL(`${folder}package-lock.json`, import.meta.url), 'utf8');
  const { packages } = JSON.parse(lock) as { readonly packages: Readonly<Record<string, Locked>> };
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
    'SaidNotes',
    'cacheDirectory',
    'containerToHostPath',
    'createDiskCache',
    'createMemoryCache',
    'createPrivateData',
    'createReadPool',
    'createReader',
    'createStoredCache',
    'createTokenCounter',
    'createWorkspace',
    'hostToContainerPath',
    'openBlobs',
    'openSharedPrivateData',
    'parseAddress',
    'prepareAttachments',
    'printAddress',
    'pruneWorkspaces',
    'removeWorkspace',
  ]);
  const text = PAGES.map(pageAt).join('\n');
  expect(names.filter((name) => !text.includes(`\`${name}`) && !text.includes(`${name}(`))).toEqual([]);
});

it('says the version of its manifest', () => {
  expect(PACKAGE_VERSION).toBe(MANIFEST.version);
});

const ELSEWHERE = new Set(['./package.json', ...LANGCHAIN_ENTRIES]);
it.each(Object.keys(MANIFEST.exports).filter((entry) => !ELSEWHERE.has(entry)))(
  'exports of %s what its source exports',
  async (entry) => {
    const { published, source } = await exportsOf(entry);
    expect(published).toEqual(source);
  },
);

it('has the packages that test/integrations installs too in the same version', () => {
  const { dependencies } = manifestOf('integrations/package.json');
  const root = manifestOf('../package.json');
  const own = { ...root.dependencies, ...root.devDependencies };
  expect(own).toMatchObject(Object.fromEntries(Object.entries(dependencies).filter(([name]) => own[name])));
});

it('runs no script where it is installed', () => {
  const { scripts = {} } = manifestOf('../package.json');
  // npm asks about `prepare` too, although it runs that only for a folder or a Git repository.
  for (const name of [
    'preinstall',
    'install',
    'postinstall',
    'prepublish',
    'preprepare',
    'prepare',
    'postprepare',
  ])
    expect(scripts).not.toHaveProperty(name);
});
