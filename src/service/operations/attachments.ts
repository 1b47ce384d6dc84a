// The operation that prepares files for a message to a model provider.

import { z } from 'zod';
import { ATTACHMENT_LIMITS, type AttachmentTarget, prepareAttachments } from '../../index.ts';
import { authorize } from '../http/access/authenticate.ts';
import { type Operation, operation } from '../http/operation.ts';
import { READING } from '../http/problem-statuses.ts';
import { READ_FIELDS } from '../http/schemas.ts';
import type { Readers } from '../readers.ts';

// The table has an entry for every target.
const TARGETS = Object.keys(ATTACHMENT_LIMITS) as [AttachmentTarget, ...AttachmentTarget[]];

export function attachmentOperations(readers: Readers): readonly Operation[] {
  return [
    operation({
      id: 'attachments',
      method: 'POST',
      path: '/v1/attachments',
      tag: 'Agents',
      summary: "Prepare files as the content of a message, within a provider's limits and one budget",
      scope: 'read',
      problems: READING,
      body: {
        kind: 'files',
        schema: z.strictObject({
          target: z.enum(TARGETS).meta({ description: 'The message format of the content.' }),
          model: z
            .string()
            .max(200)
            .exactOptional()
            .meta({ description: 'Applies the limits of that model.' }),
          budget: z.int().min(0).exactOptional().meta({ description: 'Token budget of all parts.' }),
          prefer: z
            .enum(['native', 'text'])
            .exactOptional()
            .meta({ description: 'A PDF unchanged (`native`, the default), or its text, which costs less.' }),
          password: READ_FIELDS.password,
        }),
      },
      answers: {
        200: {
          description:
            'How each file was included, and the content in the format of the provider; bytes are base64.',
          content: {
            'application/json': z.object({
              files: z.array(z.looseObject({ name: z.string(), given: z.string(), note: z.string() })),
              listing: z.string(),
              parts: z.array(z.looseObject({ kind: z.string() })),
              content: z.array(z.looseObject({})),
              tokens: z.int(),
              requestBytes: z.int(),
            }),
          },
        },
      },
      run: async ({ identity, body, signal }) => {
        const { session, inputs, fields } = body;
        if (session !== undefined) authorize(identity, 'files');
        const workspace = session === undefined ? undefined : readers.workspace(identity.user, session);
        return {
          body: await prepareAttachments(inputs, {
            ...fields,
            reader: readers.of(identity.user, session),
            ...(workspace && { workspace }),
            isolation: readers.pool,
            user: identity.user,
            signal,
          }),
        };
      },
    }),
  ];
}
