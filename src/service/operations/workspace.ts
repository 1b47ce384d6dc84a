// Operations on the workspace of a session as a whole: list, search, usage, remove.

import { z } from 'zod';
import { quoted } from '../../contract/index.ts';
import { ReaderError, type Workspace } from '../../index.ts';
import { type Operation, operation } from '../http/operation.ts';
import { NO_FILE } from '../http/problem-statuses.ts';
import type { Readers } from '../readers.ts';
import { SESSION, WORKSPACE_TAG as TAG } from './written.ts';

const count = z.int();
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
  return [listFiles(readers), searchFiles(readers), usage(readers), removeWorkspace(readers)];
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
    problems: {
      404: NO_FILE,
      409: 'The files changed since the cursor was made.',
      504: 'The search took too long.',
    },
    query: z.strictObject({
      path: z.string().exactOptional().meta({ description: 'Folder. Default: the root.' }),
      glob: z
        .string()
        .exactOptional()
        .meta({ description: 'Pattern such as `**/*.csv`, instead of `path`.' }),
      depth: z.int().min(1).exactOptional(),
      ignore: z.boolean().exactOptional(),
      limit: z.int().min(1).exactOptional(),
      cursor: z.string().exactOptional(),
    }),
    answers: {
      200: {
        description: 'Entries sorted by path; `next` continues.',
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
          '`path` and `glob` cannot be combined.',
          'Include the folder in the glob.',
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
    problems: {
      404: NO_FILE,
      409: 'The files changed since the cursor was made.',
      504: 'The search took too long.',
    },
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
          'One JSON object per line: each match, then `{ "end": { "searched", "skipped", "skippedCount", "next", "notes" } }`.',
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

function usage(readers: Readers): Operation {
  return operation({
    id: 'usage',
    method: 'GET',
    path: '/v1/workspaces/{session}',
    tag: TAG,
    summary: 'Get the disk usage of a workspace',
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

function removeWorkspace(readers: Readers): Operation {
  return operation({
    id: 'removeWorkspace',
    method: 'DELETE',
    path: '/v1/workspaces/{session}',
    tag: TAG,
    summary: 'Remove a whole workspace',
    scope: 'files',
    params: z.strictObject({ session: SESSION }),
    problems: { 404: 'The workspace does not exist.' },
    answers: { 204: { description: 'Removed.' } },
    run: async ({ identity, params: { session } }) => {
      if (await readers.removeWorkspace(identity.user, session)) return { status: 204 };
      throw new ReaderError(
        'FILE_NOT_FOUND',
        `There is no workspace ${quoted(session)}.`,
        'Check the session id.',
      );
    },
  });
}
