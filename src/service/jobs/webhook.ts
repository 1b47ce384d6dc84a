// One delivery of a webhook, signed according to Standard Webhooks 1.0. Never follows a redirect and never keeps the
// receiver's answer.

import { createHmac, randomBytes } from 'node:crypto';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { ReaderError } from '../../index.ts';
import type { WebhookDelivery, WebhookOutcome } from './queue.ts';
import { AddressRefused, type AddressRule, guardedLookup, hostOf } from './webhook-address.ts';

/** From the first packet to the end of the answer's headers. */
const TIMEOUT_MS = 10_000;

/** Maximum size of an answer; more closes the connection. */
const MAX_ANSWER_BYTES = 4096;

const SECRET = /^whsec_(?<key>[A-Za-z0-9+/]+={0,2})$/;

/** Random, in the form of Standard Webhooks. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** @throws {ReaderError} BAD_INPUT unless it is `whsec_` and the base64 of 24 to 64 bytes */
export function checkSecret(secret: string): string {
  const key = keyOf(secret);
  if (key.length >= 24 && key.length <= 64) return secret;
  throw new ReaderError(
    'BAD_INPUT',
    '`webhook.secret` is not valid; expected `whsec_` and the base64 of 24 to 64 bytes.',
    'Leave it out to have one generated.',
  );
}

const keyOf = (secret: string): Buffer => Buffer.from(SECRET.exec(secret)?.groups?.['key'] ?? '', 'base64');

/** `timestamp` in seconds since 1970. */
export function signatureOf(secret: string, id: string, timestamp: number, body: string): string {
  return `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

export interface DeliverOptions {
  readonly rule: AddressRule;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

/** Never throws: every error is an outcome. Success is a status from 200 to 299. */
export async function deliver(delivery: WebhookDelivery, options: DeliverOptions): Promise<WebhookOutcome> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  try {
    const status = await post(delivery, options, AbortSignal.any([options.signal, timeout]));
    if (status >= 200 && status < 300) return { ok: true, status };
    return { ok: false, status, error: `The receiver answered with status ${status}.` };
  } catch (error) {
    return { ok: false, error: timeout.aborted ? 'The receiver did not answer in time.' : faultOf(error) };
  }
}

/** In our own words, because system messages may name addresses inside the network. */
function faultOf(error: unknown): string {
  if (error instanceof AddressRefused) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^(?:ENOTFOUND|EAI_)/.test(code)) return 'The host name could not be resolved.';
  if (/^(?:ERR_TLS|CERT_|SELF_SIGNED|UNABLE_TO|DEPTH_ZERO|EPROTO)/.test(code))
    return 'The TLS handshake failed.';
  return 'The connection failed.';
}

function post(
  { url: text, secret, messageId, body }: WebhookDelivery,
  { rule, timestamp }: DeliverOptions,
  signal: AbortSignal,
): Promise<number> {
  const url = new URL(text);
  const host = hostOf(url);
  return new Promise((resolve, reject) => {
    // A literal address is connected to without a lookup.
    if (isIP(host) !== 0 && !rule.allows(host, host)) throw new AddressRefused();
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      agent: false,
      lookup: guardedLookup(rule),
      signal,
      maxHeaderSize: 16 * 1024,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'lectern-webhooks/1',
        'webhook-id': messageId,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatureOf(secret, messageId, timestamp, body),
      },
    });
    request.once('response', (answer) => resolve(statusOf(answer, request)));
    request.once('error', reject);
    request.end(body);
  });
}

/** The status; the body is dropped, and cut off when it is long. */
function statusOf(answer: IncomingMessage, request: ClientRequest): number {
  let bytes = 0;
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) request.destroy();
  });
  answer.on('error', () => undefined); // cut off; the status is known
  request.on('error', () => undefined);
  return answer.statusCode ?? 0;
}
