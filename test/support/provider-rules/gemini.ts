// Gemini generateContent: the parts of a user turn, as the Gemini API's documentation describes them.

import { at, type Bounds, judgeOf, matches, type ProviderRules, type TokenRule } from './rule-book.ts';

/**
 * https://ai.google.dev/gemini-api/docs/image-understanding, /document-processing and /audio (2025 to 2026) and
 * https://firebase.google.com/docs/ai-logic/input-file-requirements (2026): PNG, JPEG, WebP, HEIC, HEIF, 3000 pictures;
 * PDF of 50 MB and 1000 pages; sound of 9.5 hours together; 20 MB of request with inline data, taken as decimal (a newer
 * page has 100 MB, the others still 20).
 */
export const GEMINI_BOUNDS: Bounds = {
  imageTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'],
  images: 3000,
  pdfBytes: 50_000_000,
  pdfPagesEach: 1000,
  pdfPages: 1000,
  audioTypes: {
    'audio/wav': ['audio/wav'],
    'audio/mpeg': ['audio/mp3', 'audio/mpeg'],
    'audio/aiff': ['audio/aiff'],
    'audio/aac': ['audio/aac'],
    'audio/ogg': ['audio/ogg'],
    'audio/flac': ['audio/flac'],
  },
  audioSeconds: 9.5 * 3600,
  requestBytes: 20_000_000,
};

/** 258 a picture at least and a page, 25 (newer: 32) a second of sound (same pages). */
export const GEMINI_TOKENS: TokenRule = { image: () => 258, pdfPage: 258, audioSecond: 25 };

export const geminiRules: ProviderRules = {
  request: (content) => ({ contents: [{ role: 'user', parts: content }] }),
  judge: judgeOf(GEMINI_BOUNDS, GEMINI_TOKENS, async (part, where, findings) => {
    if (matches(part, { text: 'string' })) return findings.text(where, at(part, 'text'));
    if (!matches(part, { inlineData: { mimeType: 'string', data: 'string' } }))
      return findings.add(where, 'is no part of the format');
    const bytes = findings.base64(where, at(part, 'inlineData', 'data'));
    const mimeType = String(at(part, 'inlineData', 'mimeType'));
    if (!bytes) return;
    if (mimeType === 'application/pdf') await findings.pdf(where, bytes);
    else if (mimeType.startsWith('audio/')) await findings.audio(where, bytes, mimeType);
    else await findings.image(where, bytes, mimeType);
  }),
};
