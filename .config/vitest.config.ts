import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  test: {
    root: '.',
    include: ['test/**/*.test.ts'],
    // Tests over real files run where there are such files: `LECTERN_CORPUS` names their folder. Elsewhere one file
    // reports them as skipped.
    exclude: [
      ...configDefaults.exclude,
      process.env['LECTERN_CORPUS'] ? 'test/corpus/not-run.test.ts' : 'test/corpus/!(not-run).test.ts',
    ],
    globalSetup: ['.config/clean-environment.ts', '.config/compile.ts'],
    setupFiles: ['.config/fixed-seed.ts'],
    // Ends what hangs; says nothing of speed. Tests that start processes or draw many cases say how long they may take.
    testTimeout: 20_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});

export default config;
