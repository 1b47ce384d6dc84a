// `lectern compact` as people meet it: files of every form, its two streams and its status, and once a real process.

import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCompactor, workspaceStorage } from '../../src/history/index.ts';
import { createWorkspace } from '../../src/index.ts';
import { lectern, type Run } from '../support/command-line.ts';

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));
const CHAT = 'fixtures/conversations/openai-chat.json';
const LINES = 'fixtures/conversations/openai-chat.jsonl';
const REQUEST = 'fixtures/conversations/anthropic-request.json';

const compact = (
  args: readonly string[],
  stdin?: string,
  environment?: Readonly<Record<string, string>>,
): Promise<Run> => lectern(['compact', ...args], stdin, environment);

function compactInProcess(args: readonly string[], stdin: string): Promise<Run> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [main, 'compact', ...args],
      { env: { PATH: process.env['PATH'] }, maxBuffer: 2 ** 28 },
      (error, out, err) => resolve({ status: error === null ? 0 : Number(error.code), out, err }),
    );
    child.stdin?.end(stdin);
  });
}

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-compact-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

describe('lectern compact', () => {
  it('prints the same from a process of its own, and ends with the same status', async () => {
    const chat = readFileSync(CHAT, 'utf8');
    for (const [args, stdin] of [
      [['-', '--window', '8000'], chat],
      [['-', '--window', '8000', '--target', '10'], chat],
      [['-'], 'no list'],
    ] as const)
      expect(await compactInProcess(args, stdin)).toEqual(await compact(args, stdin));
  });

  it('prints the list on one stream and what was done on the other', async () => {
    const { status, out, err } = await compact([CHAT, '--window', '8000']);
    expect(status).toBe(0);
    const before = JSON.parse(readFileSync(CHAT, 'utf8'));
    const after = JSON.parse(out);
    expect(after.length).toBeLessThan(before.length);
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(after.at(-1)).toEqual(before.at(-1));
    expect(err).toMatch(/^format openai-chat \(detected\), preset lectern, window 8000 tokens/);
    expect(err).toContain('before: 58 messages, ~');
    expect(err).toMatch(/originals: only in `fixtures.conversations.openai-chat.json`/);
  });

  it('gives back the form that came: a body with all its fields, lines with every byte that is not touched', async () => {
    const request = JSON.parse(readFileSync(REQUEST, 'utf8'));
    const body = JSON.parse((await compact([REQUEST, '--window', '8000'])).out);
    expect(Object.keys(body)).toEqual(Object.keys(request));
    expect({ ...body, messages: [] }).toEqual({ ...request, messages: [] });
    expect(body.messages.length).toBeLessThan(request.messages.length);
    const lines = readFileSync(LINES, 'utf8').split('\n');
    const after = (await compact([LINES, '--window', '8000'])).out.split('\n');
    const same = after.filter((line) => line !== '' && lines.includes(line));
    expect(same.length).toBeGreaterThan(5);
    expect(same[0]).toContain('"role": "system"');
    for (const line of after.slice(0, -1)) JSON.parse(line);
  });

  it('changes nothing in what it gave, byte for byte', async () => {
    const more = [[], ['--target', '1500'], ['--preset', 'duragent'], ['--archive', join(folder, 'archive')]];
    for (const file of [CHAT, LINES, REQUEST])
      for (const options of more) {
        const args = ['--window', '8000', ...options];
        const { out } = await compact([file, ...args]);
        const again = await compact(['-', ...args], out);
        expect(again.out, `${file} ${options.join(' ')}`).toBe(out);
        expect(again.status).toBe(0);
      }
    const whole = await compact([LINES, '--window', '200000']);
    expect(whole.out).toBe(readFileSync(LINES, 'utf8'));
    expect(whole.err).toContain('nothing to do');
  });

  it('prints one object with `--json`, and nothing on the other stream', async () => {
    const { out, err } = await compact([CHAT, '--window', '8000', '--json']);
    const { messages, report, ...rest } = JSON.parse(out);
    expect(rest).toEqual({});
    expect(report).toMatchObject({ action: 'compacted', codec: 'openai-chat', fits: true, window: 8000 });
    expect(messages).toHaveLength(report.after.messages);
    expect(messages).toEqual(JSON.parse((await compact([CHAT, '--window', '8000'])).out));
    expect(err).toBe('');
  });

  it('keeps originals in the folder that is named, to be restored from there', async () => {
    const root = join(folder, 'made for it');
    const { out, err, status } = await compact([CHAT, '--window', '8000', '--archive', root, '--json']);
    expect([status, err]).toEqual([0, '']);
    const { messages, report } = JSON.parse(out);
    expect(JSON.stringify(messages)).toContain('/workspace/conversation_history/');
    expect(readdirSync(join(root, 'conversation_history'))).toHaveLength(2);
    const compactor = createCompactor({
      storage: workspaceStorage(createWorkspace({ root })),
    });
    const originals = JSON.parse(readFileSync(CHAT, 'utf8')).map((message: unknown) =>
      JSON.stringify(message),
    );
    for (const pointer of report.pointers)
      expect(originals).toContain((await compactor.restore(pointer)).text);
    expect(report.pointers.length).toBeGreaterThan(20);
  });

  it('reads standard input and byte order marks', async () => {
    const { out } = await compact(['-', '--window', '8000'], `\ufeff${readFileSync(CHAT, 'utf8')}`);
    expect(out).toBe((await compact([CHAT, '--window', '8000'])).out);
  });

  it('takes the window of the model, named or in the request', async () => {
    expect((await compact([REQUEST])).err).toContain('window 200000 tokens (of `claude-sonnet-4-5`)');
    expect((await compact([REQUEST, '--model', 'gpt-4'])).err).toContain('window 8192 tokens (of `gpt-4`)');
    expect((await compact([CHAT, '--model', 'nobody-1'])).err).toContain(
      'window 128000 tokens (default, because `nobody-1` is unknown)',
    );
    const { messages: _, ...rest } = JSON.parse(readFileSync(REQUEST, 'utf8'));
    const tokens = async (file: string): Promise<number> =>
      JSON.parse((await compact([file, '--model', 'claude-sonnet-4-5', '--json'])).out).report.before.tokens;
    const bare = fileOf('bare.json', JSON.stringify(JSON.parse(readFileSync(REQUEST, 'utf8')).messages));
    // Instructions and tools of the body count.
    expect(rest.tools).toHaveLength(1);
    expect(await tokens(REQUEST)).toBeGreaterThan((await tokens(bare)) + 60);
  });

  it('takes what a history may be told: goal, preset, limits, force', async () => {
    const goal = await compact([CHAT, '--window', '8000', '--goal', 'Open lock 7 in time']);
    expect(goal.out).toContain('Open lock 7 in time');
    const whole = await compact([CHAT, '--window', '200000', '--preset', 'aixtools']);
    expect(whole.err).toContain('nothing to do');
    const limit = ['--history-max-tokens', '6000', '--history-target-tokens', '3000'];
    const low = await compact([CHAT, '--window', '200000', '--preset', 'aixtools', ...limit]);
    expect(low.err).toContain('preset aixtools');
    expect(JSON.parse(low.out).length).toBeLessThan(40);
    const variable = { HISTORY_COMPACTION_MAX_TOKENS: '6000', HISTORY_COMPACTION_TARGET_TOKENS: '3000' };
    const set = await compact([CHAT, '--window', '200000', '--preset', 'aixtools'], undefined, variable);
    expect(set.out).toBe(low.out);
    const forced = await compact([CHAT, '--window', '200000', '--force', '--target', '4000', '--json']);
    const said = await compact([CHAT, '--window', '200000', '--force', '--target', '4000']);
    expect(said.err).toMatch(/compacted on demand, target ~4000 tokens\n/);
    const small = await compact([CHAT, '--window', '200000', '--force', '--target', '100000']);
    expect(small.err).toContain('nothing to do: already below ~100000 tokens');
    expect(JSON.parse(forced.out).report).toMatchObject({ action: 'compacted', fits: true, target: 4000 });
  });

  it('says where the trigger comes from, and calls a summary what a model wrote', async () => {
    const said = async (...args: string[]): Promise<string> => (await compact([CHAT, ...args])).err;
    expect(await said('--window', '200000')).toMatch(
      /compacts above ~88\d\d\d tokens \(88000 tokens of history, plus instructions and tools\)/,
    );
    const share = await said('--window', '8000');
    expect(share).toMatch(/compacted above ~6400 tokens \(the window minus [^)]*\), target ~\d+ tokens\n/);
    const rest = await said('--window', '20000', '--preset', 'valis');
    expect(rest).toContain('(85 % of the window)');
    const valis = await said('--window', '8000', '--preset', 'valis');
    expect(valis).toMatch(/\ndrop: \d+ turns replaced by a digest, /);
    expect(valis).not.toMatch(/summary/i);
    const long = [{ role: 'user', content: 'a' }];
    for (let turn = 0; turn < 2; turn += 1)
      long.push({ role: 'assistant', content: 'b' }, { role: 'user', content: 'word '.repeat(20_000) });
    const cut = await compact(['-', '--window', '16000', '--force'], JSON.stringify(long));
    expect(cut.err).toMatch(/\ntruncate: (?:1 result or message|\d+ results or messages) cut, /);
  });

  it('takes bounds on the history for every preset', async () => {
    for (const preset of ['lectern', 'valis', 'duragent', 'aixtools']) {
      const bounds = ['--history-max-tokens', '5000', '--history-target-tokens', '2500'];
      const { out, err } = await compact([
        CHAT,
        '--window',
        '200000',
        '--preset',
        preset,
        ...bounds,
        '--json',
      ]);
      expect(err, preset).toBe('');
      const { report } = JSON.parse(out);
      expect(report.trigger - report.target, preset).toBe(2500);
      expect(report, preset).toMatchObject({ action: 'compacted', fits: true });
    }
  });

  it('refuses a format the messages are clearly not of', async () => {
    const wide = ['--window', '8000'];
    const named = await compact([CHAT, ...wide, '--format', 'anthropic']);
    expect([named.status, named.out]).toEqual([2, '']);
    expect(named.err).toContain(
      '`--format` is `anthropic`, but the messages are in the format `openai-chat`',
    );
    expect((await compact([REQUEST, ...wide, '--format', 'openai-chat'])).err).toContain(
      'in the format `anthropic`',
    );
    const plain = JSON.stringify([{ role: 'user', content: 'a' }]);
    for (const format of ['anthropic', 'ai-sdk', 'langchain', 'openai-responses'])
      expect((await compact(['-', ...wide, '--format', format], plain)).status, format).toBe(0);
  });

  it('prints a list that cannot be brought down, and says so', async () => {
    const { out, err, status } = await compact([CHAT, '--window', '8000', '--target', '10']);
    expect(status).toBe(11);
    expect(JSON.parse(out).length).toBeGreaterThan(2);
    expect(err).toMatch(/\nlectern: OVER_BUDGET: The prompt has ~\d+ tokens, over its limit of 10,/);
    expect(err).toContain('Set a larger `--target`.');
    expect(err).not.toContain('unpin');
    // It is below the trigger now: nothing more is to be done.
    const again = await compact(['-', '--window', '8000', '--target', '10'], out);
    expect([again.out, again.status]).toEqual([out, 0]);
  });

  it('says what is wrong, where, and what to do next', async () => {
    const wide = ['--window', '8000'];
    const cases: readonly (readonly [args: readonly string[], status: number, said: string])[] = [
      [[], 2, 'No file given'],
      [[CHAT, LINES, ...wide], 2, '2 files given'],
      [[CHAT], 2, '`--window 128000`'],
      [[join(folder, 'none.json'), ...wide], 3, 'There is no file `none.json`'],
      [[folder, ...wide], 4, 'a directory'],
      [['fixtures/structured/broken.json', ...wide], 2, 'line 3, column 17: expected a value'],
      [['fixtures/structured/orders.json', ...wide], 2, 'an object with 2 keys, such as `version`'],
      [['fixtures/structured/events.jsonl', ...wide], 2, 'Unknown message format'],
      [[fileOf('empty.json', ' \n'), ...wide], 2, 'is empty'],
      [[fileOf('list.json', '[]'), ...wide], 2, 'an empty list of messages'],
      [[fileOf('body.json', '{"messages": []}'), ...wide], 2, 'an empty list of messages'],
      [[fileOf('text.json', '"hi"'), ...wide], 2, 'contains a string; expected'],
      [[fileOf('numbers.json', '[1, 2]'), ...wide], 2, 'message 1 is a number'],
      [[fileOf('odd.json', '[{"at": 1}]'), ...wide], 2, 'has the key `at`'],
      [[fileOf('odd.json', '[{"at": 1}]'), ...wide], 2, 'with `--format NAME`: `langchain`'],
      [[fileOf('table.csv', 'id,name\n1,a\n'), ...wide], 2, 'is not JSON; expected a conversation in JSON'],
      [[fileOf('table.csv', '"id","name"\n'), ...wide], 2, 'Give a JSON array of messages, a request body'],
      [
        [fileOf('several.json', '[{"id":"a","messages":[]},{"id":"b","messages":[]}]'), ...wide],
        2,
        'an array of 2 conversations; expected one',
      ],
      [[fileOf('numbers.csv', '1\n2,3\n'), ...wide], 2, 'is not JSON;'],
      [[fileOf('notes.txt', 'true story\n'), ...wide], 2, 'or JSON Lines'],
      [
        [fileOf('half.jsonl', '{"role": "user", "content": "a"}\n\n{"role" "b"}\n'), ...wide],
        2,
        'line 3, column 9',
      ],
      [[CHAT, ...wide, '--format', 'foo'], 2, 'Use one of `langchain`'],
      [[CHAT, ...wide, '--preset', 'foo'], 2, 'expected `lectern`, `valis`'],
      [[CHAT, ...wide, '--target', '8000'], 2, 'expected less than the window'],
      [[CHAT, '--window', '8kk'], 2, '`--window` is `8kk`'],
      [[CHAT, '--window', '0'], 2, '256 to'],
      [[CHAT, ...wide, '--goal', ''], 2, '`--goal` is empty'],
      [[CHAT, ...wide, '--history-max-tokens', '0'], 2, '`--history-max-tokens` is 0; expected 1 token'],
      [[CHAT, ...wide, '--history-max-tokens', 'many'], 2, '`--history-max-tokens` is `many`'],
      [[CHAT, ...wide, '--archive', CHAT], 19, 'which is not a folder'],
      [[CHAT, ...wide, '--archive', join(CHAT, 'in')], 19, 'which is not a folder'],
      [[CHAT, ...wide, '--archive', 'no-such/folder'], 3, 'has no parent folder'],
      [[join(folder, 'large.json'), ...wide], 10, 'larger than 256 MiB'],
    ];
    writeFileSync(join(folder, 'large.json'), '[');
    truncateSync(join(folder, 'large.json'), 300 * 2 ** 20);
    writeFileSync(join(folder, 'latin.json'), Buffer.from([0x5b, 0x22, 0xe9, 0x22, 0x5d]));
    for (const [args, status, said] of [
      ...cases,
      [[join(folder, 'latin.json'), ...wide], 2, 'not UTF-8'] as const,
    ]) {
      const run = await compact(args);
      expect(run.err, args.join(' ')).toContain(said);
      expect(run.err).not.toMatch(/\n {4}at |\/lectern-compact-/);
      expect([run.status, run.out], args.join(' ')).toEqual([status, '']);
    }
  });

  it.runIf(existsSync('/proc/self'))('ends where a file system makes no folders', async () => {
    const made = await compact([CHAT, '--window', '8000', '--archive', '/proc/foo']);
    expect([made.status, made.out]).toEqual([5, '']);
    expect(made.err).toContain('`--archive` is `/proc/foo`, which cannot be created');
    const kept = await compact([CHAT, '--window', '8000', '--archive', '/proc']);
    expect(kept.out).toBe(readFileSync(CHAT, 'utf8'));
    expect(kept.status).toBeGreaterThan(0);
  });

  it('prints the whole list where its originals cannot be kept', async () => {
    const root = join(folder, 'archive');
    mkdirSync(root);
    writeFileSync(join(root, 'conversation_history'), 'in the way');
    const { out, err, status } = await compact([CHAT, '--window', '8000', '--archive', root]);
    expect(out).toBe(readFileSync(CHAT, 'utf8'));
    expect(err).toContain('nothing was replaced');
    expect(status).toBe(70);
    const full = { LECTERN_WORKSPACE_MAX_BYTES: '1000' };
    const quota = await compact(
      [CHAT, '--window', '8000', '--archive', join(folder, 'small')],
      undefined,
      full,
    );
    expect([quota.status, quota.out]).toEqual([13, out]);
    expect(existsSync(join(folder, 'small'))).toBe(true);
  });

  it('takes odd messages as they are', async () => {
    const odd = [
      { role: 'user', content: 'a' },
      {
        role: 'assistant',
        content: 'b',
        deep: [[[[{}]]]],
        own: JSON.parse('{"__proto__": 1, "2": 0, "1": 0}'),
      },
      { role: 'user', content: `$& $1 \u2028 \ud83d\ude80 </script> ${'x'.repeat(300_000)}` },
    ];
    const lines = odd.map((message) => JSON.stringify(message)).join('\r\n');
    const { out, status } = await compact(['-', '--window', '900000'], `\n${lines}\n\n`);
    expect(status).toBe(0);
    expect(out).toBe(`${odd.map((message) => JSON.stringify(message)).join('\n')}\n`);
  });
});
