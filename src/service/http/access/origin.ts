// Checks host and origin. A page of another site can send requests to a service on loopback, and a name it controls can
// resolve to loopback (DNS rebinding): both are rejected.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { quoted } from '../../../contract/index.ts';
import { ReaderError } from '../../../index.ts';
import { HttpError } from '../problem.ts';

export interface OriginRules {
  /** Host names of the service, besides addresses and `localhost`; lower case, without ports. */
  readonly hosts: readonly string[];
}

/** @throws {HttpError} 403 */
export function checkOrigin(
  { host, origin, 'sec-fetch-site': site }: IncomingHttpHeaders,
  { hosts }: OriginRules,
): void {
  const name = hostnameOf(`http://${host ?? ''}`);
  if (name === undefined || !(isLocalName(name) || isAddress(name) || hosts.includes(name)))
    throw refused(
      `The host ${quoted(host ?? '')} is not served.`,
      'Start the service with `--public-host NAME` to serve it by that name.',
    );
  if (origin === undefined) {
    // A picture, script or link of a page: browsers send no origin with it (Fetch Metadata, section 2.3).
    if (site === 'cross-site' || site === 'same-site') throw refusedPage('another origin');
    return;
  }
  const from = hostnameOf(origin);
  // Sandboxed frames and local files send `null`, so it identifies no one.
  const same = from !== undefined && (originHost(origin) === host?.toLowerCase() || hosts.includes(from));
  if (!same) throw refusedPage(quoted(origin));
}

const refusedPage = (origin: string): HttpError =>
  refused(
    `Requests from pages of ${origin} are not served.`,
    'Call the service from your own server, or open its own page.',
  );

/** `localhost`, 127.0.0.0/8, ::1. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  return isLocalName(name) || /^127(\.\d{1,3}){3}$/.test(name) || name === '::1';
}

const isLocalName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');
/** An address cannot be rebound: a page that reaches it has that address itself. */
const isAddress = (name: string): boolean => isIP(name.replace(/^\[|\]$/g, '')) !== 0;

function originHost(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname.toLowerCase() : undefined;
}

function refused(message: string, hint: string): HttpError {
  return new HttpError(403, 'ACCESS_DENIED', message, hint);
}

/** One `Host` (RFC 9112, section 3.2); probes that speak HTTP/1.0 send none. @throws {ReaderError} BAD_INPUT */
export function checkHost({ rawHeaders, httpVersionMinor, httpVersionMajor }: IncomingMessage): void {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts === 1 || (hosts === 0 && httpVersionMajor === 1 && httpVersionMinor === 0)) return;
  throw new ReaderError(
    'BAD_INPUT',
    `The request has ${hosts === 0 ? 'no `Host` header' : `${hosts} \`Host\` headers`}; expected one.`,
    'Send one `Host` header.',
  );
}
