// Token prices of pictures, pages, sound and video for a model: the prices of `limits.ts` for a caller without a
// request to limit.

import type { Tokens } from '../contract/index.ts';
import type { Target } from './limit.ts';
import { ATTACHMENT_LIMITS, attachmentLimits } from './limits.ts';
import { namedModel } from './match.ts';
import type { ProfileName } from './names.ts';
import { imageTokens, type Size } from './pictures.ts';

/** Prices of one model, in tokens. */
export interface MediaPrices {
  /** Per picture, by its pixels; null for unknown size. */
  image(size: Size | null): Tokens;
  /** Per PDF page. */
  readonly page: Tokens;
  /** Per second. */
  readonly audio: number;
  /** Per second, including its sound. */
  readonly video: number;
}

/** Assumed size of a picture of unknown size: 3 megapixels, more than most screenshots. An assumption. */
const UNKNOWN_SIZE: Size = { width: 2048, height: 1536 };

/** No provider accepts a longer edge than 8000; larger claims than WebP allows are not believed. */
const MAX_EDGE = 16_384;

const believed = (size: Size | null): Size =>
  size === null || Math.max(size.width, size.height) > MAX_EDGE ? UNKNOWN_SIZE : size;

/**
 * One frame of 258 tokens per second, besides the sound. Gemini is the only provider with a price for video
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
 * Prices of `model`. If its name is unknown: the highest of the family of `profile`; if that is unknown too: those of
 * the provider whose message format `target` is, as for attachments, and the highest of all for a format of every
 * provider.
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
