// The operation that compacts a conversation to fit its model's window. Stateless: the state travels with the request.

import { z } from 'zod';
import type { Workspace } from '../../index.ts';
import { compactRequestSchema } from '../compact-request.ts';
import { authorize } from '../http/access/authenticate.ts';
import { type Operation, operation } from '../http/operation.ts';
import { READING } from '../http/problem-statuses.ts';
import type { Readers } from '../readers.ts';
import { compactIn } from '../tasks.ts';

export function compactOperations(readers: Readers): readonly Operation[] {
  return [
    operation({
      id: 'compact',
      method: 'POST',
      path: '/v1/compact',
      tag: 'Agents',
      summary: "Compact a conversation to fit its model's window",
      scope: 'read',
      problems: READING,
      body: { kind: 'unparsed', schema: compactRequestSchema },
      answers: {
        200: {
          description: 'The messages to send, what was done, and the state for the next call.',
          content: {
            'application/json': z.object({
              messages: z.array(z.unknown()),
              report: z.looseObject({}),
              state: z.looseObject({}),
            }),
          },
        },
      },
      run: async ({ identity, body, signal }) => {
        const workspaceOf = (session: string): Workspace => {
          authorize(identity, 'files');
          return readers.workspace(identity.user, session);
        };
        const answer = await compactIn(readers.pool, body, workspaceOf, { user: identity.user, signal });
        return { body: answer, type: 'application/json; charset=utf-8' };
      },
    }),
  ];
}
