// Every message format, and which of them a list of messages is.

import { quoted, ReaderError } from '../../contract/index.ts';
import { aiSdk } from './ai-sdk/codec.ts';
import { anthropic } from './anthropic.ts';
import type { Codec, CodecName } from './codec.ts';
import { gemini } from './gemini.ts';
import { langChain } from './langchain/codec.ts';
import { guarded } from './native.ts';
import { openAiAgents } from './openai/agents.ts';
import { openAiChat } from './openai/chat.ts';
import { openAiResponses } from './openai/responses.ts';
import { pi } from './pi/codec.ts';

/** In the order asked: OpenAI Chat last, for plain roles and texts are anybody's. */
export const CODECS: readonly Codec[] = [
  langChain,
  pi,
  gemini,
  openAiResponses,
  openAiAgents,
  aiSdk,
  anthropic,
  openAiChat,
];

const NAMES = CODECS.map(({ name }) => `\`${name}\``).join(', ');

/** @throws {ReaderError} BAD_INPUT for a name that is none */
export function codecOf<M = unknown>(name: CodecName): Codec<M> {
  const codec = CODECS.find((one) => one.name === name);
  if (!codec)
    throw new ReaderError(
      'BAD_INPUT',
      `There is no message format ${quoted(String(name))}.`,
      `The formats are ${NAMES}.`,
    );
  // Who names a format says that its messages are of it.
  return codec as Codec<M>;
}

/**
 * The format of `messages`; `option` is how the caller is told to name one.
 * @throws {ReaderError} BAD_INPUT where it is none of them: says which message fits none, and what it is
 */
export function detectCodec(messages: readonly unknown[], option: string = '`format`'): Codec {
  const codec = CODECS.find((one) => one.detect(messages));
  if (codec) return codec;
  throw new ReaderError('BAD_INPUT', ...unknownFormat(messages, option));
}

function unknownFormat(messages: readonly unknown[], option: string): [message: string, hint: string] {
  const lead = 'The messages are of no known format';
  if (messages.length === 0) return [`${lead}: there is none.`, 'Give a list of at least one message.'];
  const fitting = fittingOf(messages);
  const strange = messages.findIndex((_, index) => fitting.every(({ fits }) => fits[index] !== true));
  // Every message may fit some format, and no format all of them: then most of them decide.
  const [first, ...others] = fitting;
  const best = first && others.reduce((most, one) => (one.many > most.many ? one : most), first);
  const index = strange >= 0 ? strange : (best?.fits.indexOf(false) ?? 0);
  const message = messages[index];
  const misfit = strange >= 0 || !best ? 'fits none' : `does not fit \`${best.name}\`, as others do`;
  const found = `${lead}: message ${index + 1}, ${descriptionOf(message)}, ${misfit}.`;
  if (typeof message !== 'object' || message === null || guarded(() => Array.isArray(message), false))
    return [found, 'Give message objects, such as `{ "role": "user", "content": "hello" }`.'];
  if (guarded(() => isUiMessage(message), false))
    return [found, 'It is a UI message of the AI SDK: run `convertToModelMessages` on the list first.'];
  return [found, `Take out what is no message, or name the format with ${option}: ${NAMES}.`];
}

/** Which messages each format takes. Some are told only beside one that is surely of the format. */
function fittingOf(
  messages: readonly unknown[],
): { readonly name: CodecName; readonly fits: readonly boolean[]; readonly many: number }[] {
  return CODECS.map((codec) => {
    const sure = messages.findIndex((message) => codec.detect([message]));
    const fits = messages.map((message) => sure >= 0 && codec.detect([message, messages[sure]]));
    return { name: codec.name, fits, many: fits.filter(Boolean).length };
  });
}

/** Keys told of a message. */
const MOST_KEYS = 6;

function descriptionOf(message: unknown): string {
  if (message === null) return 'which is null';
  if (guarded(() => Array.isArray(message), false)) return 'which is an array';
  if (typeof message !== 'object') return `which is a ${typeof message}`;
  // A proxy may throw when asked.
  const keys = guarded(() => Object.keys(message), []);
  if (keys.length === 0) return 'an object without keys';
  const more = keys.length > MOST_KEYS ? ` and ${keys.length - MOST_KEYS} more` : '';
  return `with the ${keys.length === 1 ? 'key' : 'keys'} ${keys.slice(0, MOST_KEYS).map(quoted).join(', ')}${more}`;
}

/** Types of parts of UI messages; Gemini's parts have none. */
const UI_PART = /^(?:text|reasoning|step-start|file|source-(?:url|document)|dynamic-tool|(?:tool|data)-.+)$/s;

function isUiMessage(message: object): boolean {
  const { role, parts } = fieldsOf(message, 'role', 'parts');
  if (typeof role !== 'string' || !Array.isArray(parts)) return false;
  return parts.some((part: unknown) => {
    if (typeof part !== 'object' || part === null) return false;
    const { type } = fieldsOf(part, 'type');
    return typeof type === 'string' && UI_PART.test(type);
  });
}

/** Fields of what anybody sent; nothing where reading them throws. */
function fieldsOf(object: object, ...names: readonly string[]): Readonly<Record<string, unknown>> {
  try {
    return Object.fromEntries(names.map((name) => [name, Reflect.get(object, name)]));
  } catch {
    return {};
  }
}
