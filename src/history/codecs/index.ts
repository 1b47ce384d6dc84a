// Every message format, and which of them a list of messages is.

import { quoted, ReaderError } from '../../contract/index.ts';
import type { Codec, CodecName } from '../codec.ts';
import { aiSdk } from './ai-sdk.ts';
import { anthropic } from './anthropic.ts';
import { gemini } from './gemini.ts';
import { langChain } from './langchain.ts';
import { openAiAgents } from './openai-agents.ts';
import { openAiChat } from './openai-chat.ts';
import { openAiResponses } from './openai-responses.ts';
import { pi } from './pi.ts';

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

/** The format of `messages`. @throws {ReaderError} BAD_INPUT where it is none of them */
export function detectCodec(messages: readonly unknown[]): Codec {
  const codec = CODECS.find((one) => one.detect(messages));
  if (codec) return codec;
  const odd = messages.find((message) => typeof message !== 'object' || message === null);
  const found =
    odd === undefined ? 'objects of no known form' : `a ${odd === null ? 'null' : typeof odd} among them`;
  throw new ReaderError(
    'BAD_INPUT',
    `The messages are of no known format: ${messages.length === 0 ? 'there is none' : found}.`,
    `Name the format: ${NAMES}.`,
  );
}
