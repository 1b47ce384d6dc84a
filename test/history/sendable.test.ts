// What a provider refuses although it says nothing, unknown sizes and unknown windows: mended or named, never a reason to
// remove what the user said.

import { describe, expect, it } from 'vitest';
import { compact, createCompactor, type HistoryOptions } from '../../src/history/index.ts';
import { JUDGES } from '../support/history-rules/index.ts';

type Native = Readonly<Record<string, unknown>>;
const user = (content: unknown): Native => ({ role: 'user', content });
const said = (content: unknown): Native => ({ role: 'assistant', content });
const text = (value: string): Native => ({ type: 'text', text: value });
const use = (id: string, input: Native = {}): Native => ({ type: 'tool_use', id, name: 'read', input });
const result = (id: string, content: unknown, more: Native = {}): Native => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
});
const asked = said([use('a')]);
const anthropic: HistoryOptions<Native> = { window: 100_000, format: 'anthropic' };

describe('what Anthropic refuses', () => {
  it.each<[string, readonly Native[]]>([
    ['an empty text', [user('go'), said(''), user('and?')]],
    ['a blank text', [user('go'), said(' \n'), user('and?')]],
    ['an empty list', [user('go'), said([]), user('and?')]],
    ['an empty block beside others', [user([text('go'), text('')]), said('ok'), user('and?')]],
    ['a blank block beside a call', [user('go'), said([text('\n\n'), use('a')]), user([result('a', 'x')])]],
    ['an empty text in a result', [user('go'), asked, user([result('a', [text('')])])]],
    [
      'an empty text beside others in a result',
      [user('go'), asked, user([result('a', [text(''), text('x')])])],
    ],
    ['an error without a text', [user('go'), asked, user([result('a', '', { is_error: true })])]],
    ['an empty newest message', [user('go'), said('ok'), user('')]],
    [
      'a call of its own without a result',
      [
        user('go'),
        said([
          text('I search.'),
          { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
        ]),
        user('and?'),
        said('ok'),
        user('so?'),
      ],
    ],
    [
      'an answer of only such a call',
      [
        user('go'),
        said([{ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }]),
        user('so?'),
      ],
    ],
    [
      'an id that is used twice',
      [
        user('go'),
        asked,
        user([result('a', 'first')]),
        said([use('a', { n: 2 })]),
        user([result('a', 'second')]),
      ],
    ],
    [
      'an id that is used twice in one message',
      [
        user('go'),
        said([use('a', { n: 1 }), use('a', { n: 2 })]),
        user([result('a', 'first'), result('a', 'second')]),
      ],
    ],
  ])('%s is repaired, once', async (_, list) => {
    expect(JUDGES.anthropic(list)).not.toEqual([]);
    const compactor = createCompactor(anthropic);
    const done = await compactor.compact(list);
    expect(JUDGES.anthropic(done.messages)).toEqual([]);
    expect(done.report.repairs.length).toBeGreaterThan(0);
    const again = await compactor.compact(list);
    expect([again.messages, again.report.repairs]).toEqual([done.messages, []]);
    expect((await compact(done.messages, anthropic)).messages).toEqual(done.messages);
    for (const word of ['first', 'second', 'x'])
      if (JSON.stringify(list).includes(`"${word}"`)) expect(JSON.stringify(done.messages)).toContain(word);
  });

  it('results of one id answer its calls in order', async () => {
    const calls = said([use('a', { n: 1 }), use('a', { n: 2 })]);
    const answers = user([result('a', 'first'), result('a', 'second')]);
    const { messages } = await compact([user('go'), calls, answers], anthropic);
    expect(messages[2]).toEqual(user([result('a', 'first'), result('a_2', 'second')]));
    const { messages: fewer } = await compact([user('go'), calls, user([result('a', 'first')])], anthropic);
    expect(JSON.stringify(fewer[2])).toContain(JSON.stringify(result('a', 'first')));
  });

  it('the end of a started answer may not be blank', async () => {
    const { messages } = await compact([user('go'), said('{ ')], anthropic);
    expect(messages.at(-1)).toEqual(said('{'));
  });

  it('takes the system prompt as a list of blocks', async () => {
    const list = [user('go')];
    const plain = await compact(list, anthropic, { system: 'Be brief.' });
    const blocks = await compact(list, anthropic, { system: [text('Be brief.')] });
    expect(blocks.report.before).toEqual(plain.report.before);
  });
});

it('an answer without content among plain messages is removed', async () => {
  const list = Array.from({ length: 41 }, (_, at) => (at % 2 === 0 ? user(`u${at}`) : said(`a${at}`)));
  for (const nothing of [said(null), said([])]) {
    const { messages, report } = await compact<Native>([...list.slice(0, 20), nothing, ...list.slice(20)], {
      window: 100_000,
    });
    expect(report.codec).toBe('openai-chat');
    expect(messages).toEqual(list);
    expect(report.repairs.map(({ kind }) => kind)).toEqual(['empty-text']);
  }
});

describe('attachments of unknown size', () => {
  const file = (n: number): Native => ({
    type: 'document',
    title: `invoice-${n}.txt`,
    source: { type: 'file', file_id: `file_${n}` },
  });

  it('stay, cost nothing and are counted', async () => {
    const files = Array.from({ length: 12 }, (_, n) => file(n));
    const list = [user([text('Compare these.'), ...files])];
    const { messages, report } = await compact(list, { ...anthropic, window: 20_000 });
    expect(messages[0]).toBe(list[0]);
    expect([report.action, report.unknownSizes, report.fits]).toEqual(['none', 12, true]);
    expect(report.before.tokens).toBeLessThan(200);
  });

  it('as images stay even where their prices exceed the window', async () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } };
    const list = [user([text('Compare these.'), ...Array.from({ length: 40 }, () => image)])];
    const { messages, report } = await compact(list, { ...anthropic, window: 20_000 });
    expect(messages).toEqual(list);
    expect(report.problem?.code).toBe('OVER_BUDGET');
  });
});

describe('the window', () => {
  const list = [user('go')];

  it('must be given, or a model', async () => {
    await expect(compact(list)).rejects.toThrow('neither `window` nor `model` was given');
    await expect(createCompactor<Native>().compact(list)).rejects.toThrow('neither `window` nor `model`');
    expect((await createCompactor<Native>().compact(list, { window: 5000 })).report.windowAssumed).toBe(
      false,
    );
    expect((await compact(list, { model: 'gpt-5.4' })).report.windowAssumed).toBe(false);
  });

  it('of an unknown model is assumed, which the report and one warning name', async () => {
    const warnings: Error[] = [];
    const collect = (warning: Error): void => void warnings.push(warning);
    process.on('warning', collect);
    for (const model of ['my-own-model', 'another-model'])
      expect((await compact(list, { model })).report).toMatchObject({ windowAssumed: true, window: 128_000 });
    await new Promise(setImmediate);
    process.off('warning', collect);
    const codes = warnings.map((warning) => ('code' in warning ? warning.code : null));
    expect(codes.filter((code) => code === 'LECTERN_WINDOW_ASSUMED').length).toBeLessThanOrEqual(1);
    const known = await compact(list, { model: 'my-own-model', window: 50_000 });
    expect(known.report.windowAssumed).toBe(false);
  });
});
