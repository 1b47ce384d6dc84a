// The package against its lock file: a clean install on any platform finds every part named.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
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
