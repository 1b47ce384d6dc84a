import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attachmentLimits, edgeFor, imageTokens } from '../../src/models/index.ts';

const rule = (target: 'anthropic' | 'openai-chat' | 'gemini', model?: string) =>
  attachmentLimits(target, model).imageTokens.value;

describe('what a picture costs', () => {
  // The providers' own examples.
  it.each([
    ['anthropic', 'claude-sonnet-4-6', 200, 200, 64],
    ['anthropic', 'claude-sonnet-4-6', 1000, 1000, 1296],
    ['anthropic', 'claude-sonnet-4-6', 1092, 1092, 1521],
    ['anthropic', 'claude-opus-4-8', 1920, 1080, 2691],
    ['openai-chat', 'o4-mini', 1024, 1024, Math.ceil(1024 * 1.72)],
    ['openai-chat', 'gpt-4o', 1024, 1024, 765],
    ['openai-chat', 'gpt-4o', 2048, 4096, 1105],
    ['openai-chat', 'gpt-5.6', 1800, 2400, 4275],
    ['gemini', 'gemini-2.5-pro', 960, 540, 1548],
    ['gemini', 'gemini-2.5-pro', 300, 384, 258],
    ['gemini', 'gemini-3-pro', 5000, 5000, 1120],
  ] as const)('%s %s: %i x %i is %i', (target, model, width, height, tokens) => {
    expect(imageTokens(rule(target, model), { width, height })).toBe(tokens);
  });

  it.each([
    ['anthropic', 'claude-sonnet-4-6', 1920, 1080, 1560, 1568],
    ['anthropic', 'claude-opus-4-8', 3840, 2160, 4784, 4784],
    ['openai-chat', 'gpt-5.2', 1800, 2400, 1452, 1536],
  ] as const)('%s %s: %i x %i is between %i and %i', (target, model, width, height, least, most) => {
    const tokens = imageTokens(rule(target, model), { width, height });
    expect(tokens).toBeGreaterThanOrEqual(least);
    expect(tokens).toBeLessThanOrEqual(most);
  });

  it('is kept within a share by an edge, or the picture is of no use', () => {
    const rules = [rule('anthropic'), rule('openai-chat', 'gpt-4o'), rule('gemini'), rule('openai-chat')];
    fc.assert(
      fc.property(
        fc.constantFrom(...rules),
        fc.integer({ min: 1, max: 12_000 }),
        fc.integer({ min: 1, max: 12_000 }),
        fc.integer({ min: 0, max: 6000 }),
        (one, width, height, tokens) => {
          const edge = edgeFor(one, { width, height }, tokens);
          if (edge === undefined) return;
          const scale = Math.min(1, edge / Math.max(width, height));
          const size = { width: Math.ceil(width * scale), height: Math.ceil(height * scale) };
          expect(imageTokens(one, size)).toBeLessThanOrEqual(tokens);
          expect(edge).toBeLessThanOrEqual(Math.max(width, height));
        },
      ),
    );
  });
});
