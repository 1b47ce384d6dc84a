// The digest: facts of removed messages, within any budget, without loss over repeated compactions.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TranscriptMessage } from '../../../src/history/archive/transcript.ts';
import { type Item, item, type MessageView } from '../../../src/history/codecs/message.ts';
import { fileUses } from '../../../src/history/policy/file-uses.ts';
import { type DigestData, mergeDigest } from '../../../src/history/summary/digest.ts';
import { type CountTokens, digestText } from '../../../src/history/summary/digest-text.ts';
import { excerptOf, excerptText, shorter } from '../../../src/history/summary/excerpt.ts';
import { namesIn } from '../../../src/history/summary/names.ts';
import { type UsedLine, Uses } from '../../../src/history/summary/used-lines.ts';
import { draws } from '../../support/draws.ts';
import { awkwardText } from '../awkward.ts';

const said = (role: MessageView['role'], ...items: Item[]): TranscriptMessage => ({
  view: { role, items },
  names: items.map(({ toolName }) => toolName),
});
const user = (text: string): TranscriptMessage => said('user', item('user', { text }));
const text = (words: string): TranscriptMessage => said('assistant', item('text', { text: words }));
const call = (toolName: string, args: Record<string, unknown>): TranscriptMessage =>
  said('assistant', item('call', { toolName, args, text: JSON.stringify(args), callId: 'c' }));
const result = (toolName: string, words: string, isError = false): TranscriptMessage =>
  said('tool', item('result', { toolName, text: words, isError, callId: 'c' }));
/** The digest of messages, after facts from earlier compactions. */
const digestOf = (
  input: {
    readonly messages: readonly TranscriptMessage[];
    readonly earlier: DigestData | null;
    readonly used?: readonly UsedLine[];
  },
  maxTokens: number,
  count: CountTokens,
): string => digestText(mergeDigest(input.earlier, input.messages, input.used), maxTokens, count);
const tokens = (words: string): number => Math.ceil(words.length / 4);

const CONVERSATION = [
  user('Fix the parser.'),
  call('read_file', { path: 'src/parser.ts' }),
  result('read_file', 'function parseHeaderLine() {}\nsee src/lexer.ts'),
  text('I found parseHeaderLine.'),
  call('write_file', { path: 'src/parser.ts', content: 'x' }),
  result('write_file', 'EACCES: not allowed\nmore', true),
  user('Try src/other.ts.'),
  call('edit', { file_path: 'src/other.ts', old_string: 'a', new_string: 'parseHeaderLine' }),
  result('edit', 'done'),
  text('It is in place.'),
];

it('contains user messages, answers, edited files and used lines', () => {
  const digest = digestOf(
    {
      messages: CONVERSATION,
      earlier: null,
      used: [
        { name: 'parseHeaderLine', line: 'function parseHeaderLine() {}', source: 'src/parser.ts', last: 7 },
      ],
    },
    1000,
    tokens,
  );
  expect(digest).toBe(
    [
      '## User messages\n1. Fix the parser.\n2. Try src/other.ts.\n',
      '## Assistant answers\n- I found parseHeaderLine.\n- It is in place.\n',
      '## Files with attempted edits\n- src/other.ts\n',
      '## Files read\n- src/parser.ts\n',
      '## Lines used by later calls\n- src/parser.ts:\nfunction parseHeaderLine() {}',
    ].join('\n'),
  );
});

it('is empty without messages, and for our own notices', () => {
  const notices = [user('[history: 3 earlier messages left out]\n\nx'), result('read', '[history: gone]')];
  for (const messages of [
    [],
    notices,
    [said('assistant', item('reasoning', { text: 'hm' }), item('opaque'))],
  ])
    expect(digestOf({ messages, earlier: null }, 1000, tokens)).toBe('');
});

it('is the same for a chain as for the whole', () => {
  const at = 5;
  const first = mergeDigest(null, CONVERSATION.slice(0, at));
  const stored: DigestData = JSON.parse(JSON.stringify(first));
  const chained = digestOf({ messages: CONVERSATION.slice(at), earlier: stored }, 1000, tokens);
  expect(chained).toBe(digestOf({ messages: CONVERSATION, earlier: null }, 1000, tokens));
});

it('uses arguments as sent, not the object they came from', () => {
  const trap: Record<string, unknown> = {
    get path(): string {
      throw new Error('trap');
    },
  };
  trap['self'] = trap;
  const messages = [
    said(
      'assistant',
      item('call', { callId: 'c', toolName: 'read', args: trap, text: '{"path":"src/a.ts"}' }),
    ),
    result('read', ''),
  ];
  expect(fileUses(messages).read).toEqual(['src/a.ts']);
  const broken = [
    said(
      'assistant',
      item('call', { callId: 'c', toolName: 'read', args: trap, text: 'not JSON: src/b.ts' }),
    ),
    result('read', ''),
  ];
  expect(fileUses(broken)).toEqual({ read: [], changed: [] });
});

it('fits any budget by any count, for any messages', () => {
  const part = fc
    .tuple(
      fc.constantFrom('user', 'text', 'call', 'result', 'media'),
      awkwardText,
      fc.boolean(),
      fc.integer({ min: 1, max: 400 }),
    )
    .map(([kind, words, isError, times]) =>
      // One of the kinds above.
      item(kind as Item['kind'], {
        text: words.repeat(times),
        isError,
        toolName: words,
        args: kind === 'call' ? { path: words, content: words } : null,
      }),
    );
  const counts = [tokens, (words: string) => words.length, (words: string) => Buffer.byteLength(words) + 3];
  fc.assert(
    fc.property(
      fc.array(fc.array(part, { maxLength: 5 }), { maxLength: 12 }),
      fc.integer({ min: 0, max: 600 }),
      fc.constantFrom(...counts),
      (given, maxTokens, count) => {
        const messages = given.map((items) => said('user', ...items));
        const digest = digestOf({ messages, earlier: null }, maxTokens, count);
        if (digest !== '') expect(count(digest)).toBeLessThanOrEqual(maxTokens);
        expect(digestOf({ messages, earlier: null }, maxTokens, count)).toBe(digest);
      },
    ),
    { numRuns: draws(300) },
  );
});

it('drops the least important first', () => {
  const messages = [
    ...CONVERSATION,
    ...Array.from({ length: 50 }, (_, index) => user(`More of it, part ${index}.`)),
  ];
  const data = mergeDigest(null, messages);
  const small = digestText(data, 40, tokens);
  expect(small).toContain('part 49.');
  expect(small).toContain('1. Fix the parser.');
  expect(small).not.toContain('part 20.');
  expect(digestText(data, 0, tokens)).toBe('');
});

it('keeps the first user message and the newest, and counts those in between and what was cut', () => {
  const long = `START${'x'.repeat(20_000)}END`;
  const messages = [user('the first'), ...Array.from({ length: 20 }, () => user(long)), user('the last')];
  const data = mergeDigest(null, messages);
  expect(data.users[0]?.head).toBe('the first');
  expect(data.users.at(-1)?.head).toBe('the last');
  expect(data.usersLeft).toBe(22 - data.users.length);
  const digest = digestText(data, 100_000, tokens);
  expect(digest).toContain(`(${data.usersLeft} user messages left out here)`);
  expect(digest).toContain(`\n22. the last`);
  expect(digest).toMatch(/^2?\d\. START.* \[17008 characters left out\] x*END$/m);
  const again = mergeDigest(data, [user('newer')]);
  expect(digestText(again, 100_000, tokens)).toContain('\n23. newer');
});

it('stays bounded over a chain of any length', () => {
  let data: DigestData | null = null;
  for (let turn = 0; turn < 100; turn += 1)
    data = mergeDigest(data, [
      user(`turn ${turn} ${'y'.repeat(5_000)}`),
      ...Array.from({ length: 20 }, (_, index) =>
        call(`tool_${turn}_${index}`, { path: `src/file-${turn}-${index}.ts` }),
      ),
      result('read', Array.from({ length: 200 }, (_, index) => `name-${turn}-${index}-id`).join(' '), true),
    ]);
  expect(JSON.stringify(data).length).toBeLessThan(150_000);
});

it('shortens in the middle, between whole characters, and counts the gap, also when shortened again', () => {
  expect(excerptText(excerptOf('abcdef', 6))).toBe('abcdef');
  expect(excerptText(excerptOf('a'.repeat(90), 30))).toBe(
    `${'a'.repeat(20)} [60 characters left out] ${'a'.repeat(10)}`,
  );
  const characters = fc.array(fc.constantFrom('a', 'b', '\u{1f600}'), { maxLength: 40 });
  fc.assert(
    fc.property(characters, fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 3 }), (parts, cuts) => {
      const text = parts.join('');
      let cut = excerptOf(text, 60);
      for (const max of cuts) {
        cut = shorter(cut, max);
        expect(cut.head.length + cut.tail.length).toBeLessThanOrEqual(max);
      }
      expect(cut.head.length + cut.tail.length + cut.left).toBe(text.length);
      expect(text.startsWith(cut.head) && text.endsWith(cut.tail)).toBe(true);
      expect(`${cut.head} ${cut.tail}`).not.toMatch(/\p{Surrogate}/u);
    }),
    { numRuns: draws(500) },
  );
});

describe('files', () => {
  const cases: readonly (readonly [string, Record<string, unknown>, string[]])[] = [
    ['read_file', { path: 'a.ts' }, []],
    ['Read', { file_path: '/x/a.ts' }, []],
    ['read_many', { paths: ['a', 'b'] }, []],
    ['Write', { file_path: 'a.ts', content: '' }, ['a.ts']],
    ['fsWriteFile', { filePath: 'a.ts' }, ['a.ts']],
    ['update', { target_file: 'a.ts', newText: 'x' }, ['a.ts']],
    ['str_replace_based_edit_tool', { command: 'view', path: 'a.ts' }, []],
    ['str_replace_based_edit_tool', { command: 'create', path: 'a.ts', file_text: '' }, ['a.ts']],
    ['move_file', { path: 'a', destination: 'b' }, ['a', 'b']],
    [
      'apply_patch',
      { input: '*** Begin Patch\n*** Update File: src/a.ts\n@@\n*** Add File: b.ts\n+x\n*** End Patch' },
      ['src/a.ts', 'b.ts'],
    ],
    ['bash', { command: 'cat a.ts' }, []],
    ['thread', { path: 7, file: '', filename: 'a\nb' }, []],
    ['read', { path: 'x'.repeat(10_000) }, []],
  ];
  for (const [tool, args, paths] of cases)
    it(`${tool} ${JSON.stringify(args).slice(0, 60)}`, () => {
      expect(fileUses([call(tool, args), result(tool, 'ok')]).changed).toEqual(paths);
    });

  const write = call('write_file', { path: 'a.ts', content: 'x' });

  it.each([
    ['marked as an error', result('write_file', 'x', true)],
    ['refused by the system', result('write_file', "EACCES: permission denied, open 'a.ts'")],
    ['in JSON', result('write_file', '{"success":false}')],
    ['interrupted', result('write_file', '[history: no result: the call was interrupted]')],
  ])('exclude a failed call: %s', (_, failure) => {
    expect(fileUses([write, failure]).changed).toEqual([]);
  });

  it('exclude calls without a result', () => expect(fileUses([write]).changed).toEqual([]));

  it('are those of a patch sent as plain text', () => {
    const text = '*** Begin Patch\n*** Update File: src/b.ts\n@@\n+x\n*** End Patch';
    const patch = said('assistant', item('call', { toolName: 'apply_patch', text, callId: 'c' }));
    expect(fileUses([patch, result('apply_patch', 'Done!')]).changed).toEqual(['src/b.ts']);
  });

  it('are from the newest call of an id', () => {
    const failure = result('write_file', 'Error: disk full');
    const again = call('write_file', { path: 'a.ts', content: 'y' });
    expect(fileUses([write, failure, again, result('write_file', 'ok')]).changed).toHaveLength(1);
    expect(fileUses([write, result('write_file', 'ok'), again, failure]).changed).toHaveLength(1);
  });
});

describe('names', () => {
  it('are paths, ids and symbols, not words', () => {
    const found = [
      ...namesIn('See "src/a/b.ts", parseHeader(x) and something; id req-7f3a91. HELLO_WORLD ...file.ts:12:'),
    ];
    expect(found).toEqual(['src/a/b.ts', 'parseHeader', 'req-7f3a91', 'HELLO_WORLD', 'file.ts:12']);
  });

  it('take linear time for any text', () => {
    for (const long of ['a', '-', '/', 'a-', 'aB3_', 'abcdefgh1 '])
      expect([...namesIn(long.repeat(300_000))].length).toBeLessThanOrEqual(300_000);
  });
});

describe('used lines', () => {
  const call = (command: string, callId: string): Item =>
    item('call', { toolName: 'bash', callId, args: { command }, text: JSON.stringify({ command }) });
  const result = (text: string, callId: string): Item => item('result', { text, callId });
  /** A message per item; the results in `stays` stay. */
  const usedIn = (
    items: readonly Item[],
    earlier: readonly UsedLine[] = [],
    counted = 0,
    stays: readonly number[] = [],
  ): readonly UsedLine[] =>
    new Uses(
      items.map((one) => ({ role: one.kind === 'call' ? 'assistant' : 'tool', items: [one] })),
      () => 'bash',
    ).merge(earlier, counted, ({ message }) => !stays.includes(message));
  const FOUND = 'src/one.ts:12: export function parseHeader() {\nsrc/two.ts:7: nothing';

  it('are not kept for a bare number: a count or a line number', () => {
    const items = [
      result('1974\texpect(status)\n1975\tid req-1974', '1'),
      call("sed -n '1974,1980p' x", '2'),
    ];
    expect(usedIn(items)).toEqual([]);
  });

  it('are from removed results whose names a later call uses, with their source', () => {
    const items = [call('rg parse', '1'), result(FOUND, '1'), call('sed -n 1,20p src/one.ts:12', '2')];
    expect(usedIn(items, [], 10)).toEqual([
      { name: 'src/one.ts:12', line: FOUND.split('\n')[0], source: 'bash rg parse', last: 12 },
    ]);
    expect(usedIn(items.slice(0, 2), [], 10)).toEqual([]);
  });

  it('exclude what a remaining result shows', () => {
    const items = [
      call('rg parse', '1'),
      result(FOUND, '1'),
      call('rg again', '2'),
      result(FOUND, '2'),
      call('cat src/one.ts:12', '3'),
    ];
    expect(usedIn(items, [], 0, [3])).toEqual([]);
  });

  it('stay known over a chain, the latest use last, and are bounded', () => {
    const line = (name: string, last: number) => ({ name, line: `see ${name}`, source: 's', last });
    const earlier = Array.from({ length: 150 }, (_, at) => line(`src/file-${at}.ts`, at));
    const used = usedIn([call('cat src/file-0.ts', '1')], earlier, 200);
    expect(used).toHaveLength(150);
    expect(used.at(-1)).toEqual(line('src/file-0.ts', 200));
    const next = usedIn([call('ls', '1'), result('new-name-1', '1'), call('x new-name-1', '2')], used, 300);
    expect(next).toHaveLength(150);
    expect(next.at(-1)).toMatchObject({ name: 'new-name-1', source: 'bash ls' });
  });

  it('of one long line include the part around the name', () => {
    const text = `${'x'.repeat(5000)} src/deep.ts ${'y'.repeat(5000)}`;
    const [used] = usedIn([call('ls', '1'), result(text, '1'), call('cat src/deep.ts', '2')]);
    expect(used?.line.length).toBeLessThan(220);
    expect(used?.line).toContain(' src/deep.ts ');
  });
});
