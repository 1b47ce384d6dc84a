// What pictures, sounds and documents cost by the providers' own rules. Never by their length as base64.

import type { Tokens } from '../contract/index.ts';
import type { MediaFacts } from './message.ts';

/** Tokens of one media part. */
export type MediaRule = (media: MediaFacts) => Tokens;

/** What a family's rules come to. */
interface Family {
  image(width: number, height: number): Tokens;
  /** Of a picture whose size is not known. */
  readonly unknownImage: Tokens;
  readonly page: Tokens;
  readonly maxPages: number;
}

/**
 * Anthropic, "Vision": width * height / 750; a picture over 1568 pixels on its long edge or over about 1600 tokens is
 * scaled down first. Models from Opus 4.7 on take 2576 pixels and about 4784 tokens; those are not told apart here, the
 * smaller cap being that of older models, and the calibration's matter where it is too small.
 */
const ANTHROPIC: Family = {
  image(width, height) {
    const fit = Math.min(1, 1568 / Math.max(width, height));
    return Math.min(Math.ceil((width * fit * height * fit) / 750), 1600);
  },
  unknownImage: 1600,
  // "PDF support": 1500 to 3000 tokens of text a page, and the page as a picture.
  page: 3100,
  maxPages: 600,
};

/**
 * OpenAI, "Images and vision": at high detail 85 tokens and 170 for each tile of 512 pixels, after fitting into 2048
 * pixels and the short side to 768; newer models one for each patch of 32 pixels, at most 1536. The higher of both.
 */
const OPENAI: Family = {
  image(width, height) {
    const fit = Math.min(1, 2048 / Math.max(width, height));
    const short = Math.min(1, 768 / (Math.min(width, height) * fit));
    const across = Math.ceil((width * fit * short) / 512);
    const down = Math.ceil((height * fit * short) / 512);
    const patches = Math.ceil(width / 32) * Math.ceil(height / 32);
    return Math.max(85 + 170 * across * down, Math.min(patches, 1536));
  },
  unknownImage: 1536,
  // "File inputs": the text of a page and the page as a picture; 500 tokens are a full page of prose.
  page: 1300,
  maxPages: 100,
};

/**
 * Gemini, "Understand and count tokens": 258 up to 384 pixels on both sides, else 258 for each tile of at most 768
 * pixels; "Media resolution": Gemini 3 takes 1120 by default. The higher of both.
 */
const GEMINI: Family = {
  image(width, height) {
    if (width <= 384 && height <= 384) return 258;
    const edge = Math.min(Math.max(Math.floor(Math.min(width, height) / 1.5), 256), 768);
    const tiles = Math.ceil(width / edge) * Math.ceil(height / edge);
    return Math.max(258 * Math.min(tiles, 24), 1120);
  },
  // What gemini-cli counts a picture as.
  unknownImage: 3000,
  // Gemini 3; 258 before it.
  page: 560,
  maxPages: 1000,
};

const CONSERVATIVE: Family = {
  image: (width, height) =>
    Math.max(ANTHROPIC.image(width, height), OPENAI.image(width, height), GEMINI.image(width, height)),
  unknownImage: 3000,
  page: 3100,
  maxPages: 1000,
};

type FamilyName = 'anthropic' | 'openai' | 'gemini' | 'conservative';

const FAMILIES: Readonly<Record<FamilyName, Family>> = {
  anthropic: ANTHROPIC,
  openai: OPENAI,
  gemini: GEMINI,
  conservative: CONSERVATIVE,
};

/** Tokens a second: Gemini's documented rate, the highest (OpenAI's is 10). */
const SOUND_RATE = 32;
/** Gemini: a frame of 258 tokens and the sound, a second. */
const VIDEO_RATE = 290;
/** Bytes a second, assumed: 64 kbit/s speech, 16 kHz 16 bit mono, 1 Mbit/s video. */
const SOUND_BYTES = 8000;
const WAVE_BYTES = 32_000;
const VIDEO_BYTES = 125_000;
/** Seconds of a sound or video of unknown size. */
const UNKNOWN_SECONDS = 60;
/** Pages of a document of unknown size: an assumption; gemini-cli takes 100 of 258 tokens. */
const UNKNOWN_PAGES = 10;
/** Bytes of a page: the median of 80 public PDFs; half of them are between 5000 and 73 000. */
const PAGE_BYTES = 30_000;
/** Text goes to a model as text, without pages; bytes of a token, as of Chinese: English has more. */
const IS_TEXT = /^text\/|[/+](?:json|xml|yaml|csv|javascript) *(?:;|$)/;
const TEXT_BYTES = 3;
/** A limit of all figures here, so that claims of terabytes stay numbers one can add up. */
const MOST: Tokens = 10_000_000;

const known = (value: number | null): number | null =>
  typeof value === 'number' && value > 0 && value <= Number.MAX_SAFE_INTEGER ? value : null;

/** The rule of a family of models. */
export function mediaRule(name: FamilyName): MediaRule {
  const family = FAMILIES[name];
  return (media) => {
    const bytes = known(media.bytes);
    let tokens: number;
    switch (media.type) {
      case 'image': {
        const width = known(media.width);
        const height = known(media.height);
        tokens = width === null || height === null ? family.unknownImage : family.image(width, height);
        break;
      }
      case 'audio': {
        const rate = /wav|pcm/.test(String(media.mimeType)) ? WAVE_BYTES : SOUND_BYTES;
        tokens = SOUND_RATE * (bytes === null ? UNKNOWN_SECONDS : bytes / rate);
        break;
      }
      case 'video':
        tokens = VIDEO_RATE * (bytes === null ? UNKNOWN_SECONDS : bytes / VIDEO_BYTES);
        break;
      case 'document': {
        if (bytes !== null && IS_TEXT.test(String(media.mimeType))) {
          tokens = bytes / TEXT_BYTES;
          break;
        }
        const pages = bytes === null ? UNKNOWN_PAGES : Math.ceil(bytes / PAGE_BYTES);
        tokens = family.page * Math.min(pages, family.maxPages);
        break;
      }
      default:
        tokens = family.unknownImage;
    }
    return Math.min(Math.ceil(tokens), MOST);
  };
}
