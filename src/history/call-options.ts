// Options of a single `compact` call.

import type { Tokens } from '../contract/index.ts';
import { ANYTHING, checkKinds, FLAG, has, isText, type Kinds, WINDOW } from './option-kinds.ts';

/** Options of a single `compact` call. */
export interface CallOptions {
  /** System prompt passed outside the messages: a text, or the provider's blocks. */
  readonly system?: string | object;
  /** Tool definitions, in any format. */
  readonly tools?: unknown;
  /** Context window for this call, if it differs from the compactor's. */
  readonly window?: Tokens;
  /** Compact now, even below the trigger, for example after the provider rejected the prompt as too long. */
  readonly force?: boolean;
  readonly signal?: AbortSignal;
}

const KINDS: Kinds<CallOptions> = {
  system: [(value) => isText(value) || (typeof value === 'object' && value !== null), 'a text or blocks'],
  tools: ANYTHING,
  window: WINDOW,
  force: FLAG,
  signal: [(value) => has(value, 'addEventListener', 'removeEventListener'), 'an `AbortSignal`'],
};

/** The text of a system prompt: of blocks with `text`, and of messages with `content` or `parts`. */
export function systemText(system: unknown): string {
  if (typeof system === 'string') return system;
  if (Array.isArray(system))
    return system
      .map(systemText)
      .filter((text) => text !== '')
      .join('\n');
  if (typeof system !== 'object' || system === null) return '';
  const { text, content, parts }: { text?: unknown; content?: unknown; parts?: unknown } = system;
  return systemText(text ?? content ?? parts);
}

/** @throws {ReaderError} BAD_INPUT for an unknown call option or an invalid value */
export function checkCall(what: string, options: CallOptions): void {
  checkKinds(what, options, KINDS);
}
