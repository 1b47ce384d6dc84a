// What calls of the AI SDK tell, read by shape: the SDK's types change from version to version, and nothing of it is loaded.

import { quoted, ReaderError, type Tokens } from '../../../contract/index.ts';
import { modelFacts } from '../../../models/index.ts';
import type { CallOptions } from '../../call-options.ts';
import { codecOf } from '../../codecs/index.ts';
import {
  CONVERSATIONS_KEPT,
  type ConversationOptions,
  Conversations,
  compactorsBy,
} from '../conversations.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Properties of an object; none of anything else. */
export function fields(value: unknown): Fields {
  // An object is read by name, and every property of it stays unknown.
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** Name of a model, given as itself or by name; null where it has none. */
export function modelName(model: unknown): string | null {
  const name = typeof model === 'string' ? model : fields(model)['modelId'];
  return typeof name === 'string' && name !== '' ? name : null;
}

/** Prompt tokens of a usage, cached ones included: `inputTokens` of a step, `inputTokens.total` of a model's answer. */
export function promptTokens(usage: unknown): Tokens | null {
  const counted = fields(usage)['inputTokens'];
  const tokens = typeof counted === 'number' ? counted : fields(counted)['total'];
  return typeof tokens === 'number' && tokens > 0 && Number.isFinite(tokens) ? tokens : null;
}

/** A system prompt given as text, as a system message, or as several. */
export function systemText(system: unknown): string | undefined {
  if (typeof system === 'string') return system;
  const texts = (Array.isArray(system) ? system : [system])
    .map((message) => fields(message)['content'])
    .filter((content) => typeof content === 'string');
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** The window by the model of a call, where the options tell neither model nor window. */
export function openWindow<M>(
  options: ConversationOptions<M>,
): (model: string | null) => Pick<CallOptions, 'window'> {
  const isOpen =
    options.window === undefined && options.model === undefined && options.optionsFor === undefined;
  return (model) => (isOpen && model !== null ? { window: modelFacts(model).window } : {});
}

/**
 * Conversations in messages of the AI SDK, by the options of `what`.
 * @throws {ReaderError} BAD_INPUT, for another format too
 */
export function aiSdkConversations<M>(what: string, options: ConversationOptions<M>): Conversations<M> {
  const { format = 'ai-sdk' } = options;
  const codec = typeof format === 'string' ? null : format;
  const asked = codec?.name ?? format;
  if (asked !== 'ai-sdk') throw otherFormat(what, 'options', String(asked));
  return new Conversations<M>(
    compactorsBy(what, { ...options, format }),
    options.conversations ?? CONVERSATIONS_KEPT,
    codec ?? codecOf<M>('ai-sdk'),
  );
}

/** What `what` was given follows messages that the SDK does not have. */
export function otherFormat(what: string, given: 'options' | 'compactor', format: string): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    `The ${given} of \`${what}\` ${given === 'options' ? 'ask for' : 'follows'} the format ${quoted(String(format))}; expected \`ai-sdk\`.`,
    given === 'options' ? 'Leave out `format`.' : "Make it by `createCompactor({ format: 'ai-sdk' })`.",
  );
}

/** `work`; where it ends because the caller has gone, with the caller's own reason, by which the SDK knows that. */
export async function aborting<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (signal?.aborted && error instanceof ReaderError && error.code === 'ABORTED') throw signal.reason;
    throw error;
  }
}
