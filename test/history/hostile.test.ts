// Malformed lists in every format: only our own errors, no changes to the caller's data, bounded work.

import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ReaderError } from '../../src/contract/index.ts';
import {
  CODECS,
  type Codec,
  createCompactor,
  createMemoryStorage,
  PRESET_NAMES,
} from '../../src/history/index.ts';
import { user } from '../support/chat.ts';
import { draws } from '../support/draws.ts';

// Runs many cases.
vi.setConfig({ testTimeout: 180_000 });

const RUNS = Number(process.env['MODEL_RUNS'] ?? draws(40));

/** Freezes everything that can be frozen. */
function frozen<T>(value: T, seen: Set<unknown> = new Set()): T {
  if (typeof value !== 'object' || value === null || seen.has(value) || ArrayBuffer.isView(value))
    return value;
  seen.add(value);
  for (const field of Object.values(Object.getOwnPropertyDescriptors(value))) frozen(field.value, seen);
  return Object.freeze(value);
}

const TEXTS: readonly unknown[] = [
  ...[
    'user',
    'assistant',
    'tool',
    'system',
    'model',
    'toolResult',
    'text',
    'tool_use',
    'tool_result',
    'thinking',
  ],
  ...[
    'tool-call',
    'tool-result',
    'function_call',
    'function_call_output',
    'function_call_result',
    'image_url',
  ],
  ...['__proto__', 'constructor', 'toString', 'a]b', 'a\nb', '$&', '\ud800', 'x'.repeat(9000), '[history: '],
  '[history: result of read left out, ~5 tokens]',
  '[history: 3 earlier messages left out, ~10 tokens]',
];
const NAMES = [
  ...['role', 'type', 'content', 'text', 'id', 'name', 'tool_calls', 'tool_call_id', 'tool_use_id', 'input'],
  ...[
    'arguments',
    'function',
    'call_id',
    'callId',
    'toolCallId',
    'toolName',
    'output',
    'value',
    'parts',
    'args',
  ],
  ...['functionCall', 'functionResponse', 'response', 'thinking', 'signature', 'source', 'data', 'mimeType'],
  ...['providerOptions', 'additional_kwargs', 'kwargs', 'lc', '_getType', '__proto__', 'constructor'],
];

const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
    { weight: 1, arbitrary: fc.anything({ maxDepth: 1, withBigInt: true, withDate: true, withMap: true }) },
    { weight: 2, arbitrary: fc.array(tie('tree'), { maxLength: 4 }) },
    {
      weight: 4,
      arbitrary: fc
        .array(fc.tuple(fc.constantFrom(...NAMES), tie('tree')), { maxLength: 7 })
        .map((fields) => {
          const made = {};
          for (const [name, value] of fields)
            Object.defineProperty(made, name, { value, enumerable: true, configurable: true });
          return made;
        }),
    },
  ),
}));
const message = fc
  .tuple(fc.constantFrom('user', 'assistant', 'tool', 'system', 'model', 'toolResult'), tree, tree)
  .map(([role, content, rest]) => ({
    role,
    content,
    parts: content,
    ...(rest instanceof Object ? rest : {}),
  }));
const junk = fc.array(fc.oneof({ weight: 4, arbitrary: message }, { weight: 1, arbitrary: tree }), {
  maxLength: 12,
});

/** Calls everything that takes a list; only our own errors may be thrown. */
async function used(list: readonly unknown[], codec: Codec | null, preset: (typeof PRESET_NAMES)[number]) {
  try {
    const options = { window: 2000, preset, storage: createMemoryStorage(), ...(codec && { format: codec }) };
    const compactor = createCompactor(options);
    const { messages, report } = await compactor.compact(list);
    await compactor.compact(messages);
    await compactor.compact(list, { force: true });
    const state = compactor.state();
    createCompactor({ ...options, state: JSON.parse(JSON.stringify(state)) });
    for (const pointer of report.pointers) await compactor.restore(pointer);
  } catch (error) {
    expect(error).toBeInstanceOf(ReaderError);
    expect(error).toMatchObject({ code: 'BAD_INPUT' });
    // With an explicit format, any list is accepted.
    expect(codec).toBe(null);
  }
}

describe.each([null, ...CODECS])('$name', (codec) => {
  it('accepts any list, even frozen', async () => {
    await fc.assert(
      fc.asyncProperty(junk, fc.constantFrom(...PRESET_NAMES), (list, preset) =>
        used(frozen(list), codec, preset),
      ),
      { numRuns: RUNS },
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('accepts cycles, getters that throw, proxies, holes and deep nesting', async () => {
    const long = { role: 'user', content: 'w '.repeat(6000) };
    const cycle: Record<string, unknown> = { role: 'user' };
    cycle['content'] = [{ type: 'text', text: 'a'.repeat(20_000) }, cycle];
    const refuse = (): never => {
      throw new Error('refused');
    };
    const traps = { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse };
    const revoked = Proxy.revocable([], {});
    revoked.revoke();
    let deep: unknown = 'x';
    for (let depth = 0; depth < 20_000; depth += 1) deep = { content: [deep] };
    const thrower = {
      role: 'user',
      get content(): string {
        return refuse();
      },
    };
    const toJson = { role: 'user', content: 'q'.repeat(20_000), toJSON: refuse };
    const holes: unknown[] = [];
    holes[3] = long;
    const odd = [
      cycle,
      new Proxy({}, traps),
      revoked.proxy,
      { role: 'user', content: revoked.proxy },
      thrower,
      toJson,
    ];
    for (const one of [...odd, { role: 'user', content: [deep] }, Symbol('x'), null, undefined, 10n, () => 1])
      for (const preset of PRESET_NAMES)
        await used([long, one, { role: 'assistant', content: 'a' }, one, long], codec, preset);
    await used(holes, codec, 'lectern');
    await expect(
      createCompactor({ window: 128_000, ...(codec && { format: codec }) }).compact(revoked.proxy),
    ).rejects.toMatchObject({
      code: 'BAD_INPUT',
    });
  });
});

describe('more entries than a function accepts arguments, about 120 000', () => {
  const MANY = 150_000;

  it('of results without calls', async () => {
    const results = Array.from({ length: MANY }, (_, at) => ({ type: 'tool_result', tool_use_id: `t${at}` }));
    const list = [user('go'), { role: 'user', content: results }, user('go on')];
    const compactor = createCompactor<unknown>({
      window: 128_000,
      format: 'anthropic',
      storage: createMemoryStorage(),
    });
    expect((await compactor.compact(list)).report.repairs).toHaveLength(MANY);
  });
});
