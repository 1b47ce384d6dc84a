// Pictures made to fit in a child process, for attachments: the same work as in this process, with its answer checked.

import { z } from 'zod';
import type { MimeType } from '../contract/index.ts';
import { type Pool, runTask } from '../isolation/index.ts';

/** What the child says of a picture; its bytes come beside it. */
export interface FittedFacts {
  readonly mimeType: MimeType;
  readonly untouched: boolean;
  readonly original: { readonly width: number; readonly height: number; readonly frames: number };
  readonly shown: { readonly width: number; readonly height: number; readonly frames: number };
}

const count = z.int().min(0);
const size = z.object({ width: count, height: count, frames: count });
const facts = z.object({
  mimeType: z.string().regex(/^image\/[a-z+-]{1,30}$/),
  untouched: z.boolean(),
  original: size,
  shown: size,
});

/** @throws {ReaderError} as `fitImage` does, and what a child ends with */
export async function fitInChild(
  pool: Pool,
  bytes: Uint8Array,
  bounds: object,
  { user, signal }: { readonly user: string; readonly signal: AbortSignal },
): Promise<FittedFacts & { readonly data: Uint8Array }> {
  const { output, body = bytes } = await runTask(pool, {
    name: 'fitImage',
    input: bounds,
    body: bytes,
    user,
    signal,
  });
  // The type is one of an image, as its pattern says.
  const { mimeType, ...rest } = facts.parse(output);
  return { ...rest, mimeType: mimeType as MimeType, data: body };
}
