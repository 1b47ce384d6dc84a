// A compaction in a child process, from the bytes of a request to the bytes of its answer.

import { ReaderError, strictJson } from '../contract/index.ts';
import { type CallOptions, compact, createMemoryStorage, type HistoryOptions } from '../history/index.ts';
import type { TaskOutput } from '../isolation/index.ts';
import { compactRequestSchema } from '../service/compact-request.ts';
import { parsedJson } from '../service/http/body/body.ts';
import { checked } from '../service/http/checked.ts';

/** As the schema of a request has it. */
type Request = Omit<HistoryOptions, 'storage' | 'tools'> &
  Omit<CallOptions, 'window'> & { readonly messages: readonly object[]; readonly session?: string };

/**
 * The body is the answer and, of a request with a session, behind it the originals by path; `answerBytes` parts them.
 * @throws {ReaderError} BAD_INPUT, and what `compact` throws
 */
export async function compactRequest(input: unknown, body: Uint8Array): Promise<TaskOutput> {
  const { mount } = input as { readonly mount: string }; // as the service sends it
  const given = checked(compactRequestSchema, parsedJson(Buffer.from(body).toString('utf8'), 'body'), 'body');
  // What a schema cannot say of messages and state the compactor checks.
  const { session, messages, system, tools, force, ...options } = given as unknown as Request;
  const originals: Record<string, string> = {};
  const memory = createMemoryStorage();
  const storage = {
    ...memory,
    write: async (path: string, text: string) => {
      originals[path] = text;
      await memory.write(path, text);
    },
    shownAs: (path: string) => `${mount}/${path}`,
  };
  const { report, state, ...compacted } = await compact(
    messages,
    { ...options, ...(session !== undefined && { storage }) },
    {
      ...(system !== undefined && { system }),
      ...(tools !== undefined && { tools }),
      ...(force !== undefined && { force }),
    },
  );
  const answer = bytesOf({ messages: compacted.messages, report, state });
  const kept = session === undefined ? [] : [bytesOf(originals)];
  return {
    output: { session: session ?? null, answerBytes: answer.length },
    body: Buffer.concat([answer, ...kept]),
  };
}

/** @throws {ReaderError} BAD_INPUT for values nested deeper than JSON can be written */
function bytesOf(value: unknown): Buffer {
  try {
    return Buffer.from(strictJson(JSON.stringify(value)));
  } catch (cause) {
    throw new ReaderError(
      'BAD_INPUT',
      'The messages are nested too deeply.',
      'Send what is nested in them as text.',
      cause,
    );
  }
}
