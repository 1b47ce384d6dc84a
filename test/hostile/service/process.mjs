// A service in a process of its own, as hostile clients, kills and restarts need one: started, watched and ended.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CHILD = fileURLToPath(new URL('./child.mjs', import.meta.url));
const DIST = fileURLToPath(new URL('../../../dist', import.meta.url));
/** Nothing of a host's own settings reaches the service. */
const ENVIRONMENT = { PATH: process.env.PATH, HOME: '/nonexistent' };
/** Where DuckDB is, if it is installed. */
const PLACES = { LECTERN_DUCKDB: fileURLToPath(new URL('../../integrations', import.meta.url)) };

/** Slow enough for a loaded machine, fast enough to wait for. */
const PACE = { minBytesPerWindow: 1024, windowMs: 1000, headersMs: 1000, checkMs: 200 };
const LIMITS = {
  requestsPerMinute: 1e9,
  requestBurst: 1e9,
  maxUploadBytes: 8 * 2 ** 20,
  maxJsonBytes: 2 ** 20,
  maxConnections: 20_000,
  drainMilliseconds: 20_000,
};

export async function startProcess({ dataDir, dist = DIST, limits = {}, pace = PACE, environment = {} }) {
  const job = JSON.stringify({
    dist,
    dataDir,
    limits: { ...LIMITS, ...limits },
    pace,
    environment: { ...PLACES, ...environment },
  });
  const child = fork(CHILD, [job], { env: ENVIRONMENT, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let complaint = '';
  child.stderr.on('data', (piece) => {
    complaint = (complaint + piece).slice(-4000);
  });
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal, complaint }));
  const started = await Promise.race([once(child, 'message').then(([message]) => message), ended]);
  if (started.url === undefined) throw new Error(`The service did not start: ${complaint}`);
  const { hostname, port } = new URL(started.url);
  return {
    url: started.url,
    hostname,
    port: Number(port),
    pid: child.pid,
    dataDir,
    ended,
    signal: (name) => child.kill(name),
    /** Files that wait in the folder of uploads. */
    uploads: () => filesIn(join(dataDir, 'service/uploads')),
    descriptors: () => readdirSync(`/proc/${child.pid}/fd`).length,
    /** Highest resident size so far, in bytes, and starts over. */
    peak: () => peakOf(child.pid),
    async end() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      return ended;
    },
  };
}

function filesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}

function peakOf(pid) {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}
