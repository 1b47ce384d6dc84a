// What each model accepts, by name: context window, longest answer, picture price, and differences from its provider's
// row in `providers.ts`. Data, read by `match.ts`. Values set by callers take precedence.

import type { Tokens } from '../contract/index.ts';
import type { ImageTokenRule, Limits } from './limit.ts';
import { from, unconfirmed } from './providers.ts';

/** The provider whose text counting an estimate follows; `conservative` is the highest for most text. */
export const PROFILES = ['anthropic', 'openai', 'gemini', 'conservative'] as const;
export type ProfileName = (typeof PROFILES)[number];

/** Known facts of a model. */
export interface ModelFacts {
  /** Prompt and answer together, as all these providers count it. */
  readonly window: Tokens;
  /** The longest answer; null if unknown. */
  readonly output: Tokens | null;
  /** How to estimate its tokens. */
  readonly profile: ProfileName;
}

/**
 * A name ends before a digit: `gpt-5-2` does not match `gpt-5-2025-08-07`. A name ending in `!` must not be followed by
 * a minor version either: `gpt-5!` matches `gpt-5-mini` and `gpt-5-2025-08-07`, but not `gpt-5.6`.
 */
type Row = readonly [name: string, window: Tokens, output: Tokens | null, limits?: Partial<Limits>];

/** Models of one maker, most specific name first. */
export interface Family {
  /** Null if no attachment target belongs to the maker. */
  readonly maker: 'anthropic' | 'openai' | 'gemini' | 'mistral' | null;
  readonly profile: ProfileName;
  /** Page and date of the windows and answers; limits have their own. */
  readonly source: string;
  readonly date: string;
  readonly rows: readonly Row[];
}

const CLAUDE_VISION = 'https://platform.claude.com/docs/en/build-with-claude/vision';
const OPENAI_VISION = 'https://developers.openai.com/api/docs/guides/images-vision';
const OPENAI_MODELS = 'https://developers.openai.com/api/docs/models';
const OPENAI_AUDIO = 'https://www.npmjs.com/package/openai/v/6.49.0';
const GEMINI_IMAGES = 'https://ai.google.dev/gemini-api/docs/image-understanding';
const GEMINI_DOCUMENTS = 'https://ai.google.dev/gemini-api/docs/document-processing';
const VERTEX_IMAGES =
  'https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/capabilities/image-understanding';
const OPENROUTER = 'https://openrouter.ai/models';
const MISTRAL_MODELS = 'https://docs.mistral.ai/getting-started/models';

const openai = (rule: ImageTokenRule): Partial<Limits> => ({ imageTokens: from(OPENAI_VISION, rule) });
const patches = (maxPatches: number, multiplier = 1, maxEdge = 2048): Partial<Limits> =>
  openai({ kind: 'patches', patch: 32, maxEdge, maxPatches, multiplier });
const tiles = (base: Tokens, tile: Tokens): Partial<Limits> => openai({ kind: 'tiles', base, tile });
const textOnly = (source: string): Partial<Limits> => ({
  imageTypes: unconfirmed(source, [], 'Text only.'),
  pdf: unconfirmed(source, false, 'Text only.'),
});

/** Before Claude 4.7. */
const STANDARD: Partial<Limits> = {
  imageTokens: from(CLAUDE_VISION, {
    kind: 'patches',
    patch: 28,
    maxEdge: 1568,
    maxPatches: 1568,
    multiplier: 1,
  }),
  usefulEdge: from(CLAUDE_VISION, 1568),
};

/**
 * A million from the 4.6 models on. Sonnet 4 and 4.5 have a million only with a beta header, so not here; Claude Code
 * marks it as `[1m]`.
 */
const ANTHROPIC: readonly Row[] = [
  ['[1m]', 1_000_000, null],
  ['claude-fable', 1_000_000, 128_000],
  ['claude-mythos', 1_000_000, 128_000],
  ['claude-opus-5', 1_000_000, 128_000],
  ['claude-sonnet-5', 1_000_000, 128_000],
  ['claude-opus-4-8', 1_000_000, 128_000],
  ['claude-opus-4-7', 1_000_000, 128_000],
  ['claude-opus-4-6', 1_000_000, 128_000, STANDARD],
  ['claude-sonnet-4-6', 1_000_000, 64_000, STANDARD],
  ['claude-opus-4-5', 200_000, 64_000, STANDARD],
  ['claude-opus-4-0', 200_000, 32_000, STANDARD],
  ['claude-opus-4-1', 200_000, 32_000, STANDARD],
  ['claude-opus-4!', 200_000, 32_000, STANDARD],
  ['claude-opus-4', 200_000, 32_000],
  ['claude-sonnet-4-5', 200_000, 64_000, STANDARD],
  ['claude-sonnet-4-0', 200_000, 64_000, STANDARD],
  ['claude-sonnet-4!', 200_000, 64_000, STANDARD],
  ['claude-sonnet-4', 200_000, 64_000],
  ['claude-haiku-4-5', 200_000, 64_000, STANDARD],
  ['claude-haiku-4!', 200_000, 64_000, STANDARD],
  ['claude-haiku-4', 200_000, 64_000],
  ['claude-3-7', 200_000, 64_000, STANDARD],
  ['claude-3-5', 200_000, 8192, STANDARD],
  ['claude-3', 200_000, 4096, STANDARD],
  ['claude-2-1', 200_000, 4096, STANDARD],
  ['claude-2', 100_000, 4096, STANDARD],
  ['claude-instant', 100_000, 4096, STANDARD],
  ['claude', 200_000, null],
];

const PATCHES_1536 = patches(1536);
const PATCHES_2500 = patches(2500);
const PATCHES_10000 = patches(10_000, 1, 6000);
const PATCHES_MINI = patches(1536, 1.62);
const PATCHES_NANO = patches(1536, 2.46);
const PATCHES_O4_MINI = patches(1536, 1.72);
const TILES = tiles(85, 170);
const TILES_4O_MINI = tiles(2833, 5667);
const TILES_GPT_5 = tiles(70, 140);
const TILES_O = tiles(75, 150);
const TEXT_OPENAI = textOnly(OPENAI_MODELS);
const SOUND_OPENAI: Partial<Limits> = {
  ...TEXT_OPENAI,
  audioTypes: from(OPENAI_AUDIO, ['audio/wav', 'audio/mpeg']),
  audioBytes: unconfirmed(OPENAI_MODELS, 20_000_000, 'No number is given.'),
};

/**
 * GPT-5 to 5.3 accept 272 000 of their 400 000 as prompt; the rest is for the answer. A bare `gpt-4` is the 2023 model
 * with 8192. GPT-5.4 and 5.5 have 1 050 000, their small versions 400 000.
 */
const OPENAI: readonly Row[] = [
  ['gpt-5-5-mini', 400_000, 128_000, PATCHES_10000],
  ['gpt-5-5-nano', 400_000, 128_000, PATCHES_10000],
  ['gpt-5-5', 1_050_000, 128_000, PATCHES_10000],
  ['gpt-5-4-mini', 400_000, 128_000, PATCHES_MINI],
  ['gpt-5-4-nano', 400_000, 128_000, PATCHES_NANO],
  ['gpt-5-4', 1_050_000, 128_000, PATCHES_2500],
  ['gpt-5-chat', 128_000, 16_384, TILES_GPT_5],
  ['gpt-5-1-chat', 128_000, 16_384, TILES_GPT_5],
  ['gpt-5-2-chat', 128_000, 16_384, PATCHES_1536],
  ['gpt-5-3-chat', 128_000, 16_384, PATCHES_1536],
  ['gpt-5-mini', 400_000, 128_000, PATCHES_MINI],
  ['gpt-5-nano', 400_000, 128_000, PATCHES_NANO],
  ['gpt-5-codex-mini', 400_000, 128_000, PATCHES_1536],
  ['gpt-5-1-codex', 400_000, 128_000, PATCHES_1536],
  ['gpt-5-1', 400_000, 128_000, TILES_GPT_5],
  ['gpt-5-2', 400_000, 128_000, PATCHES_1536],
  ['gpt-5-3', 400_000, 128_000, PATCHES_1536],
  ['gpt-5!', 400_000, 128_000, TILES_GPT_5],
  ['gpt-5', 400_000, 128_000],
  ['gpt-4-1106', 128_000, 4096, TEXT_OPENAI],
  ['gpt-4-0125', 128_000, 4096, TEXT_OPENAI],
  ['gpt-4-1-mini', 1_047_576, 32_768, PATCHES_MINI],
  ['gpt-4-1-nano', 1_047_576, 32_768, PATCHES_NANO],
  ['gpt-4-1', 1_047_576, 32_768, TILES],
  ['gpt-4-5', 128_000, 16_384, TILES],
  ['gpt-4o-audio', 128_000, 16_384, SOUND_OPENAI],
  ['gpt-4o-mini-audio', 128_000, 16_384, SOUND_OPENAI],
  ['gpt-4o-realtime', 128_000, 16_384, TEXT_OPENAI],
  ['gpt-4o-mini-realtime', 128_000, 16_384, TEXT_OPENAI],
  ['gpt-4o-transcribe', 128_000, 16_384, TEXT_OPENAI],
  ['gpt-4o-mini-transcribe', 128_000, 16_384, TEXT_OPENAI],
  ['gpt-4o-mini-tts', 128_000, 16_384, TEXT_OPENAI],
  ['gpt-4o-mini', 128_000, 16_384, TILES_4O_MINI],
  ['gpt-4o', 128_000, 16_384, TILES],
  ['gpt-4-turbo', 128_000, 4096, TILES],
  ['gpt-4-vision', 128_000, 4096, TILES],
  ['gpt-4-32k', 32_768, null, TEXT_OPENAI],
  ['gpt-4', 8192, null, TEXT_OPENAI],
  ['gpt-3-5-turbo-instruct', 4096, null, TEXT_OPENAI],
  ['gpt-3-5', 16_385, 4096, TEXT_OPENAI],
  ['gpt-35', 16_385, 4096, TEXT_OPENAI],
  ['gpt-oss', 131_072, null, TEXT_OPENAI],
  ['chatgpt-4o', 128_000, 16_384, TILES],
  ['codex-mini', 200_000, 100_000],
  ['o1-mini', 128_000, 65_536, TEXT_OPENAI],
  ['o1-preview', 128_000, 32_768, TILES_O],
  ['o1', 200_000, 100_000, TILES_O],
  ['o3-mini', 200_000, 100_000, TEXT_OPENAI],
  ['o3', 200_000, 100_000, TILES_O],
  ['o4-mini', 200_000, 100_000, PATCHES_O4_MINI],
  ['o4', 200_000, 100_000, TILES_O],
  ['gpt-audio', 128_000, null, SOUND_OPENAI],
  ['gpt-realtime', 128_000, null, TEXT_OPENAI],
  ['gpt', 128_000, null],
];

const CROPS: Partial<Limits> = {
  imageTokens: from(GEMINI_IMAGES, { kind: 'crops', tokens: 258, small: 384, atLeast: 258 }),
  pdfTokensPerPage: from(GEMINI_DOCUMENTS, 258),
};
const GEMINI_3: Partial<Limits> = { imageTokens: from(VERTEX_IMAGES, { kind: 'flat', tokens: 1120 }) };

const GEMINI: readonly Row[] = [
  ['gemini-1-5-pro', 2_097_152, 8192, CROPS],
  ['gemini-1-5', 1_048_576, 8192, CROPS],
  ['gemini-1-0', 32_760, 8192, CROPS],
  ['gemini-pro', 32_760, 8192, CROPS],
  ['gemini-2-0', 1_048_576, 8192, CROPS],
  ['gemini-2-5-flash-image', 65_536, 32_768, CROPS],
  ['gemini-3-pro-image', 65_536, 32_768, GEMINI_3],
  ['gemini-2', 1_048_576, 65_536, CROPS],
  ['gemini-3', 1_048_576, 65_536, GEMINI_3],
  ['gemini', 1_048_576, 65_536],
];

const GEMMA: readonly Row[] = [
  ['gemma-2', 8192, null],
  ['gemma2', 8192, null],
  ['gemma', 131_072, null],
];

const TEXT_MISTRAL = textOnly(MISTRAL_MODELS);
const SOUND_MISTRAL: Partial<Limits> = {
  ...TEXT_MISTRAL,
  audioTypes: unconfirmed(MISTRAL_MODELS, ['audio/wav', 'audio/mpeg'], 'Of Voxtral.'),
  audioBytes: unconfirmed(MISTRAL_MODELS, 20_000_000, 'No number is given.'),
};

const MISTRAL: readonly Row[] = [
  ['mistral-large-2402', 131_072, null],
  ['mistral-large-2407', 131_072, null],
  ['mistral-large-2411', 131_072, null],
  ['mistral-large', 262_144, null],
  ['mistral-7b', 32_768, null],
  ['voxtral', 128_000, null, SOUND_MISTRAL],
  ['codestral', 128_000, null, TEXT_MISTRAL],
  ['devstral', 128_000, null, TEXT_MISTRAL],
  ['mathstral', 128_000, null, TEXT_MISTRAL],
  ['mistral-nemo', 128_000, null, TEXT_MISTRAL],
  ['open-mistral', 128_000, null, TEXT_MISTRAL],
  ['mistral-embed', 128_000, null, TEXT_MISTRAL],
  ['pixtral', 128_000, null],
  ['ministral', 128_000, null],
  ['magistral', 128_000, null],
  ['mistral', 128_000, null],
  ['mixtral-8x22b', 65_536, null, TEXT_MISTRAL],
  ['mixtral', 32_768, null, TEXT_MISTRAL],
];

/**
 * Corrected where the makers state less. Grok 4 has 256 000, only the fast ones two million; DeepSeek's own service has
 * 128 000 before V4. Many hosts serve open models with less.
 */
const OTHERS: readonly Row[] = [
  ['grok-4-1-fast', 2_000_000, null],
  ['grok-4-fast', 2_000_000, null],
  ['grok-4', 256_000, null],
  ['grok-code', 256_000, null],
  ['grok', 131_072, null],
  ['deepseek-v4', 1_000_000, null],
  ['deepseek', 128_000, null],
  ['qwen3-coder', 262_144, null],
  ['qwen3-max', 262_144, null],
  ['qwen3-next', 262_144, null],
  ['qwen3', 131_072, null],
  ['qwen', 128_000, null],
  ['llama-4', 327_680, null],
  ['llama4', 327_680, null],
  ['llama-3-1', 131_072, null],
  ['llama3-1', 131_072, null],
  ['llama-3-2', 131_072, null],
  ['llama3-2', 131_072, null],
  ['llama-3-3', 131_072, null],
  ['llama3-3', 131_072, null],
  ['llama-3', 8192, null],
  ['llama3', 8192, null],
  ['llama-2', 4096, null],
  ['llama2', 4096, null],
  ['llama', 128_000, null],
  ['kimi-k2-5', 262_144, null],
  ['kimi', 131_072, null],
  ['glm-4-6', 200_000, null],
  ['glm-4-7', 200_000, null],
  ['glm-5', 200_000, null],
  ['glm', 128_000, null],
  ['minimax-m2', 196_608, null],
  ['command-a', 256_000, null],
  ['command-r', 128_000, null],
  ['nova-micro', 128_000, null],
  ['nova-pro', 300_000, null],
  ['nova-lite', 300_000, null],
  ['phi-4', 16_384, null],
];

/** In matching order. */
export const FAMILIES: readonly Family[] = [
  {
    maker: 'anthropic',
    profile: 'anthropic',
    source: 'https://platform.claude.com/docs/en/build-with-claude/context-windows',
    date: '2026-11-22',
    rows: ANTHROPIC,
  },
  { maker: 'openai', profile: 'openai', source: OPENAI_MODELS, date: '2026-11-22', rows: OPENAI },
  {
    maker: 'gemini',
    profile: 'gemini',
    source: 'https://ai.google.dev/gemini-api/docs/models',
    date: '2026-11-22',
    rows: GEMINI,
  },
  {
    maker: null,
    profile: 'gemini',
    source: 'https://ai.google.dev/gemma/docs',
    date: '2026-11-22',
    rows: GEMMA,
  },
  { maker: null, profile: 'conservative', source: OPENROUTER, date: '2026-02-28', rows: OTHERS },
  { maker: 'mistral', profile: 'conservative', source: OPENROUTER, date: '2026-02-28', rows: MISTRAL },
];
