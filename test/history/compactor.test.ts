// The compactor's acceptance cases for histories and offloading, by their names.

import { createHash } from 'node:crypto';
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import {
  codecOf,
  compact,
  createCompactor,
  createLangChainCodec,
  createMemoryStorage,
  type HistoryOptions,
  historyPromptSegment,
  type Report,
} from '../../src/history/index.ts';
import {
  type Chat,
  calls,
  contentOf,
  log,
  noticeIn,
  openStorage,
  result,
  resultOf,
  step,
  steps,
  system,
  tokensOf,
  user,
} from '../support/chat.ts';
import { HISTORY_FORMATS, type HistoryFormat, loop } from '../support/histories.ts';
import { JUDGES } from '../support/history-rules/index.ts';
import { pngOf } from '../support/history-script.ts';

const langChain = createLangChainCodec({ HumanMessage, AIMessage, ToolMessage });
const codecFor = (format: HistoryFormat) =>
  format === 'langchain' ? langChain : codecOf(format === 'ai-sdk-prompt' ? 'ai-sdk' : format);
const asked: readonly Chat[] = [system('You are an engineer.'), user('Find the defect.')];
const small: HistoryOptions<Chat> = { window: 10_000 };
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('H1: no orphan after any cut', () => {
  it.each(HISTORY_FORMATS)('leaves no orphan in %s', async (format) => {
    const { messages, system: beside } = loop(format, 60, 1500, { thinking: true });
    for (const window of [3000, 8000, 20_000]) {
      const call = beside === null ? {} : { system: beside };
      const done = await compact(messages, { window, format: codecFor(format) }, call);
      expect(done.report.action).toBe('compacted');
      expect(JUDGES[format](done.messages)).toEqual([]);
    }
  });

  it('does not leave two adjacent answers after removing a long message, in a format that requires alternating roles', async () => {
    const says = (role: 'user' | 'model', text: string) => ({ role, parts: [{ text }] });
    const list = [
      says('user', 'Find the defect.'),
      says('model', 'Which one?'),
      says('user', log(40_000, 1)),
      says('model', 'I see.'),
      says('user', 'Go on.'),
    ];
    const options = { window: 6000, format: 'gemini' } as const;
    const { messages } = await compact<unknown>(list, options);
    expect(messages).not.toContain(list[2]);
    expect(messages).toEqual(expect.arrayContaining([list[1], list[3]]));
    expect(JUDGES.gemini(messages)).toEqual([]);
    expect((await compact(messages, options)).messages).toEqual(messages);
  });

  it('handles user text between parallel results, and partly covered runs', async () => {
    const list: Chat[] = [...asked];
    for (let at = 0; at < 20; at += 1)
      list.push(
        calls([`a${at}`, 'read', {}], [`b${at}`, 'read', {}]),
        result(`a${at}`, log(500, at)),
        result(`b${at}`, log(500, at + 100)),
        user(`wish ${at}`),
      );
    const { messages } = await compact(list, small);
    expect(JUDGES['openai-chat'](messages)).toEqual([]);
    expect(messages).toContain(list.at(-1));
  });
});

describe('H2: instructions, goal and newest user message', () => {
  it('are kept, and the newest is truncated if it alone is too long', async () => {
    const list = [
      system('Never delete files.'),
      user('Find the defect.'),
      ...steps(5, 800),
      user(log(30_000, 7)),
    ];
    const { messages, report } = await compact(list, { ...small, goal: 'Find the defect.' });
    expect(report.fits).toBe(true);
    expect(messages[0]).toBe(list[0]);
    expect(messages[1]).toBe(list[1]);
    const newest = contentOf(messages.at(-1));
    expect(newest).toMatch(/^\[history: cut, kept the first and last ~\d+ of ~\d+ tokens/);
    expect(newest).toContain(contentOf(list.at(-1)).slice(0, 200));
    expect(newest.endsWith(contentOf(list.at(-1)).slice(-200))).toBe(true);
  });

  it('states the goal in the notice', async () => {
    const goal = 'Repair the nightly build of part-3.';
    const { messages } = await compact([...asked, ...steps(30, 800)], { ...small, goal });
    expect(noticeIn(messages)).toContain(goal);
  });
});

it('H3: the newest result is kept or in a file', async () => {
  const list = [...asked, ...steps(20, 800), ...step(99, 30_000, 'bash')];
  const { messages, report, restore } = await compact(list, { window: 30_000, storage: openStorage() });
  expect(report.tiers[0]?.tier).toBe('offload');
  const text = resultOf(messages, 'call_99');
  const pointer = /full text: (.*)\]/.exec(text)?.[1] ?? '';
  expect((await restore(pointer)).text).toBe(resultOf(list, 'call_99'));
  const plain = [...asked, ...steps(40, 800)];
  expect((await compact(plain, small)).messages.at(-1)).toBe(plain.at(-1));
});

describe('H4: within the target or reported, once, and not repeated at the next call', () => {
  it.each(['lectern', 'valis', 'duragent', 'aixtools'] as const)('holds for %s', async (preset) => {
    const compactor = createCompactor<Chat>({ window: 20_000, preset });
    const list: Chat[] = [...asked];
    const compacted: number[] = [];
    for (let number = 1; number <= 80; number += 1) {
      list.push(...step(number, 600));
      const { report } = await compactor.compact(list);
      expect(report.fits).toBe(true);
      const margin = preset === 'valis' ? 0 : 2000;
      expect(report.after.tokens).toBeLessThanOrEqual(20_000 - margin - 2000);
      // duragent masks at every call; masks do not count as a compaction.
      if (report.tiers.some(({ tier }) => tier === 'drop')) compacted.push(number);
      const again = await compactor.compact(list);
      expect(again.report.action).toBe('none');
    }
    expect(compacted.length).toBeGreaterThan(preset === 'duragent' ? 0 : 2);
    for (let at = 1; at < compacted.length; at += 1)
      expect((compacted[at] ?? 0) - (compacted[at - 1] ?? 0)).toBeGreaterThan(3);
  });

  it('keeps to an explicit target, and reports one that cannot be reached', async () => {
    const list = [...asked, ...steps(30, 800)];
    const done = await compact(list, { window: 20_000, threshold: { to: 0.3 } });
    expect(done.report).toMatchObject({ action: 'compacted', fits: true, problem: null, target: 6000 });
    expect(done.report.after.tokens).toBeLessThanOrEqual(6000);
    const not = await compact([system(log(5000, 1)), ...list.slice(1)], {
      window: 20_000,
      threshold: { to: 0.2 },
    });
    expect(not.report.fits).toBe(false);
    expect(not.report.problem).toMatchObject({ code: 'OVER_BUDGET' });
    expect(not.report.problem?.message).toMatch(/~\d+ tokens, over its limit of 4000, .*: instructions ~\d+/);
    expect(JUDGES['openai-chat'](not.messages)).toEqual([]);
  });
});

describe('H5: without a summary', () => {
  const list = [...asked, ...steps(30, 800)];

  it('replaces removed messages with a digest', async () => {
    const { messages, report } = await compact(list, { ...small, preset: 'valis' });
    expect(report.summary).toMatchObject({ by: 'digest', attempts: 0, refused: null });
    expect(noticeIn(messages)).toContain('src/file-');
  });

  it.each<readonly [string, () => Promise<string>]>([
    ['throws', () => Promise.reject(new Error('429'))],
    ['is empty', async () => '  \n'],
    ['is too long', async () => log(20_000, 5)],
  ])('if the summarizer %s', async (_, summarizer) => {
    const { messages, report } = await compact(list, { ...small, preset: 'valis', summarizer });
    expect(report.fits).toBe(true);
    expect(report.summary?.by).toBe('digest');
    expect(report.summary?.attempts).toBe(2);
    expect(report.summary?.refused).toEqual(expect.any(String));
    expect(noticeIn(messages)).toContain('src/file-');
    expect(noticeIn(messages)).not.toContain('429');
  });
});

describe('H6: the whole transcript first', () => {
  it('is saved before arguments are cut, and extended over time', async () => {
    const storage = openStorage();
    const compactor = createCompactor<Chat>({ window: 10_000, storage });
    const list: Chat[] = [...asked];
    const pointers: string[] = [];
    for (let number = 1; number <= 60; number += 1) {
      const content = log(600, number);
      list.push(
        calls([`w${number}`, 'write_file', { path: `${number}.ts`, content }]),
        result(`w${number}`, 'ok'),
      );
      pointers.push(...(await compactor.compact(list)).report.pointers);
    }
    const restored = await Promise.all(pointers.map((pointer) => compactor.restore(pointer)));
    const originals = restored.filter(({ text }) => !text.includes('[history: ')).map(({ text }) => text);
    const known = new Set(list.map((message) => JSON.stringify(message)));
    for (const text of originals) expect(known.has(text)).toBe(true);
    // Every write whose content was removed can be restored exactly.
    const { messages } = await compactor.compact(list);
    const shown = new Set(messages.map((message) => JSON.stringify(message)));
    for (const message of list.slice(2))
      expect(shown.has(JSON.stringify(message)) || originals.includes(JSON.stringify(message))).toBe(true);
  });

  it('names a file only if it was written', async () => {
    const storage = openStorage();
    const { messages } = await compact([...asked, ...steps(30, 800)], { ...small, storage });
    const named = JSON.stringify(messages).match(/(?:conversation_history|tool_outputs)\/[\w-]+\.\w+/g) ?? [];
    expect(named.length).toBeGreaterThan(0);
    for (const path of named) expect(storage.files.has(path)).toBe(true);
    const broken = { ...openStorage(), write: () => Promise.reject(new Error('no')) };
    const kept = await compact([...asked, ...steps(30, 800)], { ...small, storage: broken });
    expect(JSON.stringify(kept.messages)).not.toMatch(/conversation_history|tool_outputs/);
  });
});

it('H7: masks are made once', async () => {
  const options: HistoryOptions<Chat> = {
    window: 100_000,
    preset: 'duragent',
    storage: createMemoryStorage(),
  };
  const list = [...asked, ...steps(12, 600)];
  const first = await compact(list, options);
  const second = await compact(first.messages, options);
  expect(second.report.action).toBe('none');
  expect(second.messages).toEqual(first.messages);
});

it('H8: the cost of pictures depends on pixels, not on the length of base64', async () => {
  const picture = (bytes: number): Chat =>
    user([{ type: 'image_url', image_url: { url: `data:image/png;base64,${pngOf(800, 600, bytes)}` } }]);
  const sizeOf = async (message: Chat): Promise<number> =>
    (await compact([message], { window: 128_000 })).report.before.tokens;
  const few = await sizeOf(picture(100));
  expect(await sizeOf(picture(3_000_000))).toBe(few);
  expect(few).toBeLessThan(3000);
  const text = Buffer.from(log(60_000, 1)).toString('base64');
  expect(await sizeOf(user(text))).toBeGreaterThan(text.length / 2);
});

it('H9: after a provider rejects a list, the next list is shorter', async () => {
  const compactor = createCompactor<Chat>({ window: 20_000 });
  const list = [...asked, ...steps(14, 800)];
  const first = await compactor.compact(list);
  expect(first.report.action).toBe('none');
  compactor.overflowed(24_000);
  const second = await compactor.compact(list);
  expect(second.report.action).toBe('compacted');
  expect(second.report.before.tokens).toBe(24_000);
  expect(second.report.after.tokens).toBeLessThanOrEqual(16_000);
  const blind = createCompactor<Chat>({ window: 20_000 });
  await blind.compact(list);
  blind.overflowed();
  const forced = await blind.compact(list, { force: true });
  expect(forced.report.action).toBe('compacted');
  expect(forced.messages.length).toBeLessThan(list.length);
});

it("H9: estimates follow the provider's counts", async () => {
  const compactor = createCompactor<Chat>({ window: 100_000 });
  const list = [...asked, ...steps(10, 800)];
  await compactor.compact(list);
  compactor.observe(12_345);
  expect((await compactor.compact(list)).report.before.tokens).toBe(12_345);
  list.push(...step(11, 800));
  const { report } = await compactor.compact(list);
  expect(report.before.tokens).toBeGreaterThan(13_000);
  expect(report.before.tokens).toBeLessThan(13_500);
});

describe('H10: chained compactions', () => {
  it('count removed messages once, and keep the order', async () => {
    const storage = openStorage();
    const compactor = createCompactor<Chat>({ ...small, storage });
    const list: Chat[] = [...asked];
    const pointers: string[] = [];
    let compactions = 0;
    for (let number = 1; number <= 90; number += 1) {
      list.push(...step(number, 500));
      const { messages, report } = await compactor.compact(list);
      if (report.action === 'none') continue;
      pointers.push(...report.pointers);
      compactions += 1;
      const originals = messages.filter((message) => list.includes(message));
      const told = Number(/\d+/.exec(noticeIn(messages))?.[0]);
      expect(told).toBe(list.length - originals.length);
      expect(originals).toEqual(list.filter((message) => originals.includes(message)));
      expect(messages.filter((message) => /^\[history: \d+ earlier/.test(contentOf(message)))).toHaveLength(
        1,
      );
    }
    expect(compactions).toBeGreaterThan(5);
    expect(compactor.stats().compactions).toBe(compactions);
    expect(pointers.length).toBeGreaterThan(50);
    for (const pointer of pointers) {
      const { text, sha256: known } = await compactor.restore(pointer);
      expect(known).toBe(sha256(text));
    }
  });

  it('of different compactors build on each other', async () => {
    let given: readonly Chat[] = asked;
    for (let round = 0; round < 6; round += 1) {
      const { messages, report } = await compact([...given, ...steps(20, 600, round * 20 + 1)], small);
      expect(report.fits).toBe(true);
      expect(messages.filter((message) => /^\[history: \d+ earlier/.test(contentOf(message)))).toHaveLength(
        1,
      );
      expect(JUDGES['openai-chat'](messages)).toEqual([]);
      given = messages;
    }
    // The rest of the 122 original messages is reported as removed.
    expect(Number(/\d+/.exec(noticeIn(given))?.[0])).toBe(242 - (given.length - 1));
  });
});

it('H11: statistics add up', async () => {
  const reports: Report[] = [];
  const compactor = createCompactor<Chat>({
    window: 10_000,
    onCompaction: (report) => reports.push(report),
    summarizer: async () => log(90, 900 + reports.length),
  });
  const list: Chat[] = [...asked];
  for (let number = 1; number <= 40; number += 1) {
    list.push(...step(number, 600));
    await compactor.compact(list);
  }
  const stats = compactor.stats();
  expect(stats.calls).toBe(40);
  expect(stats.compactions).toBe(reports.length);
  expect(stats.summaries).toBe(reports.filter(({ summary }) => summary?.by === 'model').length);
  expect(stats.summaries).toBeGreaterThan(1);
  expect(stats.refusedSummaries).toBe(0);
  const saved = reports.flatMap(({ tiers }) => tiers).reduce((sum, tier) => sum + tier.saved, 0);
  expect(stats.totalSaved).toBe(saved);
  for (const { before, after, tiers } of reports) {
    const told = tiers.reduce((sum, tier) => sum + tier.saved, 0);
    expect(Math.abs(before.tokens - after.tokens - told)).toBeLessThan(0.02 * before.tokens + 50);
  }
});

it('H12: compactions are in batches, and the start of the prompt is stable in between', async () => {
  const compactor = createCompactor<Chat>({ window: 30_000 });
  const list: Chat[] = [...asked];
  let breaks = 0;
  let before: readonly Chat[] = [];
  for (let number = 1; number <= 150; number += 1) {
    list.push(...step(number, 500));
    const { messages, report } = await compactor.compact(list);
    const same = before.every((message, at) => JSON.stringify(message) === JSON.stringify(messages[at]));
    expect(same).toBe(report.action === 'none');
    expect(report.stablePrefix >= before.length).toBe(same);
    if (!same) breaks += 1;
    before = messages;
  }
  expect(breaks).toBeGreaterThan(2);
  expect(breaks).toBeLessThan(10);
});

describe('a long result', () => {
  const text = log(39_000, 9);
  const list = [...asked, calls(['a', 'read_file', {}]), result('a', text)];

  it.each(['read_file', 'bash'])('stays whole if it fits the window: %s', async (toolName) => {
    const answered = [...asked, calls(['a', toolName, {}]), result('a', text)];
    for (const options of [{ window: 1_000_000 }, { window: 300_000 }, { window: 60_000 }])
      for (const storage of [{}, { storage: openStorage() }]) {
        const compactor = createCompactor<Chat>({ ...options, ...storage });
        expect(await compactor.onToolResult({ toolName, text })).toEqual({ text, pointer: null, tier: null });
        expect((await compactor.compact(answered)).messages).toEqual(answered);
        // After removal, a file that is read again is whole.
        const more = [...answered, ...steps(60, 800), calls(['b', toolName, {}]), result('b', text)];
        const { messages, report } = await compactor.compact(more);
        const action = options.window === 1_000_000 ? 'none' : 'compacted';
        expect(report).toMatchObject({ action, fits: true });
        expect(resultOf(messages, 'b')).toBe(text);
      }
  });

  it('stays whole even if everything else is removed, and the notice uses only what is left', async () => {
    const before = steps(60, 800);
    const { messages, report } = await compact([...asked, ...before, ...list.slice(2)], { window: 52_000 });
    expect(report.fits).toBe(true);
    expect(noticeIn(messages)).not.toBe('');
    expect(resultOf(messages, 'a')).toBe(text);
  });

  it('leaves room for the notice if it is truncated in any case', async () => {
    const { messages, report } = await compact([...asked, ...steps(20, 800), ...list.slice(2)], {
      window: 30_000,
      policy: { truncate: false },
    });
    expect(report.fits).toBe(true);
    expect(noticeIn(messages)).toContain('## Files read');
  });

  it('is truncated if it does not fit the window, with the location of the rest', async () => {
    const kept = await compact(list, { window: 40_000, storage: openStorage() });
    const [line] = resultOf(kept.messages, 'a').split('\n');
    expect(line).toMatch(
      /^\[history: cut, kept the first and last ~8000 of ~39\d{3} tokens; full text: (.*)\]$/,
    );
    const pointer = /full text: (.*)\]/.exec(line ?? '')?.[1] ?? '';
    expect((await kept.restore(pointer)).text).toBe(text);
    const lost = await compact(list, { window: 40_000 });
    expect(resultOf(lost.messages, 'a').split('\n')[0]).toMatch(
      /^\[history: cut, kept the first and last ~8000 of ~39\d{3} tokens; the rest is not kept, call the tool again for the part you need\]$/,
    );
    const arrived = await createCompactor({ window: 40_000 }).onToolResult({ toolName: 'read_file', text });
    expect(arrived.text.split('\n')[0]).toContain('; the rest is not kept, call the tool again');
  });

  it('depends on the room next to kept content, including instructions and tools', async () => {
    const compactor = createCompactor<Chat>({ window: 60_000, storage: openStorage() });
    await compactor.compact(asked, { system: log(20_000, 1) });
    expect((await compactor.onToolResult({ toolName: 'bash', text })).tier).toBe('offload');
    expect((await compactor.onToolResult({ toolName: 'bash', text: log(25_000, 2) })).tier).toBe(null);
  });

  it('is replaced before shorter results that fit next to its preview', async () => {
    const short = log(12_000, 2);
    const both = [
      ...asked,
      calls(['s', 'bash', {}], ['a', 'bash', {}]),
      result('s', short),
      result('a', text),
    ];
    const { messages, report } = await compact(both, { window: 40_000, storage: openStorage() });
    expect(report.tiers).toMatchObject([{ tier: 'offload', changed: 1 }]);
    expect(resultOf(messages, 's')).toBe(short);
  });

  it('is truncated by an explicit limit, even if it fits', async () => {
    const policy = { truncate: { over: 8000, keep: 'head' } } as const;
    const { messages } = await compact(list, { window: 1_000_000, policy });
    expect(resultOf(messages, 'a')).toMatch(/^\[history: cut, kept the first ~8000 of/);
  });
});

describe('offloading', () => {
  const text = log(25_000, 9);
  const policy = { offload: { over: 20_000, lines: 10 } };

  it('O1: leaves a preview and the exact path; a failing write keeps the data', async () => {
    const storage = openStorage();
    const arrived = await createCompactor({ window: 128_000, storage, policy }).onToolResult({
      toolName: 'bash',
      text,
    });
    expect(arrived.tier).toBe('offload');
    expect(arrived.text).toContain(`full text: ${arrived.pointer}]`);
    expect(arrived.text).toContain(text.split('\n')[0]);
    expect(storage.files.get(arrived.pointer ?? '')).toBe(text);
    const broken = { ...openStorage(), write: () => Promise.reject(new Error('no')) };
    expect(
      await createCompactor({ window: 128_000, storage: broken, policy }).onToolResult({
        toolName: 'bash',
        text,
      }),
    ).toEqual({
      text,
      pointer: null,
      tier: null,
    });
  });

  it('O1: gives the same result on arrival as in the list', async () => {
    const owned = { window: 128_000, storage: openStorage(), conversationId: 'one', policy };
    const arrived = await createCompactor(owned).onToolResult({ toolName: 'bash', text });
    const { messages } = await compact([...asked, calls(['a', 'bash', {}]), result('a', text)], owned);
    expect(resultOf(messages, 'a')).toBe(arrived.text);
    const again = [...asked, calls(['a', 'bash', {}]), result('a', arrived.text)];
    expect((await compact(again, owned)).report.action).toBe('none');
  });

  it('O2: previews one line within bounds', async () => {
    const line = 'x,'.repeat(200_000);
    const arrived = await createCompactor({ window: 128_000, storage: openStorage(), policy }).onToolResult({
      toolName: 'q',
      text: line,
    });
    expect(tokensOf(arrived.text)).toBeLessThan(2000);
  });

  it('O3: gives files short, safe and unique names for any tool and id', async () => {
    const storage = openStorage();
    const compactor = createCompactor<Chat>({
      storage,
      format: 'openai-chat',
      window: 2_000_000,
      policy,
      threshold: { at: 1 },
    });
    const names = ['../../etc/passwd', '$&', 'CON', 'a'.repeat(5000), '漢字', '', '.hidden', 'x\n]y'];
    const list: Chat[] = [...asked];
    names.forEach((name, at) => {
      const id = `${'id/../'.repeat(250)}${at}`;
      list.push(
        calls([id, name, {}]),
        result(id, `${at} ${text}`),
        calls([`${id}b`, name, {}]),
        result(`${id}b`, text),
      );
    });
    const { messages, report } = await compactor.compact(list);
    expect(report.tiers).toMatchObject([{ tier: 'offload', changed: 2 * names.length }]);
    for (const path of storage.files.keys())
      expect(path).toMatch(/^tool_outputs\/[a-z0-9]{12}\/[a-z0-9-]{1,40}-[0-9a-f]{16}\.txt$/);
    for (const message of messages.slice(2)) {
      if (message['role'] !== 'tool') continue;
      const pointer = /full text: (.*)\]\n/.exec(contentOf(message))?.[1] ?? '';
      const original = list.find((one) => one['tool_call_id'] === message['tool_call_id']);
      expect((await compactor.restore(pointer)).text).toBe(contentOf(original));
    }
  });

  it("O4: never offloads a reader's answer or its own preview", async () => {
    const compactor = createCompactor({
      window: 128_000,
      storage: openStorage(),
      policy: { ...policy, truncate: false },
    });
    for (const toolName of ['read_file', 'search_files', 'list_files'])
      expect((await compactor.onToolResult({ toolName, text })).tier).toBe(null);
    const arrived = await compactor.onToolResult({ toolName: 'bash', text });
    expect(await compactor.onToolResult({ toolName: 'bash', text: arrived.text })).toMatchObject({
      tier: null,
    });
  });

  it('O5: keeps images next to a text that is removed', async () => {
    const picture = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: pngOf(64, 64, 200) },
    };
    const list: Chat[] = [
      user('look'),
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'shot', input: {} }] },
      user([{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text }, picture] }]),
    ];
    const { messages, report } = await compact(list, { window: 128_000, storage: openStorage(), policy });
    expect(report.tiers).toMatchObject([{ tier: 'offload', changed: 1 }]);
    expect(messages[2]).toMatchObject({
      content: [
        {
          content: [
            { type: 'text', text: expect.stringContaining('[history: result of shot saved') },
            picture,
          ],
        },
      ],
    });
  });

  it('O7: advises only tools that exist', () => {
    const named = (tools: readonly string[]): string => historyPromptSegment({ tools });
    expect(named(['read_file'])).toContain('`read_file`');
    expect(named(['read_file'])).not.toContain('search_files');
    expect(named([])).not.toMatch(/read_file|search_files/);
  });
});

describe('call options', () => {
  it('is rejected with an aborted signal, and changes nothing', async () => {
    const compactor = createCompactor<Chat>(small);
    const list = [...asked, ...steps(30, 800)];
    const signal = AbortSignal.abort();
    await expect(compactor.compact(list, { signal })).rejects.toMatchObject({ code: 'ABORTED' });
    expect(compactor.state().ledger?.now.list ?? []).toEqual([]);
    expect((await compactor.compact(list)).report.action).toBe('compacted');
  });

  it('keeps messages that are added to the list during the call', async () => {
    const storage = openStorage();
    const list = [...asked, ...steps(30, 800)];
    const { length } = list;
    const write = async (path: string, text: string): Promise<void> => {
      if (list.length === length) list.push(user('And the tests?'));
      await storage.write(path, text);
    };
    const compactor = createCompactor<Chat>({ ...small, storage: { ...storage, write } });
    const { messages, positions } = await compactor.compact(list);
    expect(messages.at(-1)).toBe(list[length]);
    expect(positions.slice(-2)).toEqual([length - 1, length]);
    for (const one of [list, messages]) expect((await compactor.compact(one)).messages).toEqual(messages);
  });

  it('rejects anything but a list in a known format', async () => {
    for (const messages of [null, 'text', 7, {}, [1, 2], [null], [{ odd: true }]])
      await expect(compact(messages as unknown as Chat[])).rejects.toMatchObject({ code: 'BAD_INPUT' });
    expect((await compact([])).messages).toEqual([]);
  });

  it('`force` compacts below the trigger, and keeps what is below the low-water mark', async () => {
    const list = [...asked, ...steps(40, 700)];
    expect((await compact(list, { window: 200_000 })).report.action).toBe('none');
    const few = [...asked, ...steps(10, 700)];
    const none = await compact(few, { window: 200_000 }, { force: true });
    expect(none.report).toMatchObject({ action: 'none', fits: true, problem: null });
    expect(none.messages).toEqual(few);
    const { report, messages } = await compact(list, { window: 200_000 }, { force: true });
    expect(report.action).toBe('compacted');
    expect(report.after.tokens).toBeLessThanOrEqual(report.target);
    expect(report.after.tokens).toBeLessThan(report.before.tokens);
    expect(messages.at(-1)).toBe(list.at(-1));
  });
});
