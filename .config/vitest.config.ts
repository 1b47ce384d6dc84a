import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  test: {
    root: '.',
    include: ['test/**/*.test.ts'],
    // Tests over real files run where there are such files: `LECTERN_CORPUS` names their folder.
    exclude: [...configDefaults.exclude, ...(process.env['LECTERN_CORPUS'] ? [] : ['test/corpus/**'])],
    globalSetup: ['.config/compile.ts'],
    testTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});

export default config;
