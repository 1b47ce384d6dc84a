import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  test: {
    root: '.',
    include: ['test/**/*.test.ts'],
    // Tests over real files run where there are such files: `LECTERN_CORPUS` names their folder.
    exclude: [...configDefaults.exclude, ...(process.env['LECTERN_CORPUS'] ? [] : ['test/corpus/**'])],
    globalSetup: ['.config/clean-environment.ts', '.config/compile.ts'],
    setupFiles: ['.config/fixed-seed.ts'],
    // They end what hangs, on a slow and busy machine too, and say nothing of speed.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});

export default config;
