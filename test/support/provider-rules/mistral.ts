// Mistral chat completions: the chunks of a user message, as its documentation describes them.

import type { ImageFacts } from './facts.ts';
import {
  at,
  type Bounds,
  judgeOf,
  matches,
  optional,
  type ProviderRules,
  type TokenRule,
  wellFormed,
} from './rule-book.ts';

/**
 * https://docs.mistral.ai/capabilities/vision (2025): PNG, JPEG, WebP, GIF of one frame; 8 pictures a request of 10 MB
 * each; an error above 10 000 pixels. https://docs.mistral.ai/capabilities/document_ai/document_qna (2025): PDF of 50 MB
 * and 1000 pages. Taken as decimal. https://docs.mistral.ai/capabilities/audio_transcription (2026): sound as base64.
 */
export const MISTRAL_BOUNDS: Bounds = {
  imageTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'],
  animated: ['image/webp', 'image/png'],
  imageBytes: 10_000_000,
  imageEdge: 10_000,
  images: 8,
  pdfBytes: 50_000_000,
  pdfPagesEach: 1000,
  audioTypes: { 'audio/wav': ['audio/wav'], 'audio/mpeg': ['audio/mpeg'] },
  audioSeconds: 40 * 60,
  requestBytes: 80_000_000,
};

/** Patches of 28 pixels within 1540, the coarsest of its models (same page). */
export function mistralTokens({ width, height }: ImageFacts): number {
  const scale = Math.min(1, 1024 / Math.max(width, height));
  return 0.95 * Math.ceil((width * scale) / 28) * Math.ceil((height * scale) / 28);
}

export const MISTRAL_TOKENS: TokenRule = { image: mistralTokens, pdfPage: 0, audioSecond: 12.5 };

export const mistralRules: ProviderRules = {
  request: (content) => ({ model: 'mistral-medium-latest', messages: [{ role: 'user', content }] }),
  judge: judgeOf(MISTRAL_BOUNDS, MISTRAL_TOKENS, async (chunk, where, findings) => {
    if (matches(chunk, { type: ['text'], text: 'string' })) return findings.text(where, at(chunk, 'text'));
    if (matches(chunk, { type: ['image_url'], image_url: 'string' })) {
      const data = findings.dataUrl(where, at(chunk, 'image_url'));
      if (data) await findings.image(where, data.bytes, data.mimeType);
      return;
    }
    if (
      matches(chunk, { type: ['document_url'], document_url: 'string', document_name: optional('string') })
    ) {
      const name = at(chunk, 'document_name');
      if (typeof name === 'string' && (name === '' || !wellFormed(name)))
        findings.add(where, 'document name is empty or not well formed');
      const data = findings.dataUrl(where, at(chunk, 'document_url'));
      if (!data) return;
      if (data.mimeType !== 'application/pdf') findings.add(where, `${data.mimeType} is not accepted`);
      await findings.pdf(where, data.bytes);
      return;
    }
    if (!matches(chunk, { type: ['input_audio'], input_audio: 'string' }))
      return findings.add(where, 'is no chunk of the format');
    const bytes = findings.base64(where, at(chunk, 'input_audio'));
    // The format has no place for a type.
    const type = bytes?.toString('latin1', 0, 4) === 'RIFF' ? 'audio/wav' : 'audio/mpeg';
    if (bytes) await findings.audio(where, bytes, type);
  }),
};
