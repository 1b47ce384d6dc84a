import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelFacts } from '../../src/models/index.ts';

describe('modelFacts', () => {
  it.each([
    ['claude-opus-4-5-20251101', 200_000, 64_000, 'anthropic'],
    ['anthropic/claude-opus-4.6', 1_000_000, 128_000, 'anthropic'],
    ['us.anthropic.claude-3-5-sonnet-20241022-v2:0', 200_000, 8192, 'anthropic'],
    ['claude-opus-4-20250514', 200_000, 32_000, 'anthropic'],
    ['claude-sonnet-4-5[1m]', 1_000_000, null, 'anthropic'],
    ['claude-3-opus-20240229', 200_000, 4096, 'anthropic'],
    ['Claude-Next', 200_000, null, 'anthropic'],
    ['gpt-4', 8192, null, 'openai'],
    ['gpt-4-1106-preview', 128_000, 4096, 'openai'],
    ['gpt-4.1-mini', 1_047_576, 32_768, 'openai'],
    ['gpt-4o-2024-08-06', 128_000, 16_384, 'openai'],
    ['gpt-5.4-mini', 400_000, 128_000, 'openai'],
    ['openai/gpt-5.4', 1_050_000, 128_000, 'openai'],
    ['gpt-5.1-codex', 400_000, 128_000, 'openai'],
    ['gpt-5-chat-latest', 128_000, 16_384, 'openai'],
    ['o3-mini', 200_000, 100_000, 'openai'],
    ['openai/o1-mini', 128_000, 65_536, 'openai'],
    ['models/gemini-2.5-pro', 1_048_576, 65_536, 'gemini'],
    ['gemini-1.5-pro-002', 2_097_152, 8192, 'gemini'],
    ['gemini-2.5-flash-image', 65_536, 32_768, 'gemini'],
    ['grok-4', 256_000, null, 'conservative'],
    ['grok-4-fast-reasoning', 2_000_000, null, 'conservative'],
    ['deepseek-chat', 128_000, null, 'conservative'],
    ['llama3.1:8b', 131_072, null, 'conservative'],
    ['meta-llama/Llama-3-8b', 8192, null, 'conservative'],
    ['mistral-large-2411', 131_072, null, 'conservative'],
    ['deepseek-r1-distill-llama-70b', 128_000, null, 'conservative'],
  ])('knows %s', (model, window, output, profile) => {
    expect(modelFacts(model)).toEqual({ window, output, profile });
  });

  it.each(['', 'my-model', 'pro1-preview', 'xo3', 'notclaude'])('takes %j for unknown', (model) => {
    expect(modelFacts(model)).toEqual({ window: 128_000, output: null, profile: 'conservative' });
  });

  it('gives whole numbers above 0 for any name, an answer being shorter than the window', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom('claude', 'gpt-4', 'gemini', 'x'.repeat(1e6))),
        (model) => {
          const { window, output } = modelFacts(model);
          expect(Number.isInteger(window) && window > 0).toBe(true);
          expect(output === null || (Number.isInteger(output) && output > 0 && output < window)).toBe(true);
        },
      ),
    );
  });
});
