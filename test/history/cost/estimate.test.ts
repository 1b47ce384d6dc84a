import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { item, type MediaFacts } from '../../../src/history/codecs/message.ts';
import { createEstimator } from '../../../src/history/cost/estimate.ts';
import type { ProfileName } from '../../../src/models/index.ts';
import { createTokenCounter } from '../../../src/tokens/index.ts';
import { draws } from '../../support/draws.ts';

const PROFILES: readonly ProfileName[] = ['anthropic', 'openai', 'gemini', 'conservative'];
const estimators = PROFILES.map((profile) => createEstimator(profile));
const anyEstimator = fc.constantFrom(...estimators);

const piece = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.base64String({ maxLength: 80 }),
  fc.constantFrom(
    '\n\n\n',
    '        ',
    '\t\t',
    'getHTMLElement',
    '====',
    '2026-11-22',
    '文字',
    '🎉',
    '\ud83c',
    'a b c',
  ),
);
const text = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(''));

const splitsPair = (value: string, at: number): boolean =>
  /[\ud800-\udbff]/.test(value.charAt(at - 1)) && /[\udc00-\udfff]/.test(value.charAt(at));

function media(facts: Partial<MediaFacts>): ReturnType<typeof item> {
  const none = { mimeType: null, bytes: null, width: null, height: null };
  return item('media', { media: { type: 'image', ...none, ...facts } });
}

describe('text', () => {
  it('costs nothing when empty, and never less when longer', () => {
    fc.assert(
      fc.property(anyEstimator, text, fc.nat(), (estimator, value, cut) => {
        const front = value.slice(0, cut % (value.length + 1));
        expect(estimator.text('')).toBe(0);
        expect(estimator.text(front)).toBeLessThanOrEqual(estimator.text(value));
        expect(Number.isInteger(estimator.text(value))).toBe(true);
      }),
      { numRuns: draws(500) },
    );
  });

  it('of two texts is near the sum of both', () => {
    fc.assert(
      fc.property(anyEstimator, text, text, (estimator, a, b) => {
        const both = estimator.text(a + b);
        const sum = estimator.text(a) + estimator.text(b);
        expect(Math.abs(both - sum)).toBeLessThanOrEqual(12);
      }),
    );
  });

  it.each(['a', 'A', '7', ' ', '\n', '=', '文', '🎉', '\ud800', '\u0000', 'aB3'])(
    'takes 5 million characters of %j',
    (unit) => {
      const value = unit.repeat(5_000_000 / unit.length);
      const estimator = createEstimator('anthropic');
      const tokens = estimator.text(value);
      expect(tokens).toBeGreaterThan(0);
      expect(tokens).toBeLessThanOrEqual(3 * value.length);
      const front = estimator.prefix(value, 1000);
      const back = estimator.suffix(value, 1000);
      expect(estimator.text(value.slice(0, front))).toBeLessThanOrEqual(1000);
      expect(estimator.text(value.slice(value.length - back))).toBeLessThanOrEqual(1000);
      expect(Math.min(front, back)).toBeGreaterThan(400);
    },
  );

  it('of the openai profile is close to an exact count, and usually above it', () => {
    const counter = createTokenCounter('o200k_base');
    const openai = createEstimator('openai');
    const samples = [
      'The keeper of the lock writes down the height of the water twice a day, and more often after rain. '.repeat(
        20,
      ),
      'export function readText(path: string, { maxTokens = 5000 }: ReadOptions = {}): Promise<Result> {\n  return read(path);\n}\n'.repeat(
        20,
      ),
      '{"id":1041,"customer":"Miller","total":129.95,"paid":true,"items":[{"sku":"A-17","count":2}]}\n'.repeat(
        20,
      ),
      '2026-11-22T08:16:28Z INFO worker-7 request 3f9a1c2b7d0e4a55 took 128 ms\n'.repeat(20),
      '我们的文件可以由代理读取没有任何空格或者标点。'.repeat(20),
      Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * at * 31 + at * 7) % 251)).toString('base64'),
    ];
    for (const sample of samples) {
      const ratio = openai.text(sample) / counter.count(sample);
      expect(ratio).toBeGreaterThan(0.85);
      expect(ratio).toBeLessThan(1.45);
    }
  });

  it('costs most with the conservative profile and more with anthropic than with openai, on prose and code', () => {
    const [anthropic, openai, gemini, conservative] = PROFILES.map((profile) =>
      createEstimator(profile).text(
        'const value = await read(path); // the whole file, as it is\n'.repeat(50),
      ),
    );
    expect(Number(anthropic)).toBeGreaterThan(Number(openai));
    expect(Number(gemini)).toBeGreaterThan(Number(openai));
    expect(Number(conservative)).toBeGreaterThan(Number(gemini));
  });
});

describe('prefix', () => {
  it('is the longest prefix within the tokens that does not split a surrogate pair', () => {
    fc.assert(
      fc.property(anyEstimator, text, fc.integer({ min: 0, max: 80 }), (estimator, value, tokens) => {
        const end = estimator.prefix(value, tokens);
        expect(estimator.text(value.slice(0, end))).toBeLessThanOrEqual(tokens);
        expect(splitsPair(value, end)).toBe(false);
        const next = splitsPair(value, end + 1) ? end + 2 : end + 1;
        if (end < value.length) expect(estimator.text(value.slice(0, next))).toBeGreaterThan(tokens);
      }),
      { numRuns: draws(1000) },
    );
  });

  it.each([0, -1, Number.NaN, Number.NEGATIVE_INFINITY])('is nothing for %d tokens', (tokens) => {
    for (const estimator of estimators) {
      expect(estimator.prefix('some text', tokens)).toBe(0);
      expect(estimator.suffix('some text', tokens)).toBe(0);
    }
  });

  it('is everything for unlimited tokens', () => {
    for (const estimator of estimators) {
      expect(estimator.prefix('some text', Number.POSITIVE_INFINITY)).toBe(9);
      expect(estimator.suffix('some text', Number.POSITIVE_INFINITY)).toBe(9);
    }
  });
});

describe('suffix', () => {
  it('is a suffix within the tokens, of nearly maximum length, that does not split a surrogate pair', () => {
    fc.assert(
      fc.property(anyEstimator, text, fc.integer({ min: 0, max: 80 }), (estimator, value, tokens) => {
        const length = estimator.suffix(value, tokens);
        const start = value.length - length;
        expect(estimator.text(value.slice(start))).toBeLessThanOrEqual(tokens);
        expect(splitsPair(value, start)).toBe(false);
        const longer = value.slice(Math.max(0, start - 12));
        if (start >= 12) expect(estimator.text(longer)).toBeGreaterThanOrEqual(tokens);
      }),
      { numRuns: draws(1000) },
    );
  });
});

describe('item and message', () => {
  it.each<[ProfileName, number, number, number]>([
    ['anthropic', 200, 200, 64],
    ['anthropic', 1000, 1000, 1296],
    ['anthropic', 1092, 1092, 1521],
    ['anthropic', 4000, 3000, 4784],
    ['anthropic', 3000, 100, 368],
    ['openai', 1024, 1024, 1105],
    ['openai', 2048, 4096, 8192],
    ['openai', 512, 512, 1105],
    ['gemini', 384, 384, 1120],
    ['gemini', 200, 2000, 2064],
    ['gemini', 960, 540, 1548],
    ['gemini', 1024, 1024, 1120],
    ['conservative', 1000, 1000, 3969],
  ])('counts a picture for %s by its %d x %d pixels', (profile, width, height, tokens) => {
    const picture = media({ width, height, bytes: 5_000_000 });
    expect(createEstimator(profile).item(picture)).toBe(tokens);
    expect(createEstimator(profile).item({ ...picture, text: 'ignored '.repeat(1000) })).toBe(tokens);
  });

  it.each<[ProfileName, number]>([
    ['anthropic', 4070],
    ['openai', 3072],
    ['gemini', 1548],
    ['conservative', 4070],
  ])('counts a picture of unknown size for %s as %d', (profile, tokens) => {
    expect(createEstimator(profile).item(media({ bytes: 9_000_000 }))).toBe(tokens);
  });

  it('counts sound by seconds and documents by pages, if their bytes state them', () => {
    const gemini = createEstimator('gemini');
    expect(gemini.item(media({ type: 'audio', mimeType: 'audio/wav', bytes: 320_000 }))).toBe(320);
    expect(gemini.item(media({ type: 'audio', mimeType: 'audio/mpeg', bytes: 80_000 }))).toBe(320);
    expect(gemini.item(media({ type: 'document', bytes: 100_000 }))).toBe(4480);
    // A guess would remove what the user attached.
    expect(gemini.item(media({ type: 'document' }))).toBe(0);
  });

  it.each(['text/csv', 'application/json', 'application/json; charset=utf-8', 'application/atom+xml;v=1'])(
    'counts a document of %s as text, not by pages',
    (mimeType) => {
      const document = media({ type: 'document', mimeType, bytes: 300 });
      expect(createEstimator('gemini').item(document)).toBe(100);
    },
  );

  it('adds frames for messages, calls and results, and the weight of opaque parts', () => {
    for (const estimator of estimators) {
      const bare = estimator.message({ role: 'user', items: [] });
      expect(bare).toBeGreaterThan(0);
      const user = item('user', { text: 'hello there' });
      expect(estimator.item(user)).toBe(estimator.text('hello there'));
      expect(estimator.message({ role: 'user', items: [user, user] })).toBe(bare + 2 * estimator.item(user));
      const call = item('call', { text: '{"path":"a.ts"}', toolName: 'read', callId: 'c1' });
      expect(estimator.item(call)).toBeGreaterThan(estimator.text('{"path":"a.ts"}read'));
      expect(estimator.item(item('result', { text: 'x' }))).toBeGreaterThan(estimator.text('x'));
      const opaque = estimator.item(item('opaque', { weight: 1000 }));
      expect(opaque).toBeGreaterThanOrEqual(300);
      expect(opaque).toBeLessThanOrEqual(400);
    }
  });

  it('returns whole numbers of 0 or more for impossible facts', () => {
    const figure = fc.oneof(fc.constant(null), fc.double(), fc.constantFrom(Number.NaN, -1, 0, 1e300, 1e18));
    const type = fc.constantFrom('image', 'audio', 'video', 'document', 'other') satisfies fc.Arbitrary<
      MediaFacts['type']
    >;
    fc.assert(
      fc.property(
        anyEstimator,
        type,
        figure,
        figure,
        figure,
        fc.double(),
        (estimator, kind, a, b, c, weight) => {
          const part = media({ type: kind, width: a, height: b, bytes: c });
          const tokens = estimator.item({ ...part, weight });
          expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true);
        },
      ),
      { numRuns: draws(500) },
    );
  });
});

describe('tools', () => {
  const estimator = createEstimator('anthropic');
  const description = 'Reads a file of the workspace and shows a part of it.';
  const parameters = {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Where the file is.' },
      lines: { type: 'string', description: 'Which lines to show, as 1-40.' },
    },
    required: ['path'],
    additionalProperties: false,
  };
  const schema = z.object({
    path: z.string().describe('Where the file is.'),
    lines: z.string().optional().describe('Which lines to show, as 1-40.'),
  });
  const direct = estimator.tools([{ name: 'read', description, input_schema: parameters }]);

  it.each<[string, unknown]>([
    ['OpenAI chat', [{ type: 'function', function: { name: 'read', description, parameters } }]],
    ['OpenAI Responses', [{ type: 'function', name: 'read', description, parameters, strict: true }]],
    ['Gemini', [{ functionDeclarations: [{ name: 'read', description, parameters }] }]],
    ['AI SDK with zod', { read: { description, inputSchema: schema, execute: () => '' } }],
    ['AI SDK with JSON Schema', { read: { description, inputSchema: { jsonSchema: parameters } } }],
    ['LangChain', [Object.assign(() => '', { description, schema: parameters }), null].slice(0, 1)],
    ['Mastra', { read: { id: 'read', description, inputSchema: schema } }],
    ['MCP', [{ name: 'read', description, inputSchema: parameters }]],
  ])('reads the tools of %s', (_, tools) => {
    const tokens = estimator.tools(tools);
    expect(tokens).toBeGreaterThan(direct * 0.75);
    expect(tokens).toBeLessThan(direct * 1.6);
  });

  it('is close to the cost of the definitions as JSON', () => {
    const json = estimator.text(JSON.stringify({ name: 'read', description, input_schema: parameters }));
    expect(direct).toBeGreaterThan(json * 0.9);
    expect(direct).toBeLessThan(json * 1.6);
  });

  it('grows with the number of tools', () => {
    const many = Array.from({ length: 20 }, (_, at) => ({
      name: `read_${at}`,
      description,
      input_schema: parameters,
    }));
    expect(estimator.tools(many)).toBeGreaterThan(direct * 18);
  });

  it('counts settings of a tool the provider runs', () => {
    const tokens = estimator.tools([{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }]);
    expect(tokens).toBeGreaterThan(30);
    expect(tokens).toBeLessThan(120);
  });

  it('is bounded and finite for anything', () => {
    const cycle: Record<string, unknown> = { name: 'loop', description };
    cycle['parameters'] = cycle;
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no');
        },
        get: () => {
          throw new Error('no');
        },
      },
    );
    interface Node {
      readonly next: Node;
      readonly name: string;
    }
    const endless = (): Node => ({
      name: 'n',
      get next(): Node {
        return endless();
      },
    });
    let deep: unknown = 'end';
    for (let level = 0; level < 100_000; level += 1) deep = { properties: deep };
    const wide = Object.fromEntries(
      Array.from({ length: 200_000 }, (_, at) => [`key${at}`, { type: 'string' }]),
    );
    const values = [
      cycle,
      [cycle, cycle],
      hostile,
      [hostile],
      [{ name: 'x', parameters: endless() }],
      [{ name: 'x', parameters: deep }],
      [{ name: 'x', parameters: wide }],
      [{ name: 'x', description: 'y'.repeat(20_000_000) }],
      new Array(5_000_000),
    ];
    for (const value of values) {
      const tokens = estimator.tools(value);
      expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true);
      expect(tokens).toBeLessThan(10_000_000);
    }
    for (const nothing of [undefined, null, 0, 'tools', true, [], {}])
      expect(estimator.tools(nothing)).toBe(0);
    fc.assert(
      fc.property(
        fc.anything({ maxDepth: 4, withBigInt: true, withMap: true, withNullPrototype: true }),
        (value) => {
          expect(Number.isSafeInteger(estimator.tools(value))).toBe(true);
        },
      ),
    );
  });
});
