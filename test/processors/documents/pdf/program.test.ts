import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { takeWorker } from '../../../../processors/documents/pdf/idle-worker.ts';
import { loadProgram } from '../../../../processors/documents/pdf/program.ts';
import { keepCompiledCode } from '../../../../src/contract/index.ts';
import { createReader } from '../../../../src/index.ts';

const FILE = 'fixtures/documents/gauges.pdf';
const kept = new Map<string, Uint8Array>();
const place = {
  get: async (key: string) => {
    const bytes = kept.get(key);
    return bytes && new Uint8Array(bytes);
  },
  put: async (key: string, bytes: Uint8Array) => {
    kept.set(key, new Uint8Array(bytes));
  },
};

afterEach(() => {
  keepCompiledCode(undefined);
  kept.clear();
});

/** In a thread of its own. */
async function read(): Promise<string> {
  const { worker } = await takeWorker(true);
  await worker.terminate();
  const result = await createReader({ environment: {}, cache: false }).read(FILE);
  return result.success ? result.text : result.error.code;
}

it('keeps what was compiled to read a document, and starts the next thread with it', async () => {
  const plain = await read();
  expect((await loadProgram()).code).toBe(undefined);
  keepCompiledCode(place);
  expect(await read()).toBe(plain);
  expect(kept.size).toBe(1);
  const program = await loadProgram();
  expect(program.pages).toBeGreaterThan(0);
  expect(program.code?.length).toBeGreaterThan(100_000);
  const [[key, entry] = ['', new Uint8Array()]] = kept;
  expect(await read()).toBe(plain);
  expect(Buffer.compare(kept.get(key) ?? new Uint8Array(), entry)).toBe(0);
});

it('replaces code that V8 does not take', async () => {
  keepCompiledCode(place);
  const plain = await read();
  const [[key, entry] = ['', new Uint8Array()]] = kept;
  const broken = entry.slice();
  broken.fill(7, 8, 40); // the head of the code, behind that of the entry
  kept.set(key, broken);
  expect(await read()).toBe(plain);
  expect(kept.get(key)?.subarray(8, 40)).not.toEqual(broken.subarray(8, 40));
});

it('is kept by the command, unless Node.js keeps no code', () => {
  const caches = mkdtempSync(join(tmpdir(), 'compiled-'));
  const command = fileURLToPath(new URL('../../../../dist/src/cli/main.js', import.meta.url));
  const run = (environment: object): string =>
    execFileSync(process.execPath, [command, 'read', FILE, '--no-cache'], {
      encoding: 'utf8',
      env: { ...process.env, XDG_CACHE_HOME: caches, ...environment },
    });
  try {
    const folder = join(caches, 'lectern-compiled', 'v1');
    const plain = run({ NODE_DISABLE_COMPILE_CACHE: '1' });
    expect(existsSync(folder)).toBe(false);
    expect(run({})).toBe(plain);
    expect(readdirSync(folder).length).toBe(1);
    expect(run({})).toBe(plain);
  } finally {
    rmSync(caches, { recursive: true });
  }
});
