// Why a list could not be brought down, in words a caller can act on.

import { ReaderError, type Tokens } from '../contract/index.ts';
import type { Draft } from './policy/draft.ts';
import type { Problem } from './report.ts';

/** Nothing was replaced, for the archive could not keep the originals. */
export function archiveProblem(error: ReaderError): Problem {
  const code =
    error.code === 'QUOTA_EXCEEDED' || error.code === 'ACCESS_DENIED' || error.code === 'TIMED_OUT'
      ? error.code
      : 'INTERNAL';
  // A workspace's own errors say more than that a storage failed; that it did not answer is already said.
  const reported = error.cause instanceof ReaderError && code !== 'TIMED_OUT' ? error.cause : error;
  const message = reported === error ? error.message : `${error.message} ${reported.message}`;
  return {
    code,
    message: `Nothing was replaced, for the originals could not be kept: ${message}`,
    hint:
      reported === error && code === 'INTERNAL'
        ? 'Check that the storage can be written and read.'
        : reported.hint,
  };
}

/** The list stays above `limit`: what in it cannot give way. */
export function tooLong<M>(draft: Draft<M>, tokens: Tokens, limit: Tokens): Problem {
  const { groups } = draft.conversation;
  let instructions = 0;
  let user = 0;
  for (const group of groups) {
    if (group.kind === 'system') instructions += draft.groupCost(group);
    if (group.kind === 'user') user += draft.groupCost(group);
  }
  const rest = Math.max(0, tokens - instructions - user);
  const parts = `instructions in the messages ${Math.round(instructions)}, messages of the user ${Math.round(user)}, the rest with tools and system prompt ${Math.round(rest)}`;
  const hint =
    instructions > limit / 2
      ? 'Shorten the system prompt, or use a model with a larger window.'
      : 'Use a larger window or target, fewer tool definitions, or unpin messages.';
  return {
    code: 'OVER_BUDGET',
    message: `The prompt is ~${tokens} tokens and should be at most ${limit}; what is left cannot give way: ${parts}.`,
    hint,
  };
}

/** @throws {ReaderError} ABORTED */
export function refuseAborted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  throw new ReaderError(
    'ABORTED',
    'The call was cancelled; no message was replaced.',
    'Call again.',
    signal.reason,
  );
}
