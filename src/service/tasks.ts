// Work that would block the event loop of the service, done in the pool's children; their answers are validated.

import { z } from 'zod';
import { workspaceStorage } from '../history/index.ts';
import { type Pool, ReaderError, type TokenCounter, type Workspace } from '../index.ts';
import { runTask } from '../isolation/index.ts';

interface Caller {
  readonly user: string;
  readonly signal: AbortSignal;
}

/** Texts up to this many UTF-16 units are counted directly, which is faster than asking a child. */
const SHORT_TEXT = 64 * 1024;

/** @throws {ReaderError} errors of the child */
export async function countTokens(
  pool: Pool,
  text: string,
  counter: TokenCounter,
  { user, signal }: Caller,
): Promise<number> {
  if (text.length <= SHORT_TEXT) return counter.count(text);
  const task = {
    name: 'countTokens',
    input: { encoding: counter.encoding },
    body: Buffer.from(text),
    user,
    signal,
  };
  return checked(z.int().min(0), (await runTask(pool, task)).output);
}

const COMPACTED = z.object({ session: z.string().nullable(), answerBytes: z.int().min(0) });
const ORIGINALS = z.record(
  z.string().regex(/^(?:conversation_history|tool_outputs)(?:\/[\w.-]{1,200}){1,4}$/),
  z.string(),
);

/**
 * Compacts in a child, which also parses `request`: JSON of a `compactRequestSchema`. If the request names a session,
 * originals are written to its workspace before the answer is returned: JSON of messages, report and state.
 * @throws {ReaderError} BAD_INPUT, errors of `workspaceOf`, `compact` and the child
 */
export async function compactIn(
  pool: Pool,
  request: Uint8Array,
  workspaceOf: (session: string) => Workspace,
  { user, signal }: Caller,
): Promise<Uint8Array> {
  const { output, body = NOTHING } = await runTask(pool, {
    name: 'compact',
    input: { mount: MOUNT },
    body: request,
    user,
    signal,
  });
  const { session, answerBytes } = checked(COMPACTED, output);
  if (session !== null) {
    const storage = workspaceStorage(workspaceOf(session));
    const originals = checked(ORIGINALS, parsed(body.subarray(answerBytes)));
    for (const [path, text] of Object.entries(originals)) await storage.write(path, text);
  }
  return body.subarray(0, answerBytes);
}

const NOTHING = new Uint8Array(0);
/** Mount path of every workspace created without one. */
const MOUNT = '/workspace';

/** Undefined for invalid JSON. */
function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

function checked<T>(schema: z.ZodType<T>, output: unknown): T {
  const { data, error } = schema.safeParse(output);
  if (!error) return data;
  throw new ReaderError(
    'CRASHED',
    'The process that did this sent an invalid answer.',
    'Send the request again.',
    error,
  );
}
