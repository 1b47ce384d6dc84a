// Operations on one file of a workspace: put, get, remove, each with HTTP preconditions.

import { Readable } from 'node:stream';
import { z } from 'zod';
import { bytesOfFile, closeFile, sizeOfFile } from '../../contract/index.ts';
import { type OpenFile, ReaderError, type Workspace } from '../../index.ts';
import {
  type Condition,
  type ContentHashes,
  conditionOf,
  createContentHashes,
  isHash,
  matchesStrongly,
  matchesWeakly,
  namesHash,
} from '../http/etag.ts';
import { type Operation, operation, type Reply } from '../http/operation.ts';
import { HttpError } from '../http/problem.ts';
import { ALREADY_EXISTS, NO_FILE, PRECONDITION_FAILED, WRITING } from '../http/problem-statuses.ts';
import { rangeOf } from '../http/range.ts';
import type { Readers } from '../readers.ts';
import { SESSION, WORKSPACE_TAG as TAG, written } from './written.ts';

const FILE = z.strictObject({
  session: SESSION,
  path: z.string().min(1).meta({ description: 'Path inside the workspace; its slashes are not escaped.' }),
});
const FILES_PATH = '/v1/workspaces/{session}/files/{path*}';

export function fileOperations(readers: Readers): readonly Operation[] {
  const hashes = createContentHashes();
  return [
    putFile(readers, hashes),
    getFile(readers, hashes, 'GET'),
    getFile(readers, hashes, 'HEAD'),
    deleteFile(readers, hashes),
  ];
}

function putFile(readers: Readers, hashes: ContentHashes): Operation {
  return operation({
    id: 'putFile',
    method: 'PUT',
    path: FILES_PATH,
    tag: TAG,
    summary: 'Write a file atomically',
    scope: 'files',
    params: FILE,
    query: z.strictObject({
      overwrite: z.boolean().optional().meta({
        description: 'Replace an existing file. `If-Match` with its ETag replaces only that content.',
      }),
    }),
    body: { kind: 'stream' },
    headers: ['content-length', 'if-match', 'if-none-match'],
    problems: { ...WRITING, 409: ALREADY_EXISTS, 412: PRECONDITION_FAILED },
    answers: {
      200: { description: 'Replaced.', content: { 'application/json': written } },
      201: { description: 'Created.', content: { 'application/json': written } },
    },
    run: async ({ identity, params: { session, path }, query, body, headers, signal }) => {
      const workspace = readers.workspace(identity.user, session);
      const onlyNew = isOnlyNew(headers['if-none-match']);
      const wanted = conditionOf('If-Match', headers['if-match']);
      const rule = wanted
        ? await ruleOf(wanted, workspace, path, hashes, signal)
        : { overwrite: query.overwrite === true && !onlyNew };
      try {
        const length = Number(headers['content-length']);
        const facts = await workspace.write(path, body, {
          ...rule,
          // A length that is not safe is over every limit of a body.
          ...(Number.isSafeInteger(length) && { bytes: length }),
          signal,
        });
        return {
          status: facts.replaced ? 200 : 201,
          headers: { etag: `"${facts.sha256}"` },
          body: facts,
        };
      } catch (error) {
        throw refusalOf(error, { conditional: onlyNew || wanted !== undefined });
      }
    },
  });
}

/** @throws {ReaderError} BAD_INPUT for ETags, which a PUT cannot depend on here */
function isOnlyNew(header: string | undefined): boolean {
  const condition = conditionOf('If-None-Match', header);
  if (condition === undefined || condition === 'any') return condition !== undefined;
  throw new ReaderError(
    'BAD_INPUT',
    '`If-None-Match` of a PUT is not `*`.',
    'Send `If-None-Match: *` to create only, or `If-Match` to replace.',
  );
}

/** The file must exist with one of the wanted hashes. */
async function ruleOf(
  wanted: Condition,
  workspace: Workspace,
  path: string,
  hashes: ContentHashes,
  signal: AbortSignal,
): Promise<{ readonly ifSha256: string }> {
  const file = await workspace.open(path).catch((error: unknown) => {
    throw refusalOf(error, { conditional: true });
  });
  try {
    const tag = await needMatch(wanted, file, hashes, signal);
    return { ifSha256: isHash(tag) ? tag : await hashes.of(file, signal) };
  } finally {
    await closeFile(file);
  }
}

/** Returns its tag. @throws {HttpError} 412 */
async function needMatch(
  wanted: Condition,
  file: OpenFile,
  hashes: ContentHashes,
  signal: AbortSignal,
): Promise<string> {
  const tag = await hashes.tag(file, signal);
  if (matchesStrongly(wanted, tag)) return tag;
  // A writer got the hash as its ETag, for a file of any size. Only then is a large one read.
  if (!isHash(tag) && namesHash(wanted) && matchesStrongly(wanted, await hashes.of(file, signal))) return tag;
  throw new HttpError(
    412,
    'CONFLICT',
    'The file does not match `If-Match`: it was changed.',
    'Get the file and its `ETag` again.',
  );
}

/** A failed precondition is 412, and a taken name 409, regardless of the library's code. */
function refusalOf(error: unknown, { conditional }: { readonly conditional: boolean }): unknown {
  if (!(error instanceof ReaderError)) return error;
  const { code, message, hint } = error;
  if (code === 'ALREADY_EXISTS') {
    const replace = 'send `If-Match` with its ETag, or `?overwrite=true`.';
    return conditional
      ? new HttpError(412, code, message, `Leave \`If-None-Match\` out and ${replace}`)
      : new HttpError(409, code, message, `To replace it, ${replace}`);
  }
  if (conditional && ['CONFLICT', 'FILE_NOT_FOUND'].includes(code))
    return new HttpError(412, code, message, hint);
  return error;
}

const READING_HEADERS = ['if-match', 'if-none-match', 'if-range', 'range'] as const;
type Headers = Readonly<Record<(typeof READING_HEADERS)[number], string | undefined>>;

/** Prevents a browser from running or showing file content as a page of this service. */
const AS_DATA = {
  'content-security-policy': "sandbox; default-src 'none'",
  'accept-ranges': 'bytes',
};

function getFile(readers: Readers, hashes: ContentHashes, method: 'GET' | 'HEAD'): Operation {
  return operation({
    id: method === 'GET' ? 'getFile' : 'headFile',
    method,
    path: FILES_PATH,
    tag: TAG,
    summary: method === 'GET' ? 'The bytes of a file, or a range of them' : 'Size, date and ETag of a file',
    scope: 'files',
    params: FILE,
    answers: {
      200: { description: 'The file.', content: { 'application/octet-stream': undefined } },
      206: { description: 'The range.', content: { 'application/octet-stream': undefined } },
      304: { description: 'The client already has it, by `If-None-Match`.' },
    },
    headers: READING_HEADERS,
    problems: {
      404: NO_FILE,
      412: PRECONDITION_FAILED,
      416: 'The range is outside the file.',
    },
    run: async ({ identity, params, headers, signal }) => {
      const file = await readers.workspace(identity.user, params.session).open(params.path);
      try {
        const reply = await replyOf(file, headers, hashes, signal);
        const { range, ...rest } = reply;
        if (method === 'GET' && range) return { ...rest, body: streamOf(file, range) };
        await closeFile(file);
        return { ...rest, ...(rest.status !== 304 && { body: '' }) };
      } catch (error) {
        await closeFile(file);
        throw error;
      }
    },
  });
}

/** Closes the file at its end. */
const streamOf = (
  file: OpenFile,
  { from, to }: { readonly from: number; readonly to: number },
): NodeJS.ReadableStream =>
  'handle' in file
    ? file.handle.createReadStream({ start: from, end: to })
    : Readable.from(bytesOfFile(file, { from, to: to + 1 }), { objectMode: false });

const modifiedOf = (file: OpenFile): Date =>
  'remote' in file ? file.remote.modified : new Date(Number(file.stats.mtimeMs));

/** Everything except the body; `range` is the part of the file to send, undefined for none. */
async function replyOf(
  file: OpenFile,
  headers: Headers,
  hashes: ContentHashes,
  signal: AbortSignal,
): Promise<Reply & { readonly range?: { readonly from: number; readonly to: number } }> {
  const { name } = file;
  const size = sizeOfFile(file);
  const wanted = conditionOf('If-Match', headers['if-match']);
  const known = conditionOf('If-None-Match', headers['if-none-match']);
  const tag = wanted ? await needMatch(wanted, file, hashes, signal) : await hashes.tag(file, signal);
  const etag = `"${tag}"`;
  if (known && matchesWeakly(known, tag)) return { status: 304, headers: { etag } };
  const same = conditionOf('If-Range', ifRangeTag(headers['if-range']));
  const range = same && !matchesStrongly(same, tag) ? undefined : rangeOf(headers.range, size);
  if (range === 'unsatisfiable') throw unsatisfiable(size);
  const { from, to } = range ?? { from: 0, to: size - 1 };
  return {
    status: range ? 206 : 200,
    headers: {
      ...AS_DATA,
      etag,
      'last-modified': modifiedOf(file).toUTCString(),
      'content-disposition': `attachment; filename*=UTF-8''${encoded(name.split('/').at(-1) ?? 'file')}`,
      'content-length': String(to - from + 1),
      ...(range && { 'content-range': `bytes ${from}-${to}/${size}` }),
    },
    type: 'application/octet-stream',
    ...(to >= from && { range: { from, to } }),
  };
}

/** A date in `If-Range` matches nothing: it is too coarse to compare content. */
function ifRangeTag(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  return given.includes('"') ? given : '""';
}

const unsatisfiable = (size: number): HttpError =>
  new HttpError(
    416,
    'BAD_INPUT',
    `The range is outside the file of ${size} bytes.`,
    'Request bytes inside the file.',
    { 'content-range': `bytes */${size}` },
  );

/** RFC 8187: percent-encoded UTF-8, so that no name can end a header. */
const encoded = (name: string): string =>
  encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

function deleteFile(readers: Readers, hashes: ContentHashes): Operation {
  return operation({
    id: 'deleteFile',
    method: 'DELETE',
    path: FILES_PATH,
    tag: TAG,
    summary: 'Remove a file, or with `recursive` a folder',
    scope: 'files',
    params: FILE,
    query: z.strictObject({ recursive: z.boolean().optional() }),
    headers: ['if-match'],
    problems: { 404: NO_FILE, 409: ALREADY_EXISTS, 412: PRECONDITION_FAILED },
    answers: { 204: { description: 'Removed.' } },
    run: async ({ identity, params: { session, path }, query, headers, signal }) => {
      const workspace = readers.workspace(identity.user, session);
      const wanted = conditionOf('If-Match', headers['if-match']);
      if (!wanted) {
        await workspace.remove(path, { recursive: query.recursive === true });
        return { status: 204 };
      }
      const rule = await ruleOf(wanted, workspace, path, hashes, signal);
      await workspace.remove(path, rule).catch((error: unknown) => {
        throw refusalOf(error, { conditional: true });
      });
      return { status: 204 };
    },
  });
}
