// The body of a request as its operation needs it: a validated object, files, or a stream of bytes.

import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceLimits } from '../../limits.ts';
import { checked, fromTexts } from '../checked.ts';
import type { Metrics } from '../metrics.ts';
import type { BodyRule } from '../operation.ts';
import { HttpError } from '../problem.ts';
import { bodyOf, jsonOf, mediaTypeOf, type Pace, textOf } from './body.ts';
import type { MemoryBudget } from './memory.ts';
import { uploadsOf } from './uploads.ts';

export interface BodyOptions {
  readonly limits: ServiceLimits;
  readonly metrics: Metrics;
  /** Where uploads are stored temporarily. */
  readonly uploadFolder: string;
  readonly memory: MemoryBudget;
  readonly pace: Pace;
}

/** Call `discard` once the operation has run. */
export interface TakenBody {
  readonly value?: unknown;
  discard?(): Promise<void>;
}

/** @throws {ReaderError} BAD_INPUT, LIMIT_EXCEEDED, BUSY (no memory left), ABORTED */
export async function takeBody(
  rule: BodyRule | undefined,
  { limits, metrics, uploadFolder, memory, pace }: BodyOptions,
  query: Readonly<Record<string, string>>,
  { raw: message }: FastifyRequest,
  { raw: response }: FastifyReply,
  signal: AbortSignal,
): Promise<TakenBody> {
  if (!rule) return {};
  const type = mediaTypeOf(message);
  const inMemory = rule.kind === 'json' || rule.kind === 'unparsed';
  const maxBytes = inMemory ? limits.maxJsonBytes : limits.maxUploadBytes;
  refuseEncoded(message);
  const chunks = metrics.counted(bodyOf(message, response, { ...pace, maxBytes }));
  if (rule.kind === 'stream') {
    if (rule.types) needType(type, rule.types);
    return { value: chunks };
  }
  if (rule.kind === 'files') {
    const { schema, maxFiles = limits.maxFilesPerRequest } = rule;
    const options = { schema, query, folder: uploadFolder, memory, maxFiles, signal };
    const uploads = await uploadsOf(message, chunks, options);
    return { value: uploads, discard: uploads.discard };
  }
  const held = holdIn(memory);
  if (rule.kind === 'unparsed') {
    needType(type, ['application/json']);
    try {
      return { value: await bytesOf(held.count(chunks)), discard: held.discard };
    } catch (error) {
      await held.discard();
      throw error;
    }
  }
  const { schema, textField } = rule;
  const asText = textField !== undefined && type === 'text/plain';
  if (!asText) needType(type, ['application/json', ...(textField === undefined ? [] : ['text/plain'])]);
  try {
    const given = asText
      ? { ...fromTexts(schema, query), [textField]: await textOf(held.count(chunks)) }
      : await jsonOf(held.count(chunks));
    return { value: checked(schema, given, 'body'), discard: held.discard };
  } catch (error) {
    await held.discard();
    throw error;
  }
}

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  return Buffer.concat(pieces);
}

/** Partial and compressed bodies would be stored as if they were the file. @throws {HttpError} 400, 415 */
function refuseEncoded({ headers }: IncomingMessage): void {
  if (headers['content-range'] !== undefined)
    throw new HttpError(
      400,
      'BAD_INPUT',
      'A body with `Content-Range` is not supported.',
      'Send the whole content in one request.',
    );
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity')
    throw new HttpError(
      415,
      'BAD_INPUT',
      'A compressed body is not supported.',
      'Send the body without `Content-Encoding`.',
      { 'accept-encoding': 'identity' },
    );
}

/** A body without a type counts as the first of `types`. @throws {HttpError} 415 */
function needType(type: string | undefined, types: readonly string[]): void {
  if (type === undefined || types.includes(type)) return;
  throw new HttpError(
    415,
    'BAD_INPUT',
    'The `Content-Type` of the body is not supported by this operation.',
    `Send ${types.map((name) => `\`${name}\``).join(' or ')}.`,
    { accept: types.join(', ') },
  );
}

/** Accounts for a body kept in memory. */
function holdIn(memory: MemoryBudget): {
  count(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
  discard(): Promise<void>;
} {
  let held = 0;
  return {
    count: async function* (chunks) {
      for await (const chunk of chunks) {
        if (!memory.take(chunk.length))
          throw new HttpError(
            429,
            'BUSY',
            'The bodies of other requests use all available memory (limit `maxBodyMemory`).',
            'Try again in a few seconds.',
            { connection: 'close' },
          );
        held += chunk.length;
        yield chunk;
      }
    },
    discard: () => {
      memory.give(held);
      held = 0;
      return Promise.resolve();
    },
  };
}
