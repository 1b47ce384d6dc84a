// Operations on the files of a session: put, get, list, search, remove, and results as streams of rows.

import { z } from 'zod';
import { ReaderError, type Workspace } from '../../index.ts';
import { type Operation, operation, type Reply } from '../http/operation.ts';
import { HttpError } from '../http/problem.ts';
import { rangeOf } from '../http/range.ts';
import type { Readers } from '../readers.ts';

const TAG = 'Workspace';
const SESSION = z.string().meta({ description: 'Session id: a workspace of your own by that name.' });
const FILE = z.strictObject({
  session: SESSION,
  path: z.string().min(1).meta({ description: 'Path inside the workspace; its slashes are not escaped.' }),
});
const FILES_PATH = '/v1/workspaces/{session}/files/{path*}';

const count = z.int();
const written = z
  .object({ path: z.string(), mounted: z.string(), bytes: count, sha256: z.string(), replaced: z.boolean() })
  .meta({ id: 'Written' });
const entry = z
  .object({
    path: z.string(),
    kind: z.enum(['file', 'directory', 'link', 'other']),
    bytes: count.optional(),
    modified: z.string().optional(),
    leadsTo: z.enum(['file', 'directory', 'other']).optional(),
  })
  .meta({ id: 'WorkspaceEntry' });

export function workspaceOperations(readers: Readers): readonly Operation[] {
  return [
    putFile(readers),
    getFile(readers, 'GET'),
    getFile(readers, 'HEAD'),
    deleteFile(readers),
    listFiles(readers),
    searchFiles(readers),
    saveResult(readers),
    usage(readers),
  ];
}

function putFile(readers: Readers): Operation {
  return operation({
    id: 'putFile',
    method: 'PUT',
    path: FILES_PATH,
    tag: TAG,
    summary: 'Write a file, whole or not at all',
    scope: 'files',
    params: FILE,
    query: z.strictObject({
      overwrite: z.boolean().optional().meta({
        description: 'Replace a file that is there. `If-Match` with its ETag replaces only that content.',
      }),
    }),
    body: { kind: 'stream', types: ['application/octet-stream'] },
    answers: {
      200: { description: 'Replaced.', content: { 'application/json': written } },
      201: { description: 'Created.', content: { 'application/json': written } },
    },
    run: async ({ identity, params, query, body, headers, signal }) => {
      const workspace = readers.workspace(identity.user, params.session);
      const wanted = etagOf(headers['if-match']);
      const onlyNew = headers['if-none-match'] === '*';
      const facts = await conditional(() =>
        workspace.write(params.path, body, {
          overwrite: query.overwrite === true && !onlyNew,
          ...(wanted !== undefined && { ifSha256: wanted }),
          signal,
        }),
      );
      return {
        status: facts.replaced ? 200 : 201,
        headers: { etag: `"${facts.sha256}"` },
        body: facts,
      };
    },
  });
}

/** A precondition that failed is 412, whatever the library calls it. */
async function conditional<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ReaderError && error.code === 'STALE_CURSOR')
      throw new HttpError(412, error.code, error.message, error.hint);
    throw error;
  }
}

/** @throws {ReaderError} BAD_INPUT for what is not one strong ETag of this service */
function etagOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const found = /^"([\da-f]{64})"$/.exec(header.trim());
  if (found?.[1] !== undefined) return found[1];
  throw new ReaderError(
    'BAD_INPUT',
    '`If-Match` is not an ETag of this service.',
    'Send the `ETag` of the file as `GET` or `PUT` gave it, with its quotes.',
  );
}

/** Nothing a file holds is run or shown by a browser as a page of this service. */
const AS_DATA = {
  'content-security-policy': "sandbox; default-src 'none'",
  'accept-ranges': 'bytes',
};

function getFile(readers: Readers, method: 'GET' | 'HEAD'): Operation {
  return operation({
    id: method === 'GET' ? 'getFile' : 'headFile',
    method,
    path: FILES_PATH,
    tag: TAG,
    summary: method === 'GET' ? 'The bytes of a file, or a range of them' : 'Size and date of a file',
    scope: 'files',
    params: FILE,
    answers: {
      200: { description: 'The file.', content: { 'application/octet-stream': undefined } },
      206: { description: 'The range.', content: { 'application/octet-stream': undefined } },
      416: { description: 'The range is outside the file.' },
    },
    run: async ({ identity, params, headers }) => {
      const workspace = readers.workspace(identity.user, params.session);
      const { name, handle, stats } = await workspace.open(params.path);
      const size = Number(stats.size);
      const range = rangeOf(headers.range, size);
      const shared = {
        ...AS_DATA,
        'last-modified': new Date(Number(stats.mtimeMs)).toUTCString(),
        'content-disposition': `attachment; filename*=UTF-8''${encoded(name.split('/').at(-1) ?? 'file')}`,
      };
      if (range === 'unsatisfiable') {
        await handle.close();
        throw new HttpError(
          416,
          'BAD_INPUT',
          `The range is outside the file of ${size} bytes.`,
          'Ask for bytes of the file.',
          { 'content-range': `bytes */${size}` },
        );
      }
      const { from, to } = range ?? { from: 0, to: size - 1 };
      const reply: Reply = {
        status: range ? 206 : 200,
        headers: {
          ...shared,
          'content-length': String(to - from + 1),
          ...(range && { 'content-range': `bytes ${from}-${to}/${size}` }),
        },
        type: 'application/octet-stream',
      };
      if (method === 'HEAD' || to < from) {
        await handle.close();
        return { ...reply, body: '' };
      }
      return { ...reply, body: handle.createReadStream({ start: from, end: to }) };
    },
  });
}

/** RFC 8187: percent-encoded UTF-8, so that no name can end a header. */
const encoded = (name: string): string =>
  encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

function deleteFile(readers: Readers): Operation {
  return operation({
    id: 'deleteFile',
    method: 'DELETE',
    path: FILES_PATH,
    tag: TAG,
    summary: 'Remove a file, or with `recursive` a folder',
    scope: 'files',
    params: FILE,
    query: z.strictObject({ recursive: z.boolean().optional() }),
    answers: { 204: { description: 'Removed.' } },
    run: async ({ identity, params, query }) => {
      const workspace = readers.workspace(identity.user, params.session);
      await workspace.remove(params.path, { recursive: query.recursive === true });
      return { status: 204 };
    },
  });
}

function listFiles(readers: Readers): Operation {
  return operation({
    id: 'listFiles',
    method: 'GET',
    path: '/v1/workspaces/{session}/files',
    tag: TAG,
    summary: 'List a folder, or find files by a glob',
    scope: 'files',
    params: z.strictObject({ session: SESSION }),
    query: z.strictObject({
      path: z.string().exactOptional().meta({ description: 'Folder. Default: the root.' }),
      glob: z
        .string()
        .exactOptional()
        .meta({ description: 'Pattern such as `**/*.csv`, in place of `path`.' }),
      depth: z.int().min(1).exactOptional(),
      ignore: z.boolean().exactOptional(),
      limit: z.int().min(1).exactOptional(),
      cursor: z.string().exactOptional(),
    }),
    answers: {
      200: {
        description: 'Entries by path; `next` continues.',
        content: {
          'application/json': z.object({
            entries: z.array(entry),
            total: count.nullable(),
            next: z.string().nullable(),
            notes: z.array(z.string()),
          }),
        },
      },
    },
    run: async ({ identity, params, query, signal }) => {
      const workspace = readers.workspace(identity.user, params.session);
      const { path, glob, ...options } = query;
      const { depth: _depth, ...flat } = options;
      if (glob === undefined) return { body: await workspace.list(path, { ...options, signal }) };
      if (path !== undefined)
        throw new ReaderError(
          'BAD_INPUT',
          '`path` and `glob` were both given.',
          'Put the folder into the glob.',
        );
      return { body: await workspace.glob(glob, { ...flat, signal }) };
    },
  });
}

function searchFiles(readers: Readers): Operation {
  return operation({
    id: 'searchFiles',
    method: 'POST',
    path: '/v1/workspaces/{session}/search',
    tag: TAG,
    summary: 'Search the text of files',
    scope: 'files',
    params: z.strictObject({ session: SESSION }),
    body: {
      kind: 'json',
      schema: z.strictObject({
        query: z.string().min(1).meta({ description: 'Literal text, or with `regex` an RE2 expression.' }),
        regex: z.boolean().exactOptional(),
        caseSensitive: z.boolean().exactOptional(),
        path: z.string().exactOptional(),
        glob: z.string().exactOptional(),
        context: z.int().min(0).max(20).exactOptional(),
        ignore: z.boolean().exactOptional(),
        limit: z.int().min(1).exactOptional(),
        cursor: z.string().exactOptional(),
      }),
    },
    answers: {
      200: {
        description:
          'One JSON object a line: each match, then `{ "end": { "searched", "skipped", "skippedCount", "next", "notes" } }`.',
        content: { 'application/x-ndjson': undefined },
      },
    },
    run: async ({ identity, params, body, signal }) => {
      const workspace = readers.workspace(identity.user, params.session);
      const { query, ...options } = body;
      const { matches, ...end } = await workspace.search(query, { ...options, signal });
      const lines = [...matches, { end }].map((line) => `${JSON.stringify(line)}\n`);
      return { body: lines.join(''), type: 'application/x-ndjson' };
    },
  });
}

const RESULT_TYPES = ['application/x-ndjson', 'text/plain', 'application/json', 'application/octet-stream'];

function saveResult(readers: Readers): Operation {
  return operation({
    id: 'saveResult',
    method: 'POST',
    path: '/v1/workspaces/{session}/results',
    tag: TAG,
    summary: 'Save a large result as a file, streamed: rows as NDJSON, or text',
    scope: 'files',
    params: z.strictObject({ session: SESSION }),
    query: z.strictObject({
      name: z
        .string()
        .exactOptional()
        .meta({ description: 'File name, with or without folders and ending.' }),
      format: z.enum(['csv', 'jsonl', 'json', 'xlsx', 'text']).exactOptional(),
      overwrite: z.boolean().exactOptional(),
      previewTokens: z.int().min(0).exactOptional(),
    }),
    body: { kind: 'stream', types: RESULT_TYPES },
    answers: {
      201: {
        description: 'Where it is, what it holds, and a preview within a budget.',
        content: {
          'application/json': written.extend({
            format: z.string(),
            rows: count.nullable(),
            columns: z.array(z.looseObject({ name: z.string() })).nullable(),
            preview: z.string(),
            notes: z.array(z.string()),
          }),
        },
      },
    },
    run: async ({ identity, params, query, body, headers, signal }) => {
      const workspace = readers.workspace(identity.user, params.session);
      const essence = headers['content-type']?.split(';', 1)[0]?.trim();
      const saved = await workspace.saveResult(
        essence === 'application/x-ndjson' ? rowsOf(body) : bytesOf(body),
        { ...query, signal },
      );
      return { status: 201, headers: { etag: `"${saved.sha256}"` }, body: saved };
    },
  });
}

/** A line of NDJSON that is longer is refused, so that one row cannot fill the memory. */
const MAX_ROW_BYTES = 16 * 1024 * 1024;

/** Objects or arrays, one a line. @throws {ReaderError} BAD_INPUT with the line that is not one */
async function* rowsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Record<string, unknown>> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  let line = 0;
  const row = (text: string): Record<string, unknown> => {
    line += 1;
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null) return value as Record<string, unknown>; // its keys are strings
    } catch {
      // Refused below, with its line.
    }
    throw new ReaderError(
      'BAD_INPUT',
      `Line ${line} is not a JSON object or array.`,
      'Send one row as JSON on each line.',
    );
  };
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) if (text.trim() !== '') yield row(text);
    if (rest.length > MAX_ROW_BYTES)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `Line ${line + 1} has more than ${MAX_ROW_BYTES} bytes.`,
        'Send shorter rows.',
      );
  }
  rest += decoder.decode();
  if (rest.trim() !== '') yield row(rest);
}

async function* bytesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function usage(readers: Readers): Operation {
  return operation({
    id: 'usage',
    method: 'GET',
    path: '/v1/workspaces/{session}',
    tag: TAG,
    summary: 'How much a workspace holds',
    scope: 'files',
    params: z.strictObject({ session: SESSION }),
    answers: {
      200: {
        description: 'Bytes and files.',
        content: { 'application/json': z.object({ bytes: count, files: count }) },
      },
    },
    run: async ({ identity, params, signal }) => {
      const workspace: Workspace = readers.workspace(identity.user, params.session);
      return { body: await workspace.usage(signal) };
    },
  });
}
