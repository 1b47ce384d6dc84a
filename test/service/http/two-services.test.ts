import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ask } from '../../hostile/service/client.mjs';
import { startProcess } from '../../hostile/service/process.mjs';
import { draws } from '../../support/draws.ts';

// Starts and kills processes.
vi.setConfig({ testTimeout: 180_000 });

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'lectern-services-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

describe('services on one data folder', () => {
  it('share files and idempotency keys, and never create the same name twice', async () => {
    const services = await Promise.all([startProcess({ dataDir }), startProcess({ dataDir })]);
    try {
      const puts = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          ask(services[at % 2], {
            method: 'PUT',
            path: '/v1/workspaces/s/files/a.txt',
            headers: { 'if-none-match': '*' },
            body: `writer ${at}`,
          }),
        ),
      );
      const winner = puts.findIndex(({ status }) => status === 201);
      expect(puts.filter(({ status }) => status === 201)).toHaveLength(1);
      for (const service of services)
        expect((await ask(service, { path: '/v1/workspaces/s/files/a.txt' })).text).toBe(`writer ${winner}`);

      const save = (at: number) =>
        ask(services[at % 2], {
          method: 'POST',
          path: '/v1/workspaces/s/results?name=r.csv',
          headers: { 'idempotency-key': 'k', 'content-type': 'application/x-ndjson' },
          body: '{"a":1}\n',
        });
      await save(0);
      expect((await save(1)).headers['idempotency-replayed']).toBe('true');
    } finally {
      await Promise.all(services.map((service) => service.end()));
    }
  });

  const TIMES = draws(5, 2);
  it('survive starts and kills in quick succession', async () => {
    for (let time = 0; time < TIMES; time += 1) {
      const services = await Promise.all([startProcess({ dataDir }), startProcess({ dataDir })]);
      for (const service of services) service.signal(time % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
      await Promise.all(services.map(({ ended }) => ended));
    }
    const service = await startProcess({ dataDir });
    expect((await ask(service, { path: '/readyz' })).status).toBe(200);
    expect(service.uploads()).toEqual([]);
    await service.end();
  });
});
