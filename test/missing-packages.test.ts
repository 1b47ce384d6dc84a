// An installation without optional packages: reads, and names what to install where a command needs more.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { loadOptional, OPTIONAL_PACKAGES } from '../src/contract/optional-packages.ts';
import { EXIT_STATUS } from '../src/index.ts';
import { makeConsumer } from './support/consumer.ts';

/** With what they bring along; without those of other systems. */
const MOST_PACKAGES = 60;

const app = makeConsumer();
afterAll(() => app.remove());
const main = join(app.folder, 'node_modules/lectern/dist/src/cli/main.js');
const data = join(app.folder, 'data');
const orders = fileURLToPath(new URL('../fixtures/tabular/orders.csv', import.meta.url));

function lectern(...words: readonly string[]): {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
} {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], {
    cwd: app.folder,
    encoding: 'utf8',
    env: { ...process.env, LECTERN_DATA_DIR: data, LECTERN_DUCKDB: app.folder },
  });
  return { status, out: stdout, err: stderr };
}

it('reads', () => {
  const { status, out } = lectern('read', orders);
  expect(status).toBe(0);
  expect(out).toContain('id,customer,city,amount,note\n1,"Person 1, KG"');
});

const SERVICE = 'npm install fastify@5 @fastify/busboy@3 pino@9 prom-client@15 @libsql/client@0.18';

it.each([
  [['serve', '--data-dir', data], 'The service', SERVICE],
  [['keys', 'list', '--data-dir', data], 'The service', SERVICE],
  [['recall', 'add', '--context-dir', data, orders], 'The archive', 'npm install @libsql/client@0.18'],
] as const)('says what to install: %j', (words, user, command) => {
  const { status, out, err } = lectern(...words);
  expect(status).toBe(EXIT_STATUS.MISSING_DEPENDENCY);
  expect(out).toBe('');
  expect(err).toBe(
    `lectern: MISSING_DEPENDENCY: ${user} needs packages that are not installed. Run \`${command}\` where lectern is installed.\n`,
  );
});

it('does not call another error of a package a missing one', async () => {
  const unread = Object.assign(new Error('it cannot be opened'), { code: 'ERR_MODULE_NOT_FOUND' });
  for (const broken of [new SyntaxError('its code is damaged'), unread])
    await expect(loadOptional('aiSdk', 'The AI SDK', () => Promise.reject(broken))).rejects.toBe(broken);
});

it('lists in `lectern doctor` what is missing', () => {
  const { status, out } = lectern('doctor');
  expect(status).toBe(0);
  expect(out).toContain('SQL queries: not installed: `npm install @duckdb/node-api`');
  expect(out).toContain('recall: not installed: `npm install @libsql/client@0.18`');
  expect(out).toContain('service: not installed: `npm install fastify@5');
});

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly dev?: boolean;
}
const { packages }: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
  readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'),
);

it('installs few packages', () => {
  const here = Object.entries(packages).filter(
    ([path, { dev, os = ['linux'], cpu = ['x64'], libc = ['glibc'] }]) =>
      path !== '' && !dev && os.includes('linux') && cpu.includes('x64') && libc.includes('glibc'),
  );
  expect(here.length).toBeGreaterThan(20);
  expect(here.length).toBeLessThanOrEqual(MOST_PACKAGES);
});

it('names optional packages in versions that the manifest accepts', () => {
  const accepted = packages['']?.peerDependencies ?? {};
  const versions = Object.values(OPTIONAL_PACKAGES).flatMap((names) =>
    names.flatMap((name) => /^(.+)@([\d.]+)$/.exec(name)?.slice(1, 3) ?? []),
  );
  for (let index = 0; index < versions.length; index += 2)
    expect(accepted[versions[index] ?? '']).toContain(`^${versions[index + 1]}.`);
});
