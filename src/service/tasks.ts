// Work of the service that would hold up its event loop, done in the pool's children; their answers are checked.

import { z } from 'zod';
import { workspaceStorage } from '../history/index.ts';
import { type Pool, ReaderError, type TokenCounter, type Workspace } from '../index.ts';
import { runTask } from '../isolation/index.ts';

interface Caller {
  readonly user: string;
  readonly signal: AbortSignal;
}

export interface CompactRequest {
  readonly messages: readonly unknown[];
  readonly state?: object;
  readonly [option: string]: unknown;
}

export interface CompactAnswer {
  readonly messages: readonly unknown[];
  readonly report: object;
  readonly state: object;
}

/** Texts up to this many UTF-16 units are counted at once, in less time than a child takes to be asked. */
const SHORT_TEXT = 64 * 1024;

/** @throws {ReaderError} what a child ends with */
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

const COMPACTED = z.object({
  messages: z.array(z.unknown()),
  report: z.looseObject({}),
  state: z.looseObject({}),
  files: z.record(
    z.string().regex(/^(?:conversation_history|tool_outputs)(?:\/[\w.-]{1,200}){1,4}$/),
    z.string(),
  ),
});

/**
 * Compacts in a child. Originals go into `workspace`, where there is one, before the answer that names them is given.
 * @throws {ReaderError} as `compact` does, and what a child ends with
 */
export async function compactIn(
  pool: Pool,
  request: CompactRequest,
  workspace: Workspace | undefined,
  { user, signal }: Caller,
): Promise<CompactAnswer> {
  const input = { ...request, ...(workspace && { mount: workspace.mount.replace(/\/+$/, '') }) };
  const given = Buffer.from(JSON.stringify(input));
  const { body } = await runTask(pool, { name: 'compact', input: null, body: given, user, signal });
  const { messages, report, state, files } = checked(COMPACTED, parsed(body));
  if (workspace) {
    const storage = workspaceStorage(workspace);
    for (const [path, text] of Object.entries(files)) await storage.write(path, text);
  }
  return { messages, report, state };
}

/** Undefined for what is not JSON. */
function parsed(body: Uint8Array | undefined): unknown {
  try {
    return JSON.parse(Buffer.from(body ?? []).toString('utf8'));
  } catch {
    return undefined;
  }
}

function checked<T>(schema: z.ZodType<T>, output: unknown): T {
  const { data, error } = schema.safeParse(output);
  if (!error) return data;
  throw new ReaderError(
    'CRASHED',
    'The process that did this sent an answer that is not valid.',
    'Send the request again.',
    error,
  );
}
