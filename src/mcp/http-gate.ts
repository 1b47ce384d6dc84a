// Decides from its headers alone whether an HTTP request may reach MCP: host, origin, method and content type. Reads no
// body and knows no identity.

import type { IncomingMessage } from 'node:http';
import { type HttpRefusal, refusal } from './http-refusal.ts';

/** Which hosts and origins are served, besides the loopback names. */
export interface GateOptions {
  /** Host names, `example.com` for any port or `example.com:8443` for that one. Their origins are allowed too. */
  readonly allowedHosts?: readonly string[];
  /** Whole origins of other sites, such as `https://app.example.com`. */
  readonly allowedOrigins?: readonly string[];
}

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Strict on purpose: `URL` would also take `user@host`, `127.1` and other spellings. */
const HOST = /^(?<name>\[[0-9a-f:.]{2,45}\]|[a-z0-9](?:[a-z0-9._-]{0,251}[a-z0-9])?)(?::\d{1,5})?$/;

const JSON_TYPE = /^application\/json[ \t]*(?:;|$)/i;

/** Creates the check. It returns undefined for a request that may proceed. */
export function createGate(options: GateOptions): (request: IncomingMessage) => HttpRefusal | undefined {
  const hosts = new Set([...LOOPBACK, ...(options.allowedHosts ?? [])].map((host) => host.toLowerCase()));
  const origins = new Set((options.allowedOrigins ?? []).map((origin) => origin.toLowerCase()));
  const hostAllowed = (host: string): boolean => {
    const name = HOST.exec(host)?.groups?.['name'];
    return name !== undefined && (hosts.has(name) || hosts.has(host));
  };
  const originAllowed = (origin: string): boolean => {
    const host = /^https?:\/\/(.+)$/.exec(origin)?.[1];
    return origins.has(origin) || (host !== undefined && hostAllowed(host));
  };
  return (request) => {
    const host = only(request, 'host');
    if (host === undefined || !hostAllowed(host))
      return refusal(403, 'The `Host` header does not name this server. Use its configured host name.');
    if (request.headers.origin !== undefined && !originAllowed(only(request, 'origin') ?? ''))
      return refusal(403, 'Requests from this `Origin` are not allowed.');
    if (request.method !== 'POST')
      return refusal(405, 'This endpoint is stateless: only POST is allowed.', { allow: 'POST' });
    if (!JSON_TYPE.test(only(request, 'content-type') ?? ''))
      return refusal(415, 'The `Content-Type` must be `application/json`.');
    const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
    return encoding === 'identity'
      ? undefined
      : refusal(415, 'A compressed body is not accepted. Leave out `Content-Encoding`.');
  };
}

/** The lower-case value of a header that was sent exactly once. */
function only(request: IncomingMessage, name: string): string | undefined {
  const values = request.headersDistinct[name];
  return values?.length === 1 ? values[0]?.toLowerCase() : undefined;
}
