import { existsSync } from 'node:fs';
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';

// These change the process they run in.
const ALONE = ['test/isolation/**/*.test.ts', 'test/media/**/*.test.ts', 'test/scan/**/*.test.ts'];
// Where `CI` is set each file has a process of its own; in between they share two, which takes a third less time.
const isolate = process.env['CI'] !== undefined;
// Tests over real files run where there are such files: `LECTERN_CORPUS` names their folder. Elsewhere one file reports
// them as skipped.
const exclude = [
  ...configDefaults.exclude,
  // Tests inside bundlers, frameworks and other runtimes run where those are installed.
  existsSync(new URL('../test/hosts/node_modules', import.meta.url))
    ? 'test/hosts/not-installed.test.ts'
    : 'test/hosts/!(not-installed).test.ts',
  process.env['LECTERN_CORPUS'] ? 'test/corpus/not-run.test.ts' : 'test/corpus/!(not-run).test.ts',
];

const config: ViteUserConfig = defineConfig({
  test: {
    root: '.',
    projects: [
      { extends: true, test: { name: 'alone', include: ALONE, exclude } },
      {
        extends: true,
        test: { name: 'shared', include: ['test/**/*.test.ts'], exclude: [...exclude, ...ALONE], isolate },
      },
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
