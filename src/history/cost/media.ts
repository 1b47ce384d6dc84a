// Costs of media parts, by their facts and their model's prices; never by base64 length. A part whose size is unknown
// costs nothing: an assumed size could remove what the user attached.

import type { Tokens } from '../../contract/index.ts';
import { mediaPrices, type ProfileName, type Target } from '../../models/index.ts';
import type { CodecName } from '../codecs/codec.ts';
import type { MediaFacts } from '../codecs/message.ts';

/** Tokens of one media part. */
export type MediaRule = (media: MediaFacts) => Tokens;

/** Assumed bytes per second: 64 kbit/s speech, 16 kHz 16-bit mono, 1 Mbit/s video. */
const SOUND_BYTES = 8000;
const WAVE_BYTES = 32_000;
const VIDEO_BYTES = 125_000;
/** Highest page limit of any provider (Gemini). */
const MAX_PAGES = 1000;
/** Bytes per page: the median of 80 public PDFs; half of them are between 5000 and 73 000. */
const PAGE_BYTES = 30_000;
/** Text documents are sent as text, without pages. Bytes per token are those of Chinese; English has more. */
const IS_TEXT = /^text\/|[/+](?:json|xml|yaml|csv|javascript) *(?:;|$)/;
const TEXT_BYTES = 3;
/** Upper bound for all results, so that absurd sizes still add up. */
const MOST: Tokens = 10_000_000;

const known = (value: number | null): number | null =>
  typeof value === 'number' && value > 0 && value <= Number.MAX_SAFE_INTEGER ? value : null;

/** Whether the message does not say how large it is: a file id or URL. An image has a highest price for any size. */
export function isUnsized({ type, bytes }: MediaFacts): boolean {
  return type !== 'image' && known(bytes) === null;
}

/** Provider of each format, as in attachments; a framework's messages may go to any provider. */
const TARGETS: Readonly<Record<string, Target>> = {
  'openai-chat': 'openai-chat',
  'openai-responses': 'openai-responses',
  'openai-agents': 'openai-responses',
  anthropic: 'anthropic',
  gemini: 'gemini',
  bedrock: 'bedrock',
  mistral: 'mistral',
  ollama: 'openai-chat',
  'ai-sdk': 'ai-sdk',
  langchain: 'ai-sdk',
};

/** Prices of `model`; if its name is unknown, of the family of `profile`, or of the provider of `format`. */
export function mediaRule(model: string, profile: ProfileName, format: CodecName | null): MediaRule {
  const prices = mediaPrices(model, profile, format !== null ? TARGETS[format] : undefined);
  return (media) => {
    if (isUnsized(media)) return 0;
    const bytes = known(media.bytes) ?? 0;
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
        tokens = (prices.audio * bytes) / rate;
        break;
      }
      case 'video':
        tokens = (prices.video * bytes) / VIDEO_BYTES;
        break;
      case 'document': {
        if (IS_TEXT.test(String(media.mimeType))) {
          tokens = bytes / TEXT_BYTES;
          break;
        }
        tokens = prices.page * Math.min(Math.ceil(bytes / PAGE_BYTES), MAX_PAGES);
        break;
      }
      default:
        tokens = prices.image(null);
    }
    return Math.min(Math.ceil(tokens), MOST);
  };
}
