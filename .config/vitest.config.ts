import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import picomatch from 'picomatch';
import type { Plugin } from 'vite';
import {
  defineConfig,
  type TestProjectInlineConfiguration,
  type ViteUserConfigFnObject,
} from 'vitest/config';

/**
 * Left to `npm run test:all`: tests that start processes, servers and clients, draw many random cases, attack, or derive
 * keys. `npm test` runs the rest: units, expected answers, and one run through each entry.
 */
const LONG = [
  'test/{batch,blobs,isolation,ocr,recall}/**',
  'test/{hosts,integrations}/**',
  'test/**/*{hostile,kill,processes,restart,race,nodes,services,postgres,clients,long-life}*.test.ts',
  'test/attachments/{outcomes,providers,boundaries,cases}.test.ts',
  'test/cache/disk.test.ts',
  'test/cli/{password,people}.test.ts',
  'test/docs/examples.test.ts',
  'test/history/integrations/**',
  'test/history/{invariants,late-results,model,rules}.test.ts',
  'test/history/policy/presets.test.ts',
  'test/mcp/{line-transport,process}.test.ts',
  'test/processors/documents/{boxes,cut-off}.test.ts',
  'test/processors/text/walk.test.ts',
  'test/reader/{following,onward,password,stored}.test.ts',
  'test/redact/{entries,no-leaks,tools}.test.ts',
  'test/regular-expressions.test.ts',
  'test/service/{earlier-schemas,idempotency,quotas,rates,storage,tasks}.test.ts',
  'test/service/http/{read,refusals}.test.ts',
  'test/service/{jobs,playground}/**',
  'test/tokens/{counter,pieces}.test.ts',
  'test/tools/{tool-calls,words}.test.ts',
  'test/workspace/{conformance,model,search-addresses,search-pages}.test.ts',
  'test/workspace/files/changing-files.test.ts',
  'test/workspace/results/formats.test.ts',
];
// These change the process they run in, or are changed by it: one loads pdf.js and its globals, which elsewhere have a
// thread of their own; one counts threads, which other files may have left.
const ALONE = [
  'test/{isolation,media,scan}/**',
  'test/processors/documents/pdf/{extract,idle-worker}.test.ts',
];
// Tests over real files run where there are such files: `LECTERN_CORPUS` names their folder. Elsewhere one file reports
// them as skipped.
const NOT_HERE = [
  'test/**/node_modules/**',
  // Tests in folders with packages of their own run where those are installed.
  ...['test/hosts', 'test/integrations'].map((folder) =>
    existsSync(new URL(`../${folder}/node_modules`, import.meta.url))
      ? `${folder}/not-installed.test.ts`
      : `${folder}/**/!(not-installed).test.ts`,
  ),
  process.env['LECTERN_CORPUS'] ? 'test/corpus/not-run.test.ts' : 'test/corpus/!(not-run).test.ts',
];

/** The test files of a mode: `test` for the short ones, `long` for the others, `all`. */
function filesOf(mode: string): readonly string[] {
  const [isLong, isElsewhere] = [picomatch(LONG), picomatch(NOT_HERE)];
  return readdirSync(new URL('../test', import.meta.url), { recursive: true, encoding: 'utf8' })
    .map((file) => `test/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.test.ts') && !isElsewhere(file))
    .filter((file) => mode === 'all' || isLong(file) === (mode === 'long'));
}

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

const config: ViteUserConfigFnObject = defineConfig(({ mode }) => {
  const files = filesOf(mode);
  const [isAlone, isIntegration] = [picomatch(ALONE), picomatch('test/integrations/**')];
  const isShared = (file: string): boolean => !isAlone(file) && !isIntegration(file);
  const project = (
    name: string,
    isIn: (file: string) => boolean,
    isolate: boolean,
    plugins: Plugin[] = [],
  ): TestProjectInlineConfiguration[] => {
    const include = files.filter((file) => isIn(file));
    return include.length === 0 ? [] : [{ extends: true, plugins, test: { name, include, isolate } }];
  };
  return {
    test: {
      root: '.',
      projects: [
        ...project('alone', isAlone, true),
        ...project('integrations', isIntegration, false, [integrations]),
        // Files share two processes, which takes a third less time than one for each.
        ...project('shared', isShared, false),
      ],
      globalSetup: ['.config/clean-environment.ts', '.config/compile.ts'],
      setupFiles: ['.config/fixed-seed.ts'],
      // Ends what hangs; says nothing of speed. Tests that start processes or draw many cases say how long they may take.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      pool: 'forks',
      maxWorkers: 2,
    },
  };
});

export default config;
