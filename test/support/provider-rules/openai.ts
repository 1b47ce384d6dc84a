// OpenAI: the content of a user message in Chat Completions and in Responses, as its documentation describes it.

import type { ImageFacts } from './facts.ts';
import {
  at,
  type Bounds,
  type Findings,
  judgeOf,
  matches,
  optional,
  type ProviderRules,
  type TokenRule,
  wellFormed,
} from './rule-book.ts';

/**
 * https://platform.openai.com/docs/guides/images-vision (2025): PNG, JPEG, WebP, GIF that does not move; 500 pictures and
 * 50 MB a request. https://platform.openai.com/docs/guides/pdf-files (2025): 50 MB a file and for all files together.
 * Taken as decimal and, since pictures and files are told apart by neither, for the whole request.
 */
export const OPENAI_BOUNDS: Bounds = {
  imageTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'],
  animated: ['image/webp', 'image/png'],
  images: 500,
  pdfBytes: 50_000_000,
  pdfTotalBytes: 50_000_000,
  audioTypes: { 'audio/wav': ['wav'], 'audio/mpeg': ['mp3'] },
  requestBytes: 50_000_000,
};

/** Sound is for Chat Completions alone (API reference of Responses: no such item, 2026). */
export const OPENAI_RESPONSES_BOUNDS: Bounds = { ...OPENAI_BOUNDS, audioTypes: {} };

/**
 * The cheaper of tiles (GPT-5: 70 and 140 for each of 512 pixels, within 2048 and then 768 at the shorter edge) and of
 * patches (32 pixels, at most 1536; same guide). Of a page at least its text and one tile.
 */
export function openaiTokens({ width, height }: ImageFacts): number {
  const inside = Math.min(1, 2048 / Math.max(width, height));
  const scale = inside * Math.min(1, 768 / Math.min(width * inside, height * inside));
  const tiles = Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512);
  return Math.min(70 + 140 * tiles, 1536, Math.ceil(width / 32) * Math.ceil(height / 32));
}

export const OPENAI_TOKENS: TokenRule = { image: openaiTokens, pdfPage: 210, audioSecond: 10 };

/** Longest string in a message: "Expected a string with maximum length 1048576". */
const STRING = 1_048_576;

function words(findings: Findings, where: string, text: unknown): void {
  findings.text(where, text);
  if (String(text).length > STRING) findings.add(where, 'text is too long');
}

/** The API goes by the ending of the name. */
async function file(findings: Findings, where: string, name: unknown, url: unknown): Promise<void> {
  if (typeof name !== 'string' || !/^[^\p{Cc}]{1,251}\.pdf$/iu.test(name) || !wellFormed(name))
    findings.add(where, 'file name is no name of a PDF file');
  const data = findings.dataUrl(where, url);
  if (!data) return;
  if (data.mimeType !== 'application/pdf') findings.add(where, `${data.mimeType} is not accepted`);
  await findings.pdf(where, data.bytes);
}

async function picture(findings: Findings, where: string, url: unknown): Promise<void> {
  const data = findings.dataUrl(where, url);
  if (data) await findings.image(where, data.bytes, data.mimeType);
}

const DETAIL = ['auto', 'low', 'high'];

export const openaiChatRules: ProviderRules = {
  request: (content) => ({ model: 'gpt-4o', messages: [{ role: 'user', content }] }),
  judge: judgeOf(OPENAI_BOUNDS, OPENAI_TOKENS, async (part, where, findings) => {
    if (matches(part, { type: ['text'], text: 'string' })) return words(findings, where, at(part, 'text'));
    if (matches(part, { type: ['image_url'], image_url: { url: 'string', detail: optional(DETAIL) } }))
      return picture(findings, where, at(part, 'image_url', 'url'));
    if (matches(part, { type: ['file'], file: { filename: 'string', file_data: 'string' } }))
      return file(findings, where, at(part, 'file', 'filename'), at(part, 'file', 'file_data'));
    if (matches(part, { type: ['input_audio'], input_audio: { data: 'string', format: ['wav', 'mp3'] } })) {
      const bytes = findings.base64(where, at(part, 'input_audio', 'data'));
      if (bytes) await findings.audio(where, bytes, String(at(part, 'input_audio', 'format')));
      return;
    }
    findings.add(where, 'is no part of the format');
  }),
};

export const openaiResponsesRules: ProviderRules = {
  request: (content) => ({ model: 'gpt-5', input: [{ role: 'user', content }] }),
  judge: judgeOf(OPENAI_RESPONSES_BOUNDS, OPENAI_TOKENS, async (item, where, findings) => {
    if (matches(item, { type: ['input_text'], text: 'string' }))
      return words(findings, where, at(item, 'text'));
    if (matches(item, { type: ['input_image'], image_url: 'string', detail: optional(DETAIL) }))
      return picture(findings, where, at(item, 'image_url'));
    if (matches(item, { type: ['input_file'], filename: 'string', file_data: 'string' }))
      return file(findings, where, at(item, 'filename'), at(item, 'file_data'));
    findings.add(where, 'is no item of the format');
  }),
};
