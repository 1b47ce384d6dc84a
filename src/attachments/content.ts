// Converts parts to each provider's format for the content of one user message. Changes only the form.

import type { Bytes } from '../contract/index.ts';
import type { Target } from '../models/index.ts';
import { base64Length, jsonBytes } from './allowance.ts';
import type { AttachmentPart } from './part.ts';

/** A content block of Anthropic's Messages API. */
export type AnthropicBlock =
  | { type: 'text'; text: string }
  | {
      type: 'image';
      source: {
        type: 'base64';
        media_type: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';
        data: string;
      };
    }
  | {
      type: 'document';
      title: string;
      source:
        | { type: 'base64'; media_type: 'application/pdf'; data: string }
        | { type: 'text'; media_type: 'text/plain'; data: string };
    };

/** A content part of OpenAI's Chat Completions. */
export type OpenAiChatPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'file'; file: { filename: string; file_data: string } }
  | { type: 'input_audio'; input_audio: { data: string; format: 'wav' | 'mp3' } };

/** A content item of OpenAI's Responses API. */
export type OpenAiResponsesItem =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; detail: 'auto'; image_url: string }
  | { type: 'input_file'; filename: string; file_data: string };

/** A part of Gemini's `generateContent`. */
export type GeminiPart = { text: string } | { inlineData: { mimeType: string; data: string } };

/** A content block of Amazon Bedrock's Converse, as its SDK takes it: raw bytes, which the SDK encodes as base64. */
export type BedrockBlock =
  | { text: string }
  | { image: { format: 'png' | 'jpeg' | 'gif' | 'webp'; source: { bytes: Uint8Array } } }
  | { document: { format: 'pdf'; name: string; source: { bytes: Uint8Array } } };

/** A content chunk of Mistral's chat completions. */
export type MistralChunk =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: string }
  | { type: 'document_url'; document_url: string; document_name: string }
  | { type: 'input_audio'; input_audio: string };

/** A part of a user message of the AI SDK, versions 5 and 6. */
export type AiSdkPart =
  | { type: 'text'; text: string }
  | { type: 'image'; image: Uint8Array; mediaType: string }
  | { type: 'file'; data: Uint8Array; mediaType: string; filename: string };

/** Item type of a user message's content, by target. */
export interface Content {
  readonly anthropic: AnthropicBlock;
  readonly 'openai-chat': OpenAiChatPart;
  readonly 'openai-responses': OpenAiResponsesItem;
  readonly gemini: GeminiPart;
  readonly bedrock: BedrockBlock;
  readonly mistral: MistralChunk;
  readonly 'ai-sdk': AiSdkPart;
}

/** Builds a user message's content for one provider. */
interface Writer<Block> {
  words(text: string): Block;
  /** A file's text, if the format supports file names; otherwise it goes under its heading. */
  file?(text: string, name: string): Block;
  image(part: Picture): Block | undefined;
  document(part: Document): Block | undefined;
  /** Absent if the format does not support sound. */
  audio?(part: Recording): Block | undefined;
}

type Picture = AttachmentPart & { readonly kind: 'image' };
type Document = AttachmentPart & { readonly kind: 'document' };
type Recording = AttachmentPart & { readonly kind: 'audio' };

const base64 = (data: Uint8Array): string =>
  Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');

const dataUrl = ({ data, mimeType }: Picture | Document): string => `data:${mimeType};base64,${base64(data)}`;

const NAME_CHARACTERS = 120;

/** Some providers go by the extension. */
const pdfName = (name: string): string => {
  const plain = lastOf(name).slice(0, NAME_CHARACTERS);
  return /\.pdf$/i.test(plain) ? plain : `${plain}.pdf`;
};

const lastOf = (name: string): string => name.split(/[/\\]/).at(-1) || 'document';

const PICTURE_TYPES = ['png', 'jpeg', 'gif', 'webp'] as const;

/** `png` for `image/png`; undefined for types these providers do not accept. */
const pictureType = ({ mimeType }: Picture): (typeof PICTURE_TYPES)[number] | undefined =>
  PICTURE_TYPES.find((type) => mimeType === `image/${type}`);

/** Titles have at most 500 characters (Messages API reference). */
const TITLE = 200;

const anthropic: Writer<AnthropicBlock> = {
  words: (text) => ({ type: 'text', text }),
  file: (data, name) => ({
    type: 'document',
    title: name.slice(0, TITLE),
    source: { type: 'text', media_type: 'text/plain', data },
  }),
  image(part) {
    const type = pictureType(part);
    return (
      type && {
        type: 'image',
        source: { type: 'base64', media_type: `image/${type}`, data: base64(part.data) },
      }
    );
  },
  document: ({ name, mimeType, data }) => ({
    type: 'document',
    title: name.slice(0, TITLE),
    source: { type: 'base64', media_type: mimeType, data: base64(data) },
  }),
};

const openaiChat: Writer<OpenAiChatPart> = {
  words: (text) => ({ type: 'text', text }),
  image: (part) => ({ type: 'image_url', image_url: { url: dataUrl(part) } }),
  document: (part) => ({ type: 'file', file: { filename: pdfName(part.name), file_data: dataUrl(part) } }),
  audio: ({ data, mimeType }) => ({
    type: 'input_audio',
    input_audio: { data: base64(data), format: mimeType === 'audio/wav' ? 'wav' : 'mp3' },
  }),
};

const openaiResponses: Writer<OpenAiResponsesItem> = {
  words: (text) => ({ type: 'input_text', text }),
  image: (part) => ({ type: 'input_image', detail: 'auto', image_url: dataUrl(part) }),
  document: (part) => ({ type: 'input_file', filename: pdfName(part.name), file_data: dataUrl(part) }),
};

const inline = (mimeType: string, data: Uint8Array): GeminiPart => ({
  inlineData: { mimeType, data: base64(data) },
});

const gemini: Writer<GeminiPart> = {
  words: (text) => ({ text }),
  image: ({ mimeType, data }) => inline(mimeType, data),
  document: ({ mimeType, data }) => inline(mimeType, data),
  // The API's list of types calls it `audio/mp3`.
  audio: ({ mimeType, data }) => inline(mimeType === 'audio/mpeg' ? 'audio/mp3' : mimeType, data),
};

const bedrock = (): Writer<BedrockBlock> => {
  const names = new Set<string>();
  return {
    words: (text) => ({ text }),
    image(part) {
      const format = pictureType(part);
      return format && { image: { format, source: { bytes: part.data } } };
    },
    document: ({ name, data }) => ({
      document: { format: 'pdf', name: neutralName(name, names), source: { bytes: data } },
    }),
  };
};

/**
 * Letters, digits, single spaces, hyphens, parentheses and square brackets; at most 200 characters, and unique
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html).
 */
function neutralName(name: string, taken: Set<string>): string {
  const plain =
    lastOf(name)
      .replace(/\.pdf$/i, '')
      .replace(/[^A-Za-z0-9()[\]-]+/g, ' ')
      .trim()
      .slice(0, 190)
      .trim() || 'document';
  let free = plain;
  for (let number = 2; taken.has(free); number += 1) free = `${plain} (${number})`;
  taken.add(free);
  return free;
}

const mistral: Writer<MistralChunk> = {
  words: (text) => ({ type: 'text', text }),
  image: (part) => ({ type: 'image_url', image_url: dataUrl(part) }),
  document: (part) => ({
    type: 'document_url',
    document_url: dataUrl(part),
    document_name: pdfName(part.name),
  }),
  audio: ({ data }) => ({ type: 'input_audio', input_audio: base64(data) }),
};

const aiSdk: Writer<AiSdkPart> = {
  words: (text) => ({ type: 'text', text }),
  image: ({ data, mimeType }) => ({ type: 'image', image: data, mediaType: mimeType }),
  document: ({ data, mimeType, name }) => ({
    type: 'file',
    data,
    mediaType: mimeType,
    filename: pdfName(name),
  }),
  audio: ({ data, mimeType, name }) => ({
    type: 'file',
    data,
    mediaType: mimeType,
    filename: lastOf(name).slice(0, NAME_CHARACTERS),
  }),
};

const WRITERS: { readonly [T in Target]: () => Writer<Content[T]> } = {
  anthropic: () => anthropic,
  'openai-chat': () => openaiChat,
  'openai-responses': () => openaiResponses,
  gemini: () => gemini,
  bedrock,
  mistral: () => mistral,
  'ai-sdk': () => aiSdk,
};

/** The content of a user message for `target`. */
export function toContent<T extends Target>(target: T, parts: readonly AttachmentPart[]): Content[T][] {
  const writer = WRITERS[target]();
  return parts.map((part) => written(part, writer)).filter((block) => block !== undefined);
}

function written<Block>(part: AttachmentPart, writer: Writer<Block>): Block | undefined {
  switch (part.kind) {
    case 'listing':
    case 'label':
      return writer.words(part.text);
    case 'text':
      return writer.file?.(part.text, part.name) ?? writer.words(part.heading + part.text);
    case 'image':
      return writer.image(part);
    case 'document':
      return writer.document(part);
    case 'audio':
      return writer.audio?.(part);
  }
}

const PLAIN = /^[\w+/=:;,-]*$/;

/** Size of `content` in a request body: JSON, with raw bytes as base64. */
export function wireBytes(content: unknown): Bytes {
  if (typeof content === 'string')
    return content.length > 4096 && PLAIN.test(content) ? content.length + 2 : jsonBytes(content);
  if (content instanceof Uint8Array) return base64Length(content.length) + 2;
  if (Array.isArray(content))
    return content.reduce((sum: number, item) => sum + wireBytes(item) + 1, content.length === 0 ? 2 : 1);
  if (typeof content === 'object' && content !== null) {
    const entries = Object.entries(content);
    return entries.reduce(
      (sum, [key, value]) => sum + jsonBytes(key) + 1 + wireBytes(value) + 1,
      entries.length === 0 ? 2 : 1,
    );
  }
  return Buffer.byteLength(JSON.stringify(content) ?? '');
}
