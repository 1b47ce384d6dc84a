import { defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  test: { root: '.', include: ['test/**/*.test.ts'], testTimeout: 60_000, pool: 'forks', maxWorkers: 2 },
});

export default config;
