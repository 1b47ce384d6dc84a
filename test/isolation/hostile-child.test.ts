// What a child says, against the parent that hears it: whatever comes, the read ends, within bounds, as a typed outcome.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryCache } from '../../src/cache/index.ts';
import { HTTP_STATUS } from '../../src/contract/index.ts';
import { ChildEnded, type Message, type Pool } from '../../src/isolation/index.ts';
import { createReaderOf } from '../../src/reader/reader.ts';
import { draws } from '../support/draws.ts';
import { MOCK } from './mock-processor.mjs';

/** Messages after which the clock of a read runs out. */
const PATIENCE = 2000;

/** A pool of one child that says these messages, again and again, whatever it is told. */
function saying(messages: readonly Message[]): Pool & { readonly heard: () => number } {
  let heard = 0;
  return {
    heard: () => heard,
    status: { size: 1, idle: 0, busy: 0, queued: 0, started: 0, network: 'unknown', ended: NONE },
    close: () => Promise.resolve(),
    lease: () =>
      Promise.resolve({
        send: () => Promise.resolve(),
        receive: () => {
          const message = messages[heard % messages.length];
          heard += 1;
          return message && heard < PATIENCE
            ? Promise.resolve(message)
            : Promise.reject(new ChildEnded('TIMED_OUT'));
        },
        charge: () => undefined,
        restart: () => undefined,
        report: () => undefined,
        release: () => Promise.resolve(),
      }),
  };
}

const NONE = { TIMED_OUT: 0, OUT_OF_MEMORY: 0, CRASHED: 0, KILLED: 0 };
const STATE = { processor: 'mock', warnings: [], wholes: [], facts: {} };
const STARTED = {
  kind: 'started',
  detected: 'mock',
  mimeType: 'text/plain',
  file: { name: 'a.mock', size: 5, identity: 'sha256:0' },
  entered: { name: 'a.mock', bytes: 5 },
  state: STATE,
};

const odd = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(-1, 1e300, Number.MAX_SAFE_INTEGER, null, true, [], {}),
  fc.string(),
);
const extent = fc.record(
  { unit: fc.oneof(fc.constantFrom('line', 'page'), odd), from: odd, to: odd, of: odd, name: odd },
  { requiredKeys: [] },
);
const part = fc.record(
  {
    kind: fc.constantFrom('text', 'binary', 'other'),
    bytes: fc.oneof(fc.nat(20), odd),
    viewed: fc.oneof(fc.boolean(), odd),
    mimeType: odd,
    shown: fc.array(fc.oneof(extent, fc.constant({ unit: 'line', from: 1, to: 2 })), { maxLength: 5 }),
    next: fc.record({ position: fc.array(odd, { maxLength: 70 }), request: odd }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);
const state = fc.oneof(
  fc.constant(STATE),
  fc.record({ ...Object.fromEntries(Object.keys(STATE).map((key) => [key, odd])) }),
  fc.constant({ ...STATE, processor: 'none' }),
  fc.constant({ ...STATE, wholes: [{ unit: 'line', of: 1e300 }] }),
);
const head = fc.oneof(
  { weight: 4, arbitrary: fc.constant(STARTED) },
  fc.record({ kind: fc.constant('part'), part, state }, { requiredKeys: ['kind'] }),
  fc.constant({ kind: 'part', part: { kind: 'text', bytes: 3, viewed: false, shown: [] } }),
  fc.constant({ kind: 'lines', lines: [{ text: 'a line', level: 1 }] }),
  fc.record({ kind: fc.constantFrom('done', 'ended', 'lines', 'read', 'get', 'put', 'identity') }),
  fc.record({ kind: fc.constant('read'), id: fc.nat(), position: odd, length: odd }),
  fc.record({ kind: fc.constantFrom('get', 'put'), id: fc.nat(), key: fc.oneof(fc.constant('a.b'), odd) }),
  fc.record({ kind: fc.constant('failed'), code: odd, message: odd, hint: odd }),
  fc.record({
    kind: fc.constant('failed'),
    code: fc.constant('CORRUPT_FILE'),
    message: fc.string(),
    hint: fc.string(),
  }),
  fc.dictionary(fc.string(), fc.jsonValue()),
);
const message = fc.record({ head, body: fc.uint8Array({ maxLength: 20 }) });
const request = fc.constantFrom(
  {},
  { maxTokens: 0 },
  { all: true },
  { maxTokens: 10, overflow: 'outline' as const },
  { maxTokens: 10, overflow: 'error' as const },
);

describe('a child that says anything', () => {
  it('never makes a read throw, and is never believed beyond its schema', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 8 }), request, async (said, asked) => {
        const pool = saying([{ head: STARTED, body: new Uint8Array() }, ...said]);
        const reader = createReaderOf([MOCK], { pool, cache: createMemoryCache(), environment: {} });
        const answer = await reader.read({ name: 'a.mock', bytes: Buffer.from('bytes') }, asked);
        if (!answer.success) {
          expect(Object.keys(HTTP_STATUS)).toContain(answer.error.code);
          expect(answer.error.code).not.toBe('INTERNAL');
        }
        // A child that stops, and one that is asked to end, may be heard once more.
        expect(pool.heard()).toBeLessThanOrEqual(PATIENCE + 3);
      }),
      { numRuns: draws(500) },
    );
  });

  it('keeps nothing in the cache for other content, and no more than its share', async () => {
    const kept = new Map<string, number>();
    const cache = {
      get: () => Promise.resolve(undefined),
      put: (key: string, bytes: Uint8Array) => {
        kept.set(key, (kept.get(key) ?? 0) + bytes.length);
        return Promise.resolve();
      },
    };
    const other = 'f'.repeat(64);
    const body = new Uint8Array(1024 * 1024);
    const pool = saying([
      { head: STARTED, body: new Uint8Array() },
      ...Array.from({ length: 200 }, (_, id) => ({
        head: { kind: 'put', id, key: `${other}.pdf-0.${id}` },
        body,
      })),
    ]);
    await createReaderOf([MOCK], { pool, cache, environment: {} }).read({
      name: 'a.mock',
      bytes: Buffer.from('bytes'),
    });
    expect([...kept.keys()].filter((key) => key.startsWith(other))).toEqual([]);
    expect([...kept.values()].reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(64 * body.length);
  });
});
