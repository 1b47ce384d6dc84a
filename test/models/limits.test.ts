import { describe, expect, it } from 'vitest';
import { ATTACHMENT_LIMITS, ReaderError } from '../../src/index.ts';
import { attachmentLimits } from '../../src/models/index.ts';
import { FAMILIES } from '../../src/models/names.ts';

const sourced = [
  ...Object.entries(ATTACHMENT_LIMITS).flatMap(([target, limits]) =>
    Object.entries(limits).map(([key, limit]) => ({ where: `${target} ${key}`, limit })),
  ),
  ...FAMILIES.flatMap(({ rows, source, date }) => [
    { where: source, limit: { source, date } },
    ...rows.flatMap(([name, , , limits = {}]) =>
      Object.entries(limits).map(([key, limit]) => ({ where: `${name} ${key}`, limit })),
    ),
  ]),
];

describe('the table of limits', () => {
  it('names the page and the day of every value', () => {
    expect(sourced.length).toBeGreaterThan(150);
    for (const { where, limit } of sourced) {
      expect(limit.source, where).toMatch(/^https:\/\/[\w.-]+\//);
      expect(limit.date, where).toMatch(/^20\d\d-\d\d-\d\d$/);
      if ('unconfirmed' in limit) expect(limit.note, where).toBeTruthy();
    }
  });

  it('has the bounds of each provider', () => {
    const { anthropic, bedrock, gemini, mistral } = ATTACHMENT_LIMITS;
    expect(anthropic.imageBase64Bytes.value).toBe(5 * 1024 * 1024);
    expect([anthropic.images.value, anthropic.manyImages.value, anthropic.manyImagesEdge.value]).toEqual([
      100, 20, 2000,
    ]);
    expect(anthropic.requestBytes.value).toBe(32_000_000);
    expect(bedrock.imageBytes.value).toBe(3_750_000);
    expect([bedrock.images.value, bedrock.pdfFiles.value]).toEqual([20, 5]);
    expect(gemini.imageTypes.value).not.toContain('image/gif');
    expect(gemini.pdfPages.value).toBe(1000);
    expect(mistral.images.value).toBe(8);
  });

  it('is for the AI SDK what all providers accept, or the one that the model is of', () => {
    const all = ATTACHMENT_LIMITS['ai-sdk'];
    expect(all.images.value).toBe(8);
    expect(all.imageTypes.value).toEqual(['image/png', 'image/jpeg', 'image/webp']);
    expect(all.imageBytes.value).toBe(3_750_000);
    expect(all.requestBytes.value).toBe(20_000_000);
    expect(all.audioTypes.value).toEqual([]);
    expect(attachmentLimits('ai-sdk', 'anthropic/claude-sonnet-4-5').images.value).toBe(100);
    expect(attachmentLimits('ai-sdk', 'us.anthropic.claude-sonnet-4-5-v1:0').images.value).toBe(20);
    expect(attachmentLimits('ai-sdk', 'gemini-2.5-pro').audioTypes.value).toContain('audio/wav');
    expect(attachmentLimits('ai-sdk', 'openai/gpt-audio').audioTypes.value).toEqual([]);
    expect(attachmentLimits('ai-sdk', 'groq/llama-4').pdf.value).toBe(false);
    expect(attachmentLimits('ai-sdk', 'someone/model').images.value).toBe(8);
  });

  it.each([
    ['claude-opus-4-20250514', 1568],
    ['claude-sonnet-4-5-20250929', 1568],
    ['claude-3-7-sonnet-latest', 1568],
    ['claude-sonnet-4-6', 1568],
    ['claude-opus-4-7', 2576],
    ['claude-opus-4-8-20260501', 2576],
    ['claude-sonnet-5', 2576],
    ['claude-of-tomorrow', 2576],
  ])('knows the tier of %s', (model, edge) => {
    expect(attachmentLimits('anthropic', model).usefulEdge.value).toBe(edge);
    expect(attachmentLimits('bedrock', `eu.anthropic.${model}-v1:0`).usefulEdge.value).toBe(edge);
  });

  it('knows which models of OpenAI and Mistral take sound, and which take text alone', () => {
    expect(attachmentLimits('openai-chat', 'gpt-4o-audio-preview').audioTypes.value).toEqual([
      'audio/wav',
      'audio/mpeg',
    ]);
    expect(attachmentLimits('openai-chat', 'gpt-4o-audio-preview').imageTypes.value).toEqual([]);
    expect(attachmentLimits('openai-chat', 'gpt-5.6').audioTypes.value).toEqual([]);
    expect(attachmentLimits('openai-responses', 'o3-mini').imageTypes.value).toEqual([]);
    expect(attachmentLimits('openai-responses', 'o3').imageTypes.value).toHaveLength(4);
    expect(attachmentLimits('mistral', 'voxtral-small-latest').audioTypes.value).toHaveLength(2);
    expect(attachmentLimits('mistral', 'codestral-latest').pdf.value).toBe(false);
  });

  it('is changed by the caller, and refuses what is no limit', () => {
    const limits = attachmentLimits('anthropic', undefined, { images: 600, imageEdge: null });
    expect([limits.images.value, limits.images.source, limits.imageEdge.value]).toEqual([
      600,
      'the caller',
      null,
    ]);
    const messages = [
      () => attachmentLimits('anthropic', undefined, { images: -1 }),
      // A caller without types may write anything.
      () => attachmentLimits('anthropic', undefined, { picures: 3 } as never),
      () => attachmentLimits('grok' as never),
    ].map((call) => {
      try {
        return call();
      } catch (error) {
        return error instanceof ReaderError ? `${error.code}: ${error.message} ${error.hint}` : error;
      }
    });
    expect(messages).toEqual([
      'BAD_INPUT: The limit `images` is `-1`; expected a number of 0 or more. Pass a number, or `null` for no limit.',
      'BAD_INPUT: `limits` has an unknown limit `picures`. Use the names of `ATTACHMENT_LIMITS`.',
      'BAD_INPUT: `target` is `grok`; expected one of `anthropic`, `openai-chat`, `openai-responses`, `gemini`, `bedrock`, `mistral`, `ai-sdk`. Name the message format the attachments are for.',
    ]);
  });
});
