import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';

// These change the process they run in. The last loads pdf.js and its globals, which elsewhere have a thread of their own.
const ALONE = [
  'test/isolation/**/*.test.ts',
  'test/media/**/*.test.ts',
  'test/scan/**/*.test.ts',
  'test/processors/documents/pdf/extract.test.ts',
];
// Tests over real files run where there are such files: `LECTERN_CORPUS` names their folder. Elsewhere one file reports
// them as skipped.
const exclude = [
  ...configDefaults.exclude,
  // Tests in folders with packages of their own run where those are installed.
  ...['test/hosts', 'test/integrations'].map((folder) =>
    existsSync(new URL(`../${folder}/node_modules`, import.meta.url))
      ? `${folder}/not-installed.test.ts`
      : `${folder}/**/!(not-installed).test.ts`,
  ),
  process.env['LECTERN_CORPUS'] ? 'test/corpus/not-run.test.ts' : 'test/corpus/!(not-run).test.ts',
];

const INTEGRATIONS: string = fileURLToPath(new URL('../test/integrations/package.json', import.meta.url));
const { dependencies }: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(INTEGRATIONS, 'utf8'),
);
/** In the tests of `test/integrations`, sources too import the packages that are installed there. */
const integrations: Plugin = {
  name: 'integrations',
  enforce: 'pre',
  resolveId(source, importer, options) {
    const [name = ''] = /^(?:@[^/]+\/)?[^/]+/.exec(source) ?? [];
    if (importer === undefined || importer === INTEGRATIONS || !(name in dependencies)) return null;
    return this.resolve(source, INTEGRATIONS, { ...options, skipSelf: true });
  },
};

const config: ViteUserConfig = defineConfig({
  test: {
    root: '.',
    projects: [
      { extends: true, test: { name: 'alone', include: ALONE, exclude } },
      {
        extends: true,
        plugins: [integrations],
        test: { name: 'integrations', include: ['test/integrations/**/*.test.ts'], exclude, isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, ...ALONE, 'test/integrations/**'],
          // Files share two processes, which takes a third less time than one for each.
          isolate: false,
        },
      },
    ],
    globalSetup: ['.config/clean-environment.ts', '.config/compile.ts'],
    setupFiles: ['.config/fixed-seed.ts'],
    // Ends what hangs; says nothing of speed. Tests that start processes or draw many cases say how long they may take.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});

export default config;
