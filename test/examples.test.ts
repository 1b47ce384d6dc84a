// The examples run, and print what the documents say.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

it('survivor: an agent that crashes, loops and outgrows its window', { timeout: 180_000 }, async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [at('examples/survivor.mjs')]);
  const documented = /<!-- output: survivor -->\n```\n([\s\S]*?)```/.exec(
    readFileSync(at('docs/agents.md'), 'utf8'),
  );
  expect(stderr).toBe('');
  expect(stdout).toBe(documented?.[1]);
});
