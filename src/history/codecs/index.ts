// All message formats, and detection of a list's format.

import { quoted, ReaderError } from '../../contract/index.ts';
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
  const fitting = fittingOf(messages);
  const strange = messages.findIndex((_, index) => fitting.every(({ fits }) => fits[index] !== true));
  // If every message fits some format but no format fits all, the one that fits most decides.
  const [first, ...others] = fitting;
  const best = first && others.reduce((most, one) => (one.many > most.many ? one : most), first);
  const index = strange >= 0 ? strange : (best?.fits.indexOf(false) ?? 0);
  const message = messages[index];
  const misfit = strange >= 0 || !best ? 'fits no format' : `does not fit \`${best.name}\` like the others`;
  const found = `${lead}: message ${index + 1} ${descriptionOf(message)} and ${misfit}.`;
  if (typeof message !== 'object' || message === null || guarded(() => Array.isArray(message), false))
    return [found, 'Pass message objects, such as `{ "role": "user", "content": "hello" }`.'];
  if (guarded(() => isUiMessage(message), false))
    return [found, 'Convert the UI messages of the AI SDK with `convertToModelMessages` first.'];
  return [found, `Remove entries that are not messages, or set the format with ${option}: ${NAMES}.`];
}

/** Which messages fit each format. Some are ambiguous unless another message of the list decides. */
function fittingOf(
  messages: readonly unknown[],
): { readonly name: CodecName; readonly fits: readonly boolean[]; readonly many: number }[] {
  return CODECS.map((codec) => {
    const sure = messages.findIndex((message) => codec.detect([message]));
    const fits = messages.map((message) => sure >= 0 && codec.detect([message, messages[sure]]));
    return { name: codec.name, fits, many: fits.filter(Boolean).length };
  });
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
