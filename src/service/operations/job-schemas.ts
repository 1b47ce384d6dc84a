// Schemas of the input and output of job operations.

import { z } from 'zod';
import { readRequestSchema } from '../http/schemas.ts';

const count = z.int();
export const jobSchema: z.ZodObject = z
  .object({
    id: z.string(),
    status: z.enum(['queued', 'running', 'done', 'cancelled']),
    counts: z.object({
      total: count,
      queued: count,
      running: count,
      succeeded: count,
      failed: count.meta({ description: 'Unreadable files; the error is their result.' }),
      dead: count.meta({ description: 'Files given up after repeated timeouts or crashes; can be retried.' }),
      cancelled: count,
    }),
    bytes: z.object({ total: count, done: count }),
    createdAt: z.string(),
    endedAt: z.string().optional(),
    keepSeconds: count,
    expiresAt: z.string().optional().meta({ description: 'When the job and its results are removed.' }),
    webhook: z
      .object({
        state: z.enum(['waiting', 'delivered', 'failed']),
        attempts: count,
        lastStatus: count.optional(),
        lastError: z.string().optional(),
      })
      .optional(),
  })
  .meta({ id: 'Job' });
export const acceptedSchema: z.ZodObject = jobSchema
  .extend({
    webhookSecret: z
      .string()
      .optional()
      .meta({ description: 'Verifies the notification (Standard Webhooks). Shown only once.' }),
  })
  .meta({ id: 'AcceptedJob' });

interface JobOptions {
  readonly keepSeconds?: number | undefined;
  readonly webhook?: { readonly url: string; readonly secret?: string | undefined } | undefined;
}

type SubmissionFields = Omit<(typeof readRequestSchema)['shape'], 'password'> & {
  options: z.ZodOptional<z.ZodType<JobOptions>>;
};

/** Fields of a read request, and `options` of the job. No password, because a job is stored until it is read. */
export const submissionSchema: z.ZodObject<SubmissionFields> = readRequestSchema
  .omit({ password: true })
  .extend({
    options: z
      .strictObject({
        keepSeconds: z.int().optional().meta({
          description: 'How long results stay available after the job ends. Default: limit `jobKeepSeconds`.',
        }),
        webhook: z
          .strictObject({
            url: z.string().meta({ description: 'Receives a POST when the job ends.' }),
            secret: z
              .string()
              .optional()
              .meta({ description: '`whsec_` and base64. Default: generated and returned.' }),
          })
          .optional(),
      })
      .optional(),
  });

export const deadLettersSchema: z.ZodObject = z.object({
  items: z.array(
    z.object({
      job: z.string(),
      index: count,
      name: z.string(),
      attempts: count,
      error: z.object({ code: z.string(), message: z.string(), hint: z.string() }),
    }),
  ),
});
