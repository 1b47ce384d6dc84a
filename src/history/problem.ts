// Explains why a list could not be made shorter and what the caller can do.

import { quoted, ReaderError, type Tokens } from '../contract/index.ts';
import { guarded } from './codecs/native.ts';
import type { Group } from './ledger/groups.ts';
import type { Draft } from './policy/draft.ts';
import type { ToolRoles } from './policy/tool-roles.ts';
import type { Problem } from './report.ts';

/** Nothing was replaced because the archive could not store the originals. */
export function archiveProblem(error: ReaderError): Problem {
  const code =
    error.code === 'QUOTA_EXCEEDED' || error.code === 'ACCESS_DENIED' || error.code === 'TIMED_OUT'
      ? error.code
      : 'INTERNAL';
  // A workspace's own error is more specific than "the storage failed"; a timeout is already specific.
  const reported = error.cause instanceof ReaderError && code !== 'TIMED_OUT' ? error.cause : error;
  const message = reported === error ? error.message : `${error.message} ${reported.message}`;
  return {
    code,
    message: `No message was replaced, because the originals could not be archived: ${message}`,
    hint:
      reported === error && code === 'INTERNAL'
        ? 'Check that the storage is readable and writable.'
        : reported.hint,
  };
}

/** What the caller wants to keep: messages by `isPinned`, tools by the role `keep`. */
export interface Wanted<M> {
  readonly isPinned: (message: M) => boolean;
  readonly tools: ToolRoles;
}

/** Maximum number of tools named in a hint. */
const TOOLS_NAMED = 5;

/** What stays in a draft: tokens by kind, and the tools whose results the caller keeps. */
interface Remainder {
  readonly kinds: ReadonlyMap<string, number>;
  readonly tools: ReadonlySet<string>;
}

function remainderOf<M>(draft: Draft<M>, { isPinned, tools }: Wanted<M>): Remainder {
  const kinds = new Map<string, number>();
  const named = new Set<string>();
  for (const [number, group] of draft.conversation.groups.entries()) {
    if (draft.gone.has(number)) continue;
    const kept = group.places.flatMap((place) => {
      const name = draft.item(place).kind === 'result' ? draft.nameOf(place) : null;
      return name !== null && tools.isKept(name) ? [name] : [];
    });
    for (const name of kept) named.add(name);
    const pinned = group.places.some(({ message }) => {
      const shown = draft.list[message];
      return shown !== undefined && isPinned(shown.message);
    });
    const kind = kindOf(group.kind, pinned, kept.length > 0);
    kinds.set(kind, (kinds.get(kind) ?? 0) + draft.groupCost(group));
  }
  return { kinds, tools: named };
}

/** Lists each kind with its tokens, for a prompt of `tokens`. */
function partsOf({ kinds }: Remainder, tokens: Tokens): string {
  const inMessages = [...kinds.values()].reduce((sum, one) => sum + one, 0);
  const beside = Math.max(0, tokens - inMessages);
  return [...kinds, ['the system prompt and tools passed outside the messages', beside] as const]
    .filter(([, size]) => Math.round(size) > 0)
    .map(([kind, size]) => `${kind} ~${Math.round(size)}`)
    .join(', ');
}

/** How to make room, by the largest kind. */
function hintFor({ kinds, tools }: Remainder, limit: Tokens): string {
  const [pinned = 0, kept = 0, instructions = 0] = [PINNED, KEPT, INSTRUCTIONS].map((kind) =>
    kinds.get(kind),
  );
  const named = [...tools].slice(0, TOOLS_NAMED).map(quoted).join(', ');
  if (kept > 0 && kept >= pinned) return `Remove the role \`keep\` from ${named}, or use a larger window.`;
  if (pinned > 0) return 'Pin fewer messages in `isPinned`, or use a larger window.';
  if (instructions > limit / 2) return 'Shorten the system prompt, or use a model with a larger window.';
  return 'Use a larger window or target, shorter messages, or fewer tool definitions.';
}

const INSTRUCTIONS = 'instructions';
const PINNED = 'pinned messages';
const KEPT = 'results of tools with the role `keep`';

function kindOf(kind: Group['kind'], isPinned: boolean, isKept: boolean): string {
  if (kind === 'system') return INSTRUCTIONS;
  if (isKept) return KEPT;
  if (isPinned) return PINNED;
  return kind === 'user' ? 'user messages' : 'other messages';
}

/** The list stays above `limit`: lists what in it cannot be removed. */
export function tooLong<M>(draft: Draft<M>, wanted: Wanted<M>, tokens: Tokens, limit: Tokens): Problem {
  const remainder = remainderOf(draft, wanted);
  return {
    code: 'OVER_BUDGET',
    message: `The prompt has ~${tokens} tokens, over its limit of ${limit}, and nothing more can be removed: ${partsOf(remainder, tokens)}.`,
    hint: hintFor(remainder, limit),
  };
}

/** The list has more messages than the policy allows, and no more may be removed. */
export function tooMany<M>(draft: Draft<M>, wanted: Wanted<M>, most: number): Problem {
  return {
    code: 'OVER_BUDGET',
    message: `The list has ${draft.list.length} messages, over the limit of ${most} in \`policy.messages\`, and no more can be removed.`,
    hint: hintFor(remainderOf(draft, wanted), Number.POSITIVE_INFINITY),
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

/** @throws {ReaderError} BAD_INPUT for messages that are not an array */
export function refuseOtherList(messages: unknown): void {
  // `Array.isArray` throws for a revoked proxy.
  if (guarded(() => Array.isArray(messages), false)) return;
  throw new ReaderError(
    'BAD_INPUT',
    `The messages are \`${messages === null ? 'null' : typeof messages}\`; expected an array.`,
    "Pass the list of messages in your provider's format.",
  );
}
