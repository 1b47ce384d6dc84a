// Originals in a real workspace: counted and listed like any file, read by an agent's own tools, restored by another
// process, and rejected if there is no space or permission.

import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { armed } from '../../../src/contract/index.ts';
import {
  type Compactor,
  createCompactor,
  type Policy,
  workspaceStorage,
} from '../../../src/history/index.ts';
import { createReader, createWorkspace, ReaderError, type Workspace } from '../../../src/index.ts';
import { createTools, textOf } from '../../../src/tools/index.ts';

interface ChatMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly unknown[];
  readonly tool_call_id?: string;
}

const restorer = fileURLToPath(new URL('restore-in-workspace.mjs', import.meta.url));
let root = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'lectern-history-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function failure(promise: Promise<unknown>): Promise<ReaderError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ReaderError) return error;
    throw error;
  }
  throw new Error('It did not fail.');
}

/** All kinds of line breaks, text that looks like our marks, fences, and characters beyond the basic plane. */
const AWKWARD = [
  'first\r\nsecond\rthird\nfourth',
  '\ufefflock log\n\n\n',
  '```\nfenced\n```\n````',
  'page one\fpage two\u2028still line two\u0085and\u000bmore',
  '| a | b |\n|---|---|\n| $& | \u{1f6a2} |',
  '[history: result of read left out, ~10 tokens]',
  'null\u0000byte',
];

/** A conversation of `turns` turns whose calls have long, distinct results. */
function conversation(turns: number, resultOf: (turn: number) => string = longResult): ChatMessage[] {
  const messages: ChatMessage[] = [
    { role: 'system', content: 'You keep the locks of a canal.' },
    { role: 'user', content: 'Find out why lock 7 is slow.' },
  ];
  for (let turn = 0; turn < turns; turn += 1) {
    const id = `call_${turn}`;
    const call = {
      id,
      type: 'function',
      function: { name: 'gauge', arguments: JSON.stringify({ lock: turn }) },
    };
    messages.push({ role: 'assistant', content: null, tool_calls: [call] });
    messages.push({ role: 'tool', tool_call_id: id, content: resultOf(turn) });
  }
  messages.push({ role: 'assistant', content: 'The valves of lock 7 leak.' });
  messages.push({ role: 'user', content: 'Which of them?' });
  return messages;
}

function longResult(turn: number): string {
  const lines = Array.from(
    { length: 60 },
    (_, line) => `minute ${line}: level ${turn * 60 + line} cm at sluice_${turn}_${line}`,
  );
  return `${lines.join('\n')}\n${AWKWARD[turn % AWKWARD.length]}`;
}

/** Masks results before anything else, so that placeholders name files and lines. */
const POLICY: Policy = {
  offload: { over: 20_000, lines: 10 },
  truncate: false,
  mask: { at: 0.8, keepFirst: 0, keepLast: 0 },
  pointers: false,
  drop: { at: 0.8, notice: 0.1 },
  workingSet: false,
  margin: 0.1,
  keepRecent: 0.2,
  messages: false,
};

function compactorOf(workspace: Workspace): Compactor<ChatMessage> {
  return createCompactor<ChatMessage>({
    window: 16_000,
    preset: 'valis',
    policy: POLICY,
    storage: workspaceStorage(workspace),
  });
}

const pointersIn = (messages: readonly ChatMessage[]): { path: string; lines: string; call: string }[] =>
  messages.flatMap(({ content, tool_call_id }) => {
    const found = /full text: (\S+) lines (\d+-\d+)\]/.exec(content ?? '');
    return found && tool_call_id ? [{ path: found[1] ?? '', lines: found[2] ?? '', call: tool_call_id }] : [];
  });

describe('a workspace as a storage', () => {
  it('writes and reads texts', async () => {
    const storage = workspaceStorage(createWorkspace({ root }));
    expect(await storage.read('tool_outputs/none.txt')).toBeNull();
    const texts = [...AWKWARD, '', '\u00e4'.repeat(70_000)];
    for (const [index, text] of texts.entries()) await storage.write(`tool_outputs/t-${index}.txt`, text);
    await storage.write('tool_outputs/t-0.txt', texts[0] ?? '');
    for (const [index, text] of texts.entries())
      expect(await storage.read(`tool_outputs/t-${index}.txt`)).toBe(text);
    expect(storage.shownAs?.('tool_outputs/t-1.txt')).toBe('/workspace/tool_outputs/t-1.txt');
    const mounted = workspaceStorage(createWorkspace({ root }, { mount: '/srv/files' }));
    expect(mounted.shownAs?.('a.txt')).toBe('/srv/files/a.txt');
  });

  it('rejects texts over the limit on write and read', async () => {
    const storage = workspaceStorage(createWorkspace({ root }));
    mkdirSync(join(root, 'tool_outputs'));
    writeFileSync(join(root, 'tool_outputs/huge.txt'), '');
    execFileSync('truncate', ['-s', '300M', join(root, 'tool_outputs/huge.txt')]);
    expect((await failure(storage.read('tool_outputs/huge.txt'))).code).toBe('LIMIT_EXCEEDED');
    const text = '\u20ac'.repeat(90 * 2 ** 20);
    expect((await failure(storage.write('tool_outputs/long.txt', text))).code).toBe('LIMIT_EXCEEDED');
  });

  it('does not escape the workspace, and does not read a folder as a file', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'lectern-outside-'));
    try {
      symlinkSync(outside, join(root, 'tool_outputs'));
      const storage = workspaceStorage(createWorkspace({ root }));
      expect((await failure(storage.write('tool_outputs/a.txt', 'x'))).code).toBe('PATH_ESCAPES_WORKSPACE');
      expect(readdirSync(outside)).toEqual([]);
      mkdirSync(join(root, 'conversation_history/a.md'), { recursive: true });
      expect((await failure(storage.read('conversation_history/a.md'))).code).toBe('NOT_A_FILE');
    } finally {
      rmSync(outside, { recursive: true, force: true });
    }
  });
});

describe('a compactor over a workspace', () => {
  it('points to lines that `read_file` shows unchanged', async () => {
    const workspace = createWorkspace({ root }, { environment: {} });
    const messages = conversation(14);
    const { messages: after, report } = await compactorOf(workspace).compact(messages);
    expect(report).toMatchObject({ action: 'compacted', fits: true, problem: null });
    const pointers = pointersIn(after);
    expect(pointers.length).toBeGreaterThan(5);
    const reader = createReader({ workspace, cache: false, environment: {} });
    const readFile = createTools({ reader }).find(({ name }) => name === 'read_file');
    for (const { path, lines, call } of pointers) {
      const original = messages.find(({ tool_call_id }) => tool_call_id === call)?.content ?? '';
      const answer = textOf((await readFile?.run({ path, lines })) ?? { parts: [], isError: true });
      // A line that looks like one of our notes is shown with a backslash.
      const shown = armed(answer.slice(0, answer.lastIndexOf('\n[Note: lines'))).trimEnd();
      expect(shown, path + lines).toBe(original.trimEnd());
    }
  });

  it('restores in another process, byte for byte', async () => {
    const messages = conversation(14);
    const compactor = compactorOf(createWorkspace({ root }));
    const { messages: after, report } = await compactor.compact(messages);
    const shown = pointersIn(after);
    const pointers = [...shown.map(({ path, lines }) => `${path} lines ${lines}`), ...report.pointers];
    const { stdout } = await promisify(execFile)(process.execPath, [restorer, root, ...pointers], {
      maxBuffer: 2 ** 26,
    });
    const texts: readonly string[] = JSON.parse(stdout);
    for (const [index, { call }] of shown.entries())
      expect(texts[index]).toBe(messages.find(({ tool_call_id }) => tool_call_id === call)?.content);
    const originals = new Set(messages.map((message) => JSON.stringify(message)));
    for (const text of texts.slice(shown.length)) expect(originals).toContain(text);
    const second = compactorOf(createWorkspace({ root }));
    for (const pointer of report.pointers) expect(originals).toContain((await second.restore(pointer)).text);
  });

  it('can be found by searching for a name in it', async () => {
    const workspace = createWorkspace({ root });
    const { messages: after } = await compactorOf(workspace).compact(conversation(14));
    expect(after.some(({ content }) => content?.includes('sluice_2_33'))).toBe(false);
    const { matches } = await workspace.search('sluice_2_33', {
      path: 'conversation_history',
      glob: '**/*.md',
    });
    expect(matches.map(({ text }) => text)).toEqual([expect.stringContaining('at sluice_2_33')]);
  });

  it('writes ordinary files that are counted, listed and kept by retention', async () => {
    const workspace = createWorkspace({ root }, { limits: { resultDays: 1 } });
    const before = await workspace.usage();
    const compactor = compactorOf(workspace);
    await compactor.compact(conversation(14));
    const { text, pointer } = await compactor.onToolResult({
      toolName: 'gauge',
      text: 'a long log\n'.repeat(20_000),
    });
    expect(text).toContain(`full text: /workspace/${pointer}`);
    const files = (await workspace.glob('**', { ignore: false })).entries.filter(
      ({ kind }) => kind === 'file',
    );
    const { conversationId } = compactor.state();
    expect(files.map(({ path }) => path.replace(/[0-9a-f]{16}/, 'ID'))).toEqual([
      `conversation_history/${conversationId}/ID.json`,
      `conversation_history/${conversationId}/ID.md`,
      `tool_outputs/${conversationId}/gauge-ID.txt`,
    ]);
    const bytes = files.reduce((sum, { path }) => sum + statSync(join(root, path)).size, 0);
    expect(before).toEqual({ bytes: 0, files: 0 });
    expect(await workspace.usage()).toEqual({ bytes, files: 7 });
    await workspace.prune();
    expect(await workspace.usage()).toEqual({ bytes, files: 7 });
  });

  it('replaces nothing over a quota, and recovers when there is room', async () => {
    const messages = conversation(14);
    const full = createWorkspace({ root }, { limits: { maxWorkspaceBytes: 4096 } });
    const { messages: after, report } = await compactorOf(full).compact(messages);
    expect(report).toMatchObject({ action: 'kept', problem: { code: 'QUOTA_EXCEEDED' } });
    expect(after).toEqual(messages);
    expect(report.problem?.message).not.toContain(root);
    const { report: again } = await compactorOf(createWorkspace({ root })).compact(messages);
    expect(again).toMatchObject({ action: 'compacted', fits: true });
  });

  it('replaces nothing in a read-only folder', async () => {
    const messages = conversation(14);
    execFileSync('chmod', ['555', root]);
    const denies = !mayWrite(root);
    // Root may write anywhere, so a file takes the folder's place.
    if (!denies) writeFileSync(join(root, 'conversation_history'), '');
    const { messages: after, report } = await compactorOf(createWorkspace({ root })).compact(messages);
    execFileSync('chmod', ['755', root]);
    expect(report.action).toBe('kept');
    expect(report.problem?.code).toBe(denies ? 'ACCESS_DENIED' : 'INTERNAL');
    expect(after).toEqual(messages);
  });
});

function mayWrite(folder: string): boolean {
  try {
    writeFileSync(join(folder, '.probe'), '');
    rmSync(join(folder, '.probe'));
    return true;
  } catch {
    return false;
  }
}
