// The answer of every operation that writes a file, and its session parameter.

import { z } from 'zod';

export const WORKSPACE_TAG = 'Workspace';

export const SESSION: z.ZodString = z
  .string()
  .meta({ description: 'Session id: names one of your workspaces.' });

export const written: z.ZodObject = z
  .object({
    path: z.string(),
    mounted: z.string(),
    bytes: z.int(),
    sha256: z.string(),
    replaced: z.boolean(),
  })
  .meta({ id: 'Written' });
