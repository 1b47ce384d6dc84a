// The installed package reads the same on other versions of Node.js, and on Bun and Deno.

import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { project, readBy } from './hosted.ts';

vi.setConfig({ testTimeout: 120_000 });

const app = project();
afterAll(() => app.remove());

it.each([
  ['Node.js 22', 'node-22/bin/node'],
  ['Node.js 24', 'node-24/bin/node'],
  ['Bun', '@oven/bun-linux-x64/bin/bun'],
  ['Deno', '@deno/linux-x64-glibc/deno', 'run', '--allow-all'],
])('reads the same: %s', async (_name, program, ...words) => {
  const file = join(import.meta.dirname, 'node_modules', program);
  // The packages of some programs are installed without that.
  chmodSync(file, 0o755);
  const read = await readBy('app.mjs', app.folder, [file, ...words]);
  expect(read).toEqual(await readBy('app.mjs', app.folder));
});
