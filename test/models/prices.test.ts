import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CodecName } from '../../src/history/codecs/codec.ts';
import { item } from '../../src/history/codecs/message.ts';
import { createEstimator } from '../../src/history/cost/estimate.ts';
import { compact } from '../../src/history/index.ts';
import { prepareAttachments } from '../../src/index.ts';
import { attachmentLimits, imageTokens, modelFacts, type Target } from '../../src/models/index.ts';
import { FAMILIES } from '../../src/models/names.ts';
import { draws } from '../support/draws.ts';
import { pixels } from '../support/pictures.ts';

const TARGETS: Readonly<Record<string, readonly Target[]>> = {
  anthropic: ['anthropic', 'bedrock', 'ai-sdk'],
  openai: ['openai-chat', 'openai-responses', 'ai-sdk'],
  gemini: ['gemini', 'ai-sdk'],
  mistral: ['mistral', 'ai-sdk'],
};

/** How texts are called in a message. */
const TEXTS = { anthropic: 'text', 'openai-chat': 'text', 'openai-responses': 'input_text' } as const;

const rows = FAMILIES.flatMap(({ maker, rows }) =>
  rows.map(([name]) => ({
    model: name.replace('!', ''),
    targets: TARGETS[maker ?? ''] ?? ['ai-sdk' as const],
  })),
);

function inHistory(model: string, width: number, height: number): number {
  const media = { type: 'image', mimeType: 'image/png', bytes: 5000, width, height } as const;
  return createEstimator(modelFacts(model).profile, model).item(item('media', { media }));
}

function inAttachments(target: Target, model: string, width: number, height: number): number {
  return imageTokens(attachmentLimits(target, model).imageTokens.value, { width, height });
}

const edge = fc.integer({ min: 1, max: 12_000 });

describe('the price of a picture', () => {
  it.each([
    ['gpt-4o-mini', 1000, 1000, 2833 + 4 * 5667],
    ['claude-opus-4-8', 2576, 1900, 4784],
    ['claude-opus-4-7', 4000, 4000, 4784],
    ['claude-opus-4-1@20250805', 4000, 4000, 1568],
    ['claude-sonnet-4-6', 1000, 1000, 1296],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 1000, 1000, 1296],
    ['publishers/google/models/gemini-3-pro-preview', 2576, 1900, 1120],
    ['google/gemini-2.5-pro', 960, 540, 1548],
    ['gpt-4o', 1024, 1024, 765],
    ['gpt-5-2025-08-07', 1024, 1024, 70 + 4 * 140],
    ['gpt-5.2', 1024, 1024, 1024],
    ['openai/gpt-5-mini', 1024, 1024, Math.ceil(1024 * 1.62)],
  ])('%s: %i x %i costs %i in attachments and in the history', (model, width, height, tokens) => {
    expect(inAttachments('ai-sdk', model, width, height)).toBe(tokens);
    expect(inHistory(model, width, height)).toBe(tokens);
  });

  it.each(rows)('of $model is the same in both uses and for every target', ({ model, targets }) => {
    for (const [width, height] of [
      [1, 1],
      [200, 200],
      [1000, 1000],
      [2576, 1900],
      [768, 12_000],
    ] as const) {
      const tokens = inHistory(model, width, height);
      expect(tokens).toBeGreaterThan(0);
      for (const target of targets) expect(inAttachments(target, model, width, height), target).toBe(tokens);
    }
  });

  it('is the same in both uses for any name', () => {
    const name = fc.oneof(
      fc.string(),
      fc
        .tuple(
          fc.constantFrom('', 'openai/', 'anthropic/', 'us.anthropic.', 'google/', 'bedrock/', 'x/'),
          fc.oneof(fc.constantFrom(...rows.map(({ model }) => model)), fc.constantFrom('model', 'next-1')),
          fc.constantFrom('', '-2026-01-01', '@20250805', '-v1:0', '-mini', '-9'),
        )
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(name, edge, edge, (model, width, height) => {
        expect(inHistory(model, width, height)).toBe(inAttachments('ai-sdk', model, width, height));
      }),
      { numRuns: draws(500) },
    );
  });

  it('is not below any full-size model where only the provider is known, nor where nothing is, up to 1:1.9', () => {
    const models = {
      anthropic: ['claude-opus-4-8', 'claude-sonnet-4-5'],
      openai: ['gpt-4o', 'gpt-5', 'gpt-5.2', 'gpt-5.6', 'o3'],
      gemini: ['gemini-2.5-pro', 'gemini-3-pro'],
    } as const;
    fc.assert(
      fc.property(edge, fc.double({ min: 1, max: 1.9, noNaN: true }), (width, ratio) => {
        const height = Math.ceil(width * ratio);
        const media = { type: 'image', mimeType: null, bytes: null, width, height } as const;
        const picture = item('media', { media });
        const unknown = createEstimator('conservative').item(picture);
        for (const profile of ['anthropic', 'openai', 'gemini'] as const) {
          const family = createEstimator(profile).item(picture);
          for (const model of models[profile])
            expect(family, model).toBeGreaterThanOrEqual(inHistory(model, width, height));
          expect(unknown).toBeGreaterThanOrEqual(family);
        }
      }),
    );
  });

  it('is the same in both uses where only the format of the messages tells the provider', () => {
    const formats: readonly (readonly [CodecName, Target])[] = [
      ['anthropic', 'anthropic'],
      ['openai-chat', 'openai-chat'],
      ['openai-responses', 'openai-responses'],
      ['openai-agents', 'openai-responses'],
      ['gemini', 'gemini'],
      ['ai-sdk', 'ai-sdk'],
      ['bedrock', 'bedrock'],
      ['mistral', 'mistral'],
      ['ollama', 'openai-chat'],
      ['langchain', 'ai-sdk'],
    ];
    for (const [format, target] of formats)
      for (const model of ['', 'totally-unknown', 'gpt-4o-mini', 'claude-opus-4-8'])
        for (const [width, height] of [
          [200, 200],
          [1000, 1000],
          [1500, 1100],
        ] as const) {
          const media = { type: 'image', mimeType: 'image/png', bytes: 5000, width, height } as const;
          const estimator = createEstimator(modelFacts(model).profile, model, format);
          expect(estimator.item(item('media', { media })), `${format} ${model}`).toBe(
            inAttachments(target, model, width, height),
          );
        }
  });

  it('counts in a list as in the message that attachments made, model or none', async () => {
    const png = await pixels(1000, 1000, 3, 'slope').png().toBuffer();
    for (const model of [undefined, 'totally-unknown'])
      for (const target of ['anthropic', 'openai-chat', 'openai-responses', 'gemini'] as const) {
        const options = { ...(model !== undefined && { model }) };
        const { content } = await prepareAttachments([png], { target, ...options });
        const [listing] = content;
        const picture = content.at(-1);
        const messageOf = (part: unknown): unknown =>
          target === 'gemini' ? { role: 'user', parts: [part] } : { role: 'user', content: [part] };
        const tokensOf = async (part: unknown): Promise<number> =>
          (
            await compact([messageOf(listing), messageOf(part)], {
              ...options,
              window: 200_000,
              format: target,
            })
          ).report.before.tokens;
        const text = 'x'; // an empty one would be repaired
        const word = { ...(target === 'gemini' ? {} : { type: TEXTS[target] }), text };
        const cost = createEstimator('conservative', model ?? '').text(text);
        expect((await tokensOf(picture)) - (await tokensOf(word)) + cost, `${target} ${model}`).toBe(
          inAttachments(target, model ?? '', 1000, 1000),
        );
      }
  });

  it('of a picture of unknown size is the price of 2048 x 1536 pixels', () => {
    const media = { type: 'image', mimeType: null, bytes: null, width: null, height: null } as const;
    for (const { model } of rows)
      expect(createEstimator('conservative', model).item(item('media', { media }))).toBe(
        inHistory(model, 2048, 1536),
      );
  });
});

describe('a version in a name', () => {
  it.each([
    ['claude-opus-4-20250514', 1568],
    ['claude-opus-4-9', 2576],
    ['claude-haiku-4-5', 1568],
    ['claude-haiku-4-7', 2576],
    ['claude-opus-5-1', 2576],
  ])('is read whole: %s looks at %i pixels', (model, pixels) => {
    expect(attachmentLimits('anthropic', model).usefulEdge.value).toBe(pixels);
  });

  it('that is later than all of the table costs what the family does', () => {
    expect(inHistory('gpt-5.9', 4000, 4000)).toBe(125 * 125);
    expect(inHistory('gemini-9', 100, 100)).toBe(1120);
  });
});
