// The tools over a reader with `redact`: no answer holds a secret, no edit shows or destroys one.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { prepareAttachments } from '../../src/index.ts';
import { textOf } from '../../src/tools/index.ts';
import { makePlace, type Place } from '../tools/place.ts';
import { leakIn, PLANTED, SECRET_FILES } from './secret-files.ts';

let place: Place;
const secretOf = (kind: string, at = 0): string =>
  PLANTED.filter((one) => one.kind === kind)[at]?.secret ?? '';
const [github, password] = [secretOf('github'), 'Harbor!4711qwe'];
const settings = `# settings\nDB_PASSWORD=${password}\nTOKEN=${github}\nMODE=a\nOTHER=${github}\nx = 1\n`;

beforeAll(async () => {
  place = await makePlace({ ...SECRET_FILES, [`named-${github}.txt`]: 'a\n' }, { redact: true });
});
afterAll(() => place.remove());

const run = async (
  ...[name, args]: Parameters<Place['run']>
): Promise<{ text: string; isError: boolean }> => {
  const answer = await place.run(name, args);
  const text = textOf(answer);
  // What the model wrote itself may be repeated to it.
  const echoed = Object.values(args as Record<string, unknown>).filter(
    (one) => typeof one === 'string' && one.length > 8,
  );
  const others = echoed.reduce<string>((rest, one) => rest.replaceAll(String(one), ''), text);
  expect(leakIn(others), JSON.stringify(args)).toBeUndefined();
  expect(text).not.toContain(password);
  return { text, isError: answer.isError };
};
const fresh = async (text = settings): Promise<void> => {
  await writeFile(join(place.root, 'set.env'), text);
};
const now = (): Promise<string> => readFile(join(place.root, 'set.env'), 'utf8');
/** The placeholder of the token, as the model sees it. */
const shownToken = async (): Promise<string> => {
  const { text } = await run('read_file', { path: 'set.env' });
  return /TOKEN=(?<shown>\S+)/.exec(text)?.groups?.['shown'] ?? '';
};

it.each(Object.keys(SECRET_FILES))('reads and describes %s', async (path) => {
  for (const args of [
    { path },
    { path, max_tokens: 200 },
    { path, lines: '3-9' },
    { path, overflow: 'outline' },
  ])
    await run('read_file', args);
  await run('file_info', { path });
});

it('lists names without secrets', async () => {
  await run('list_files', {});
  await run('find_files', { pattern: '**/named*' });
  await run('read_file', { path: `named-${github.slice(0, 10)}.txt` });
});

it('does not find a secret, nor a part of one', async () => {
  for (const { secret } of PLANTED) {
    const [line = ''] = secret.split('\n');
    const { text } = await run('search_files', { query: line.slice(0, 14), regex: false });
    expect(text).toContain('No match');
  }
  for (const query of ['[A-Za-z0-9+/=_-]{12,}', 'KEY-----', 'oken', 'assword', '.'])
    for (const mode of ['content', 'groups', 'count'])
      await run('search_files', { query, regex: true, output_mode: mode, context: 3 });
  await run('search_files', { query: 'BEGIN.{40}', regex: true, multiline: true });
}, 120_000);

it('queries redacted text, also by its parts', async () => {
  for (const file of [
    'data.csv',
    'data.json',
    'data.jsonl',
    'sheet.xlsx',
    'data.xml',
    'plain.txt',
    'pack.zip!/data.csv',
  ])
    for (const sql of [
      `SELECT * FROM "${file}"`,
      `SELECT substr(cast(t AS VARCHAR), 3, 20) FROM "${file}" t`,
      `SELECT list(cast(t AS VARCHAR)) FROM "${file}" t`,
    ])
      await run('query_result', { sql });
}, 120_000);

it('attaches a PDF as text', async () => {
  const files = ['page.pdf', 'plain.txt', 'letter.docx', 'sheet.xlsx'];
  const { reader, workspace } = place;
  const made = await prepareAttachments(files, { target: 'anthropic', reader, workspace });
  expect(leakIn(JSON.stringify(made))).toBeUndefined();
  expect(JSON.stringify(made.content)).not.toContain('application/pdf');
});

it('edits text around a placeholder, and keeps the secret', async () => {
  await fresh();
  const shown = await shownToken();
  expect(shown).toMatch(/^REDACTED-github-[a-z2-7]{6}-x+$/);
  expect(
    await run('edit_file', {
      path: 'set.env',
      old_text: `TOKEN=${shown}\nMODE=a`,
      new_text: `TOKEN=${shown}\nMODE=b`,
    }),
  ).toHaveProperty('isError', false);
  expect(await now()).toBe(settings.replace('MODE=a', 'MODE=b'));
  await run('edit_file', { path: 'set.env', old_text: 'x = 1', new_text: 'y = 1', replace_all: true });
  expect(await now()).toBe(settings.replace('MODE=a', 'MODE=b').replace('x = 1', 'y = 1'));
  await run('edit_file', { path: 'set.env', patch: `@@ -3,2 +3,2 @@\n TOKEN=${shown}\n-MODE=b\n+MODE=c\n` });
  expect(await now()).toContain(`TOKEN=${github}\nMODE=c\n`);
  await run('edit_file', { path: 'set.env', old_text: `OTHER=${shown}\n`, new_text: '' });
  expect(await now()).not.toContain('OTHER');
});

it.each([
  ['an ambiguous place', (shown: string) => ({ old_text: shown, new_text: 'none' }), /occurs 2 times/],
  [
    'a part of a placeholder',
    (shown: string) => ({ old_text: `TOKEN=${shown.slice(0, 22)}`, new_text: 'TOKEN=a' }),
    /cuts a placeholder|is not in/,
  ],
  ['a secret in its own words', () => ({ old_text: github.slice(5, 20), new_text: 'a' }), /is not in/],
  [
    'an unknown placeholder',
    (shown: string) => ({ old_text: 'MODE=a', new_text: `MODE=${shown}` }),
    /not a placeholder in the replaced text|no longer/,
  ],
  [
    'a name whose secret would then show',
    () => ({ old_text: 'DB_PASSWORD=', new_text: 'see ' }),
    /could be read/,
  ],
  [
    'a secret moved where it would show',
    () => ({ old_text: 'DB_PASSWORD=REDACTED-', new_text: 'see REDACTED-' }),
    /cuts a placeholder/,
  ],
  [
    'a line inside a secret',
    () => ({ old_text: 'REDACTED', new_text: 'a', replace_all: true }),
    /cuts a placeholder/,
  ],
] as const)('refuses to edit %s', async (_what, args, message) => {
  await fresh();
  const { text, isError } = await run('edit_file', { path: 'set.env', ...args(await shownToken()) });
  expect(text).toMatch(message);
  expect(isError).toBe(true);
  expect(await now()).toBe(settings);
});

it('edits cells of a notebook around secrets', async () => {
  const { text } = await run('read_file', { path: 'book.ipynb', max_tokens: 20_000 });
  const line = text.split('\n').find((one) => /REDACTED-github-\w{6}/.test(one)) ?? '';
  const { text: said } = await run('edit_file', {
    path: 'book.ipynb',
    old_text: line,
    new_text: `# note\n${line}`,
  });
  expect(said).not.toContain('REDACTED-xx');
  expect(await readFile(join(place.root, 'book.ipynb'), 'utf8')).not.toContain('REDACTED');
});

it('writes no placeholder', async () => {
  await fresh();
  const shown = await shownToken();
  for (const [name, args] of [
    ['write_file', { path: 'set.env', content: `TOKEN=${shown}\n`, overwrite: true }],
    ['write_file', { path: 'new.env', content: `TOKEN=${shown}\n` }],
    ['save_result', { rows: [{ token: shown }], name: 'a.csv' }],
  ] as const) {
    const { text, isError } = await run(name, args);
    expect(text).toContain('stands for a secret');
    expect(isError).toBe(true);
  }
  expect(await now()).toBe(settings);
});

it('shows what another wrote without its secrets', async () => {
  await fresh();
  await run('read_file', { path: 'set.env' });
  const key = PLANTED.find(({ kind }) => kind === 'private-key')?.text ?? '';
  await fresh(`${settings}NEW=${secretOf('stripe')}\n${key}\n`);
  const { text } = await run('write_file', { path: 'set.env', content: 'a\n', overwrite: true });
  expect(text).toContain('CONFLICT');
});
