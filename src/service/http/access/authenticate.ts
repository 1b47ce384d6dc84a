// Identifies the sender of a request by its key, or as anyone on loopback if there are no keys. Pages of other origins
// are rejected before.

import type { IncomingHttpHeaders } from 'node:http';
import { type Identity, LOCAL, SCOPES, type Scope } from '../../identity.ts';
import { keyIdOf, opens } from '../../keys/key.ts';
import type { KeyStore } from '../../keys/key-store.ts';
import { HttpError } from '../problem.ts';

export interface AuthenticateOptions {
  readonly keys: KeyStore;
  /** The service listens only on this machine, so without keys it serves whoever runs it. */
  readonly loopback: boolean;
}

/** @throws {HttpError} 401 */
export async function authenticate(
  { authorization }: IncomingHttpHeaders,
  { keys, loopback }: AuthenticateOptions,
): Promise<Identity> {
  if (authorization === undefined && loopback && !(await keys.any())) return LOCAL;
  const given = /^Bearer +(\S{1,200}) *$/i.exec(authorization ?? '')?.[1] ?? '';
  const id = keyIdOf(given);
  const record = id === undefined ? undefined : await keys.find(id);
  if (!opens(record, given, new Date()) || !record) throw unauthorized(authorization !== undefined);
  return {
    user: record.user,
    scopes: SCOPES.filter((scope) => record.scopes.includes(scope)),
    keyId: record.id,
  };
}

/** @throws {HttpError} 403 */
export function authorize({ scopes }: Identity, scope: Scope | null): void {
  if (scope === null || scopes.includes(scope)) return;
  throw new HttpError(
    403,
    'ACCESS_DENIED',
    `The key does not have the scope \`${scope}\`.`,
    `Use a key created with \`lectern keys add --scopes ${scope}\`.`,
  );
}

function unauthorized(given: boolean): HttpError {
  return new HttpError(
    401,
    'ACCESS_DENIED',
    given ? 'The key is not valid: unknown, expired or revoked.' : 'The request has no key.',
    'Send `Authorization: Bearer KEY`; `lectern keys add` creates a key.',
    { 'www-authenticate': 'Bearer realm="lectern"' },
  );
}
