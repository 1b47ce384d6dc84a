// Operations for operators of the service: liveness, readiness, metrics. They need no key and reveal no names.

import { access, constants, statfs } from 'node:fs/promises';
import { z } from 'zod';
import type { Blobs } from '../../blobs/index.ts';
import { type Operation, operation } from '../http/operation.ts';
import type { ServiceState } from '../parts.ts';

/** With less free space on the disk of the data folder, the service is not ready. */
const MIN_FREE_BYTES = 256 * 1024 * 1024;
/** Probes give up after a few seconds. */
const MAX_STORAGE_MS = 2000;

export function healthOperations(state: ServiceState): readonly Operation[] {
  return [livez(), readyz(state), metrics(state)];
}

const STATUS = z.object({ status: z.enum(['ok', 'unavailable']) });

function livez(): Operation {
  return operation({
    id: 'livez',
    method: 'GET',
    path: '/livez',
    tag: 'Health',
    summary: 'The process answers',
    scope: null,
    answers: { 200: { description: 'Alive.', content: { 'application/json': STATUS } } },
    run: () => Promise.resolve({ body: { status: 'ok' } }),
  });
}

function readyz(state: ServiceState): Operation {
  const schema = STATUS.extend({ checks: z.record(z.string(), z.string()) });
  return operation({
    id: 'readyz',
    method: 'GET',
    path: '/readyz',
    tag: 'Health',
    summary: 'The service accepts requests',
    scope: null,
    answers: {
      200: { description: 'Ready.', content: { 'application/json': schema } },
      503: { description: 'Not ready; `checks` says why.', content: { 'application/json': schema } },
    },
    run: async () => {
      const checks = {
        serving: state.draining ? 'shutting down' : 'ok',
        data: await dataFolder(state.uploads),
        reader: await state.readerStatus(),
        database: await state.keys.any().then(
          () => 'ok',
          () => 'does not answer',
        ),
        ...(state.storage && { storage: await storageStatus(state.storage) }),
      };
      const ok = Object.values(checks).every((found) => found === 'ok');
      return { status: ok ? 200 : 503, body: { status: ok ? 'ok' : 'unavailable', checks } };
    },
  });
}

async function storageStatus(storage: Blobs): Promise<string> {
  try {
    await storage.stat('ready', AbortSignal.timeout(MAX_STORAGE_MS));
    return 'ok';
  } catch {
    return 'does not answer';
  }
}

async function dataFolder(folder: string): Promise<string> {
  try {
    await access(folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize >= MIN_FREE_BYTES ? 'ok' : 'disk is almost full';
  } catch {
    return 'cannot be written';
  }
}

function metrics(state: ServiceState): Operation {
  return operation({
    id: 'metrics',
    method: 'GET',
    path: '/metrics',
    tag: 'Health',
    summary: 'Metrics for Prometheus',
    scope: null,
    answers: { 200: { description: 'Text exposition format.', content: { 'text/plain': undefined } } },
    run: async () => {
      const { text, type } = await state.metrics.text();
      return { body: text, type };
    },
  });
}
