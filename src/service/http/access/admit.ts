// Decides whether a request is served: the service accepts work, and the origin, host, key and rate are valid.

import type { FastifyRequest } from 'fastify';
import { type Identity, LOCAL } from '../../identity.ts';
import type { KeyStore } from '../../keys/key-store.ts';
import type { Operation } from '../operation.ts';
import { HttpError } from '../problem.ts';
import { authenticate, authorize } from './authenticate.ts';
import { checkOrigin, isLoopback } from './origin.ts';
import type { RateStore } from './rates.ts';

export interface AdmitOptions {
  readonly keys: KeyStore;
  readonly rates: RateStore;
  /** Address the service listens on. */
  readonly host: string;
  /** Additional host names of the service. */
  readonly publicHosts: readonly string[];
  /** True once the service accepts no new work. */
  readonly draining: () => boolean;
}

/** @throws {HttpError} 401, 403, 429, 503 */
export async function admit(
  { scope }: Pick<Operation, 'scope'>,
  { keys, rates, host, publicHosts, draining }: AdmitOptions,
  { headers }: FastifyRequest,
): Promise<Identity> {
  if (scope === null) return LOCAL;
  if (draining())
    throw new HttpError(503, 'BUSY', 'The service is shutting down.', 'Try again at another instance.', {
      connection: 'close',
      'retry-after': '5',
    });
  checkOrigin(headers, { hosts: publicHosts });
  const identity = await authenticate(headers, { keys, loopback: isLoopback(host) });
  authorize(identity, scope);
  const { user, keyId } = identity;
  const { allowed, waitMs } = await rates.take([`user:${user}`, ...(keyId === null ? [] : [`key:${keyId}`])]);
  if (allowed) return identity;
  const seconds = Math.ceil(waitMs / 1000);
  throw new HttpError(
    429,
    'BUSY',
    'The request exceeds the rate limit (limits `requestsPerMinute`, `requestBurst`).',
    `Wait ${seconds} seconds.`,
    { 'retry-after': String(seconds) },
  );
}
