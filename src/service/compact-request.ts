// Schema of `POST /v1/compact`. Requests are validated in the compacting process, which also parses the body.

import { z } from 'zod';
import { CODECS, type CodecName, PRESET_NAMES, type PresetName } from '../history/index.ts';

const PRESETS = [...PRESET_NAMES] as [PresetName, ...PresetName[]]; // there is at least one
const FORMATS = CODECS.map(({ name }) => name) as [CodecName, ...CodecName[]];
const MAX_MESSAGES = 100_000;

export const compactRequestSchema: z.ZodObject = z.strictObject({
  messages: z
    .array(z.unknown())
    .max(MAX_MESSAGES)
    .meta({ description: "The messages in the format of the model's provider." }),
  format: z.enum(FORMATS).exactOptional().meta({ description: 'Default: detected from the messages.' }),
  model: z
    .string()
    .max(200)
    .exactOptional()
    .meta({ description: 'Determines the context window, and how tokens are estimated.' }),
  window: z.int().min(1).exactOptional().meta({ description: 'Context window in tokens.' }),
  threshold: z
    .strictObject({ at: z.number().exactOptional(), to: z.number().exactOptional() })
    .exactOptional()
    .meta({
      description:
        'Compacts above `at`, down to `to`: up to 1 a fraction of the window, above 1 tokens of the history.',
    }),
  preset: z.enum(PRESETS).exactOptional(),
  system: z.string().exactOptional().meta({ description: 'System prompt sent with the messages.' }),
  tools: z.unknown().exactOptional().meta({ description: 'Tool definitions sent with the messages.' }),
  goal: z.string().max(10_000).exactOptional(),
  force: z.boolean().exactOptional().meta({ description: 'Compact even below the trigger.' }),
  session: z
    .string()
    .exactOptional()
    .meta({ description: 'Workspace that keeps the originals. Without one they are not kept.' }),
  conversationId: z.string().exactOptional().meta({ description: 'Names the folders of the originals.' }),
  state: z
    .looseObject({})
    .exactOptional()
    .meta({ description: '`state` of the previous answer for the same conversation.' }),
});
