// Each tier by example, at the thresholds of the documents behind lectern.

import { describe, expect, it } from 'vitest';
import { INTERRUPTED } from '../../../src/history/archive/placeholder.ts';
import {
  compact,
  createCompactor,
  type HistoryOptions,
  type Policy,
  presetOf,
  type Report,
  type Tier,
} from '../../../src/history/index.ts';
import {
  argsOf,
  type Chat,
  calls,
  contentOf,
  log,
  noticeIn,
  openStorage,
  result,
  resultOf,
  SUMMARY,
  says,
  step,
  steps,
  system,
  tokensOf,
  user,
} from '../../support/chat.ts';
import { JUDGES } from '../../support/history-rules/index.ts';

const NOTHING: Policy = {
  offload: false,
  truncate: false,
  mask: false,
  pointers: false,
  drop: false,
  workingSet: false,
  margin: 0.1,
  reserve: 0,
  keepRecent: 0.2,
  messages: false,
};

/** A compactor with a single tier that reduces to half of its trigger. */
const only = (policy: Partial<Policy>, options: HistoryOptions<Chat> = {}): HistoryOptions<Chat> => ({
  window: 200_000,
  preset: 'valis',
  ...options,
  policy: { ...NOTHING, ...policy },
});
const tiersOf = ({ tiers }: Report): Tier[] => tiers.map(({ tier }) => tier);
const asked: readonly Chat[] = [system('You are an engineer.'), user('Find the defect.')];

describe('offload', () => {
  const offload = { over: 20_000, lines: 10 };

  it('keeps a result of 20 000 tokens, and moves a slightly longer one to a file', async () => {
    const storage = openStorage();
    const options = only({ offload }, { storage });
    const text = log(19_990, 1);
    const fits = [...asked, calls(['a', 'bash', {}]), result('a', text)];
    const kept = await compact(fits, options);
    expect(kept.report.action).toBe('none');
    expect(kept.messages).toEqual(fits);
    const longer = log(20_100, 1);
    const over = [...asked, calls(['a', 'bash', {}]), result('a', longer)];
    const done = await compact(over, options);
    expect(tiersOf(done.report)).toEqual(['offload']);
    const shown = resultOf(done.messages, 'a').split('\n');
    const [path] = storage.files.keys();
    expect(shown[0]).toBe(
      `[history: result of bash saved, ~${tokensOf(longer)} tokens, ${longer.split('\n').length} lines; full text: ${path}]`,
    );
    expect(shown.slice(1, 11)).toEqual(longer.split('\n').slice(0, 10));
    expect(shown.slice(11)).toEqual([`[history: ${longer.split('\n').length - 10} lines more]`]);
    expect(storage.files.get(path ?? '')).toBe(longer);
    expect((await done.restore(path ?? '')).text).toBe(longer);
  });

  it('previews a result of one line by its start, within bounds', async () => {
    const line = JSON.stringify(Array.from({ length: 9000 }, (_, n) => ({ id: n, name: `item-${n}` })));
    const { messages, report } = await compact(
      [...asked, calls(['a', 'query', {}]), result('a', line)],
      only({ offload }, { storage: openStorage() }),
    );
    expect(tiersOf(report)).toEqual(['offload']);
    const [head, start, ...rest] = resultOf(messages, 'a').split('\n');
    expect(head).toContain(', 1 line; full text: tool_outputs/query-');
    expect(start?.startsWith(line.slice(0, 1200))).toBe(true);
    expect(start).toContain(`[history: ${line.length - 1200} characters more]`);
    expect(rest).toEqual([]);
  });

  it('previews long lines by 400 characters each', async () => {
    const text = Array.from({ length: 30 }, (_, n) => `${n} ${'word '.repeat(1000)}`).join('\n');
    const { messages } = await compact(
      [...asked, calls(['a', 'query', {}]), result('a', text)],
      only({ offload }, { storage: openStorage() }),
    );
    const shown = resultOf(messages, 'a');
    expect(shown.split('\n')).toHaveLength(12);
    expect(shown.length).toBeLessThan(10 * 450 + 400);
    expect(shown).toContain('[history: 20 lines more]');
  });

  it('never moves the answer of a file reader to a file', async () => {
    const storage = openStorage();
    const text = log(30_000, 2);
    const list = [...asked, calls(['a', 'read_file', {}]), result('a', text)];
    const { messages, report } = await compact(list, only({ offload }, { storage }));
    expect(report.action).toBe('none');
    expect(messages).toEqual(list);
    const own = only({ offload }, { storage, tools: { cat: 'read' } });
    const other = [...asked, calls(['a', 'cat', {}]), result('a', text)];
    expect((await compact(other, own)).report.action).toBe('none');
    expect(storage.files.size).toBe(0);
  });

  it('processes a result once, and does not offload its own preview', async () => {
    const storage = openStorage();
    const compactor = createCompactor(only({ offload: { over: 100, lines: 10 } }, { storage }));
    const first = await compactor.compact([...asked, ...step(1, 3000, 'bash')]);
    expect(tiersOf(first.report)).toEqual(['offload']);
    const again = await compactor.compact([...first.messages]);
    expect(again.report.action).toBe('none');
    expect(again.messages).toEqual(first.messages);
    expect(storage.files.size).toBe(1);
  });

  it('without a storage replaces nothing with a dangling pointer', async () => {
    const list = [...asked, ...step(1, 30_000, 'bash')];
    const { messages, report } = await compact(list, only({ offload }));
    expect(report.action).toBe('none');
    expect(messages).toEqual(list);
  });
});

describe('truncate', () => {
  const text = log(52_000, 3);
  const of = (keep: 'head' | 'tail' | 'both', storage = openStorage()) =>
    compact(
      [...asked, calls(['a', 'bash', {}]), result('a', text)],
      only({ truncate: { over: 8000, keep } }, { storage }),
    );

  it.each([
    ['head', 'the first'],
    ['tail', 'the last'],
    ['both', 'the first and last'],
  ] as const)('keeps 8000 tokens by %s and says so', async (keep, words) => {
    const { messages, report, restore } = await of(keep);
    expect(tiersOf(report)).toEqual(['truncate']);
    const shown = resultOf(messages, 'a');
    const [first = '', ...rest] = shown.split('\n');
    expect(first).toContain(`[history: cut, kept ${words} ~8000 of ~${tokensOf(text)} tokens; full text: `);
    expect(tokensOf(shown)).toBeGreaterThan(7500);
    expect(tokensOf(shown)).toBeLessThanOrEqual(8000);
    const body = rest.join('\n');
    const [head = '', tail = ''] = body.split('\n[history: middle left out]\n');
    if (keep === 'head') expect(text.startsWith(body)).toBe(true);
    if (keep === 'tail') expect(text.endsWith(body)).toBe(true);
    if (keep === 'both') {
      expect(text.startsWith(head)).toBe(true);
      expect(text.endsWith(tail)).toBe(true);
      expect(tokensOf(head) / tokensOf(tail)).toBeCloseTo(1, 1);
    }
    const pointer = /full text: (.*)\]/.exec(first)?.[1] ?? '';
    expect((await restore(pointer)).text).toBe(text);
  });

  it('keeps 8000 tokens unchanged, and splits no surrogate pair', async () => {
    const options = only({ truncate: { over: 8000, keep: 'both' } });
    const short = [...asked, calls(['a', 'bash', {}]), result('a', log(7990, 3))];
    expect((await compact(short, options)).messages).toEqual(short);
    for (const lead of ['', 'x']) {
      const emoji = `${lead}${'😀'.repeat(30_000)}`;
      const { messages } = await compact([...asked, calls(['a', 'bash', {}]), result('a', emoji)], options);
      expect(resultOf(messages, 'a')).not.toMatch(/\p{Surrogate}/u);
      expect(resultOf(messages, 'a').length).toBeLessThan(emoji.length / 2);
    }
  });

  it('refuses a cap of 0', () => {
    expect(() => createCompactor(only({ truncate: { over: 0, keep: 'head' } }))).toThrow('truncate.over');
  });
});

describe('mask', () => {
  const tier = { at: 0, keepFirst: 2, keepLast: 5 };
  const mask = { mask: tier, keepRecent: 0 };

  it('keeps the first 2 and the last 5 results, and every call', async () => {
    const storage = openStorage();
    const list = [...asked, ...steps(10, 600)];
    const { messages, report, restore } = await compact(list, only(mask, { storage }));
    expect(report.tiers.map(({ tier, changed }) => [tier, changed])).toEqual([['mask', 3]]);
    for (const number of [1, 2, 6, 7, 8, 9, 10])
      expect(messages).toContain(list.find((message) => message['tool_call_id'] === `call_${number}`));
    for (const number of [3, 4, 5]) {
      const text = resultOf(messages, `call_${number}`);
      const whole = resultOf(list, `call_${number}`);
      expect(text).toMatch(/^\[history: result of read left out, ~\d+ tokens; full text: [^\n]*\]$/);
      expect(text).toContain(`~${tokensOf(whole)} tokens`);
      expect(argsOf(messages, `call_${number}`)).toEqual({ path: `src/file-${number}.ts` });
      expect((await restore(/full text: (.*)\]/.exec(text)?.[1] ?? '')).text).toBe(whole);
    }
    expect(JUDGES['openai-chat'](messages)).toEqual([]);
  });

  it('masks nothing if there are 7 results', async () => {
    const list = [...asked, ...steps(7, 600)];
    const { messages, report } = await compact(list, only(mask));
    expect(report.action).toBe('none');
    expect(messages).toEqual(list);
  });

  it('masks a result once, with its true size, call by call', async () => {
    const compactor = createCompactor(only(mask));
    const list = [...asked];
    const told = new Map<string, string>();
    for (let number = 1; number <= 20; number += 1) {
      list.push(...step(number, 500 + number * 10));
      const { messages } = await compactor.compact(list);
      for (let earlier = 1; earlier <= number; earlier += 1) {
        const id = `call_${earlier}`;
        const text = resultOf(messages, id);
        const masked = earlier > 2 && earlier <= number - 5;
        expect(text.startsWith('[history: ')).toBe(masked);
        if (!masked) continue;
        expect(text).toContain(`~${tokensOf(resultOf(list, id))} tokens`);
        expect(told.get(id) ?? text).toBe(text);
        told.set(id, text);
      }
    }
  });

  it('of a truncated result states its original size and the location of the full text', async () => {
    const compactor = createCompactor(
      only({ ...mask, truncate: { over: 800, keep: 'tail' } }, { storage: openStorage() }),
    );
    const list = [...asked, ...steps(3, 3000)];
    await compactor.compact(list);
    list.push(...steps(9, 100, 4));
    const { messages } = await compactor.compact(list);
    const text = resultOf(messages, 'call_3');
    const whole = resultOf(list, 'call_3');
    expect(text).toContain(`left out, ~${tokensOf(whole)} tokens`);
    expect((await compactor.restore(/full text: (.*)\]/.exec(text)?.[1] ?? '')).text).toBe(whole);
  });

  it('keeps errors, pinned messages and the results of tools the caller names', async () => {
    const error = {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'c3', content: log(600, 3), is_error: true }],
    };
    const use = (id: string, name: string): Chat => ({
      role: 'assistant',
      content: [{ type: 'tool_use', id, name, input: { path: id } }],
    });
    const answer = (id: string, seed: number): Chat => ({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: log(600, seed) }],
    });
    const list: Chat[] = [user('Find the defect.')];
    for (let at = 1; at <= 12; at += 1) {
      list.push(use(`c${at}`, at === 4 ? 'plan' : 'read'));
      list.push(at === 3 ? error : answer(`c${at}`, at));
    }
    const pinned = list[10];
    const { messages } = await compact(
      list,
      only(mask, { tools: { plan: 'keep' }, isPinned: (message) => message === pinned }),
    );
    expect(messages.map((message, at) => message === list[at])).toEqual(
      // Only c6 and c7 are masked: 1 and 2 are first, 3 an error, 4 a plan, 5 pinned, 8 to 12 last.
      list.map((_, at) => at !== 12 && at !== 14),
    );
  });

  it('does nothing if it would save too little', async () => {
    const list = [...asked, ...steps(12, 600)];
    const of = async (atLeast: number): Promise<string> =>
      (await compact(list, only({ ...mask, mask: { ...tier, atLeast } }, { window: 40_000 }))).report.action;
    expect(await of(0.15)).toBe('none');
    expect(await of(0.05)).toBe('compacted');
  });
});

describe('pointers', () => {
  const content = (seed: number): string => log(1500, seed);
  const write = (number: number): Chat[] => [
    calls([`w${number}`, 'write_file', { path: `src/${number}.ts`, content: content(number) }]),
    result(`w${number}`, 'ok'),
  ];
  const options = (window: number) =>
    only({ pointers: { at: 0.85 }, keepRecent: 0 }, { window, storage: openStorage() });

  it('acts above 85 % of the window on all but the newest write', async () => {
    const list = [...asked, ...[1, 2, 3, 4].flatMap(write), user('go on')];
    const size = (await compact(list, only({}))).report.before.tokens;
    const under = await compact(list, options(Math.ceil(size / 0.85) + 1));
    expect(under.report.action).toBe('none');
    const { messages, report, restore } = await compact(list, options(Math.floor(size / 0.85) - 4));
    expect(report.trigger).toBeLessThan(size);
    expect(tiersOf(report)).toEqual(['pointers']);
    const args = argsOf(messages, 'w1');
    expect(args['path']).toBe('src/1.ts');
    expect(args['content']).toMatch(
      new RegExp(
        `^\\[history: ${content(1).length} characters of \`content\` left out, sha256 [0-9a-f]{12}; full text: `,
      ),
    );
    const pointer = /full text: (.*)\]/.exec(args['content'] ?? '')?.[1] ?? '';
    expect(JSON.parse((await restore(pointer)).text).content).toBe(content(1));
    expect(argsOf(messages, 'w4')['content']).toBe(content(4));
  });

  it('replaces every argument that carries content, except short ones', async () => {
    const big = (seed: number): string => log(900, seed);
    const edit = { path: 'a.ts', old_text: big(1), new_text: big(2), note: big(3), flag: 'x' };
    const edits = [{ oldText: big(4), newText: big(5) }];
    const list = [
      ...asked,
      calls(['e1', 'edit_file', edit], ['e2', 'multi_edit', { path: 'b.ts', edits }]),
      result('e1', 'ok'),
      result('e2', 'ok'),
      calls(['e3', 'edit_file', { path: 'a.ts', old_text: 'x', new_text: 'y' }]),
      result('e3', 'ok'),
      says('done'),
      user('go on'),
    ];
    const { messages } = await compact(
      list,
      only({ pointers: { at: 0 }, keepRecent: 0 }, { window: 10_000 }),
    );
    const args = argsOf(messages, 'e1');
    for (const name of ['old_text', 'new_text'])
      expect(args[name]).toMatch(new RegExp(`^\\[history: \\d+ characters of \`${name}\` left out, sha256 `));
    expect(args['note']).toBe(edit.note);
    expect(args['flag']).toBe('x');
    expect(argsOf(messages, 'e2')['edits']).toMatch(
      /^\[history: \d+ characters of `edits` left out, sha256 /,
    );
    expect(argsOf(messages, 'e3')).toEqual({ path: 'a.ts', old_text: 'x', new_text: 'y' });
  });

  it('keeps failed writes, and writes without a result', async () => {
    const use = (id: string): Chat => ({
      role: 'assistant',
      content: [
        { type: 'tool_use', id, name: 'write_file', input: { path: id, content: content(id.length) } },
      ],
    });
    const answer = (id: string, isError: boolean): Chat => ({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: id, content: 'done', ...(isError && { is_error: true }) },
      ],
    });
    const list = [
      user('go'),
      use('w1'),
      answer('w1', true),
      use('w22'),
      answer('w22', false),
      use('w333'),
      answer('w333', false),
      use('w4444'),
    ];
    const { messages } = await compact(
      list,
      only({ pointers: { at: 0 }, keepRecent: 0 }, { window: 10_000 }),
    );
    expect(messages.map((message, at) => message === list[at])).toEqual(list.map((_, at) => at !== 3));
  });
});

describe('a write whose result says it failed, in a format without an error flag', () => {
  const big = log(900, 1);
  const args = { path: 'src/app.ts', oldText: big, newText: log(900, 2) };
  const refusals = [
    "EACCES: permission denied, open '/repo/src/app.ts'",
    '{"error":"old text is not unique"}',
    INTERRUPTED,
  ];
  const listOf = (answer: string): Chat[] => [
    ...asked,
    calls(['e1', 'edit', args]),
    result('e1', answer),
    calls(['e2', 'edit', { ...args, path: 'b.ts' }]),
    result('e2', 'ok'),
    says('done'),
    user('go on'),
  ];

  it.each([
    'Could not find the exact text in src/app.ts. The old text must match exactly.',
    "The user doesn't want to proceed with this tool use. The tool use was rejected.",
  ])('keeps the words of the result beside a pointer that claims nothing: %s', async (answer) => {
    const pointers = only({ pointers: { at: 0 }, keepRecent: 0 }, { window: 10_000 });
    const { messages } = await compact(listOf(answer), pointers);
    expect(messages.map(contentOf)).toContain(answer);
    expect(JSON.stringify(argsOf(messages, 'e1'))).not.toMatch(/written|saved|applied/);
  });

  it.each(refusals)('keeps its arguments, and is never described as written: %s', async (answer) => {
    const pointers = only({ pointers: { at: 0 }, keepRecent: 0 }, { window: 10_000 });
    const { messages } = await compact(listOf(answer), pointers);
    expect(argsOf(messages, 'e1')).toEqual(args);
    const dropped = await compact(
      [...listOf(answer), calls(['r', 'read', { path: 'x' }]), result('r', log(900, 3))],
      only({ drop: { at: 0.1, notice: 0.9 }, keepRecent: 0 }, { window: 10_000 }),
    );
    const notice = dropped.messages.map(contentOf).find((text) => text.includes('left out')) ?? '';
    expect(notice).toMatch(/## Files with attempted edits\n(?:- .*\n)*- b\.ts/);
    expect(notice).not.toMatch(/^- src\/app\.ts$/m);
    expect(notice).not.toMatch(/characters written/);
  });

  it('is not masked, so that it does not look successful', async () => {
    const list = [
      ...asked,
      calls(['e1', 'edit', args]),
      result('e1', `Error: ${log(90, 1)}`),
      ...steps(9, 600),
    ];
    const mask = { at: 0, keepFirst: 0, keepLast: 1 };
    const { messages } = await compact(list, only({ mask, keepRecent: 0 }));
    expect(resultOf(messages, 'e1')).toBe(`Error: ${log(90, 1)}`);
  });

  it('loses its arguments only as the last resort, with neutral wording', async () => {
    const huge = { path: 'src/app.ts', content: log(9000, 1) };
    const list = [...asked, calls(['w', 'write_file', huge]), result('w', 'EACCES: permission denied')];
    const { messages, report } = await compact(list, only({}, { window: 6000 }));
    expect(report.fits).toBe(true);
    expect(argsOf(messages, 'w')['content']).toMatch(
      /^\[history: \d+ characters of `content` left out, sha256 /,
    );
  });
});

describe('drop', () => {
  const drop = { at: 1, notice: 0 };

  it('removes whole oldest groups, replaced by a notice, and keeps the newest', async () => {
    const list = [...asked, ...steps(12, 1000)];
    const { messages, report } = await compact(
      list,
      only({ drop }, { window: 10_000, storage: openStorage() }),
    );
    expect(tiersOf(report)).toEqual(['drop']);
    expect(messages.slice(0, 2)).toEqual(list.slice(0, 2));
    const gone = list.length - (messages.length - 1);
    expect(contentOf(messages[2])).toMatch(
      new RegExp(
        `^\\[history: ${gone} earlier messages left out, ~\\d+ tokens; full text: conversation_history/[0-9a-f]{16}\\.md\\]$`,
      ),
    );
    expect(messages.slice(3)).toEqual(list.slice(2 + gone));
    expect(gone % 2).toBe(0);
    expect(report.after.tokens).toBeLessThanOrEqual(report.target);
    expect(JUDGES['openai-chat'](messages)).toEqual([]);
  });

  it('removes parallel calls with all of their results', async () => {
    const list = [...asked];
    for (let at = 0; at < 8; at += 1)
      list.push(
        calls([`a${at}`, 'read', {}], [`b${at}`, 'read', {}], [`c${at}`, 'read', {}]),
        result(`b${at}`, log(400, at)),
        result(`a${at}`, log(400, 100 + at)),
        result(`c${at}`, log(400, 200 + at)),
      );
    const { messages } = await compact(list, only({ drop }, { window: 7000 }));
    expect((messages.length - 3) % 4).toBe(0);
    expect(JUDGES['openai-chat'](messages)).toEqual([]);
  });

  it('removes user messages only after all tool groups', async () => {
    const list = [system('s'), user('first')];
    for (let at = 0; at < 12; at += 1) list.push(user(`wish ${at}: ${log(60, at)}`), ...step(at, 800));
    const { messages } = await compact(list, only({ drop }, { window: 8000 }));
    for (const message of list) if (message['role'] === 'user') expect(messages).toContain(message);
    const tight = await compact(list, only({ drop, keepRecent: 0 }, { window: 2000 }));
    const left = tight.messages.filter((message) => list.includes(message));
    expect(left.filter(({ role }) => role === 'tool')).toHaveLength(1);
    expect(left).toContain(list[1]);
    expect(left.filter(({ role }) => role === 'user').at(-1)).toBe(list.at(-3));
    expect(left.filter(({ role }) => role === 'user').length).toBeLessThan(13);
  });

  it.each([
    [10_000, 100],
    [20_000, 200],
    [60_000, 600],
    [1_000_000, 2000],
  ])('a window of %i bounds the list to %i messages', async (window, bound) => {
    const options = only(
      { drop, messages: presetOf('duragent', window).policy.messages, keepRecent: 0 },
      { window },
    );
    const talk = (turns: number): Chat[] =>
      Array.from({ length: turns }, (_, at) => (at % 2 === 0 ? user('yes') : says('ok')));
    const fits = talk(bound);
    expect((await compact(fits, options)).report.action).toBe('none');
    const { messages } = await compact(talk(bound + 1), options);
    expect(messages.length).toBeLessThanOrEqual(bound * 0.75 + 2);
    expect(noticeIn(messages)).not.toBe('');
  });
});

describe('a summary', () => {
  const drop = { at: 0.95, notice: 0.1 };

  it('summarizes above 95 % of the window, and keeps the newest 20 % verbatim', async () => {
    const asks: string[] = [];
    const summarizer = async ({ transcript }: { transcript: string }): Promise<string> => {
      asks.push(transcript);
      return SUMMARY;
    };
    const list = [...asked, ...steps(20, 1000)];
    const size = (await compact(list, only({}))).report.before.tokens;
    // 95 % is above what the reserve and margin leave, so the lower value is the trigger.
    const wide = only({ drop }, { window: Math.ceil(size / 0.9) + 10, summarizer, storage: openStorage() });
    expect((await compact(list, wide)).report.action).toBe('none');
    expect(asks).toEqual([]);
    const window = Math.floor(size / 0.9) - 10;
    const { messages, report } = await compact(list, only({ drop }, { ...wide, window }));
    expect(asks).toHaveLength(1);
    expect(tiersOf(report)).toEqual(['drop']);
    expect(report.summary).toMatchObject({ by: 'model', attempts: 1, refused: null });
    expect(contentOf(messages[2])).toMatch(
      /^\[history: \d+ earlier messages left out[^\n]*\]\n\n## Intent\n[\s\S]*The defect is in src\/file-3\.ts\.$/,
    );
    const recent = messages.slice(3);
    expect(recent).toEqual(list.slice(-recent.length));
    const kept = recent.reduce((sum, message) => sum + tokensOf(contentOf(message)), 0);
    expect(kept).toBeGreaterThan(0.15 * window);
    for (const message of list.slice(2, -recent.length))
      if (message['role'] === 'tool') expect(asks[0]).toContain(contentOf(message).slice(0, 60));
  });

  it('of aixtools goes from over 120 000 tokens to 40 000', async () => {
    const list = [...asked, ...steps(29, 4000)];
    const options = { window: 1_000_000, preset: 'aixtools' as const, summarizer: async () => SUMMARY };
    const size = (await compact(list, options)).report;
    expect(size.action).toBe('none');
    expect(size.before.tokens).toBeLessThanOrEqual(120_000);
    const { report } = await compact([...asked, ...steps(31, 4000)], options);
    expect(report.before.tokens).toBeGreaterThan(120_000);
    expect(report.summary?.by).toBe('model');
    expect(report.after.tokens).toBeLessThanOrEqual(40_100);
    expect(report.after.tokens).toBeGreaterThan(25_000);
  });

  it('never gives a summarizer more than 180 000 tokens', async () => {
    let given = 0;
    const { report } = await compact([...asked, ...steps(60, 8000)], {
      window: 1_000_000,
      preset: 'aixtools',
      summarizer: async ({ transcript }) => {
        given = tokensOf(transcript);
        return SUMMARY;
      },
    });
    expect(report.summary?.by).toBe('model');
    expect(given).toBeGreaterThan(150_000);
    expect(given).toBeLessThanOrEqual(180_000);
  });

  it('saves the conversation, readable and as JSON, before it asks', async () => {
    const storage = openStorage();
    const { messages, report } = await compact(
      [...asked, ...steps(20, 1000)],
      only({ drop }, { window: 12_000, storage, summarizer: async () => SUMMARY }),
    );
    const files = [...storage.files.keys()].map((path) => path.replace(/[0-9a-f]{16}/, 'ID')).sort();
    expect(files).toEqual(['conversation_history/ID.json', 'conversation_history/ID.md']);
    const readable = [...storage.files.keys()].find((path) => path.endsWith('.md'));
    expect(noticeIn(messages)).toContain(`full text: ${readable}]`);
    expect(report.pointers.length).toBeGreaterThan(10);
  });
});

describe('the budget', () => {
  it('is the window without reserve, margin, instructions and tools', async () => {
    const list = [user('go'), ...steps(20, 1000)];
    const tools = Array.from({ length: 20 }, (_, n) => ({
      name: `tool-${n}`,
      description: log(80, n),
      inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
    }));
    const options = only({ drop: { at: 1, notice: 0 }, reserve: 3000 }, { window: 30_000 });
    const bare = await compact(list, options);
    expect(bare.report.trigger).toBe(30_000 * 0.9 - 3000);
    expect(bare.report.action).toBe('none');
    const full = await compact(list, options, { system: log(2000, 99), tools });
    expect(full.report.before.tokens).toBeGreaterThan(bare.report.before.tokens + 3400);
    expect(full.report.action).toBe('compacted');
    expect(full.report.after.tokens).toBeLessThanOrEqual(full.report.target);
    expect(full.report.after.tokens).toBeLessThanOrEqual(30_000 * 0.9 - 3000);
  });

  it("uses the call's window if one is set", async () => {
    const compactor = createCompactor(only({ drop: { at: 1, notice: 0 } }, { window: 100_000 }));
    const list = [user('go'), ...steps(20, 1000)];
    expect((await compactor.compact(list)).report.action).toBe('none');
    const { report } = await compactor.compact(list, { window: 10_000 });
    expect(report.action).toBe('compacted');
    expect(report.window).toBe(10_000);
    expect(report.fits).toBe(true);
  });
});
