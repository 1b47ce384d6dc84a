// The files a request names or brings: parts of a form, the raw body, or paths of a workspace; and the fields beside them.

import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { z } from 'zod';
import { type Input, plural, ReaderError } from '../../index.ts';
import { jsonOf, parsedJson } from './body.ts';
import { checked, fromTexts } from './checked.ts';
import { HttpError } from './problem.ts';
import { type Spooled, spool } from './spool.ts';

/** A file that came with the request. */
export interface Received extends Spooled {
  readonly name: string;
  readonly mimeType: string | undefined;
}

/** What a request brings. Whoever has it calls `discard`. */
export interface Uploads<F> {
  readonly fields: F;
  /** Whose paths `inputs` are; undefined where the files came with the request. */
  readonly session: string | undefined;
  readonly inputs: readonly Input[];
  /** Empty for paths. */
  readonly received: readonly Received[];
  discard(): Promise<void>;
}

export interface UploadOptions {
  readonly schema: z.ZodObject;
  /** Of the URL, as text. */
  readonly query: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly maxFiles: number;
  readonly signal: AbortSignal;
}

const MAX_FIELD_BYTES = 1024 * 1024;
const MAX_FIELDS = 64;
const MAX_PART_HEADERS = 32;

/** Fields of a JSON body that name files of a workspace. */
const PATHS = {
  session: z.string().meta({ description: 'Session of the workspace that the paths belong to.' }),
  path: z.string().optional().meta({ description: 'One file.' }),
  files: z.array(z.string()).min(1).optional().meta({ description: 'Several files, under one budget.' }),
};

/** The schema of a JSON body that names files, with the fields of `schema`. */
export function pathsSchema(schema: z.ZodObject): z.ZodObject {
  return z.strictObject({ ...PATHS, ...schema.shape });
}

/**
 * Takes the whole body.
 * @throws {ReaderError} BAD_INPUT, LIMIT_EXCEEDED, ABORTED
 */
export async function uploadsOf(
  message: IncomingMessage,
  chunks: AsyncIterable<Uint8Array>,
  options: UploadOptions,
): Promise<Uploads<Record<string, unknown>>> {
  const type = (message.headers['content-type'] ?? 'application/octet-stream').trim();
  const essence = type.split(';', 1)[0]?.trim().toLowerCase();
  if (essence === 'application/json' && options.query['name'] === undefined) return byPath(chunks, options);
  if (essence === 'multipart/form-data') return byForm(message, chunks, options);
  return byBody(type, message, chunks, options);
}

async function byPath(
  chunks: AsyncIterable<Uint8Array>,
  { schema, query, maxFiles }: UploadOptions,
): Promise<Uploads<Record<string, unknown>>> {
  const given = checked(pathsSchema(schema), await jsonOf(chunks), 'body');
  checked(schema, fromTexts(schema, query), 'query');
  const { session, path, files, ...fields } = given;
  const paths = [...(typeof path === 'string' ? [path] : []), ...(isTexts(files) ? files : [])];
  if (paths.length === 0)
    throw new ReaderError(
      'BAD_INPUT',
      'The body names no file.',
      'Set `path` to one file of the workspace, or `files` to several; or send the file itself as the body with `?name=report.pdf`.',
    );
  if (paths.length > maxFiles) throw tooMany(maxFiles);
  return {
    fields: { ...checked(schema, fromTexts(schema, query), 'query'), ...fields },
    session: String(session),
    inputs: paths,
    received: [],
    discard: () => Promise.resolve(),
  };
}

const isTexts = (value: unknown): value is string[] => Array.isArray(value);

async function byBody(
  type: string,
  { headers }: IncomingMessage,
  chunks: AsyncIterable<Uint8Array>,
  { schema, query, folder, signal }: UploadOptions,
): Promise<Uploads<Record<string, unknown>>> {
  const { name, ...texts } = query;
  const fields = checked(schema, fromTexts(schema, texts), 'query');
  const spooled = await spool(chunks, { folder, signal });
  const file: Received = {
    ...spooled,
    name: name ?? filenameOf(headers['content-disposition']) ?? 'upload',
    mimeType: type,
  };
  return uploaded(fields, [file]);
}

/** `filename` of a Content-Disposition; the quoted or plain form. */
function filenameOf(disposition: string | undefined): string | undefined {
  const found = /;\s*filename="?([^";]{1,1024})"?/i.exec(disposition ?? '');
  return found?.[1];
}

async function byForm(
  message: IncomingMessage,
  chunks: AsyncIterable<Uint8Array>,
  { schema, query, folder, maxFiles, signal }: UploadOptions,
): Promise<Uploads<Record<string, unknown>>> {
  const spooling: Promise<Received>[] = [];
  const texts = new Map<string, string>();
  try {
    await new Promise<void>((resolve, reject) => {
      const form = formOf(message, maxFiles);
      const source = Readable.from(chunks, { objectMode: false });
      const fail = (error: unknown): void => {
        source.unpipe(form);
        source.destroy();
        reject(error instanceof ReaderError ? error : malformed(error));
      };
      form.on('file', (_field, stream, name, _encoding, mimeType) => {
        const received = spool(stream, { folder, signal }).then((spooled) => ({
          ...spooled,
          name: name ?? 'upload',
          mimeType,
        }));
        received.catch(fail);
        spooling.push(received);
      });
      form.on('field', (name, value, nameCut, valueCut) => {
        if (nameCut || valueCut) fail(new HttpError(413, 'LIMIT_EXCEEDED', ...FIELD_TOO_LONG));
        texts.set(name, value);
      });
      form.on('filesLimit', () => fail(tooMany(maxFiles)));
      form.on('partsLimit', () => fail(tooMany(maxFiles)));
      form.on('fieldsLimit', () => fail(new HttpError(413, 'LIMIT_EXCEEDED', ...TOO_MANY_FIELDS)));
      form.on('error', fail);
      source.on('error', fail);
      form.on('finish', resolve);
      source.pipe(form);
    });
    const fields = formFields(schema, query, texts);
    const received = await Promise.all(spooling);
    if (received.length === 0)
      throw new ReaderError('BAD_INPUT', 'The form has no file.', 'Add a part with a file name to the form.');
    return uploaded(fields, received);
  } catch (error) {
    await discardAll(spooling);
    throw error;
  }
}

const FIELD_TOO_LONG = [
  `A field of the form has more than ${MAX_FIELD_BYTES} bytes.`,
  'Send long content as a file of the form.',
] as const;
const TOO_MANY_FIELDS = [
  `The form has more than ${MAX_FIELDS} fields.`,
  'Put the fields into one JSON field `request`.',
] as const;

function formOf(message: IncomingMessage, maxFiles: number): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { ...message.headers, 'content-type': message.headers['content-type'] ?? '' },
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

/** Fields by name, and those of one JSON field `request`. */
function formFields(
  schema: z.ZodObject,
  query: Readonly<Record<string, string>>,
  texts: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const { request, ...others } = Object.fromEntries(texts);
  const fields: unknown = request === undefined ? {} : parsedJson(request, 'field `request`');
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw new ReaderError('BAD_INPUT', 'The field `request` is not a JSON object.', 'Send an object in it.');
  return checked(schema, { ...fromTexts(schema, query), ...fields, ...fromTexts(schema, others) }, 'form');
}

function uploaded<F>(fields: F, received: readonly Received[]): Uploads<F> {
  return {
    fields,
    session: undefined,
    inputs: received.map(({ name, mimeType, held }) => ({
      name,
      ...(mimeType !== undefined && { mimeType }),
      ...held,
    })),
    received,
    discard: async () => {
      await Promise.all(received.map((file) => file.discard()));
    },
  };
}

async function discardAll(spooling: readonly Promise<Received>[]): Promise<void> {
  const settled = await Promise.allSettled(spooling);
  for (const outcome of settled) if (outcome.status === 'fulfilled') await outcome.value.discard();
}

function tooMany(maxFiles: number): ReaderError {
  return new HttpError(
    413,
    'LIMIT_EXCEEDED',
    `The request has more than ${plural(maxFiles, 'file')} (limit \`maxFilesPerRequest\`).`,
    'Send several requests, or one job with `POST /v1/jobs`.',
  );
}

function malformed(cause: unknown): ReaderError {
  const reason = cause instanceof Error ? cause.message.slice(0, 100) : 'it breaks off';
  return new ReaderError(
    'BAD_INPUT',
    `The form is not valid multipart/form-data: ${reason}.`,
    'Send every part with its headers, and end the body with the closing boundary.',
    cause,
  );
}
