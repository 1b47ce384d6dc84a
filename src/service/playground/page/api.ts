// Calls the HTTP API of the server that served this page.

import { type Signal, signal } from '@preact/signals';
import type { RequestValues } from './request.ts';
import type { Compaction, Contents, Format, Found, Problem, ReadResult } from './wire.ts';

/** The API key, kept in memory only. */
export const apiKey: Signal<string> = signal('');
/** The server rejected a request because it had no valid key. */
export const needsKey: Signal<boolean> = signal(false);

/** An error response, or no response at all. */
export class ApiError extends Error implements Problem {
  readonly code: string;
  readonly hint: string;

  constructor({ code, message, hint }: Problem) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

async function call(path: string, init: RequestInit = {}): Promise<unknown> {
  const headers = new Headers(init.headers);
  if (apiKey.value !== '') headers.set('authorization', `Bearer ${apiKey.value}`);
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError({
      code: 'UNREACHABLE',
      message: 'The server does not respond.',
      hint: 'Check that `lectern serve` is running, then try again.',
    });
  }
  const body: unknown = await response.json().catch(() => null);
  if (response.status === 401) needsKey.value = true;
  else if (response.ok) needsKey.value = false;
  if (!response.ok) throw new ApiError(problemOf(response.status, body));
  return body;
}

function problemOf(status: number, body: unknown): Problem {
  const { code, detail, hint } = (body ?? {}) as Record<string, unknown>; // each is checked below
  return {
    code: typeof code === 'string' ? code : `HTTP ${status}`,
    message: typeof detail === 'string' ? detail : `The server responded with status ${status}.`,
    hint: typeof hint === 'string' ? hint : 'Try again, or check the server log.',
  };
}

const json = (body: unknown, signal?: AbortSignal): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
  ...(signal && { signal }),
});

/** Reads one file, or several under one budget. A file that cannot be read gives a failed result. */
export async function read(
  files: readonly File[],
  request: RequestValues,
  signal: AbortSignal,
): Promise<readonly ReadResult[]> {
  const form = new FormData();
  form.append('request', JSON.stringify(request));
  for (const file of files) form.append('file', file, file.name);
  try {
    const body = await call('v1/read', { method: 'POST', body: form, signal });
    // Trusted: the response has the shape of the server's own API.
    return files.length === 1 ? [body as ReadResult] : (body as { results: ReadResult[] }).results;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, message, hint } = error;
    return files.map(
      ({ name }) => ({ success: false, error: { code, message, hint }, metadata: { name } }) as ReadResult,
    );
  }
}

const formOf = (file: File, request: RequestValues): FormData => {
  const form = new FormData();
  form.append('request', JSON.stringify(request));
  form.append('file', file, file.name);
  return form;
};

/** The list of contents of a file, a line for each; none of a file that has none. */
export async function contentsOf(file: File, request: RequestValues): Promise<Contents | null> {
  const body = await call('v1/inspect', { method: 'POST', body: formOf(file, request) });
  return (body as { contents?: Contents }).contents ?? null;
}

/** What a file costs as an attachment to a message of a provider. */
export async function attachmentTokens(file: File, target: string): Promise<number | undefined> {
  const form = new FormData();
  form.append('target', target);
  form.append('file', file, file.name);
  const body = await call('v1/attachments', { method: 'POST', body: form });
  return (body as { files: readonly { readonly tokens?: number }[] }).files[0]?.tokens;
}

/** The lines of a file that hold `query`, in any case. */
export async function search(file: File, query: string, signal: AbortSignal): Promise<Found> {
  const request = { query, caseSensitive: false, limit: 100 };
  return (await call('v1/search', { method: 'POST', body: formOf(file, request), signal })) as Found;
}

/** The exact token count of a text. */
export async function countTokens(text: string, signal?: AbortSignal): Promise<number> {
  const body = await call('v1/tokens', json({ text }, signal));
  return (body as { tokens: number }).tokens;
}

export async function formats(): Promise<readonly Format[]> {
  return ((await call('v1/formats')) as { formats: Format[] }).formats;
}

/** Limits in force, by key. */
export async function limits(): Promise<ReadonlyMap<string, number>> {
  const body = (await call('v1/limits')) as { limits: { key: string; value: number }[] };
  return new Map(body.limits.map(({ key, value }) => [key, value]));
}

export async function compact(
  request: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<Compaction> {
  return (await call('v1/compact', json(request, signal))) as Compaction;
}
