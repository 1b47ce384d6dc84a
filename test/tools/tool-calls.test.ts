// Calls as other agents' tools take them: each does what it asks at once, after the hint of its answer, or is refused as
// it should be. The list is also what `test/bench/tool-calls.mjs` measures.

import { expect, it, vi } from 'vitest';
import { createReader, createWorkspace } from '../../src/index.ts';
import { createTools, textOf } from '../../src/tools/index.ts';

// Every call has a workspace of its own.
vi.setConfig({ testTimeout: 120_000 });

interface Result {
  readonly from: string;
  readonly tool: string;
  readonly args: unknown;
  readonly said: string;
  readonly outcome: string;
}

it('does what models ask of the tools they know', async () => {
  const bench: URL = new URL('../bench/tool-calls.mjs', import.meta.url);
  // A program without types of its own.
  const { runCalls } = (await import(bench.href)) as {
    runCalls(lectern: object): Promise<readonly Result[]>;
  };
  const results = await runCalls({ createReader, createWorkspace, createTools, textOf });
  expect(results.length).toBeGreaterThanOrEqual(120);
  expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  const atOnce = results.filter(({ outcome }) => outcome === 'at once').length;
  expect(atOnce / results.length).toBeGreaterThan(0.85);
});
