// Hostile SQL: each statement is refused, or ends within its limits, and says nothing about the host.

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { createReader, ReaderError } from '../../../src/index.ts';
import { createQueryEngine } from '../../../src/query/index.ts';
import { attacks } from './attacks.mjs';

// Waits for limits of time.
vi.setConfig({ testTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), 'attack-test-'));
const orders = join(folder, 'orders.csv');
writeFileSync(
  orders,
  `id,customer\n${Array.from({ length: 1000 }, (_, n) => `${n},${n % 10}`).join('\n')}\n`,
);
const from = import.meta.dirname;
const engine = createQueryEngine({ from });
/** For what would never end. */
const brief = createQueryEngine({ from, limits: { maxQueryMilliseconds: 1500 } });
const reader = createReader({ cache: false });

afterAll(async () => {
  await engine.close();
  await brief.close();
  rmSync(folder, { recursive: true });
});

it.each(attacks().map((attack) => [attack.name, attack] as const))('%s', async (_, { sql, codes, rows }) => {
  const chosen = codes.includes('TIMED_OUT') ? brief : engine;
  const found = await chosen.run({ sql, files: [orders], reader }).catch((error: unknown) => error);
  if (found instanceof ReaderError) {
    expect(codes).toContain(found.code);
    // The query itself may name a path.
    const said = `${found.message} ${found.hint}`.replaceAll(sql, '');
    expect(said).not.toMatch(/\/(?:tmp|proc|home|root|dev|etc|usr)\b/);
    expect(said).not.toContain(folder);
  } else if (found instanceof Error) throw found;
  else {
    const answer = found as Awaited<ReturnType<typeof engine.run>>;
    expect({ codes, rows: answer.facts.rows }).toEqual({ codes: [], rows });
    await answer.close();
  }
  expect(readdirSync(folder)).toEqual(['orders.csv']);
});
