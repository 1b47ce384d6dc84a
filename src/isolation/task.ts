// Work in a child that reads no file: a name, JSON and bytes as input, JSON and bytes as output.

import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { HTTP_STATUS, ReaderError } from '../contract/index.ts';
import { ChildEnded, withRetry } from './ending.ts';
import type { Lease, Pool } from './pool.ts';

/** What a child can do besides reading, by name. Runs in the child. */
export type Tasks = Readonly<Record<string, (input: unknown, body: Uint8Array) => Promise<TaskOutput>>>;

export interface TaskOutput {
  /** JSON. */
  readonly output: unknown;
  readonly body?: Uint8Array;
}

export interface TaskRequest {
  readonly name: string;
  /** JSON. */
  readonly input: unknown;
  readonly body?: Uint8Array;
  /** As in `LeaseOptions`. */
  readonly files?: readonly FileHandle[];
  /** User for fair scheduling. */
  readonly user: string;
  readonly signal: AbortSignal;
}

/**
 * Runs a task in a child of `pool`. The output is not validated.
 * @throws {ReaderError} errors of the task; BUSY, ABORTED, TIMED_OUT, OUT_OF_MEMORY, CRASHED
 */
export async function runTask(pool: Pool, request: TaskRequest): Promise<TaskOutput> {
  const { name, input, body } = request;
  const content = createHash('sha256')
    .update(`${name} ${JSON.stringify(input)}`)
    .update(body ?? '')
    .digest('hex');
  return withRetry(() => attempt(pool, request, content));
}

async function attempt(
  pool: Pool,
  { name, input, body, files, user, signal }: TaskRequest,
  content: string,
): Promise<TaskOutput> {
  const lease = await pool.lease({ user, signal, content, family: '', ...(files && { files }) });
  let clean = false;
  try {
    await lease.send({ kind: 'task', name, input }, body);
    const { head, body: bytes } = await lease.receive();
    clean = head['kind'] === 'output' || head['kind'] === 'failed';
    if (head['kind'] === 'output') return { output: head['output'], body: bytes };
    throw failureOf(head, lease);
  } catch (error) {
    if (!(error instanceof ChildEnded)) throw error;
    lease.report(error.ending, true);
    throw error.asReaderError();
  } finally {
    await lease.release(clean);
  }
}

function failureOf({ kind, code, message, hint }: Readonly<Record<string, unknown>>, lease: Lease): Error {
  if (kind === 'failed' && typeof code === 'string' && Object.hasOwn(HTTP_STATUS, code))
    // Checked above to be one of the codes.
    return new ReaderError(code as ReaderError['code'], String(message), String(hint));
  lease.report('CRASHED', true);
  return new ChildEnded('CRASHED').asReaderError();
}
