// What every operation that writes a file answers with, and how it names the session.

import { z } from 'zod';

export const WORKSPACE_TAG = 'Workspace';

export const SESSION: z.ZodString = z
  .string()
  .meta({ description: 'Session id: a workspace of your own by that name.' });

export const written: z.ZodObject = z
  .object({
    path: z.string(),
    mounted: z.string(),
    bytes: z.int(),
    sha256: z.string(),
    replaced: z.boolean(),
  })
  .meta({ id: 'Written' });
