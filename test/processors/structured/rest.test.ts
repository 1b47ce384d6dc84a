// How to go on after a view: the largest part left out, where a request asks for it and an answer is filled by it.

import { describe, expect, test } from 'vitest';
import { json } from '../../../processors/structured/json.ts';
import { jsonl } from '../../../processors/structured/jsonl.ts';
import { yaml } from '../../../processors/structured/yaml.ts';
import { memorySource, run, type TestOptions } from '../../support/context.ts';

const nextOf = async (value: unknown, options: TestOptions) =>
  (await run(json, memorySource(JSON.stringify(value), 'x.json'), options)).next;
const dictionary = (count: number, value: (at: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`name-${at}`, value(at)]));

describe('after a view of JSON', () => {
  test('the end of one small array is not proposed where most keys are left', async () => {
    const types = dictionary(2000, (at) => ({
      source: 'iana',
      extensions: at === 3 ? ['a', 'b', 'c'] : ['a'],
    }));
    const next = await nextOf(types, { tokens: 2000 });
    expect(next).toBeDefined();
    expect(next?.request).toBeUndefined();
    expect(next?.skip).toBeUndefined();
  });

  test('one member that is most of what is left out is proposed by its pointer', async () => {
    const packages = dictionary(500, (at) => ({ version: `1.0.${at}`, dev: true }));
    const lock = { name: 'a', version: '1', 'all/packages': packages, end: 1 };
    const next = await nextOf(lock, { tokens: 50 });
    expect(next?.skip).toEqual({ pointer: '/all~1packages' });
  });

  test('the longest array is proposed by its rows, wherever other places are cut', async () => {
    const items = Array.from({ length: 3000 }, (_, at) => ({ at, name: `item ${at}` }));
    const next = await nextOf({ few: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], items }, { tokens: 200 });
    expect(next?.skip).toMatchObject({ pointer: '/items', rows: expect.stringMatching(/^\d+-3000$/) });
  });
});

test('items that were asked for and are shown whole are followed by those behind them', async () => {
  const items = Array.from({ length: 100 }, (_, at) => ({ at }));
  const rows = { from: 1, to: 20 };
  for (const [processor, name, text, pointer] of [
    [json, 'x.json', JSON.stringify(items), undefined],
    [json, 'x.json', JSON.stringify({ items }), '/items'],
    [jsonl, 'x.jsonl', items.map((item) => `${JSON.stringify(item)}\n`).join(''), undefined],
  ] as const) {
    const source = memorySource(text, name);
    const selection = pointer === undefined ? { rows } : { rows, pointer };
    const { next } = await run(processor, source, { selection });
    expect(next?.request).toEqual(pointer === undefined ? { rows: '21-100' } : { pointer, rows: '21-100' });
    const kept = pointer === undefined ? {} : { pointer };
    const rest = await run(processor, source, { selection: { ...kept, resume: next?.position ?? [] } });
    expect(rest.text).toContain('{"at":20}');
    expect(rest.text).toContain('{"at":99}');
    expect(rest.text).not.toContain('{"at":19}');
    expect(rest.next).toBeUndefined();
    const last = await run(processor, source, { selection: { ...kept, rows: { from: 90, to: 100 } } });
    expect(last.next).toBeUndefined();
  }
});

describe('after a view of YAML', () => {
  const job = (at: number): string =>
    `  job-${at}:\n    name: job ${at} of the workflow\n    steps:\n${'      - run: make all && make check\n'.repeat(8)}`;
  const text = `name: build\non:\n  push: {branches: [main]}\njobs:\n${Array.from({ length: 12 }, (_, at) => job(at)).join('')}`;
  const lineCount = text.split('\n').length - 1;

  test('all lines from the first place cut are proposed, so that none is passed over', async () => {
    const { next } = await run(yaml, memorySource(text, 'x.yaml'), { tokens: 300 });
    const [from, to] = (next?.request?.lines ?? '').toString().split('-').map(Number);
    expect(from).toBeLessThanOrEqual(8);
    expect(to).toBe(lineCount);
  });

  test('room that is left goes to a level more', async () => {
    const { view, context } = await run(yaml, memorySource(text, 'x.yaml'), { tokens: 300 });
    expect(context.budget.count(view)).toBeGreaterThan(context.budget.tokensBesideNotes * 0.6);
  });
});
