// Applications that bundle lectern read the same as one that has it installed: tables, documents, PDF and pictures.

import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Consumer } from '../support/consumer.ts';
import { type Bundle, bundled, project, readBy } from './hosted.ts';

// Bundlers take a minute on a machine that is busy.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const made: { remove(): void }[] = [];
let app: Consumer;
let installed: unknown;
beforeAll(async () => {
  app = project();
  made.push(app);
  installed = await readBy('app.mjs', app.folder);
});
afterAll(() => {
  for (const one of made) one.remove();
});

async function bundle(bundler: string, file: string, ...words: readonly string[]): Promise<Bundle> {
  const one = await bundled(app, bundler, file, ...words);
  made.push(one);
  return one;
}

it('reads where it is installed', () => {
  const read = String(installed);
  for (const text of ['customer', 'Harbour crane survey', 'River gauges', "Lock keeper's log"])
    expect(read).toContain(text);
});

it.each([
  ['esbuild', 'app.cjs', 'cjs'],
  ['esbuild', 'app.mjs', 'esm'],
  ['webpack', 'app.cjs'],
  ['vite', 'app.mjs'],
] as const)('reads the same from a bundle: %s %s', async (bundler, file, ...words) => {
  const one = await bundle(bundler, file, ...words);
  expect(await one.read()).toEqual(installed);
  // Most of it is pdf.js, token tables and grammars.
  expect(one.bytes).toBeLessThan(20 * 2 ** 20);
});

it('says what a bundle lacks for child processes', async () => {
  app.write(
    'app.mjs',
    `import { createReadPool } from 'lectern';
    try { createReadPool(); } catch ({ code, message, hint }) { console.log(JSON.stringify({ code, message, hint })); }`,
  );
  expect(await (await bundle('esbuild', 'app.cjs', 'cjs')).read()).toEqual({
    code: 'MISSING_DEPENDENCY',
    message: 'Child processes run a program of the installed package, which a bundle does not contain.',
    hint: 'Mark lectern as external in the bundler, and install it where the bundle runs.',
  });
});
