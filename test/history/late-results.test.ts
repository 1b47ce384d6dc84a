// Results that are not next to their calls: each moves to its call, in every format, and nothing a tool said is lost.

import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { codecOf, compact, createCompactor, createLangChainCodec } from '../../src/history/index.ts';
import { HISTORY_FORMATS, type HistoryFormat, historyOf } from '../support/histories.ts';
import { JUDGES } from '../support/history-rules/index.ts';
import type { Result, Turn } from '../support/history-script.ts';

const user = (text: string): Turn => ({ kind: 'user', text, media: null });
const said = (text: string): Turn => ({ kind: 'assistant', thinking: null, text, hosted: '', calls: [] });
const answer = (text: string): Result => ({ text, json: false, isError: false, media: null });
const came = (id: string, text = `result of ${id}`): Turn => ({
  kind: 'stray',
  id,
  name: 'read',
  result: answer(text),
});
/** A response with calls; ids ending in `!` have their results next to them. */
const asked = (...ids: readonly string[]): Turn => ({
  kind: 'assistant',
  thinking: null,
  text: '',
  hosted: '',
  calls: ids.map((id) => ({
    id: id.replace('!', ''),
    name: 'read',
    args: { path: id },
    result: id.endsWith('!') ? answer(`result of ${id.replace('!', '')}`) : null,
    approved: false,
  })),
});

/** Each with the results in the order expected. */
const LISTS: Readonly<Record<string, readonly [turns: readonly Turn[], results: readonly string[]]>> = {
  'behind a user message': [
    [user('go'), asked('a'), user('hurry'), came('a'), said('ok'), user('and?')],
    ['a'],
  ],
  'behind several messages': [
    [
      user('go'),
      asked('a'),
      user('hurry'),
      said('I wait.'),
      user('and?'),
      came('a'),
      said('ok'),
      user('so?'),
    ],
    ['a'],
  ],
  'scattered, of parallel calls': [
    [
      user('go'),
      asked('a', 'b', 'c'),
      user('1'),
      came('b'),
      said('?'),
      user('2'),
      came('c'),
      said('?'),
      user('3'),
      came('a'),
    ],
    ['a', 'b', 'c'],
  ],
  'of the call between two with results': [
    [user('go'), asked('a!', 'b', 'c!'), said('Partly.'), user('hurry'), came('b'), said('ok'), user('and?')],
    ['a', 'b', 'c'],
  ],
  'of two responses': [
    [user('go'), asked('a'), user('1'), asked('b'), user('2'), came('b'), came('a'), said('ok'), user('3')],
    ['a', 'b'],
  ],
  'behind results of another response': [
    [user('go'), asked('a'), user('1'), asked('b!'), came('a'), said('ok'), user('3')],
    ['a', 'b'],
  ],
  'before its call': [[user('go'), came('a'), asked('a'), user('and?')], ['a']],
};

const langChain = createLangChainCodec({ HumanMessage, AIMessage, ToolMessage });
const codecFor = (format: HistoryFormat) =>
  format === 'langchain' ? langChain : codecOf<unknown>(format === 'ai-sdk-prompt' ? 'ai-sdk' : format);
const resultsOf = (format: HistoryFormat, messages: readonly unknown[]): string[] =>
  messages.flatMap((message) =>
    codecFor(format)
      .view(message)
      .items.filter(({ kind, providerExecuted }) => kind === 'result' && !providerExecuted)
      .map(({ text }) => text),
  );

describe.each(HISTORY_FORMATS)('%s', (format) => {
  const options = { window: 100_000, format: codecFor(format) };
  const judge = JUDGES[format];

  describe.each(Object.keys(LISTS))('a result %s', (name) => {
    const [turns = [], results = []] = LISTS[name] ?? [];
    const expected = results.map((id) => `result of ${id}`);

    it('moves to its call, and the list does not change again', async () => {
      const { messages } = historyOf(format, { turns, bareIds: false });
      const done = await compact(messages, options);
      expect(judge(done.messages)).toEqual([]);
      // In one message, results have the order of their calls.
      const found = resultsOf(format, done.messages);
      expect(codecFor(format).rules.resultsTogether ? found : found.sort()).toEqual(expected);
      expect((await compact(done.messages, options)).messages).toEqual(done.messages);
      expect(done.messages.filter((message) => messages.includes(message)).length).toBeGreaterThanOrEqual(
        messages.length - 5,
      );
    });

    it.each(['originals', 'own output'])(
      'replaces our answer when it comes, with a list of %s',
      async (which) => {
        const { messages } = historyOf(format, { turns, bareIds: false });
        const compactor = createCompactor<unknown>(options);
        let own: readonly unknown[] = [];
        for (let end = 1; end <= messages.length; end += 1) {
          const list = which === 'originals' ? messages.slice(0, end) : [...own, messages[end - 1]];
          own = (await compactor.compact(list)).messages;
          if (end === messages.length) {
            if (name !== 'before its call') expect(resultsOf(format, own).sort()).toEqual(expected);
            expect(judge(own)).toEqual([]);
          }
          const state = JSON.parse(JSON.stringify(compactor.state()));
          const restored = createCompactor<unknown>({ ...options, state });
          expect((await restored.compact(own)).messages).toEqual(own);
        }
      },
    );
  });

  it('is reported once', async () => {
    const [turns = []] = LISTS['behind a user message'] ?? [];
    const { messages } = historyOf(format, { turns, bareIds: false });
    const compactor = createCompactor<unknown>(options);
    const moves = codecFor(format).rules.results !== 'anywhere';
    const { report } = await compactor.compact(messages);
    expect(report.repairs.map(({ kind }) => kind)).toEqual(moves ? ['late-result'] : []);
    const again = (await compactor.compact(messages)).report;
    expect([again.action, again.repairs]).toEqual(['none', []]);
  });

  it('adds what a second result says to the first', async () => {
    const turns = [user('go'), asked('a!'), came('a', 'DEPLOYED OK'), said('ok'), user('and?')];
    const { messages } = historyOf(format, { turns, bareIds: false });
    const done = await compact(messages, options);
    expect(judge(done.messages)).toEqual([]);
    expect(resultsOf(format, done.messages)).toEqual(['result of a\nDEPLOYED OK']);
    expect((await compact(done.messages, options)).messages).toEqual(done.messages);
  });
});
