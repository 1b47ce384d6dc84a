// What fits the budget is shown whole; the limits of a first view shape only what does not, unless someone set them.

import { describe, expect, it } from 'vitest';
import { createReader, type Reader } from '../../src/index.ts';
import { readOk } from '../support/walk.ts';

const bytes = (text: string): Buffer => Buffer.from(text);
const plain = createReader({ environment: {}, cache: false });

const FILES: readonly (readonly [name: string, content: string])[] = [
  ['program.py', Array.from({ length: 300 }, (_, at) => `value_${at} = ${at}\n`).join('')],
  [
    'wide.csv',
    `${Array.from({ length: 60 }, (_, at) => `c${at}`).join(',')}\n${`${'1,'.repeat(59)}1\n`.repeat(4)}`,
  ],
  ['long.csv', `id,name\n${Array.from({ length: 90 }, (_, at) => `${at},n${at}\n`).join('')}`],
  ['keys.json', JSON.stringify(Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`k${at}`, at])))],
  ['deep.json', `${'{"a":'.repeat(20)}1${'}'.repeat(20)}`],
  ['string.json', JSON.stringify({ text: 'a word '.repeat(200) })],
  ['items.xml', `<list>${'<item>1</item>'.repeat(80)}</list>`],
  ['many.yaml', Array.from({ length: 80 }, (_, at) => `key_${at}: ${at}\n`).join('')],
  ['line.txt', `${'a long line of words '.repeat(100)}\n`],
];

/** All of the converted file, whatever it costs. */
const whole = async (reader: Reader, name: string, content: string): Promise<string> =>
  (await readOk(reader, { name, bytes: bytes(content) }, { all: true })).text;

describe('a file that fits the budget', () => {
  it.each(FILES)('%s is shown whole, however many lines, items or columns it has', async (name, content) => {
    const answer = await readOk(plain, { name, bytes: bytes(content) });
    expect(answer.truncation).toBe(null);
    expect(answer.text).toBe(await whole(plain, name, content));
  });

  it.each(FILES)('%s never costs more cut than it costs whole', async (name, content) => {
    const cost = plain.count(await whole(plain, name, content));
    for (const maxTokens of [cost - 1, cost, cost + 1]) {
      const answer = await readOk(plain, { name, bytes: bytes(content) }, { maxTokens });
      expect(plain.count(answer.text)).toBeLessThanOrEqual(cost);
      if (maxTokens >= cost) expect(answer.truncation).toBe(null);
    }
  });

  it('is shown in place of its outline, and is no error', async () => {
    const [[name, content]] = FILES as [(typeof FILES)[0]];
    for (const overflow of ['outline', 'error'] as const) {
      const answer = await readOk(plain, { name, bytes: bytes(content) }, { overflow });
      expect(answer.text).toBe(content);
    }
  });

  it('is read so in a process of its own', async () => {
    const isolated = createReader({ environment: {}, cache: false, isolation: 'process' });
    for (const [name, content] of FILES)
      expect(await isolated.read({ name, bytes: bytes(content) }), name).toEqual(
        await plain.read({ name, bytes: bytes(content) }),
      );
    await isolated.close();
  });
});

describe('a limit that someone set', () => {
  const [[name, content]] = FILES as [(typeof FILES)[0]];

  it('holds, as an option and as a variable', async () => {
    for (const options of [{ limits: { maxLines: 200 } }, { environment: { LECTERN_MAX_LINES: '200' } }]) {
      const reader = createReader({ environment: {}, cache: false, ...options });
      const { truncation } = await readOk(reader, { name, bytes: bytes(content) });
      expect(truncation?.shown).toEqual([{ unit: 'line', from: 1, to: 200, of: 300 }]);
    }
  });

  it('leaves the others lifted', async () => {
    const reader = createReader({ environment: {}, cache: false, limits: { maxCellLength: 500 } });
    expect((await readOk(reader, { name, bytes: bytes(content) })).truncation).toBe(null);
  });
});

it('a part that is asked for keeps to the limits of a view', async () => {
  const [[name, content]] = FILES as [(typeof FILES)[0]];
  const { truncation } = await readOk(plain, { name, bytes: bytes(content) }, { lines: '1-250' });
  expect(truncation?.shown[0]?.to).toBeLessThanOrEqual(250);
});

describe('a budget above the default', () => {
  const content = `id,name\n${Array.from({ length: 6000 }, (_, at) => `${at},Person ${at}\n`).join('')}`;
  const input = { name: 'large.csv', bytes: bytes(content) };
  const maxTokens = plain.count(content);

  it('raises the limit of characters, set by the request or by the reader, in a child process too', async () => {
    expect(content.length).toBeGreaterThan(plain.limits.maxTotalOutput);
    expect((await readOk(plain, input, { maxTokens, overflow: 'error' })).text).toBe(content);
    const [several] = await plain.readMany([input], { maxTokens });
    expect(several?.success && several.text).toBe(content);
    for (const isolation of ['inline', 'process'] as const) {
      const large = createReader({
        environment: {},
        cache: false,
        limits: { maxTokensPerFile: maxTokens },
        isolation,
      });
      expect((await readOk(large, input)).text, isolation).toBe(content);
      await large.close();
    }
  });

  it('leaves a limit of characters that was set, which the error names with what would fit', async () => {
    const limits = { maxTotalOutput: 50_000 };
    const set = createReader({ environment: {}, cache: false, limits });
    expect((await readOk(set, input, { maxTokens })).text.length).toBeLessThanOrEqual(50_000);
    const refused = await set.read(input, { maxTokens, overflow: 'error' });
    expect(refused).toMatchObject({
      success: false,
      error: {
        code: 'OVER_BUDGET',
        message: `The file has ${content.length} characters, more than the 50000 that \`maxTotalOutput\` allows.`,
      },
    });
    const enough = createReader({
      environment: {},
      cache: false,
      limits: { maxTotalOutput: content.length },
    });
    expect((await readOk(enough, input, { maxTokens, overflow: 'error' })).text).toBe(content);
  });
});
