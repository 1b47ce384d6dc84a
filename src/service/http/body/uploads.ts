// The files of a request: parts of a form, the raw body, or workspace paths; and the fields beside them.

import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { ReaderError } from '../../../index.ts';
import { checked, fromTexts } from '../checked.ts';
import { jsonOf, mediaTypeOf, parsedJson } from './body.ts';
import { formOf, type Received, tooMany } from './form.ts';
import type { MemoryBudget } from './memory.ts';
import { spool } from './spool.ts';

/** A path of a workspace, or a file that came with the request. */
export type Given =
  | string
  | (Pick<Received, 'name' | 'sha256'> & { readonly mimeType?: string } & Received['held']);

/** The uploads of a request. Call `discard` when done. */
export interface Uploads<F> {
  readonly fields: F;
  /** The session that `inputs` are paths of; undefined if the files came with the request. */
  readonly session: string | undefined;
  readonly inputs: readonly Given[];
  /** Answer with a list: several files were given, or a list of one. */
  readonly several: boolean;
  /** Empty for paths. */
  readonly received: readonly Received[];
  discard(): Promise<void>;
}

export interface UploadOptions {
  readonly schema: z.ZodObject;
  /** Query fields, as text. */
  readonly query: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly memory: MemoryBudget;
  readonly maxFiles: number;
  readonly signal: AbortSignal;
}

/** Fields of a JSON body that name files of a workspace. */
const PATHS = {
  session: z.string().meta({ description: 'Session of the workspace that the paths belong to.' }),
  path: z.string().optional().meta({ description: 'One file.' }),
  files: z.array(z.string()).min(1).optional().meta({ description: 'Several files, sharing one budget.' }),
};

/** The schema of a JSON body that names files, with the fields of `schema`. */
export function pathsSchema(schema: z.ZodObject): z.ZodObject {
  return z.strictObject({ ...PATHS, ...schema.shape });
}

/** The fields of `schema` that may be in a query, which ends up in logs of proxies and browsers: no password. */
export function querySchema(schema: z.ZodObject): z.ZodObject {
  const { password: _password, ...shape } = schema.shape;
  return z.strictObject(shape);
}

/**
 * Reads the whole body.
 * @throws {ReaderError} BAD_INPUT, LIMIT_EXCEEDED, ABORTED
 */
export async function uploadsOf(
  message: IncomingMessage,
  chunks: AsyncIterable<Uint8Array>,
  options: UploadOptions,
): Promise<Uploads<Record<string, unknown>>> {
  const type = (message.headers['content-type'] ?? 'application/octet-stream').trim();
  const essence = mediaTypeOf(message);
  if (essence === 'application/json' && options.query['name'] === undefined) return byPath(chunks, options);
  if (essence === 'multipart/form-data') return byForm(message, chunks, options);
  return byBody(type, message, chunks, options);
}

async function byPath(
  chunks: AsyncIterable<Uint8Array>,
  { schema, query, maxFiles }: UploadOptions,
): Promise<Uploads<Record<string, unknown>>> {
  const shared = sharedFields(schema, query);
  const given = checked(pathsSchema(schema.partial()), await jsonOf(chunks), 'body');
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
    fields: checked(schema, { ...shared, ...fields }, 'body'),
    session: String(session),
    inputs: paths,
    several: files !== undefined,
    received: [],
    discard: () => Promise.resolve(),
  };
}

const isTexts = (value: unknown): value is string[] => Array.isArray(value);

/** Query fields that also apply to the body; checked before it is received. */
const sharedFields = (
  schema: z.ZodObject,
  query: Readonly<Record<string, string>>,
): Record<string, unknown> => checked(querySchema(schema).partial(), fromTexts(schema, query), 'query');

async function byForm(
  message: IncomingMessage,
  chunks: AsyncIterable<Uint8Array>,
  options: UploadOptions,
): Promise<Uploads<Record<string, unknown>>> {
  const { schema, query } = options;
  const shared = sharedFields(schema, query);
  const form = await formOf(message, chunks, options);
  try {
    return uploaded(formFields(schema, shared, form.texts), form.files);
  } catch (error) {
    await form.discard();
    throw error;
  }
}

async function byBody(
  type: string,
  { headers }: IncomingMessage,
  chunks: AsyncIterable<Uint8Array>,
  { schema, query, folder, memory, signal }: UploadOptions,
): Promise<Uploads<Record<string, unknown>>> {
  const named = z.strictObject({ name: z.string().optional(), ...querySchema(schema).shape });
  const { name, ...fields } = checked(named, fromTexts(named, query), 'query');
  const spooled = await spool(chunks, { folder, memory, signal });
  // A file may be empty, but a request without body, name or type was a mistake.
  if (spooled.size === 0 && name === undefined && headers['content-type'] === undefined)
    throw new ReaderError(
      'BAD_INPUT',
      'The request has no body.',
      'Send the file as the body, as with `curl --data-binary @report.pdf`, or as a form, as with `curl -F file=@report.pdf`.',
    );
  const file: Received = {
    ...spooled,
    name: typeof name === 'string' ? name : (filenameOf(headers['content-disposition']) ?? 'upload'),
    mimeType: type,
  };
  return uploaded(fields, [file]);
}

/** `filename` of a Content-Disposition; the quoted or plain form. */
function filenameOf(disposition: string | undefined): string | undefined {
  const found = /;\s*filename="?([^";]{1,1024})"?/i.exec(disposition ?? '');
  return found?.[1];
}

/** Fields by name, and those of a JSON field `request`. */
function formFields(
  schema: z.ZodObject,
  shared: Readonly<Record<string, unknown>>,
  texts: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const { request, ...others } = Object.fromEntries(texts);
  const fields: unknown = request === undefined ? {} : parsedJson(request, 'field `request`');
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw new ReaderError('BAD_INPUT', 'The field `request` is not a JSON object.', 'Send an object in it.');
  return checked(schema, { ...shared, ...fields, ...fromTexts(schema, others) }, 'form');
}

function uploaded<F>(fields: F, received: readonly Received[]): Uploads<F> {
  return {
    fields,
    session: undefined,
    inputs: received.map(({ name, mimeType, held, sha256 }) => ({
      name,
      sha256,
      ...(mimeType !== undefined && { mimeType }),
      ...held,
    })),
    several: received.length > 1,
    received,
    discard: async () => {
      await Promise.all(received.map((file) => file.discard()));
    },
  };
}
