// What pictures, pages, sound and video cost a model: the prices of `limits.ts` for a caller that has no request to limit.

import type { Tokens } from '../contract/index.ts';
import type { Target } from './limit.ts';
import { ATTACHMENT_LIMITS, attachmentLimits } from './limits.ts';
import { namedModel } from './match.ts';
import type { ProfileName } from './names.ts';
import { imageTokens, type Size } from './pictures.ts';

/** Prices of one model. */
export interface MediaPrices {
  /** Of a picture by its pixels; null for a picture of unknown size. */
  image(size: Size | null): Tokens;
  /** Of a page of PDF. */
  readonly page: Tokens;
  /** Of a second. */
  readonly audio: number;
  /** Of a second, with its sound. */
  readonly video: number;
}

/** What a picture of unknown size is taken for: 3 megapixels, more than a screenshot has. An assumption. */
const UNKNOWN_SIZE: Size = { width: 2048, height: 1536 };

/** No provider takes a longer edge than 8000; a header that claims more than WebP can hold is not believed. */
const MAX_EDGE = 16_384;

const believed = (size: Size | null): Size =>
  size === null || Math.max(size.width, size.height) > MAX_EDGE ? UNKNOWN_SIZE : size;

/**
 * A frame of 258 tokens a second, beside the sound; the only provider with a price for video
 * (https://ai.google.dev/gemini-api/docs/video-understanding, 2026-11-22).
 */
const FRAME = 258;

const TARGETS: Readonly<Record<ProfileName, Target>> = {
  anthropic: 'anthropic',
  openai: 'openai-responses',
  gemini: 'gemini',
  conservative: 'ai-sdk',
};

/**
 * Prices of `model`; where its name is unknown, the highest of the family of `profile`; where that is unknown too, of the
 * provider whose message format `target` is, as attachments for it cost, and of all for a format of every provider.
 */
export function mediaPrices(model: string, profile: ProfileName, target: Target = 'ai-sdk'): MediaPrices {
  const provider = profile === 'conservative' ? target : TARGETS[profile];
  const limits = attachmentLimits(namedModel(model) ? 'ai-sdk' : provider, model);
  const highest = ATTACHMENT_LIMITS['ai-sdk'].audioTokensPerSecond.value;
  const audio = limits.audioTokensPerSecond.value || highest;
  return {
    image: (size) => imageTokens(limits.imageTokens.value, believed(size)),
    page: limits.pdfTokensPerPage.value,
    audio,
    video: FRAME + highest,
  };
}
