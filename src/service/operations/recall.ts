// Operations on the archive of a session: add what an agent said, received or read, find it again, remove it all.

import { z } from 'zod';
import { quoted } from '../../contract/index.ts';
import { ReaderError } from '../../index.ts';
import { ENTRY_KINDS } from '../../recall/index.ts';
import type { Archives } from '../archives.ts';
import { type Operation, operation } from '../http/operation.ts';
import { SESSION } from './written.ts';

const TAG = 'Recall';
const KIND = z.enum(ENTRY_KINDS);
const params = z.strictObject({ session: SESSION });

export function recallOperations(archives: Archives): readonly Operation[] {
  return [add(archives), search(archives), remove(archives)];
}

function add(archives: Archives): Operation {
  return operation({
    id: 'addToArchive',
    method: 'POST',
    path: '/v1/recall/{session}/entries',
    tag: TAG,
    summary: 'Add messages, results or documents to the archive of a session',
    scope: 'files',
    params,
    body: {
      kind: 'json',
      schema: z.strictObject({
        entries: z
          .array(
            z.strictObject({
              text: z.string(),
              kind: KIND,
              source: z.string().min(1).max(200).meta({ description: 'A role, a tool or a path.' }),
              id: z
                .string()
                .min(1)
                .max(200)
                .exactOptional()
                .meta({ description: 'Items whose id already exists are not added again.' }),
            }),
          )
          .max(1000),
      }),
    },
    problems: { 507: 'The archive, or the disk, is full.' },
    answers: { 204: { description: 'Added, durably.' } },
    run: async ({ identity: { user }, params: { session }, body: { entries } }) => {
      await archives.use(user, session, (recall) => recall.add(entries));
      return { status: 204 };
    },
  });
}

function search(archives: Archives): Operation {
  return operation({
    id: 'searchArchive',
    method: 'POST',
    path: '/v1/recall/{session}/search',
    tag: TAG,
    summary: 'Find passages in the archive of a session',
    scope: 'files',
    params,
    body: {
      kind: 'json',
      schema: z.strictObject({
        query: z.string().min(1).meta({ description: 'Names, paths or words that the text contains.' }),
        limit: z.int().min(1).max(50).exactOptional(),
        kind: KIND.exactOptional(),
      }),
    },
    answers: {
      200: {
        description: 'Passages, best first.',
        content: {
          'application/json': z.object({
            hits: z.array(
              z.object({ id: z.string(), kind: KIND, source: z.string(), line: z.int(), text: z.string() }),
            ),
          }),
        },
      },
    },
    run: async ({ identity: { user }, params: { session }, body: { query, ...options } }) => {
      if (!(await archives.has(user, session))) return { body: { hits: [] } };
      return { body: { hits: await archives.use(user, session, (recall) => recall.search(query, options)) } };
    },
  });
}

function remove(archives: Archives): Operation {
  return operation({
    id: 'removeArchive',
    method: 'DELETE',
    path: '/v1/recall/{session}',
    tag: TAG,
    summary: 'Remove the archive of a session',
    scope: 'files',
    params,
    problems: { 404: 'The archive does not exist.' },
    answers: { 204: { description: 'Removed.' } },
    run: async ({ identity: { user }, params: { session } }) => {
      if (await archives.remove(user, session)) return { status: 204 };
      throw new ReaderError(
        'FILE_NOT_FOUND',
        `There is no archive ${quoted(session)}.`,
        'Check the session id.',
      );
    },
  });
}
