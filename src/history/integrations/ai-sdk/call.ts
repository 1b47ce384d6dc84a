// Reads calls of the AI SDK by shape, because the SDK's types differ between versions. Does not load the SDK.

import { quoted, ReaderError, type Tokens } from '../../../contract/index.ts';
import { namedModel } from '../../../models/index.ts';
import type { CallOptions } from '../../call-options.ts';
import { codecOf } from '../../codecs/index.ts';
import { type ConversationOptions, type Conversations, conversationsOf } from '../conversations.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Properties of an object; empty for anything else. */
export function fields(value: unknown): Fields {
  // Properties are read by name and remain unknown.
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** Name of a model given as an object or by name; null if it has none. */
export function modelName(model: unknown): string | null {
  const name = typeof model === 'string' ? model : fields(model)['modelId'];
  return typeof name === 'string' && name !== '' ? name : null;
}

/**
 * Prompt tokens of a usage, including cached ones: `inputTokens` of a step, `inputTokens.total` of a model's response.
 */
export function promptTokens(usage: unknown): Tokens | null {
  const counted = fields(usage)['inputTokens'];
  const tokens = typeof counted === 'number' ? counted : fields(counted)['total'];
  return typeof tokens === 'number' && tokens > 0 && Number.isFinite(tokens) ? tokens : null;
}

/** The window of the call's model, if its name is known and the options set neither model nor window. */
export function openWindow<M>(
  options: ConversationOptions<M>,
): (model: string | null) => Pick<CallOptions, 'window'> {
  const isOpen =
    options.window === undefined && options.model === undefined && options.optionsFor === undefined;
  return (model) => {
    const window = isOpen && model !== null ? namedModel(model)?.window : undefined;
    return window === undefined ? {} : { window };
  };
}

/**
 * Conversations of AI SDK messages, with the options of `what`.
 * @throws {ReaderError} BAD_INPUT, also for another format
 */
export function aiSdkConversations<M>(what: string, options: ConversationOptions<M>): Conversations<M> {
  const { format = 'ai-sdk' } = options;
  const codec = typeof format === 'string' ? null : format;
  const asked = codec?.name ?? format;
  if (asked !== 'ai-sdk') throw otherFormat(what, 'options', String(asked));
  return conversationsOf(what, codec ?? codecOf<M>('ai-sdk'), options);
}

/** Error for options or a compactor of `what` with a format other than the SDK's. */
export function otherFormat(what: string, given: 'options' | 'compactor', format: string): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    `The ${given} of \`${what}\` ${given === 'options' ? 'have' : 'has'} the format ${quoted(String(format))}; expected \`ai-sdk\`.`,
    given === 'options' ? 'Remove `format`.' : "Create it with `createCompactor({ format: 'ai-sdk' })`.",
  );
}

/** Awaits `work`. If the caller aborted, throws the signal's own reason, which the SDK recognises. */
export async function aborting<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (signal?.aborted && error instanceof ReaderError && error.code === 'ABORTED') throw signal.reason;
    throw error;
  }
}
