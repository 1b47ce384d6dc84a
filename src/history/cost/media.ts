// What a media part of a message costs, by its facts and the prices of its model. Never by its length as base64.

import type { Tokens } from '../../contract/index.ts';
import { mediaPrices, type ProfileName, type Target } from '../../models/index.ts';
import type { CodecName } from '../codecs/codec.ts';
import type { MediaFacts } from '../codecs/message.ts';

/** Tokens of one media part. */
export type MediaRule = (media: MediaFacts) => Tokens;

/** Bytes a second, assumed: 64 kbit/s speech, 16 kHz 16 bit mono, 1 Mbit/s video. */
const SOUND_BYTES = 8000;
const WAVE_BYTES = 32_000;
const VIDEO_BYTES = 125_000;
/** Seconds of a sound or video of unknown size. */
const UNKNOWN_SECONDS = 60;
/** Pages of a document of unknown size: an assumption; gemini-cli takes 100 of 258 tokens. */
const UNKNOWN_PAGES = 10;
/** No provider takes more (Gemini). */
const MAX_PAGES = 1000;
/** Bytes of a page: the median of 80 public PDFs; half of them are between 5000 and 73 000. */
const PAGE_BYTES = 30_000;
/** Text goes to a model as text, without pages; bytes of a token, as of Chinese: English has more. */
const IS_TEXT = /^text\/|[/+](?:json|xml|yaml|csv|javascript) *(?:;|$)/;
const TEXT_BYTES = 3;
/** A limit of all figures here, so that claims of terabytes stay numbers one can add up. */
const MOST: Tokens = 10_000_000;

const known = (value: number | null): number | null =>
  typeof value === 'number' && value > 0 && value <= Number.MAX_SAFE_INTEGER ? value : null;

/** Whose messages they are, as attachments name it; those of a framework may go to any provider. */
const TARGETS: Readonly<Record<CodecName, Target>> = {
  'openai-chat': 'openai-chat',
  'openai-responses': 'openai-responses',
  'openai-agents': 'openai-responses',
  anthropic: 'anthropic',
  gemini: 'gemini',
  'ai-sdk': 'ai-sdk',
  langchain: 'ai-sdk',
  pi: 'ai-sdk',
};

/** By the prices of `model`, of the family of `profile` where its name is unknown, or of the provider that `format` tells. */
export function mediaRule(model: string, profile: ProfileName, format: CodecName | null): MediaRule {
  // A codec of one's own may have any name.
  const prices = mediaPrices(model, profile, format !== null ? TARGETS[format] : undefined);
  return (media) => {
    const bytes = known(media.bytes);
    let tokens: number;
    switch (media.type) {
      case 'image': {
        const width = known(media.width);
        const height = known(media.height);
        tokens = prices.image(width === null || height === null ? null : { width, height });
        break;
      }
      case 'audio': {
        const rate = /wav|pcm/.test(String(media.mimeType)) ? WAVE_BYTES : SOUND_BYTES;
        tokens = prices.audio * (bytes === null ? UNKNOWN_SECONDS : bytes / rate);
        break;
      }
      case 'video':
        tokens = prices.video * (bytes === null ? UNKNOWN_SECONDS : bytes / VIDEO_BYTES);
        break;
      case 'document': {
        if (bytes !== null && IS_TEXT.test(String(media.mimeType))) {
          tokens = bytes / TEXT_BYTES;
          break;
        }
        const pages = bytes === null ? UNKNOWN_PAGES : Math.ceil(bytes / PAGE_BYTES);
        tokens = prices.page * Math.min(pages, MAX_PAGES);
        break;
      }
      default:
        tokens = prices.image(null);
    }
    return Math.min(Math.ceil(tokens), MOST);
  };
}
