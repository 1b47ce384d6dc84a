// How much a model takes in and gives out, by its name, as of November 2026. What a caller says of its own model comes first:
// this is for when nobody says.

import type { Tokens } from '../contract/index.ts';
import type { ProfileName } from './estimate.ts';

/** What is known of a model by its name. */
export interface ModelFacts {
  /** Prompt and answer together, as all of these providers count it. */
  readonly window: Tokens;
  /** The longest answer; null where it is not known. */
  readonly output: Tokens | null;
  /** How to estimate its tokens. */
  readonly profile: ProfileName;
}

type Row = readonly [name: string, window: Tokens, output: Tokens | null];

/**
 * Anthropic, "Models overview" and "Context windows": a million from the 4.6 models on. Sonnet 4 and 4.5 take a million only with
 * a beta header, so not here; `[1m]` is how Claude Code marks it.
 */
const ANTHROPIC: readonly Row[] = [
  ['[1m]', 1_000_000, null],
  ['claude-fable', 1_000_000, 128_000],
  ['claude-mythos', 1_000_000, 128_000],
  ['claude-opus-5', 1_000_000, 128_000],
  ['claude-sonnet-5', 1_000_000, 128_000],
  ['claude-opus-4-8', 1_000_000, 128_000],
  ['claude-opus-4-7', 1_000_000, 128_000],
  ['claude-opus-4-6', 1_000_000, 128_000],
  ['claude-sonnet-4-6', 1_000_000, 64_000],
  ['claude-opus-4-5', 200_000, 64_000],
  ['claude-opus-4', 200_000, 32_000],
  ['claude-sonnet-4', 200_000, 64_000],
  ['claude-haiku-4', 200_000, 64_000],
  ['claude-3-7', 200_000, 64_000],
  ['claude-3-5', 200_000, 8192],
  ['claude-3', 200_000, 4096],
  ['claude-2-1', 200_000, 4096],
  ['claude-2', 100_000, 4096],
  ['claude-instant', 100_000, 4096],
  ['claude', 200_000, null],
];

/**
 * OpenAI, model pages. GPT-5 to 5.3 take 272 000 of their 400 000 as prompt, the rest is for the answer. A bare `gpt-4` is the
 * model of 2023 with 8192. GPT-5.4 and 5.5 are 1 050 000, their small versions 400 000.
 */
const OPENAI: readonly Row[] = [
  ['gpt-5-5-mini', 400_000, 128_000],
  ['gpt-5-5-nano', 400_000, 128_000],
  ['gpt-5-5', 1_050_000, 128_000],
  ['gpt-5-4-mini', 400_000, 128_000],
  ['gpt-5-4-nano', 400_000, 128_000],
  ['gpt-5-4', 1_050_000, 128_000],
  ['gpt-5-chat', 128_000, 16_384],
  ['gpt-5-1-chat', 128_000, 16_384],
  ['gpt-5-2-chat', 128_000, 16_384],
  ['gpt-5-3-chat', 128_000, 16_384],
  ['gpt-5', 400_000, 128_000],
  ['gpt-4-1106', 128_000, 4096],
  ['gpt-4-0125', 128_000, 4096],
  ['gpt-4-1', 1_047_576, 32_768],
  ['gpt-4-5', 128_000, 16_384],
  ['gpt-4o', 128_000, 16_384],
  ['gpt-4-turbo', 128_000, 4096],
  ['gpt-4-vision', 128_000, 4096],
  ['gpt-4-32k', 32_768, null],
  ['gpt-4', 8192, null],
  ['gpt-3-5-turbo-instruct', 4096, null],
  ['gpt-3-5', 16_385, 4096],
  ['gpt-35', 16_385, 4096],
  ['gpt-oss', 131_072, null],
  ['chatgpt-4o', 128_000, 16_384],
  ['codex-mini', 200_000, 100_000],
  ['o1-mini', 128_000, 65_536],
  ['o1-preview', 128_000, 32_768],
  ['o1', 200_000, 100_000],
  ['o3', 200_000, 100_000],
  ['o4', 200_000, 100_000],
  ['gpt', 128_000, null],
];

/** Google, "Gemini models" and the Gemma cards. */
const GEMINI: readonly Row[] = [
  ['gemini-1-5-pro', 2_097_152, 8192],
  ['gemini-1-5', 1_048_576, 8192],
  ['gemini-1-0', 32_760, 8192],
  ['gemini-pro', 32_760, 8192],
  ['gemini-2-0', 1_048_576, 8192],
  ['gemini-2-5-flash-image', 65_536, 32_768],
  ['gemini-3-pro-image', 65_536, 32_768],
  ['gemini', 1_048_576, 65_536],
  ['gemma-2', 8192, null],
  ['gemma2', 8192, null],
  ['gemma', 131_072, null],
];

/**
 * The others: OpenRouter's model pages, February 2026, put right where the makers say less. Grok 4 is
 * 256 000, only the fast ones are two million; DeepSeek's own service takes 128 000 before V4. Open models are served with
 * less by many hosts.
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
  ['mistral-large-24', 131_072, null],
  ['mistral-large', 262_144, null],
  ['mistral-7b', 32_768, null],
  ['mistral', 128_000, null],
  ['mixtral-8x22b', 65_536, null],
  ['mixtral', 32_768, null],
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

/** In the order they are tried. */
const TABLE: readonly (readonly [profile: ProfileName, rows: readonly Row[]])[] = [
  ['anthropic', ANTHROPIC],
  ['openai', OPENAI],
  ['gemini', GEMINI],
  ['conservative', OTHERS],
];

/** Of a model nobody has heard of: what most models of 2024 and later take at least. */
const UNKNOWN: ModelFacts = { window: 128_000, output: null, profile: 'conservative' };

/** No model has a longer name; a longer one is not read to its end. */
const MAX_NAME = 300;

/** Whether `name` has `part` at the start of a word: `o1` is in `openai/o1`, not in `foo1`. */
function has(name: string, part: string): boolean {
  for (let at = name.indexOf(part); at >= 0; at = name.indexOf(part, at + 1)) {
    const before = at === 0 ? '-' : name.charAt(at - 1);
    if (!/[a-z0-9]/.test(before) || part.startsWith('[')) return true;
  }
  return false;
}

/**
 * What is known of `model`, with or without a provider in front (`anthropic/claude-opus-4.6`, `us.anthropic.claude-3-5-sonnet`) and
 * a date or version behind; the most specific name counts. Anything unknown: 128 000 tokens, estimated high.
 */
export function modelFacts(model: string): ModelFacts {
  const name = String(model).slice(0, MAX_NAME).toLowerCase().replace(/[._]/g, '-');
  for (const [profile, rows] of TABLE) {
    for (const [part, window, output] of rows) {
      if (has(name, part)) return { window, output, profile };
    }
  }
  return UNKNOWN;
}
