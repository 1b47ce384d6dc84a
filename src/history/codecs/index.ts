// All message formats, and detection of a list's format.

import { largestFitting, quoted, ReaderError } from '../../contract/index.ts';
import { aiSdk } from './ai-sdk/codec.ts';
import { anthropic } from './anthropic.ts';
import { bedrock } from './bedrock.ts';
import type { Codec, CodecName } from './codec.ts';
import { gemini } from './gemini.ts';
import { langChain } from './langchain/codec.ts';
import { mistral } from './mistral.ts';
import { guarded, listOf, nativeOf, textIn } from './native.ts';
import { ollama } from './ollama.ts';
import { openAiAgents } from './openai/agents.ts';
import { openAiChat } from './openai/chat.ts';
import { openAiResponses } from './openai/responses.ts';

/** In detection order. OpenAI Chat is last because many formats have plain roles and texts. */
export const CODECS: readonly Codec[] = [
  langChain,
  gemini,
  openAiResponses,
  openAiAgents,
  bedrock,
  mistral,
  ollama,
  aiSdk,
  anthropic,
  openAiChat,
];

const NAMES = CODECS.map(({ name }) => `\`${name}\``).join(', ');

/** @throws {ReaderError} BAD_INPUT for an unknown name */
export function codecOf<M = unknown>(name: CodecName): Codec<M> {
  const codec = CODECS.find((one) => one.name === name);
  if (!codec)
    throw new ReaderError(
      'BAD_INPUT',
      `Unknown message format ${quoted(String(name))}.`,
      `Use one of ${NAMES}.`,
    );
  // By naming the format, the caller asserts the message type.
  return codec as Codec<M>;
}

/**
 * Detects the format of `messages`; `option` names the option for choosing one, for use in hints.
 * @throws {ReaderError} BAD_INPUT if no format matches; the message describes the first message that does not fit
 */
export function detectCodec(messages: readonly unknown[], option: string = '`format`'): Codec {
  const codec = CODECS.find((one) => one.detect(messages));
  if (codec) return codec;
  throw new ReaderError('BAD_INPUT', ...unknownFormat(messages, option));
}

function unknownFormat(messages: readonly unknown[], option: string): [message: string, hint: string] {
  const lead = 'Unknown message format';
  if (messages.length === 0) return [`${lead}: the list is empty.`, 'Pass at least one message.'];
  // A message may only be certain next to the first.
  const strange = messages.findIndex(
    (message) => !CODECS.some((codec) => codec.detect([message]) || codec.detect([messages[0], message])),
  );
  const index = strange >= 0 ? strange : firstUnlike(messages);
  const message = messages[index];
  const misfit = strange >= 0 ? 'fits no format' : 'does not fit those before it';
  const found = `${lead}: message ${index + 1} ${descriptionOf(message)} and ${misfit}.`;
  if (typeof message !== 'object' || message === null || guarded(() => Array.isArray(message), false))
    return [found, 'Pass message objects, such as `{ "role": "user", "content": "hello" }`.'];
  if (guarded(() => isUiMessage(message), false))
    return [found, 'Convert the UI messages of the AI SDK with `convertToModelMessages` first.'];
  return [found, `Remove entries that are not messages, or set the format with ${option}: ${NAMES}.`];
}

/** Index of the message up to which a format fits, by halves: nearly always the first that does not fit those before it. */
function firstUnlike(messages: readonly unknown[]): number {
  return largestFitting(messages.length - 1, (size) =>
    CODECS.some((codec) => codec.detect(messages.slice(0, size))),
  );
}

/** Maximum number of keys listed for a message. */
const MOST_KEYS = 6;

function descriptionOf(message: unknown): string {
  if (message === null) return 'is null';
  if (guarded(() => Array.isArray(message), false)) return 'is an array';
  if (typeof message !== 'object') return `is a ${typeof message}`;
  // A proxy may throw.
  const keys = guarded(() => Object.keys(message), []);
  if (keys.length === 0) return 'is an object without keys';
  const more = keys.length > MOST_KEYS ? ` and ${keys.length - MOST_KEYS} more` : '';
  return `has the ${keys.length === 1 ? 'key' : 'keys'} ${keys.slice(0, MOST_KEYS).map(quoted).join(', ')}${more}`;
}

/** Part types of UI messages. Gemini's parts have no type. */
const UI_PART = /^(?:text|reasoning|step-start|file|source-(?:url|document)|dynamic-tool|(?:tool|data)-.+)$/s;

function isUiMessage(message: object): boolean {
  const { role, parts } = { ...nativeOf(message) };
  if (typeof role !== 'string') return false;
  return listOf(parts).some((part) => UI_PART.test(textIn(part, 'type') ?? ''));
}
