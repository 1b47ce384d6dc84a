// The operation that brings a conversation under its model's window. It keeps nothing: the state travels with the request.

import { z } from 'zod';
import { CODECS, type CodecName, PRESET_NAMES, type PresetName } from '../../history/index.ts';
import { type Operation, operation } from '../http/operation.ts';
import { HttpError } from '../http/problem.ts';
import type { Readers } from '../readers.ts';
import { compactIn } from '../tasks.ts';

const PRESETS = [...PRESET_NAMES] as [PresetName, ...PresetName[]]; // there is one at least
const FORMATS = CODECS.map(({ name }) => name) as [CodecName, ...CodecName[]];
const MAX_MESSAGES = 100_000;

const schema = z.strictObject({
  messages: z
    .array(z.unknown())
    .max(MAX_MESSAGES)
    .meta({ description: "The messages as the model's provider takes them." }),
  format: z.enum(FORMATS).exactOptional().meta({ description: 'Default: found by the messages.' }),
  model: z
    .string()
    .max(200)
    .exactOptional()
    .meta({ description: 'Sets the window, and how tokens are estimated.' }),
  window: z.int().min(1).exactOptional().meta({ description: 'Tokens that the model takes.' }),
  target: z.int().min(1).exactOptional().meta({ description: 'Tokens to come down to, at most.' }),
  preset: z.enum(PRESETS).exactOptional(),
  system: z.string().exactOptional().meta({ description: 'System prompt sent beside the messages.' }),
  tools: z.unknown().exactOptional().meta({ description: 'Tool definitions sent beside the messages.' }),
  goal: z.string().max(10_000).exactOptional(),
  force: z.boolean().exactOptional().meta({ description: 'Compact below the trigger too.' }),
  session: z
    .string()
    .exactOptional()
    .meta({ description: 'Workspace that keeps the originals. Without one they are not kept here.' }),
  conversationId: z.string().exactOptional().meta({ description: 'Names the folders of the originals.' }),
  state: z
    .looseObject({})
    .exactOptional()
    .meta({ description: '`state` of the answer before, for the same conversation.' }),
});

export function compactOperations(readers: Readers): readonly Operation[] {
  return [
    operation({
      id: 'compact',
      method: 'POST',
      path: '/v1/compact',
      tag: 'Agents',
      summary: "Bring a conversation under its model's window",
      scope: 'read',
      body: { kind: 'json', schema },
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
        const { session, ...request } = body;
        if (session !== undefined && !identity.scopes.includes('files'))
          throw new HttpError(
            403,
            'ACCESS_DENIED',
            'To keep originals in a workspace the key needs the scope `files`.',
            'Use a key with that scope, or leave `session` out.',
          );
        const workspace = session === undefined ? undefined : readers.workspace(identity.user, session);
        return { body: await compactIn(readers.pool, request, workspace, { user: identity.user, signal }) };
      },
    }),
  ];
}
