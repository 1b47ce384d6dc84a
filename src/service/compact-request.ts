// What `POST /v1/compact` takes. The process that compacts checks a request against it, since that parses the body too.

import { z } from 'zod';
import { CODECS, type CodecName, PRESET_NAMES, type PresetName } from '../history/index.ts';

const PRESETS = [...PRESET_NAMES] as [PresetName, ...PresetName[]]; // there is one at least
const FORMATS = CODECS.map(({ name }) => name) as [CodecName, ...CodecName[]];
const MAX_MESSAGES = 100_000;

export const compactRequestSchema: z.ZodObject = z.strictObject({
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
  threshold: z
    .strictObject({ at: z.number().exactOptional(), to: z.number().exactOptional() })
    .exactOptional()
    .meta({
      description:
        'Compacted above `at`, down to `to`: up to 1 a fraction of the window, above 1 tokens of the history.',
    }),
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
