// Runs one operation on a request: validates path, query, headers and body, provides its signal, and releases its
// resources.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { ReaderError } from '../../index.ts';
import type { Identity } from '../identity.ts';
import { mediaTypeOf } from './body/body.ts';
import { type BodyOptions, takeBody } from './body/take-body.ts';
import { checked, fromTexts } from './checked.ts';
import type { Operation, Reply } from './operation.ts';
import type { RequestHeader } from './request-headers.ts';

/** What operations share. */
export interface PerformOptions extends BodyOptions {
  /** Aborts when the service shuts down before its requests end. */
  readonly ending: AbortSignal;
}

/**
 * Aborts when the client disconnects before it was answered, or the service shuts down. Fastify's own signal also
 * aborts when a body has been read; `AbortSignal.any` would keep every request alive as long as the service.
 */
function signalOf({ raw }: FastifyReply, ending: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  if (ending.aborted) abort();
  ending.addEventListener('abort', abort);
  raw.once('close', () => {
    ending.removeEventListener('abort', abort);
    if (!raw.writableFinished) abort();
  });
  return controller.signal;
}

export async function perform(
  operation: Operation,
  options: PerformOptions,
  identity: Identity,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Reply> {
  const signal = signalOf(reply, options.ending);
  const texts = queryOf(request);
  const params = operation.params && checked(operation.params, paramsOf(operation, request), 'path');
  const query = operation.query && checked(operation.query, fromTexts(operation.query, texts), 'query');
  const body = await takeBody(operation.body, options, texts, request, reply, signal);
  try {
    return await operation.run({
      identity,
      params,
      query,
      body: body.value,
      headers: headersOf(operation, request),
      accept: request.headers.accept,
      contentType: mediaTypeOf(request.raw),
      signal,
    });
  } finally {
    await body.discard?.();
  }
}

/** The headers that `operation` declares; repeated ones are joined, as Node does. */
function headersOf(
  { headers: declared = [] }: Operation,
  { headers }: FastifyRequest,
): Record<RequestHeader, string | undefined> {
  const entries = declared.map((name) => [name, headers[name]?.toString()]);
  return Object.fromEntries(entries) as Record<RequestHeader, string | undefined>; // an operation reads only what it declares
}

/** @throws {ReaderError} BAD_INPUT for a repeated field */
function queryOf({ query }: FastifyRequest): Record<string, string> {
  const entries = Object.entries(query as Record<string, unknown>); // as Fastify parses a query
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (typeof value === 'string') return [name, value];
      throw new ReaderError('BAD_INPUT', 'A field of the query is given twice.', 'Send each field once.');
    }),
  );
}

/** Parameters by their names in the path; Fastify stores the rest of a path under `*`. */
function paramsOf({ path }: Operation, { params }: FastifyRequest): Record<string, unknown> {
  const { '*': rest, ...named } = params as Record<string, string>; // as Fastify parses a path
  const name = /\{(\w+)\*\}/.exec(path)?.[1];
  return name === undefined ? named : { ...named, [name]: rest };
}
