// Parses a multipart/form-data body (RFC 7578) as a stream: files are spooled, fields are kept as text.

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { plural } from '../../../contract/index.ts';
import { ReaderError } from '../../../index.ts';
import { HttpError } from '../problem.ts';
import { textOf } from './body.ts';
import { type Spooled, type SpoolOptions, spool } from './spool.ts';

/** A file that came with the request. */
export interface Received extends Spooled {
  readonly name: string;
  readonly mimeType: string | undefined;
}

export interface Form {
  /** At least one, in order. */
  readonly files: readonly Received[];
  readonly texts: ReadonlyMap<string, string>;
  discard(): Promise<void>;
}

export interface FormOptions extends SpoolOptions {
  readonly maxFiles: number;
}

const MAX_FIELD_BYTES = 1024 * 1024;
const MAX_FIELDS = 64;
const MAX_PART_HEADERS = 32;

/** Reads the whole body. @throws {ReaderError} BAD_INPUT, LIMIT_EXCEEDED, and as `spool` */
export async function formOf(
  message: IncomingMessage,
  chunks: AsyncIterable<Uint8Array>,
  options: FormOptions,
): Promise<Form> {
  const parser = parserOf(message, options.maxFiles);
  const parts = partsOf(parser, options);
  try {
    await Promise.race([feed(parser, chunks, parts.failed), parts.failed]);
    const files = await Promise.all(parts.spooling);
    if (files.length > 0) return { files, texts: await parts.texts(), discard: parts.discard };
    throw new ReaderError('BAD_INPUT', 'The form has no file.', 'Add a part with a file name to the form.');
  } catch (error) {
    parts.fail(error);
    const spooled = await Promise.allSettled(parts.spooling);
    await parts.discard();
    if (error instanceof ReaderError) throw error;
    // A file that cannot be stored ends the form and is the reason.
    const fault = spooled.find((one) => one.status === 'rejected' && one.reason instanceof ReaderError);
    throw fault?.status === 'rejected' ? fault.reason : malformed(error);
  }
}

type Parser = InstanceType<typeof Busboy>;

function parserOf({ headers }: IncomingMessage, maxFiles: number): Parser {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      limits: {
        files: maxFiles,
        fields: MAX_FIELDS,
        parts: maxFiles + MAX_FIELDS,
        fieldSize: MAX_FIELD_BYTES,
        fieldNameSize: 100,
        headerPairs: MAX_PART_HEADERS,
      },
    });
  } catch (error) {
    throw malformed(error);
  }
}

interface Parts {
  readonly spooling: readonly Promise<Received>[];
  texts(): Promise<ReadonlyMap<string, string>>;
  /** Rejects with the first error. */
  readonly failed: Promise<never>;
  /** Aborts files being received. */
  fail(error: unknown): void;
  /** Waits for them to end. */
  discard(): Promise<void>;
}

function partsOf(parser: Parser, { maxFiles, ...spoolOptions }: FormOptions): Parts {
  const spooling: Promise<Received>[] = [];
  const open = new Set<Readable>();
  const fields = new Map<string, Promise<string>>();
  let failure: Error | undefined;
  let reject: (error: Error) => void;
  const failed = new Promise<never>((_, rejects) => {
    reject = rejects;
  });
  failed.catch(() => undefined); // also if nobody awaits it any more
  const fail = (error: unknown): void => {
    failure ??= error instanceof Error ? error : new Error(String(error));
    for (const stream of open) stream.destroy(failure);
    reject(failure);
  };
  const setField = (name: string, value: Promise<string>): void => {
    if (fields.has(name)) fail(givenTwice());
    value.catch(fail);
    fields.set(name, value);
  };
  parser.on('file', (field, stream, name, _encoding, mimeType) => {
    // It can be destroyed before anyone reads from it.
    stream.on('error', fail);
    if (failure) {
      stream.resume();
      return;
    }
    open.add(stream);
    stream.once('close', () => open.delete(stream));
    // Browsers send a Blob this way, and generated clients an object.
    if (field === 'request' && mimeType === 'application/json') {
      setField(field, textOf(boundedField(stream)));
      return;
    }
    const received = spool(stream, spoolOptions).then((spooled) => ({
      ...spooled,
      name: name ?? 'upload',
      mimeType,
    }));
    received.catch(fail);
    spooling.push(received);
  });
  parser.on('field', (name, value, nameCut, valueCut) => {
    if (nameCut || valueCut) fail(fieldTooLong());
    setField(name, Promise.resolve(value));
  });
  parser.on('filesLimit', () => fail(tooMany(maxFiles)));
  parser.on('partsLimit', () => fail(tooMany(maxFiles)));
  parser.on('fieldsLimit', () => fail(tooManyFields()));
  parser.on('error', fail);
  return {
    spooling,
    texts: async () => {
      const texts = await Promise.all([...fields].map(async ([name, value]) => [name, await value] as const));
      return new Map(texts);
    },
    failed,
    fail,
    discard: async () => {
      const settled = await Promise.allSettled(spooling);
      for (const outcome of settled) if (outcome.status === 'fulfilled') await outcome.value.discard();
    },
  };
}

/** Feeds the parser no faster than its files are spooled. */
async function feed(
  parser: Parser,
  chunks: AsyncIterable<Uint8Array>,
  failed: Promise<never>,
): Promise<void> {
  const finished = once(parser, 'finish');
  finished.catch(() => undefined); // the parser's error is `failed`
  for await (const chunk of chunks)
    if (!parser.write(chunk)) await Promise.race([once(parser, 'drain'), failed]);
  parser.end();
  await finished;
}

async function* boundedField(stream: Readable): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_FIELD_BYTES) throw fieldTooLong();
    yield chunk;
  }
}

const fieldTooLong = (): ReaderError =>
  new HttpError(
    413,
    'LIMIT_EXCEEDED',
    `A field of the form has more than ${MAX_FIELD_BYTES} bytes.`,
    'Send long content as a file of the form.',
  );

const tooManyFields = (): ReaderError =>
  new HttpError(
    413,
    'LIMIT_EXCEEDED',
    `The form has more than ${MAX_FIELDS} fields.`,
    'Put the fields into one JSON field `request`.',
  );

const givenTwice = (): ReaderError =>
  new ReaderError('BAD_INPUT', 'A field of the form is given twice.', 'Send each field once.');

export function tooMany(maxFiles: number): ReaderError {
  return new HttpError(
    413,
    'LIMIT_EXCEEDED',
    `The request has more than ${plural(maxFiles, 'file')}.`,
    'Send several requests, or one job with `POST /v1/jobs`.',
  );
}

function malformed(cause: unknown): ReaderError {
  const reason = cause instanceof Error ? cause.message.slice(0, 100) : 'it ends early';
  return new ReaderError(
    'BAD_INPUT',
    `The form is not valid multipart/form-data: ${reason}.`,
    'Send every part with its headers, and end the body with the closing boundary.',
    cause,
  );
}
