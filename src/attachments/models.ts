// Families of models that differ from their provider's row of the table: what they accept, and what a picture costs
// them. The first that matches counts.

import type { Tokens } from '../contract/index.ts';
import type { ImageTokenRule } from './image-tokens.ts';
import { from, type Limits, unconfirmed } from './limit.ts';

/** Models of a provider by name, without what stands before a slash. */
export interface Family {
  readonly provider: RegExp;
  readonly model: RegExp;
  readonly limits: Partial<Limits>;
}

const CLAUDE_VISION = 'https://platform.claude.com/docs/en/build-with-claude/vision';
const OPENAI_VISION = 'https://developers.openai.com/api/docs/guides/images-vision';
const OPENAI_MODELS = 'https://developers.openai.com/api/docs/models';
const OPENAI_AUDIO = 'https://www.npmjs.com/package/openai/v/6.49.0';
const GEMINI_IMAGES = 'https://ai.google.dev/gemini-api/docs/image-understanding';
const GEMINI_DOCUMENTS = 'https://ai.google.dev/gemini-api/docs/document-processing';
const VERTEX_IMAGES =
  'https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/capabilities/image-understanding';
const MISTRAL_MODELS = 'https://docs.mistral.ai/getting-started/models';

const openaiRule = (rule: ImageTokenRule): Partial<Limits> => ({ imageTokens: from(OPENAI_VISION, rule) });

const patches = (maxPatches: number, multiplier = 1, maxEdge = 2048): Partial<Limits> =>
  openaiRule({ kind: 'patches', patch: 32, maxEdge, maxPatches, multiplier });

const tiles = (base: Tokens, tile: Tokens): Partial<Limits> => openaiRule({ kind: 'tiles', base, tile });

const textOnly = (source: string): Partial<Limits> => ({
  imageTypes: unconfirmed(source, [], 'Made for text alone.'),
  pdf: unconfirmed(source, false, 'Made for text alone.'),
});

const CLAUDE_STANDARD: Partial<Limits> = {
  imageTokens: from(CLAUDE_VISION, {
    kind: 'patches',
    patch: 28,
    maxEdge: 1568,
    maxPatches: 1568,
    multiplier: 1,
  }),
  usefulEdge: from(CLAUDE_VISION, 1568),
};

const OPENAI = /^openai-/;
const CHAT = /^openai-chat$/;
const GEMINI = /^gemini$/;
const MISTRAL = /^mistral$/;

export const FAMILIES: readonly Family[] = [
  // Before 4.7: the standard tier. Bedrock writes `us.anthropic.claude-...-v1:0`.
  { provider: /^(?:anthropic|bedrock)$/, model: /claude-(?:[123]|instant)/, limits: CLAUDE_STANDARD },
  {
    provider: /^(?:anthropic|bedrock)$/,
    model: /claude-(?:opus|sonnet|haiku)-4(?:[-.][0-6])?(?![-.]?\d(?!\d))/,
    limits: CLAUDE_STANDARD,
  },

  {
    provider: OPENAI,
    model: /^(?:gpt-3|gpt-4(?:-\d|-32k|$)|o1-mini|o3-mini|gpt-oss)/,
    limits: textOnly(OPENAI_MODELS),
  },
  {
    provider: CHAT,
    model: /audio/,
    limits: {
      ...textOnly(OPENAI_MODELS),
      audioTypes: from(OPENAI_AUDIO, ['audio/wav', 'audio/mpeg']),
      audioBytes: unconfirmed(OPENAI_MODELS, 20_000_000, 'No number is given.'),
    },
  },
  { provider: OPENAI, model: /audio|realtime|transcribe|tts/, limits: textOnly(OPENAI_MODELS) },
  { provider: OPENAI, model: /^gpt-(?:5|5\.4|4\.1)-nano/, limits: patches(1536, 2.46) },
  { provider: OPENAI, model: /^gpt-(?:5|5\.4|4\.1)-mini/, limits: patches(1536, 1.62) },
  { provider: OPENAI, model: /^o4-mini/, limits: patches(1536, 1.72) },
  { provider: OPENAI, model: /^gpt-5\.[123].*codex|^gpt-5-codex-mini|^gpt-5\.[23]/, limits: patches(1536) },
  { provider: OPENAI, model: /^gpt-5\.4/, limits: patches(2500) },
  { provider: OPENAI, model: /^gpt-5\.5/, limits: patches(10_000, 1, 6000) },
  { provider: OPENAI, model: /^gpt-5(?:\.1)?(?:$|-)/, limits: tiles(70, 140) },
  { provider: OPENAI, model: /^gpt-4o-mini/, limits: tiles(2833, 5667) },
  { provider: OPENAI, model: /^(?:gpt-4|chatgpt-4o)/, limits: tiles(85, 170) },
  { provider: OPENAI, model: /^o\d/, limits: tiles(75, 150) },

  {
    provider: GEMINI,
    model: /gemini-[12]/,
    limits: {
      imageTokens: from(GEMINI_IMAGES, { kind: 'crops', tokens: 258, small: 384, atLeast: 258 }),
      pdfTokensPerPage: from(GEMINI_DOCUMENTS, 258),
    },
  },
  {
    provider: GEMINI,
    model: /gemini-3/,
    limits: { imageTokens: from(VERTEX_IMAGES, { kind: 'flat', tokens: 1120 }) },
  },

  {
    provider: MISTRAL,
    model: /voxtral/,
    limits: {
      ...textOnly(MISTRAL_MODELS),
      audioTypes: unconfirmed(MISTRAL_MODELS, ['audio/wav', 'audio/mpeg'], 'Of Voxtral.'),
      audioBytes: unconfirmed(MISTRAL_MODELS, 20_000_000, 'No number is given.'),
    },
  },
  {
    provider: MISTRAL,
    model: /codestral|devstral|nemo|mathstral|mixtral|open-mistral|embed/,
    limits: textOnly(MISTRAL_MODELS),
  },
];
