// HTTP nodes of a cluster that share a database and object storage, each with a data folder of its own, and clients that
// talk to any of them: each writes and reads files that only it may see, and polls jobs at other nodes than took them.
// Counts what a killed node may cost and what nothing may: another user's byte.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const USERS = ['ana', 'bob', 'cyd'];

/**
 * Starts `count` nodes over `database`, `redis` and `storage`, and clients that run until `stop`.
 * @param command path of the command line
 */
export async function startNodes({ command, count, database, redis, storage, environment, random }) {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-nodes-'));
  const env = {
    ...process.env,
    ...environment,
    LECTERN_DATABASE_URL: database,
    ...(redis && { LECTERN_REDIS_URL: redis }),
    LECTERN_REQUESTS_PER_MINUTE: '1000000',
    LECTERN_REQUEST_BURST: '100000',
  };
  const keys = new Map(
    USERS.map((user) => {
      const text = execFileSync(
        process.execPath,
        [command, 'keys', 'add', '--user', user, '--data-dir', join(folder, 'keys'), '--json'],
        { env, encoding: 'utf8' },
      );
      return [user, JSON.parse(text).key];
    }),
  );
  const nodes = [];
  const tally = { requests: 0, refused: 0, wrong: [], jobs: 0, jobsDone: 0, kills: 0 };
  let isStopped = false;

  async function startNode(index) {
    const place = ['--storage', storage, '--data-dir', join(folder, String(index))];
    const child = spawn(
      process.execPath,
      [command, 'serve', '--port', '0', ...place, '--quiet', '--max-processes', '1'],
      { env, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const url = await new Promise((resolve, reject) => {
      let text = '';
      child.stderr.on('data', (piece) => {
        text += piece;
        const found = /listening on (\S+)/.exec(text)?.[1];
        if (found) resolve(found);
      });
      child.once('close', () => reject(new Error(`A node ended: ${text}`)));
    });
    nodes[index] = { child, url };
  }

  const anyNode = () => nodes[Math.floor(random() * nodes.length)].url;

  /** Asks any node until one answers with something else than "not now". Undefined after the end. */
  async function ask(user, path, options = {}) {
    for (let attempt = 0; attempt < 60; attempt += 1) {
      if (isStopped && attempt > 20) return undefined;
      try {
        const response = await fetch(`${anyNode()}${path}`, {
          ...options,
          headers: { authorization: `Bearer ${keys.get(user)}`, ...options.headers },
          signal: AbortSignal.timeout(30_000),
        });
        const text = await response.text();
        tally.requests += 1;
        if (response.status < 500 && response.status !== 429) return { status: response.status, text };
        tally.refused += 1;
      } catch {
        tally.refused += 1; // the node was killed
      }
      await wait(100 + random() * 200);
    }
    return undefined;
  }

  /** Notes every word of another user in an answer. */
  function check(user, what, text) {
    for (const other of USERS)
      if (other !== user && text.includes(`secret-of-${other}`))
        tally.wrong.push(`${what}: ${other} shown to ${user}`);
  }

  async function client(user, lane) {
    for (let turn = 0; !isStopped; turn += 1) {
      const word = `secret-of-${user}-${lane}-${turn}`;
      const path = `/v1/workspaces/s/files/f${lane}.txt`;
      const written = await ask(user, `${path}?overwrite=true`, {
        method: 'PUT',
        body: `${word}\n`.repeat(50),
      });
      if (!written) continue;
      const read = await ask(user, '/v1/read', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/plain' },
        body: JSON.stringify({ session: 's', path: `f${lane}.txt` }),
      });
      if (read) {
        check(user, 'read', read.text);
        if (read.status === 200 && !read.text.includes(word)) tally.wrong.push(`read: not what was written`);
      }
      if (turn % 5 === 0) await job(user, lane, turn);
    }
  }

  async function job(user, lane, turn) {
    const form = new FormData();
    for (let n = 0; n < 3; n += 1)
      form.append(`f${n}`, new Blob([`secret-of-${user} ${n}\n`]), `file-${n}.txt`);
    const accepted = await ask(user, '/v1/jobs', {
      method: 'POST',
      body: form,
      headers: { 'idempotency-key': `${user}-${lane}-${turn}` },
    });
    if (!accepted || accepted.status >= 300) return;
    tally.jobs += 1;
    const { id } = JSON.parse(accepted.text);
    for (let poll = 0; poll < 600; poll += 1) {
      const seen = await ask(user, `/v1/jobs/${id}`);
      if (seen?.status !== 200) break;
      if (JSON.parse(seen.text).status === 'done') {
        const results = await ask(user, `/v1/jobs/${id}/results?after=0`);
        if (!results) return;
        check(user, 'job', results.text);
        const lines = results.text.trim().split('\n');
        if (lines.length !== 3) tally.wrong.push(`job: ${lines.length} results of 3`);
        tally.jobsDone += 1;
        return;
      }
      await wait(200);
    }
    if (!isStopped) tally.wrong.push('job: did not end');
  }

  for (let index = 0; index < count; index += 1) await startNode(index);
  const clients = USERS.flatMap((user) => [client(user, 0), client(user, 1)]);
  return {
    tally,
    async kill() {
      const index = Math.floor(random() * nodes.length);
      const { child } = nodes[index];
      const gone = once(child, 'close');
      child.kill('SIGKILL');
      await gone;
      tally.kills += 1;
      await startNode(index);
    },
    async stop() {
      isStopped = true;
      await Promise.all(clients);
      for (const { child } of nodes) {
        const gone = once(child, 'close');
        child.kill('SIGTERM');
        await gone;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
