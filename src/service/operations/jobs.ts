// Operations on jobs: submit many files, watch them, fetch their results repeatedly, cancel, and retry.

import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { bytesOfFile, checkId } from '../../contract/index.ts';
import { ReaderError } from '../../index.ts';
import { authorize } from '../http/access/authenticate.ts';
import type { Received } from '../http/body/form.ts';
import type { Uploads } from '../http/body/uploads.ts';
import { type Operation, operation, type Reply } from '../http/operation.ts';
import { HttpError } from '../http/problem.ts';
import { KEY_REUSED, KEY_UNDER_WAY, MISSING } from '../http/problem-statuses.ts';
import { eventStream, shownJob } from '../jobs/event-stream.ts';
import type { Jobs, SubmittedFile } from '../jobs/jobs.ts';
import type { JobLimits } from '../jobs/limits.ts';
import type { ItemResult } from '../jobs/queue.ts';
import { IdempotencyMismatch } from '../jobs/sql/intake.ts';
import { acceptedSchema, deadLettersSchema, jobSchema, submissionSchema } from './job-schemas.ts';

const TAG = 'Jobs';
const JOB = z.strictObject({ id: z.string().max(100).meta({ description: 'Id of the job.' }) });
const AFTER = z
  .int()
  .min(0)
  .optional()
  .meta({ description: '`seq` of the last outcome you have; the answer starts after it.' });

export function jobOperations(jobs: Jobs, limits: JobLimits): readonly Operation[] {
  return [
    submitJob(jobs, limits),
    listJobs(jobs),
    deadLetters(jobs),
    getJob(jobs),
    jobResults(jobs),
    jobEvents(jobs),
    cancelJob(jobs),
    retryDead(jobs),
  ];
}

function submitJob(jobs: Jobs, { maxItemsPerJob }: JobLimits): Operation {
  return operation({
    id: 'submitJob',
    method: 'POST',
    path: '/v1/jobs',
    tag: TAG,
    summary: 'Read many files in the background, durably',
    scope: 'jobs',
    body: { kind: 'files', schema: submissionSchema, maxFiles: maxItemsPerJob },
    headers: ['idempotency-key'],
    problems: { 404: MISSING, 409: KEY_UNDER_WAY, 422: KEY_REUSED },
    answers: {
      202: {
        description:
          'Accepted: the job survives a crash of the service. The same `Idempotency-Key` with the same content answers with the first job.',
        content: { 'application/json': acceptedSchema },
      },
    },
    run: async ({ identity, body, headers, signal }) => {
      if (body.session !== undefined) authorize(identity, 'files');
      const { options, ...request } = body.fields;
      const key = headers['idempotency-key'];
      const submitted = await jobs
        .submit({
          user: identity.user,
          input: inputOf(body),
          request,
          keepSeconds: options?.keepSeconds,
          webhook: options?.webhook,
          idempotencyKey: key,
          signal,
        })
        .catch((error: unknown) => {
          if (!(error instanceof IdempotencyMismatch)) throw error;
          throw new HttpError(422, error.code, error.message, error.hint);
        });
      const { webhookSecret } = submitted;
      return {
        status: 202,
        headers: { location: `/v1/jobs/${submitted.job.id}` },
        body: { ...shownJob(submitted.job), ...(webhookSecret === undefined ? {} : { webhookSecret }) },
      };
    },
  });
}

function inputOf({ session, inputs, received }: Uploads<unknown>): Parameters<Jobs['submit']>[0]['input'] {
  if (session === undefined) return { files: received.map(fileOf) };
  // For a session, the inputs are the paths named by the request.
  return { session: checkId('session', session), paths: inputs.filter((input) => typeof input === 'string') };
}

const fileOf = ({ name, mimeType, held }: Received): SubmittedFile => ({
  name,
  mimeType,
  content: contentOf(held),
});

/** Opens nothing before it is read: a submission may be refused, and has thousands of files. */
async function* contentOf(held: Received['held']): AsyncGenerator<Uint8Array> {
  if ('bytes' in held) return yield held.bytes;
  const handle = await open(held.path);
  try {
    yield* bytesOfFile({ handle });
  } finally {
    await handle.close();
  }
}

function listJobs(jobs: Jobs): Operation {
  return operation({
    id: 'listJobs',
    method: 'GET',
    path: '/v1/jobs',
    tag: TAG,
    summary: 'List stored jobs, newest first',
    scope: 'jobs',
    query: z.strictObject({
      limit: z.int().min(1).max(100).optional(),
      before: z.string().max(100).optional().meta({ description: '`next` of the previous page.' }),
    }),
    answers: {
      200: {
        description: 'One page; `next` is null at the end.',
        content: { 'application/json': z.object({ jobs: z.array(jobSchema), next: z.string().nullable() }) },
      },
    },
    run: async ({ identity, query: { limit = 20, before } }) => {
      const page = { limit: limit + 1, ...(before === undefined ? {} : { before }) };
      const found = await jobs.queue.list(identity.user, page);
      const shown = found.slice(0, limit);
      return {
        body: { jobs: shown.map(shownJob), next: found.length > limit ? (shown.at(-1)?.id ?? null) : null },
      };
    },
  });
}

function deadLetters(jobs: Jobs): Operation {
  return operation({
    id: 'deadLetters',
    method: 'GET',
    path: '/v1/jobs/dead',
    tag: TAG,
    summary: 'List files given up after repeated timeouts or crashes',
    scope: 'jobs',
    answers: {
      200: {
        description: 'At most 1000, of the newest jobs first.',
        content: {
          'application/json': deadLettersSchema,
        },
      },
    },
    run: async ({ identity }) => ({ body: { items: await jobs.queue.deadLetters(identity.user, 1000) } }),
  });
}

function getJob(jobs: Jobs): Operation {
  return operation({
    id: 'getJob',
    method: 'GET',
    path: '/v1/jobs/{id}',
    tag: TAG,
    summary: 'Get state and counts of a job',
    scope: 'jobs',
    params: JOB,
    problems: { 404: MISSING },
    answers: { 200: { description: 'The job.', content: { 'application/json': jobSchema } } },
    run: async ({ identity, params }) => ({ body: shownJob(await jobs.get(identity.user, params.id)) }),
  });
}

function jobResults(jobs: Jobs): Operation {
  return operation({
    id: 'jobResults',
    method: 'GET',
    path: '/v1/jobs/{id}/results',
    tag: TAG,
    summary: 'Get the results so far; can be repeated',
    scope: 'jobs',
    params: JOB,
    problems: { 404: MISSING },
    query: z.strictObject({ after: AFTER }),
    answers: {
      200: {
        description:
          'One line per finished file, in the order they finished: `{ "seq", "index", "name", "state", "result" }`. `index` is the position in the submission, from 0.',
        content: { 'application/x-ndjson': undefined },
      },
    },
    run: async ({ identity: { user }, params: { id }, query: { after = 0 }, signal }): Promise<Reply> => {
      await jobs.get(user, id);
      const lines = resultLines((page) => jobs.queue.results(user, id, page), after);
      return { body: Readable.from(lines, { signal, objectMode: false }), type: 'application/x-ndjson' };
    },
  });
}

/** Results held in memory at a time: each may contain a picture. */
const RESULTS_AT_ONCE = 10;

async function* resultLines(
  next: (page: { readonly after: number; readonly limit: number }) => Promise<readonly ItemResult[]>,
  after: number,
): AsyncGenerator<string> {
  for (let last = after; ; ) {
    const results = await next({ after: last, limit: RESULTS_AT_ONCE });
    for (const { seq, index, name, state, json } of results) {
      const head = JSON.stringify({ seq, index, name, state });
      yield `${head.slice(0, -1)},"result":${json}}\n`;
      last = seq;
    }
    if (results.length < RESULTS_AT_ONCE) return;
  }
}

function jobEvents(jobs: Jobs): Operation {
  return operation({
    id: 'jobEvents',
    method: 'GET',
    path: '/v1/jobs/{id}/events',
    tag: TAG,
    summary: 'Progress as server-sent events',
    scope: 'jobs',
    params: JOB,
    query: z.strictObject({ after: AFTER }),
    headers: ['last-event-id'],
    problems: { 404: MISSING },
    answers: {
      200: {
        description:
          'Events `item`, `progress` and, at the end, `done`. `Last-Event-ID` or `after` resumes after an event.',
        content: { 'text/event-stream': undefined },
      },
      204: { description: 'The job has ended and you have its last event: do not reconnect.' },
    },
    run: async ({ identity: { user }, params: { id }, query, headers, signal }) => {
      const after = query.after ?? lastEventOf(headers['last-event-id']);
      const { endedAt } = await jobs.get(user, id);
      const isOver = endedAt !== undefined && after > 0;
      if (isOver && (await jobs.queue.events(user, id, { after, limit: 1 })).length === 0)
        return { status: 204 };
      const stream = eventStream(jobs.queue, {
        user,
        id,
        after,
        signal: AbortSignal.any([signal, jobs.closing]),
      });
      return {
        headers: { 'x-accel-buffering': 'no' },
        body: Readable.from(stream, { objectMode: false }),
        type: 'text/event-stream',
      };
    },
  });
}

function lastEventOf(header: string | undefined): number {
  if (header === undefined || header === '') return 0;
  if (/^\d{1,15}$/.test(header)) return Number(header);
  throw new ReaderError(
    'BAD_INPUT',
    'The header `Last-Event-ID` is not a number.',
    'Send the `id` of the last event, or omit the header.',
  );
}

function cancelJob(jobs: Jobs): Operation {
  return operation({
    id: 'cancelJob',
    method: 'DELETE',
    path: '/v1/jobs/{id}',
    tag: TAG,
    summary: 'Cancel the unfinished files of a job',
    scope: 'jobs',
    params: JOB,
    problems: { 404: MISSING },
    answers: {
      200: {
        description: 'The job as it is now; a finished one is unchanged.',
        content: { 'application/json': jobSchema },
      },
    },
    run: async ({ identity, params }) => ({ body: shownJob(await jobs.cancel(identity.user, params.id)) }),
  });
}

function retryDead(jobs: Jobs): Operation {
  return operation({
    id: 'retryJob',
    method: 'POST',
    path: '/v1/jobs/{id}/retry',
    tag: TAG,
    summary: 'Retry the dead letters of a job',
    scope: 'jobs',
    params: JOB,
    problems: { 404: MISSING },
    answers: {
      200: {
        description: 'Number of files queued again.',
        content: { 'application/json': z.object({ retried: z.int() }) },
      },
    },
    run: async ({ identity, params }) => ({
      body: { retried: await jobs.retryDead(identity.user, params.id) },
    }),
  });
}
