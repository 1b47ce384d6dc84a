// `lectern keys`: creates, lists and revokes the keys of a service. A running service applies changes immediately.

import { join, resolve } from 'node:path';
import { checkId, DATA_DIRECTORY, loadOptional, quoted, settingOf } from '../contract/index.ts';
import { ReaderError } from '../index.ts';
import type { KeyStore, Scope } from '../service/index.ts';
import type { Command } from './command.ts';
import { COMMON_OPTIONS, type Option, type Values } from './options.ts';
import type { Terminal } from './terminal.ts';

const KEYS_OPTIONS: readonly Option[] = [
  {
    name: 'data-dir',
    value: 'DIR',
    help: 'data folder of the service (default: LECTERN_DATA_DIR, or ./data)',
  },
  {
    name: 'database',
    value: 'URL',
    help: 'PostgreSQL database of the service (default: LECTERN_DATABASE_URL, or a file in the data folder)',
  },
  { name: 'user', value: 'ID', help: 'owner of the key, of workspaces and of jobs' },
  { name: 'scopes', value: 'LIST', help: 'permissions: read, files, jobs, mcp (default: all)' },
  { name: 'label', value: 'TEXT', help: 'description of the key' },
  { name: 'days', value: 'N', help: 'days until the key expires (default: never)' },
];

/** In the data folder. */
const SERVICE_FOLDER = 'service';

const DAY_MS = 24 * 60 * 60 * 1000;

/** `add` prints the key on standard output, once; only its hash is kept. */
export const keys: Command = {
  options: [...KEYS_OPTIONS, ...COMMON_OPTIONS],
  async run([action, ...words], values, terminal) {
    const { createKeyStore, DATABASE_URL, dataFolder, hasDatabase, openDatabase } = await loadOptional(
      'service',
      'The service',
      () => import('../service/index.ts'),
    );
    if (action !== 'add' && action !== 'list' && action !== 'revoke')
      throw new ReaderError(
        'BAD_INPUT',
        action === undefined ? 'No action given.' : `${quoted(action)} is not an action of \`lectern keys\`.`,
        'Use `lectern keys add --user NAME`, `lectern keys list` or `lectern keys revoke KEY_ID`.',
      );
    const given = values['data-dir'] ?? settingOf(terminal.environment, DATA_DIRECTORY);
    const named = typeof given === 'string' ? given : './data';
    const folder = resolve(named);
    const url =
      typeof values['database'] === 'string'
        ? values['database']
        : settingOf(terminal.environment, DATABASE_URL);
    // Only `add` creates the file.
    if (url === undefined && action !== 'add' && !(await hasDatabase(join(folder, SERVICE_FOLDER)))) {
      if (action === 'revoke') throw unknownKey(keyIdFrom(words));
      await printKeys([], values, terminal);
      return 0;
    }
    if (url === undefined) await dataFolder(folder, named);
    const database = await openDatabase(join(folder, SERVICE_FOLDER), { url });
    try {
      const store = await createKeyStore(database);
      if (action === 'add') await add(store, values, terminal);
      else if (action === 'list') await printKeys(await store.list(), values, terminal);
      else await revoke(store, words, terminal);
    } finally {
      await database.close();
    }
    return 0;
  },
};

async function add(store: KeyStore, values: Values, terminal: Terminal): Promise<void> {
  const { makeKey } = await import('../service/index.ts');
  if (values['user'] === undefined)
    throw new ReaderError(
      'BAD_INPUT',
      'The option `--user` is missing.',
      'Run `lectern keys add --user NAME`.',
    );
  const user = checkId('user', values['user']);
  const scopes = await scopesFrom(values);
  const days = daysFrom(values);
  const now = Date.now();
  const { key, id, hash } = makeKey();
  await store.add({
    id,
    user,
    scopes,
    label: typeof values['label'] === 'string' ? values['label'] : '',
    createdAt: new Date(now).toISOString(),
    expiresAt: days === undefined ? null : new Date(now + days * DAY_MS).toISOString(),
    revokedAt: null,
    hash,
  });
  if (values['json'] === true) await terminal.out(`${JSON.stringify({ id, key, user, scopes })}\n`);
  else {
    await terminal.out(`${key}\n`);
    terminal.err(`Key ${id} of user ${user} for ${scopes.join(', ')}. It is not shown again.\n`);
  }
}

async function scopesFrom(values: Values): Promise<readonly Scope[]> {
  const { SCOPES } = await import('../service/index.ts');
  if (typeof values['scopes'] !== 'string') return SCOPES;
  const names = values['scopes'].split(',').map((name) => name.trim());
  const odd = names.find((name) => !SCOPES.some((scope) => scope === name));
  if (odd === undefined) return SCOPES.filter((scope) => names.includes(scope));
  throw new ReaderError(
    'BAD_INPUT',
    `\`--scopes\` names ${quoted(odd)}; expected ${SCOPES.map((scope) => `\`${scope}\``).join(', ')}.`,
    'Example: `--scopes read,files`.',
  );
}

function daysFrom(values: Values): number | undefined {
  const text = values['days'];
  if (text === undefined) return undefined;
  if (typeof text === 'string' && /^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new ReaderError(
    'BAD_INPUT',
    `\`--days\` is ${quoted(String(text))}; expected a whole number of days.`,
    'Example: `--days 90`.',
  );
}

async function printKeys(
  found: Awaited<ReturnType<KeyStore['list']>>,
  values: Values,
  terminal: Terminal,
): Promise<void> {
  const records = found.map(({ hash: _hash, ...record }) => record);
  if (values['json'] === true) {
    await terminal.out(`${JSON.stringify(records, null, 2)}\n`);
    return;
  }
  if (records.length === 0) terminal.err('No keys. `lectern keys add --user NAME` creates one.\n');
  for (const { id, user, scopes, label, createdAt, expiresAt, revokedAt } of records) {
    const end = revokedAt ? `revoked ${revokedAt}` : expiresAt ? `until ${expiresAt}` : 'never expires';
    await terminal.out(
      `${[id, user, scopes.join(','), `from ${createdAt}`, end, label].join('  ').trimEnd()}\n`,
    );
  }
}

async function revoke(store: KeyStore, words: readonly string[], terminal: Terminal): Promise<void> {
  const id = keyIdFrom(words);
  if (!(await store.revoke(id, new Date().toISOString()))) throw unknownKey(id);
  terminal.err(`Revoked key ${id}.\n`);
}

/** @throws {ReaderError} BAD_INPUT */
function keyIdFrom([id]: readonly string[]): string {
  if (id !== undefined) return id;
  throw new ReaderError('BAD_INPUT', 'No key id given.', 'Use an id from `lectern keys list`.');
}

const unknownKey = (id: string): ReaderError =>
  new ReaderError(
    'FILE_NOT_FOUND',
    `The key ${quoted(id)} does not exist.`,
    'Use an id from `lectern keys list`.',
  );
