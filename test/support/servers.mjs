// PostgreSQL and Redis of this machine, each started on a free port with its data in a temporary folder. A server ends
// with the process that started it, even one that is killed: a shell waits for the end of its standard input. Run as a
// script, it starts both, prints their URLs as JSON and serves until it is interrupted.

import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Debian keeps the programs of each version in a folder of its own. */
const POSTGRES_FOLDERS = '/usr/lib/postgresql';
const REDIS = '/usr/bin/redis-server';

/** Runs a server until standard input ends, then stops it and, if told so, removes its folder. */
const KEEPER = `
folder=$1; shift
"$@" &
server=$!
(while kill -0 $server 2>/dev/null; do sleep 1; done; kill $$ 2>/dev/null) >/dev/null 2>&1 &
read -r word
trap '' TERM
kill -INT $server 2>/dev/null
wait $server 2>/dev/null
[ "$word" = keep ] || rm -rf "$folder"
`;

/** Folder with `initdb` and `postgres`; undefined where PostgreSQL is not installed. */
function postgresPrograms() {
  if (!existsSync(POSTGRES_FOLDERS)) return undefined;
  const versions = readdirSync(POSTGRES_FOLDERS).sort((a, b) => Number(b) - Number(a));
  return versions
    .map((version) => join(POSTGRES_FOLDERS, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'postgres')) && existsSync(join(folder, 'initdb')));
}

export const hasPostgres = () =>
  process.env.LECTERN_TEST_POSTGRES !== undefined || postgresPrograms() !== undefined;
export const hasRedis = () => process.env.LECTERN_TEST_REDIS !== undefined || existsSync(REDIS);

/** PostgreSQL does not run as root: another user then owns the folder and the process. */
function owner() {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag) => Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // There is no such user.
    }
  }
  throw new Error('There is no user to run PostgreSQL as.');
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Starts a server and waits until it says that it is ready. */
function run({ command, folder, user, ready }) {
  const child = spawn('/bin/sh', ['-c', KEEPER, 'sh', folder, ...command], {
    ...user,
    detached: true, // signals to the group of this process do not reach it
    cwd: folder,
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.stdin.on('error', () => undefined); // the server ended first
  let said = '';
  const started = new Promise((resolve, reject) => {
    const listen = (piece) => {
      said = (said + piece).slice(-10_000);
      if (ready.test(said)) resolve();
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('error', reject);
    void ended.then(() => reject(new Error(`The server did not start: ${said}`)));
  });
  started.catch(() => undefined); // reported to whoever waits for it
  const end = async (word) => {
    child.ref();
    child.stdin.end(`${word}\n`);
    await ended;
  };
  return started.then(() => {
    // A server does not keep its process running.
    for (const handle of [child, child.stdin, child.stdout, child.stderr]) handle.unref();
    return { end };
  });
}

/** A server that can be stopped for a while, and started again on the same port with the same data. */
async function server(options, url) {
  let running = await run(options);
  return {
    url,
    /** Its clients lose their connections; `start` begins again. */
    stop: async () => {
      await running.end('keep');
    },
    start: async () => {
      running = await run(options);
    },
    /** Ends it and removes its data. */
    end: () => running.end('remove'),
  };
}

export async function startPostgres() {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error('PostgreSQL is not installed.');
  const user = owner();
  const folder = mkdtempSync(join(tmpdir(), 'lectern-postgres-'));
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const flags = ['-D', data, '-U', 'lectern', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(programs, 'initdb'), flags, {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const port = await freePort();
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    'max_connections=200',
    'logging_collector=off',
    'fsync=off', // no test cuts the power, and a slow disk would make them wait
    'log_min_messages=log',
  ];
  const command = [join(programs, 'postgres'), '-D', data, ...settings.flatMap((setting) => ['-c', setting])];
  const ready = /database system is ready to accept connections/;
  return server({ command, folder, user, ready }, `postgres://lectern@127.0.0.1:${port}/postgres`);
}

export async function startRedis() {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-redis-'));
  const port = await freePort();
  const flags = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  const ready = /Ready to accept connections/;
  return server({ command: [REDIS, ...flags], folder, user: {}, ready }, `redis://127.0.0.1:${port}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  process.stdout.write(`${JSON.stringify({ postgres: postgres.url, redis: redis.url })}\n`);
  const stay = setInterval(() => undefined, 60_000);
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      clearInterval(stay);
      void Promise.all([postgres.end(), redis.end()]);
    });
}
