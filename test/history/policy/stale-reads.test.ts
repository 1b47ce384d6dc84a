// A read whose file's later changes are removed says so in its last line, in every format, also repeatedly.

import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import {
  codecOf,
  compact,
  createCompactor,
  createLangChainCodec,
  createMemoryStorage,
  type HistoryOptions,
} from '../../../src/history/index.ts';
import { type Chat, calls, log, result, resultOf, user } from '../../support/chat.ts';
import { HISTORY_FORMATS, type HistoryFormat, historyOf, type Script } from '../../support/histories.ts';
import { JUDGES } from '../../support/history-rules/index.ts';

type Turns = Script['turns'];

/** About 2600 tokens of code, with distinct lines. */
const SOURCE = Array.from(
  { length: 160 },
  (_, line) => `export const value_${line} = compute(${line * 7});`,
).join('\n');
const DONE = 'Successfully replaced text in src/work.ts.';
const FAILED = 'Error: no match for oldText.';

const MARK =
  '[history: src/work.ts may have changed after this, by calls that are left out. Read it again before editing.]';
const marksIn = (text: string): number => text.split('may have changed after this').length - 1;

function turn(id: string, name: string, args: Readonly<Record<string, unknown>>, text: string): Turns {
  const answer = { text, json: false, isError: text === FAILED, media: null };
  const all = [{ id, name, args, result: answer, approved: false }];
  return [{ kind: 'assistant', thinking: null, text: '', hosted: '', calls: all }];
}

const asked: Turns = [{ kind: 'user', text: 'Find the defect.', media: null }];
const read = (id: string, text: string = SOURCE, path: string = 'src/work.ts'): Turns =>
  turn(id, 'read', { path }, text);
const edit = (id: string, said: string = DONE): Turns =>
  turn(id, 'edit', { path: '/repo/src/work.ts', oldText: 'a', newText: log(400, id.charCodeAt(1)) }, said);
const steps = (count: number, from: number): Turns =>
  Array.from({ length: count }, (_, at) =>
    turn(`s${from + at}`, 'read', { path: `lib/file-${from + at}.ts` }, log(700, from + at)),
  ).flat();

/** Keeps the reads of the file in work, and the newest of everything else. */
const options: HistoryOptions<unknown> = {
  window: 24_000,
  importance: (all) => all.map(({ text }) => (text.includes('value_7') ? 1 : 0)),
};

const langChain = createLangChainCodec({ HumanMessage, AIMessage, ToolMessage });
const codecFor = (format: HistoryFormat) =>
  format === 'langchain' ? langChain : codecOf(format === 'ai-sdk-prompt' ? 'ai-sdk' : format);
const write = (format: HistoryFormat, turns: Turns): readonly unknown[] =>
  historyOf(format, { turns, bareIds: false }).messages;
const resultsIn = (format: HistoryFormat, messages: readonly unknown[]): string[] =>
  messages.flatMap((message) =>
    codecFor(format)
      .view(message)
      .items.flatMap(({ kind, text }) => (kind === 'result' ? [text] : [])),
  );

describe.each(HISTORY_FORMATS)('in %s', (format) => {
  it('marks a kept read whose changes are removed, over three compactions, and restores the read', async () => {
    const turns = [
      ...asked,
      ...read('r'),
      ...edit('a1'),
      ...edit('a2'),
      ...edit('a3', FAILED),
      ...steps(28, 1),
    ];
    const compactor = createCompactor<unknown>({
      ...options,
      format: codecFor(format),
      storage: createMemoryStorage(),
    });
    const pointers: string[] = [];
    const readsAfter = async (): Promise<string[]> => {
      const { messages, report } = await compactor.compact(write(format, turns));
      expect(report.action).toBe('compacted');
      expect(report.after.tokens).toBeLessThanOrEqual(report.target);
      expect(JUDGES[format](messages)).toEqual([]);
      pointers.push(...report.pointers);
      return resultsIn(format, messages).filter((text) => text.includes('value_77 '));
    };
    expect(await readsAfter()).toEqual([`${SOURCE}\n${MARK}`]);

    turns.push(...edit('b1'), ...steps(28, 101));
    expect(await readsAfter()).toEqual([`${SOURCE}\n${MARK}`]);

    // Nothing of the file is removed.
    turns.push(...steps(28, 201));
    expect(await readsAfter()).toEqual([`${SOURCE}\n${MARK}`]);

    const texts = await Promise.all(pointers.map(async (pointer) => (await compactor.restore(pointer)).text));
    const codec = codecFor(format);
    const original = write(format, turns).find((message) =>
      codec.view(message).items.some(({ kind, text }) => kind === 'result' && text === SOURCE),
    );
    expect(texts).toContain(JSON.stringify(codec.encode(original)));
  });
});

async function compacted(turns: Turns, more: HistoryOptions<unknown> = {}): Promise<string[]> {
  const { messages, report } = await compact(write('openai-chat', turns), { ...options, ...more });
  expect(report.action).toBe('compacted');
  expect(report.fits).toBe(true);
  return resultsIn('openai-chat', messages);
}

const lastLines = (texts: readonly string[]): string[] =>
  texts.filter((text) => text.startsWith('export const value_')).map((text) => text.split('\n').at(-1) ?? '');

it('marks each read by the changes after it, and none that is current', async () => {
  const early = SOURCE.split('\n').slice(70, 100).join('\n');
  const later = early.replace('value_73 ', 'value_seventy ');
  const turns = [...asked, ...read('r', early), ...edit('a1'), ...read('q', later), ...steps(28, 1)];
  expect(lastLines(await compacted(turns))).toEqual([MARK, later.split('\n').at(-1)]);
});

it('does not mark reads whose later changes failed, stay or concern other files, or pinned reads', async () => {
  const last = SOURCE.split('\n').at(-1);
  const failed = [...asked, ...read('r'), ...edit('a1', FAILED), ...steps(28, 1)];
  expect(lastLines(await compacted(failed))).toEqual([last]);
  const others = [...asked, ...read('r', SOURCE, 'src/other.ts'), ...edit('a1'), ...steps(28, 1)];
  expect(lastLines(await compacted(others))).toEqual([last]);
  const recent = [...asked, ...read('r'), ...steps(28, 1), ...edit('a1')];
  expect(lastLines(await compacted(recent))).toEqual([last]);
  const changed = [...asked, ...read('r'), ...edit('a1'), ...steps(28, 1)];
  const isPinned = (message: unknown): boolean => JSON.stringify(message).includes('value_77 ');
  expect(lastLines(await compacted(changed, { isPinned }))).toEqual([last]);
});

it('marks a file that a command printed, and a read of several files without their names', async () => {
  const printed = turn('r', 'bash', { command: 'cd /repo && sed -n 1,160p src/work.ts 2>/dev/null' }, SOURCE);
  expect(lastLines(await compacted([...asked, ...printed, ...edit('a1'), ...steps(28, 1)]))).toEqual([MARK]);
  const paths = ['src/work.ts', 'src/rest.ts'];
  const both = turn('a1', 'edit_many', { paths, newText: log(400, 1) }, DONE);
  const several = turn('r', 'read_many', { paths }, SOURCE);
  expect(lastLines(await compacted([...asked, ...several, ...both, ...steps(28, 1)]))).toEqual([
    '[history: some files above may have changed after this, by calls that are left out. Read them again before editing.]',
  ]);
});

it('stays within a target with many marks, and masks reads whose mark does not fit', async () => {
  const lines = SOURCE.split('\n');
  const parts = Array.from({ length: 30 }, (_, at) => lines.slice(at * 5, at * 5 + 5).join('\n'));
  const turns = [
    ...asked,
    ...parts.flatMap((part, at) => read(`r${at}`, part)),
    ...edit('a1'),
    ...steps(28, 1),
  ];
  for (const to of [0.05, 0.1, 0.15, 0.2, 0.25, 0.3]) {
    const { messages, report } = await compact(write('openai-chat', turns), {
      ...options,
      importance: (all) => all.map(({ text }) => (text.includes('value_') ? 1 : 0)),
      threshold: { to },
    });
    expect(report.fits).toBe(true);
    expect(report.after.tokens).toBeLessThanOrEqual(report.target);
    const left = resultsIn('openai-chat', messages).filter((text) => text.includes('value_'));
    for (const text of left) expect(marksIn(text)).toBe(1);
  }
});

it('marks a read once if the content of a change is replaced by a pointer and it is removed later', async () => {
  const write = (id: string): Chat[] => [
    calls([id, 'write_file', { path: 'src/work.ts', content: log(3000, 5) }]),
    result(id, 'Wrote src/work.ts.'),
  ];
  const others = (from: number): Chat[] =>
    Array.from({ length: 8 }, (_, at): Chat[] => [
      calls([
        `o${from + at}`,
        'write_file',
        { path: `lib/file-${from + at}.ts`, content: log(1500, from + at) },
      ]),
      result(`o${from + at}`, `Wrote lib/file-${from + at}.ts.`),
    ]).flat();
  const pointing = createCompactor<Chat>({
    window: 24_000,
    preset: 'valis',
    threshold: { at: 0.6, to: 0.5 },
  });
  const list: Chat[] = [user('Go on.'), calls(['r', 'read', { path: 'src/work.ts' }]), result('r', SOURCE)];
  list.push(...write('w'), ...others(1));
  const said = `${SOURCE}\n${MARK}`;
  const first = await pointing.compact(list);
  expect(first.report.tiers.map(({ tier }) => tier)).toEqual(['pointers']);
  expect(resultOf(first.messages, 'r')).toBe(said);

  const { policy = {}, importance = () => [] } = options;
  const dropping = createCompactor<Chat>({ window: 24_000, policy, importance });
  const second = await dropping.compact([...first.messages, ...others(20), ...others(40)]);
  expect(JSON.stringify(second.messages)).not.toContain('"w"');
  expect(resultOf(second.messages, 'r')).toBe(said);
});

it('changes nothing if nothing is necessary', async () => {
  const turns = [...asked, ...read('r'), ...edit('a1'), ...steps(28, 1)];
  const { messages } = await compact(write('openai-chat', turns), options);
  expect(marksIn(JSON.stringify(messages))).toBe(1);
  const again = await compact(messages, options);
  expect(again.report.action).toBe('none');
  expect(again.messages).toEqual(messages);
});
