// Anthropic Messages: the content of a user message, as its documentation describes it for models with a 200 000 token
// window.

import type { ImageFacts } from './facts.ts';
import {
  at,
  type Bounds,
  judgeOf,
  matches,
  optional,
  type ProviderRules,
  type TokenRule,
  wellFormed,
} from './rule-book.ts';

/**
 * https://platform.claude.com/docs/en/build-with-claude/vision and /pdf-support, as stored in 2026: JPEG, PNG, GIF, WebP;
 * 8000 pixels, 2000 when more than 20 pictures are sent; 100 pictures and 100 pages with a window of 200 000 tokens; 32 MB
 * of request, taken as decimal. A picture's 5 MB are of its base64 and binary: "image exceeds 5 MB maximum: 11641928 bytes
 * > 5242880 bytes" (anthropics/claude-code 11181, 2025-11). Pages and pictures count together: "Too much media: 0 document
 * pages + 102 images > 100" (anthropics/claude-code 19822, 2026-01).
 */
export const ANTHROPIC_BOUNDS: Bounds = {
  imageTypes: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
  imageBase64: 5_242_880,
  imageEdge: 8000,
  many: { over: 20, edge: 2000 },
  images: 100,
  pdfPages: 100,
  media: 100,
  audioTypes: {},
  requestBytes: 32_000_000,
};

/** Patches of 28 pixels, at most 1568 edge and 1568 patches (same page); a page has 1500 tokens of text or more. */
export function claudePatches({ width, height }: ImageFacts): number {
  const scale = Math.min(1, 1568 / Math.max(width, height), Math.sqrt((1568 * 784) / (width * height)));
  return 0.95 * Math.ceil((width * scale) / 28) * Math.ceil((height * scale) / 28);
}

export const ANTHROPIC_TOKENS: TokenRule = { image: claudePatches, pdfPage: 1500, audioSecond: 0 };

export const anthropicRules: ProviderRules = {
  request: (content) => ({
    model: 'claude-sonnet-4-5',
    max_tokens: 1024,
    messages: [{ role: 'user', content }],
  }),
  judge: judgeOf(ANTHROPIC_BOUNDS, ANTHROPIC_TOKENS, async (block, where, findings) => {
    if (matches(block, { type: ['text'], text: 'string' })) return findings.text(where, at(block, 'text'));
    const source = { type: ['base64'], media_type: 'string', data: 'string' } as const;
    if (matches(block, { type: ['image'], source })) {
      const bytes = findings.base64(where, at(block, 'source', 'data'));
      if (bytes) await findings.image(where, bytes, String(at(block, 'source', 'media_type')));
      return;
    }
    const document = { type: ['document'], title: optional('string') } as const;
    const title = at(block, 'title');
    // 1 to 500 characters: Messages API reference.
    if (typeof title === 'string' && (title.trim() === '' || title.length > 500 || !wellFormed(title)))
      findings.add(where, 'title is empty, too long or not well formed');
    if (matches(block, { ...document, source: { ...source, media_type: ['application/pdf'] } })) {
      const bytes = findings.base64(where, at(block, 'source', 'data'));
      if (bytes) await findings.pdf(where, bytes);
      return;
    }
    if (
      matches(block, { ...document, source: { type: ['text'], media_type: ['text/plain'], data: 'string' } })
    )
      return findings.text(where, at(block, 'source', 'data'));
    findings.add(where, 'is no block of the format');
  }),
};
