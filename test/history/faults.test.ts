// Histories produced by crashes, frameworks and users, and the failures to avoid.

import { describe, expect, it, vi } from 'vitest';
import {
  type CodecName,
  compact,
  createCompactor,
  type HistoryOptions,
  type HistoryStorage,
  type Repair,
  type Summarizer,
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
  SUMMARY,
  says,
  step,
  steps,
  system,
  tokensOf,
  user,
} from '../support/chat.ts';
import { loop } from '../support/histories.ts';
import { JUDGES, sealedIntact } from '../support/history-rules/index.ts';
import { pngOf } from '../support/history-script.ts';

const asked: readonly Chat[] = [system('You are an engineer.'), user('Find the defect.')];
const small: HistoryOptions<Chat> = { window: 10_000, format: 'openai-chat' };
const many: readonly Chat[] = [...asked, ...steps(30, 800)];
const repairsOf = (repairs: readonly Repair[]): string[] =>
  repairs.map(({ kind, callId, message }) => `${kind} ${callId} ${message}`);
const use = (id: string, ...more: Chat[]): Chat => ({
  role: 'assistant',
  content: [...more, { type: 'tool_use', id, name: 'read', input: { path: id } }],
});
const answer = (id: string, content: unknown): Chat => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content }],
});

describe('what a provider would reject is repaired at any size', () => {
  it.each<readonly [string, readonly Chat[], readonly string[]]>([
    ['an orphan at the front', [result('x', 'old'), ...asked], ['orphan-result x 0']],
    [
      'an orphan in the middle',
      [...asked, ...step(1, 50), result('x', 'old'), user('and?')],
      ['orphan-result x 4'],
    ],
    [
      'a duplicate',
      [...asked, ...step(1, 50), result('call_1', 'again'), user('and?')],
      ['duplicate-result call_1 4'],
    ],
    [
      'an interrupted call in the middle',
      [...asked, calls(['a', 'read', {}]), user('stop')],
      ['interrupted-call a 2'],
    ],
    [
      'two interrupted calls in a row',
      [...asked, calls(['a', 'read', {}]), calls(['b', 'read', {}]), user('stop')],
      ['interrupted-call a 2', 'interrupted-call b 3'],
    ],
    [
      'one interrupted of three parallel ones',
      [
        ...asked,
        calls(['a', 'read', {}], ['b', 'read', {}], ['c', 'read', {}]),
        result('a', '1'),
        result('c', '3'),
        user('stop'),
      ],
      ['interrupted-call b 4'],
    ],
  ])('repairs %s', async (_, list, repairs) => {
    const compactor = createCompactor<Chat>({ window: 100_000, format: 'openai-chat' });
    const { messages, report } = await compactor.compact(list);
    expect(JUDGES['openai-chat'](messages)).toEqual([]);
    expect(repairsOf(report.repairs)).toEqual(repairs);
    expect(report.action).toBe('compacted');
    const again = await compactor.compact(list);
    expect(again.report).toMatchObject({ action: 'none', repairs: [] });
    expect(again.messages).toEqual(messages);
    expect((await compactor.compact(messages)).messages).toEqual(messages);
    const more = [...list, says('ok'), user('go on')];
    expect((await compactor.compact(more)).messages).toEqual([...messages, says('ok'), user('go on')]);
  });

  it('leaves a pending call open, and accepts its result when it arrives', async () => {
    const compactor = createCompactor<Chat>(small);
    const open = [...many, calls(['last', 'read', {}])];
    const { messages, report } = await compactor.compact(open);
    expect(report.repairs).toEqual([]);
    expect(messages.at(-1)).toBe(open.at(-1));
    const done = await compactor.compact([...open, result('last', 'here')]);
    expect(done.messages.slice(-2)).toEqual([open.at(-1), result('last', 'here')]);
    expect(JUDGES['openai-chat'](done.messages)).toEqual([]);
  });

  it('removes empty messages if the provider rejects them', async () => {
    const list = [
      user('go'),
      { role: 'assistant', content: [] },
      { role: 'user', content: [] },
      use('a'),
      answer('a', 'x'),
    ];
    const { messages, report } = await compact<Chat>(list, { window: 128_000, format: 'anthropic' });
    expect(JUDGES.anthropic(messages)).toEqual([]);
    expect(report.repairs.map(({ kind }) => kind)).toEqual(['empty-message', 'empty-message']);
    expect((await compact<Chat>(messages, { window: 128_000, format: 'anthropic' })).messages).toEqual(
      messages,
    );
  });

  it('adds results of interrupted calls to the existing ones, for Anthropic', async () => {
    const two = {
      role: 'assistant',
      content: [...(use('a')['content'] as Chat[]), ...(use('b')['content'] as Chat[])],
    };
    const { messages, report } = await compact<Chat>(
      [user('go'), two, answer('b', 'x'), use('c'), user('stop')],
      { window: 128_000, format: 'anthropic' },
    );
    expect(JUDGES.anthropic(messages)).toEqual([]);
    expect(report.repairs.map(({ callId }) => callId).sort()).toEqual(['a', 'c']);
  });
});

describe('lists that cannot be reduced to fit', () => {
  it('reports a system prompt over the window, and changes nothing at the next call', async () => {
    for (const beside of [true, false]) {
      const prompt = log(15_000, 1);
      const list = beside ? [user('go'), ...steps(3, 400)] : [system(prompt), user('go'), ...steps(3, 400)];
      const call = beside ? { system: prompt } : {};
      const compactor = createCompactor<Chat>(small);
      const first = await compactor.compact(list, call);
      expect(first.report).toMatchObject({ fits: false, problem: { code: 'OVER_BUDGET' } });
      expect(first.report.problem?.hint).not.toBe('');
      expect(JUDGES['openai-chat'](first.messages)).toEqual([]);
      if (!beside) expect(first.messages[0]).toBe(list[0]);
      const { ledger } = compactor.state();
      for (let call2 = 0; call2 < 3; call2 += 1) {
        const next = await compactor.compact(list, call);
        expect(next.report).toMatchObject({ action: 'kept', fits: false, problem: { code: 'OVER_BUDGET' } });
        expect(next.messages).toEqual(first.messages);
      }
      expect(compactor.state().ledger).toEqual(ledger);
      const own = await compactor.compact(first.messages, call);
      expect(own.messages).toEqual(first.messages);
    }
  });

  it('truncates a single message larger than the window, which can be restored', async () => {
    const storage = openStorage();
    for (const list of [
      [user(log(40_000, 1))],
      [...asked, calls(['a', 'read_file', {}]), result('a', log(40_000, 2))],
      [user(log(40_000, 3)), says('ok'), user('go on')],
    ]) {
      const { messages, report, restore } = await compact<Chat>(list, { ...small, storage });
      expect(report).toMatchObject({ fits: true, problem: null });
      expect(messages).toHaveLength(list.length);
      const at = messages.findIndex((message, index) => message !== list[index]);
      const pointer = /full text: (.*)\]/.exec(contentOf(messages[at]))?.[1] ?? '';
      expect((await restore(pointer)).text).toBe(contentOf(list[at]));
    }
  });
});

describe('a newest write larger than the window', () => {
  it('is truncated only as the last resort', async () => {
    const written = calls(['w', 'write_file', { path: 'a.ts', content: log(20_000, 6) }]);
    const list = [...asked, ...steps(3, 500), written, result('w', 'ok')];
    const { messages, report, restore } = await compact<Chat>(list, { ...small, storage: openStorage() });
    expect(report).toMatchObject({ fits: true, problem: null });
    const [pointer = ''] = report.pointers.slice(-1);
    expect((await restore(pointer)).text).toBe(JSON.stringify(written));
    expect(JSON.stringify(messages.at(-2))).toContain('characters of `content` left out, sha256 ');
    const fits = [
      ...asked,
      ...steps(20, 500),
      calls(['w', 'write_file', { path: 'a.ts', content: log(4000, 6) }]),
      result('w', 'ok'),
    ];
    expect((await compact<Chat>(fits, small)).messages.at(-2)).toBe(fits.at(-2));
  });
});

describe('parts that are not plain text', () => {
  it('base64 in text counts its real cost, and is truncated like any text', async () => {
    const base64 = Buffer.from(log(30_000, 4)).toString('base64');
    const list = [...asked, calls(['a', 'fetch', {}]), result('a', base64), user('go on')];
    const { report, messages } = await compact(list, small);
    expect(report.before.tokens).toBeGreaterThan(base64.length / 2);
    expect(report.fits).toBe(true);
    expect(tokensOf(resultOf(messages, 'a'))).toBeLessThan(8100);
  });

  it.each([
    ['anthropic', 'anthropic'],
    ['gemini', 'gemini'],
  ] as const)(
    'signed thinking of a loop in flight stays byte for byte: %s',
    async (format: CodecName, judged) => {
      const { messages: whole, system: beside } = loop(judged, 40, 1200, { thinking: true });
      const call = beside === null ? {} : { system: beside };
      const compactor = createCompactor<unknown>({ window: 8000, format });
      for (let end = 1; end <= whole.length; end += 1) {
        const prefix = whole.slice(0, end);
        if (JUDGES[judged](prefix).length > 0) continue;
        const { messages } = await compactor.compact(prefix, call);
        expect(sealedIntact(prefix, messages)).toEqual([]);
        expect(JUDGES[judged](messages)).toEqual([]);
        // The newest response is unchanged.
        expect(messages).toContain(whole[end - 1]);
      }
      expect(compactor.stats().compactions).toBeGreaterThan(1);
    },
  );

  it('of unknown types are kept as they are', async () => {
    const odd = { type: 'hologram', payload: { deep: [1, 2, 3] } };
    const list = [
      { role: 'user', content: [{ type: 'text', text: 'look' }, odd] },
      ...Array.from({ length: 20 }, (_, at) => [
        use(`c${at}`, { ...odd, at }),
        answer(`c${at}`, [
          { type: 'text', text: log(600, at) },
          { ...odd, at },
        ]),
      ]).flat(),
    ];
    const { messages, report } = await compact<Chat>(list, {
      window: 12_000,
      format: 'anthropic',
      preset: 'duragent',
    });
    expect(report.action).toBe('compacted');
    expect(messages[0]).toBe(list[0]);
    expect(JSON.stringify(messages.at(-1))).toContain('hologram');
    expect(JUDGES.anthropic(messages).filter((found) => !/hologram|unknown type/.test(found))).toEqual([]);
  });

  it('values that are not JSON do not throw', async () => {
    const cycle: Record<string, unknown> = { type: 'odd' };
    cycle['self'] = cycle;
    const list = [
      user([{ type: 'text', text: 'go' }, cycle]),
      ...steps(30, 800),
      user([{ type: 'x', at: 1n, of: () => 1 }]),
    ];
    const { messages, report } = await compact<Chat>(list, small);
    expect(report.action).not.toBe('none');
    expect(messages.length).toBeGreaterThan(2);
  });
});

describe('concurrent calls', () => {
  it('keep messages added to the array while a summarizer runs', async () => {
    const list = [...many];
    const summarizer: Summarizer = async () => {
      list.push(says('meanwhile'), user('and this?'));
      await Promise.resolve();
      return SUMMARY;
    };
    const compactor = createCompactor<Chat>({ ...small, preset: 'valis', summarizer });
    const { messages, report } = await compactor.compact(list);
    expect(report.summary?.by).toBe('model');
    expect(JUDGES['openai-chat'](messages)).toEqual([]);
    const next = await compactor.compact(list);
    expect(next.messages.slice(-2)).toEqual([says('meanwhile'), user('and this?')]);
    expect(next.messages.slice(0, messages.length)).toEqual(messages.slice(0, next.messages.length));
  });

  it('wait for each other, and return the same', async () => {
    let running = 0;
    let most = 0;
    const summarizer: Summarizer = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      return SUMMARY;
    };
    const compactor = createCompactor<Chat>({ ...small, preset: 'valis', summarizer });
    const [one, two] = await Promise.all([compactor.compact(many), compactor.compact(many)]);
    expect(most).toBe(1);
    expect(one.report.action).toBe('compacted');
    expect(two.report.action).toBe('none');
    expect(two.messages).toEqual(one.messages);
  });

  it('that fail do not stop the next', async () => {
    const compactor = createCompactor<Chat>(small);
    const [bad, good] = await Promise.allSettled([
      compactor.compact(null as unknown as Chat[]),
      compactor.compact(many),
    ]);
    expect([bad.status, good.status]).toEqual(['rejected', 'fulfilled']);
  });
});

describe('a summarizer', () => {
  it.each<readonly [string, Summarizer, RegExp]>([
    ['that throws', () => Promise.reject(new Error('key sk-123')), /failed/],
    ['that hangs', () => new Promise(() => undefined), /did not answer within 30 ms/],
  ])('%s is replaced by a digest and reported', async (_, summarizer, refused) => {
    const options = {
      ...small,
      preset: 'valis',
      summarizer,
      timeoutMs: 30,
      storage: openStorage(),
    } as const;
    const { messages, report } = await compact<Chat>(many, options);
    expect(report).toMatchObject({ fits: true, problem: null, summary: { by: 'digest' } });
    expect(report.summary?.refused).toMatch(refused);
    expect(JSON.stringify([messages, report])).not.toContain('sk-123');
    expect(noticeIn(messages)).toContain('src/file-');
    expect(JUDGES['openai-chat'](messages)).toEqual([]);
  });

  it('that always fails is asked at every compaction, and never stops one', async () => {
    let asks = 0;
    const compactor = createCompactor<Chat>({
      ...small,
      summarizer: () => {
        asks += 1;
        return Promise.reject(new Error('429'));
      },
    });
    const list: Chat[] = [...asked];
    const attempts: number[] = [];
    for (let number = 1; attempts.length < 6; number += 1) {
      list.push(...step(number, 900));
      const { report } = await compactor.compact(list);
      if (report.summary) attempts.push(report.summary.attempts);
      expect(report.fits).toBe(true);
    }
    expect(attempts).toEqual(Array(6).fill(2));
    expect(asks).toBe(12);
    expect(compactor.stats().refusedSummaries).toBe(6);
  });
});

describe('a storage', () => {
  const failing = (failure: { now: boolean }, fails: Partial<HistoryStorage>): HistoryStorage => {
    const storage = openStorage();
    const through = (name: 'write' | 'read') => async (path: string, text: string) =>
      failure.now && fails[name]
        ? (fails[name] as HistoryStorage['write'])(path, text)
        : storage[name](path, text);
    return {
      ...storage,
      write: through('write') as HistoryStorage['write'],
      read: through('read') as HistoryStorage['read'],
    };
  };
  const errno = (code: string): Error => Object.assign(new Error(`${code} /home/someone`), { code });

  it.each<readonly [string, Partial<HistoryStorage>, string]>([
    ['that is full', { write: () => Promise.reject(errno('ENOSPC')) }, 'QUOTA_EXCEEDED'],
    ['that is read-only', { write: () => Promise.reject(errno('EROFS')) }, 'ACCESS_DENIED'],
    ['that may not be written', { write: () => Promise.reject(errno('EACCES')) }, 'ACCESS_DENIED'],
    ['that throws a text', { write: () => Promise.reject('no') }, 'INTERNAL'],
    ['that cannot be read back', { read: () => Promise.reject(errno('EIO')) }, 'INTERNAL'],
    ['that has lost it', { read: async () => null }, 'INTERNAL'],
    ['that gives something else', { read: async () => 'other' }, 'INTERNAL'],
  ])('%s stops the compaction; the next call recovers', async (_, fails, code) => {
    const failure = { now: true };
    const storage = failing(failure, fails);
    const compactor = createCompactor<Chat>({ ...small, storage });
    for (let call = 0; call < 2; call += 1) {
      const { messages, report } = await compactor.compact(many);
      expect(messages).toEqual(many);
      messages.forEach((message, at) => {
        expect(message).toBe(many[at]);
      });
      expect(report).toMatchObject({
        action: 'kept',
        fits: false,
        pointers: [],
        tiers: [],
        problem: { code },
      });
      expect(JSON.stringify(report)).not.toContain('/home/someone');
    }
    expect(compactor.stats()).toMatchObject({ compactions: 0, totalSaved: 0 });
    failure.now = false;
    const { report } = await compactor.compact(many);
    expect(report).toMatchObject({ action: 'compacted', fits: true, problem: null });
    for (const pointer of report.pointers) expect((await compactor.restore(pointer)).text).not.toBe('');
  });
});

describe('texts that are hard to handle', () => {
  it('replacement patterns, in content, names of tools and paths', async () => {
    const odd = "$& $1 $` $' $$ $<x>";
    const list: Chat[] = [system(odd), user(`${odd} first`)];
    for (let at = 0; at < 30; at += 1)
      list.push(
        calls(
          [`a${at}`, odd, { path: `${odd}/${at}` }],
          [`w${at}`, 'write_file', { path: `${odd}.ts`, content: `${odd} ${log(300, at)}` }],
        ),
        result(`a${at}`, `${odd} ${log(500, at)}`),
        result(`w${at}`, odd),
      );
    const storage = openStorage();
    for (const preset of ['lectern', 'valis', 'duragent'] as const) {
      const { messages, report, restore } = await compact<Chat>(list, {
        ...small,
        preset,
        storage,
        goal: odd,
        summarizer: async () => `${odd} ${SUMMARY}`,
      });
      expect(report).toMatchObject({ action: 'compacted', fits: true });
      expect(messages[1]).toBe(list[1]);
      // The provider would reject such names and ids.
      expect(JUDGES['openai-chat'](messages).filter((found) => !/a call of|an id of/.test(found))).toEqual(
        [],
      );
      const known = new Set(list.map((message) => JSON.stringify(message)));
      for (const pointer of report.pointers) {
        const { kind, text } = await restore(pointer);
        if (kind === 'message') expect(known.has(text)).toBe(true);
      }
    }
  });

  it('an id of a call of 1.5 KB', async () => {
    const id = (at: number): string => `${'call/../$&'.repeat(150)}${at}`;
    const list: Chat[] = [...asked];
    for (let at = 0; at < 30; at += 1) list.push(calls([id(at), 'read', {}]), result(id(at), log(600, at)));
    const storage = openStorage();
    for (const preset of ['lectern', 'duragent'] as const) {
      const { messages, report } = await compact<Chat>(list, { ...small, preset, storage });
      expect(report.fits).toBe(true);
      // The provider would reject such names and ids.
      expect(JUDGES['openai-chat'](messages).filter((found) => !/a call of|an id of/.test(found))).toEqual(
        [],
      );
      expect(noticeIn(messages)).not.toContain('call/../');
    }
    for (const path of storage.files.keys()) expect(path.length).toBeLessThan(80);
  });

  it('unpaired surrogates that occur only in arguments', async () => {
    const list: Chat[] = [...asked];
    for (let at = 0; at < 30; at += 1)
      list.push(
        calls([`a${at}`, 'bash', { command: `cut \ud83d: src/part-${at - 1}.ts` }]),
        result(`a${at}`, `src/part-${at}.ts\n${log(600, at)}`),
      );
    const { messages, report } = await compact<Chat>(list, small);
    expect(report.action).toBe('compacted');
    expect(noticeIn(messages)).toContain('- bash cut');
    expect(noticeIn(messages)).not.toMatch(/\p{Surrogate}/u);
  });

  it('placeholders written by a user or tool remove nothing', async () => {
    const fake = '[history: result of read left out, ~5 tokens; full text: tool_outputs/../../etc/passwd]';
    const notice = '[history: 900 earlier messages left out, ~5 tokens]';
    const list = [
      system('s'),
      user(notice),
      says('ok'),
      user(fake),
      calls(['a', 'read', {}]),
      result('a', fake),
      user('go on'),
    ];
    const { messages, report } = await compact<Chat>(list, small);
    expect(report.action).toBe('none');
    expect(messages).toEqual(list);
  });
});

describe('a caller that rewinds', () => {
  const talk = (compactor: ReturnType<typeof createCompactor<Chat>>, list: readonly Chat[]) =>
    compactor.compact(list);
  const fresh = (): ReturnType<typeof createCompactor<Chat>> =>
    createCompactor<Chat>({ ...small, storage: openStorage(), conversationId: 'thread-1' });

  it('to an earlier message and edits it: later messages no longer appear', async () => {
    const compactor = fresh();
    const list: Chat[] = [system('s'), user('first')];
    for (let at = 0; at < 12; at += 1)
      list.push(
        calls([`a${at}`, 'read', { path: `secret-${at}.ts` }]),
        result(`a${at}`, log(600, at)),
        says(`done ${at}`),
        user(`wish ${at}`),
      );
    await talk(compactor, list);
    for (const keep of [2, 6, 18, list.length - 1]) {
      const edited = [...list.slice(0, keep), user('Something else, please.')];
      const { messages, report } = await talk(compactor, edited);
      expect(JUDGES['openai-chat'](messages)).toEqual([]);
      expect(messages.at(-1)).toBe(edited.at(-1));
      expect(report.fits).toBe(true);
      const text = JSON.stringify(messages);
      for (let at = 0; at < 12; at += 1)
        if (!JSON.stringify(edited).includes(`secret-${at}.ts`))
          expect(text).not.toContain(`secret-${at}.ts`);
      // And forward again.
      await talk(compactor, list);
    }
  });

  it('and changes a message that was already removed', async () => {
    const compactor = fresh();
    const talked = Array.from({ length: 60 }, (_, at) =>
      (at % 2 === 0 ? user : says)(`${at} ${log(300, at)}`),
    );
    const list = [system('s'), ...talked, user('now')];
    const { messages } = await talk(compactor, list);
    expect(messages).not.toContain(list[4]);
    const edited = [...list];
    edited[4] = says('Quite another answer.');
    const changed = await talk(compactor, edited);
    const anew = await talk(fresh(), edited);
    expect(changed.report.fits).toBe(true);
    expect(JUDGES['openai-chat'](changed.messages)).toEqual([]);
    const told = (all: readonly Chat[]): string => /\d+/.exec(noticeIn(all))?.[0] ?? '';
    expect(told(changed.messages)).toBe(told(anew.messages));
  });

  it('and generates the newest answer again', async () => {
    const compactor = fresh();
    const { messages } = await talk(compactor, many);
    const again = [...many.slice(0, -2), ...step(77, 500)];
    const next = await talk(compactor, again);
    expect(next.messages.slice(0, messages.length - 2)).toEqual(messages.slice(0, -2));
    expect(next.messages.slice(-2)).toEqual(again.slice(-2));
  });

  it('and starts another conversation', async () => {
    const compactor = fresh();
    await talk(compactor, many);
    const other = [system('s'), user('Write a poem.'), says('Roses.'), user('Another.')];
    const { messages, report } = await talk(compactor, other);
    expect(messages).toEqual(other);
    expect(report.action).toBe('none');
    const back = await talk(compactor, many);
    expect(back.messages).toEqual((await talk(fresh(), many)).messages);
  });
});

it('a cache mark that moves from call to call has no effect', async () => {
  const bare = createCompactor<Chat>({ window: 8000, format: 'anthropic' });
  const marked = createCompactor<Chat>({ window: 8000, format: 'anthropic' });
  const list: Chat[] = [user([{ type: 'text', text: 'go' }])];
  const without = (messages: readonly Chat[]): unknown =>
    JSON.parse(JSON.stringify(messages, (key, value) => (key === 'cache_control' ? undefined : value)));
  for (let at = 1; at <= 40; at += 1) {
    list.push(use(`c${at}`), answer(`c${at}`, log(500, at)));
    const moving = list.map((message, index) =>
      index < list.length - 3 || !Array.isArray(message['content'])
        ? message
        : {
            ...message,
            content: message['content'].map((part: Chat) => ({
              ...part,
              cache_control: { type: 'ephemeral' },
            })),
          },
    );
    const one = await bare.compact(list);
    const two = await marked.compact(moving);
    expect(without(two.messages)).toEqual(one.messages);
    expect(two.report.stablePrefix).toBe(one.report.stablePrefix);
    expect(JUDGES.anthropic(two.messages)).toEqual([]);
    // The mark is present if the message is.
    expect(two.messages.at(-1)).toBe(moving.at(-1));
  }
  expect(bare.stats().compactions).toBe(marked.stats().compactions);
  expect(bare.stats().compactions).toBeGreaterThan(2);
});

it('removes images of a long loop together with their turns', async () => {
  const shot = (at: number): Chat => ({
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: `c${at}`,
        content: [
          {
            type: 'image',
            source: { type: 'base64', media_type: 'image/png', data: pngOf(1200, 900, 5000 + at) },
          },
        ],
      },
    ],
  });
  const list: Chat[] = [user('watch')];
  for (let at = 0; at < 40; at += 1) list.push(use(`c${at}`), shot(at));
  const { messages, report, restore } = await compact<Chat>(list, {
    window: 20_000,
    format: 'anthropic',
    storage: openStorage(),
  });
  expect(report).toMatchObject({ action: 'compacted', fits: true });
  expect(JUDGES.anthropic(messages)).toEqual([]);
  const known = new Set(list.map((message) => JSON.stringify(message)));
  for (const pointer of report.pointers) expect(known.has((await restore(pointer)).text)).toBe(true);
});

it('a clock that jumps changes nothing', async () => {
  const compacted = async (): Promise<string> => {
    const compactor = createCompactor<Chat>({
      window: 10_000,
      conversationId: 'one',
      storage: openStorage(),
    });
    const given: unknown[] = [];
    for (const end of [20, 40, many.length]) given.push(await compactor.compact(many.slice(0, end)));
    return JSON.stringify([given, compactor.state()]);
  };
  const steady = await compacted();
  let now = 0;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => {
    now = now > 0 ? -1e12 : 1e15;
    return now;
  });
  const jumping = await compacted();
  clock.mockRestore();
  expect(jumping).toBe(steady);
});

describe('reports an unreachable target with the largest contributors', () => {
  const over = async (options: HistoryOptions<Chat>) => (await compact(many, options)).report;

  it('names tools whose results are kept, and the role to remove', async () => {
    const { action, fits, problem } = await over({ window: 4000, tools: { read: 'keep' } });
    expect({ action, fits }).toEqual({ action: 'kept', fits: false });
    expect(problem?.message).toMatch(/results of tools with the role `keep` ~\d+/);
    expect(problem?.hint).toBe('Remove the role `keep` from `read`, or use a larger window.');
  });

  it('names pinned messages', async () => {
    const { problem } = await over({ window: 4000, isPinned: ({ role }) => role === 'tool' });
    expect(problem?.message).toMatch(/pinned messages ~\d+/);
    expect(problem?.hint).toContain('`isPinned`');
  });

  it('reports that pins make a message limit impossible', async () => {
    const report = await over({
      window: 100_000,
      policy: { messages: { at: 50, to: 48 } },
      isPinned: () => true,
    });
    expect(report).toMatchObject({ action: 'kept', fits: true, problem: { code: 'OVER_BUDGET' } });
    expect(report.problem?.message).toContain(`${many.length} messages, over the limit of 50`);
    expect(report.problem?.hint).toContain('`isPinned`');
  });
});

describe('caller functions that fail', () => {
  it('`isPinned`: the call fails, and no message is replaced', async () => {
    const compactor = createCompactor<Chat>({
      window: 10_000,
      isPinned: () => {
        throw new TypeError('no such field');
      },
    });
    await expect(compactor.compact(many)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: '`isPinned` threw an error; no message was replaced.',
      cause: { message: 'no such field' },
    });
  });

  it.each<readonly [string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no mount at /srv/secret');
      },
    ],
    ['gives no text', () => 7],
  ])('`shownAs` that %s: the list stays unchanged, and the report states why', async (_, shownAs) => {
    const storage = { ...openStorage(), shownAs } as HistoryStorage;
    const { messages, report } = await compact(many, { window: 10_000, storage });
    expect(messages).toEqual(many);
    expect(report).toMatchObject({ action: 'kept', problem: { code: 'INTERNAL' } });
    expect(report.problem?.message).toContain('`shownAs`');
    expect(report.problem?.message).not.toContain('/srv/secret');
  });
});
