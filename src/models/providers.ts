// What each provider accepts in one request, as data: every value with the page it was read on and when. Makes no
// decisions.
//
// The pages were read as stored copies of different ages. If two pages of one provider disagree, the value is the one
// both allow, and the note names the other.

import type { MimeType } from '../contract/index.ts';
import type { Limits, Sourced, Target } from './limit.ts';

/** Last reading of all pages. */
export const DATE = '2026-11-22';

/** A value stated on a page of the provider. */
export function from<T>(source: string, value: T, note?: string): Sourced<T> {
  return { value, source, date: DATE, ...(note !== undefined && { note }) };
}

/** A value not stated by the provider: an observation or an estimate. */
export function unconfirmed<T>(source: string, value: T, note: string): Sourced<T> {
  return { value, source, date: DATE, note, unconfirmed: true };
}

const MEGABYTE = 1_000_000;

const CLAUDE_VISION = 'https://platform.claude.com/docs/en/build-with-claude/vision';
const CLAUDE_PDF = 'https://platform.claude.com/docs/en/build-with-claude/pdf-support';
const CLAUDE_API = 'https://platform.claude.com/docs/en/api/overview#request-size-limits';
const CLAUDE_WINDOWS = 'https://platform.claude.com/docs/en/build-with-claude/context-windows';

const PNG_JPEG_GIF_WEBP: readonly MimeType[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

const ANTHROPIC: Limits = {
  imageTypes: from(CLAUDE_VISION, PNG_JPEG_GIF_WEBP),
  animations: from(CLAUDE_VISION, false, 'Only the first frame is used.'),
  imageBytes: from(CLAUDE_VISION, null, 'The limit applies to base64.'),
  imageBase64Bytes: from(
    CLAUDE_VISION,
    5_242_880,
    '10 MB on the Claude API, 5 MB on Amazon Bedrock and Google Cloud; 5242880 is what the API names when it refuses (https://github.com/lobehub/lobehub/pull/14711).',
  ),
  imageEdge: from(CLAUDE_VISION, 8000),
  usefulEdge: from(CLAUDE_VISION, 2576, '1568 on models before 4.7.'),
  images: from(CLAUDE_VISION, 100, '600 for models with more than 200k tokens of context.'),
  manyImages: from(CLAUDE_VISION, 20),
  manyImagesEdge: from(CLAUDE_VISION, 2000),
  manyCountsDocuments: from(CLAUDE_VISION, true, 'On Amazon Bedrock and Google Cloud.'),
  imageTokens: from(
    CLAUDE_VISION,
    { kind: 'patches', patch: 28, maxEdge: 2576, maxPatches: 4784, multiplier: 1 },
    'The high-resolution tier; others see less.',
  ),
  pdf: from(CLAUDE_PDF, true),
  pdfBytes: from(CLAUDE_PDF, 32 * MEGABYTE, 'The limit applies to the request.'),
  pdfTotalBytes: from(CLAUDE_PDF, null, 'The limit applies to the request.'),
  pdfPages: from(CLAUDE_PDF, 100, '600 for models with more than 200k tokens of context.'),
  pdfFiles: from(CLAUDE_PDF, null),
  pdfTokensPerPage: from(
    CLAUDE_PDF,
    3000 + 1568,
    'At most 3000 tokens of text on a page, and its picture on the standard tier.',
  ),
  audioTypes: from(CLAUDE_API, []),
  audioBytes: from(CLAUDE_API, null),
  audioSeconds: from(CLAUDE_API, null),
  audioTokensPerSecond: from(CLAUDE_API, 0),
  requestBytes: from(CLAUDE_API, 32 * MEGABYTE),
  tokens: from(CLAUDE_WINDOWS, 50_000, 'Of 200 000.'),
};

const OPENAI_VISION = 'https://developers.openai.com/api/docs/guides/images-vision';
const OPENAI_FILES = 'https://developers.openai.com/api/docs/guides/file-inputs';
const OPENAI_MODELS = 'https://developers.openai.com/api/docs/models';

const OPENAI: Limits = {
  imageTypes: from(OPENAI_VISION, PNG_JPEG_GIF_WEBP),
  animations: from(OPENAI_VISION, false, 'Non-animated GIF only.'),
  imageBytes: unconfirmed(
    OPENAI_VISION,
    20 * MEGABYTE,
    'Older copies name 20 MB; newer ones limit only the request.',
  ),
  imageBase64Bytes: from(OPENAI_VISION, null),
  imageEdge: unconfirmed(
    OPENAI_VISION,
    5536,
    'At most 30 000 patches of 32 x 32 pixels; a square of this edge has 29 929.',
  ),
  usefulEdge: from(OPENAI_VISION, 2048, 'Detail `high`; newer models use the whole picture.'),
  images: from(OPENAI_VISION, 500, 'Newer copies: 1500.'),
  manyImages: from(OPENAI_VISION, null),
  manyImagesEdge: from(OPENAI_VISION, null),
  manyCountsDocuments: from(OPENAI_VISION, false),
  imageTokens: from(
    OPENAI_VISION,
    {
      kind: 'most',
      of: [
        { kind: 'patches', patch: 32, maxEdge: null, maxPatches: null, multiplier: 1 },
        { kind: 'flat', tokens: 1105 },
      ],
    },
    'GPT-5.6 and later with detail `auto`: no limit. At least what GPT-4o accepts for a picture of 1:2.',
  ),
  pdf: from(OPENAI_FILES, true),
  pdfBytes: from(OPENAI_FILES, 50 * MEGABYTE - 1, 'Each file must be under 50 MB.'),
  pdfTotalBytes: from(OPENAI_FILES, 50 * MEGABYTE),
  pdfPages: unconfirmed(OPENAI_FILES, 100, 'Older copies name 100 pages; newer ones no number.'),
  pdfFiles: from(OPENAI_FILES, null),
  pdfTokensPerPage: unconfirmed(OPENAI_FILES, 3000, 'Text and a picture of each page; no number is given.'),
  audioTypes: from(OPENAI_MODELS, [], 'Only models made for sound accept it.'),
  audioBytes: from(OPENAI_MODELS, null),
  audioSeconds: from(OPENAI_MODELS, null),
  audioTokensPerSecond: unconfirmed(OPENAI_MODELS, 10, 'One token for 100 ms.'),
  requestBytes: from(OPENAI_VISION, 50 * MEGABYTE, 'Newer copies: 512 MB; files stay at 50 MB.'),
  tokens: from(OPENAI_MODELS, 32_000, 'Of 128 000.'),
};

const GEMINI_IMAGES = 'https://ai.google.dev/gemini-api/docs/image-understanding';
const GEMINI_DOCUMENTS = 'https://ai.google.dev/gemini-api/docs/document-processing';
const GEMINI_AUDIO = 'https://ai.google.dev/gemini-api/docs/audio';
const GEMINI_FILES = 'https://ai.google.dev/gemini-api/docs/file-input-methods';
const VERTEX_IMAGES =
  'https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/capabilities/image-understanding';

const GEMINI: Limits = {
  imageTypes: from(
    GEMINI_IMAGES,
    ['image/png', 'image/jpeg', 'image/webp'],
    'Also HEIC and HEIF, whose content is not checked here.',
  ),
  animations: from(GEMINI_IMAGES, false, 'GIF is not accepted; animated WebP is not mentioned.'),
  imageBytes: from(VERTEX_IMAGES, 7 * MEGABYTE, 'Inline, on Vertex AI; the Gemini API limits the request.'),
  imageBase64Bytes: from(GEMINI_IMAGES, null),
  imageEdge: unconfirmed(
    'https://github.com/earendil-works/pi/pull/120',
    8000,
    'Larger values were rejected in a test; the pages state no limit.',
  ),
  usefulEdge: from(
    GEMINI_IMAGES,
    3072,
    'Larger document pages are reduced to this; pictures are not mentioned.',
  ),
  images: from(GEMINI_IMAGES, 3000, '3600 on the Gemini API, 3000 on Vertex AI.'),
  manyImages: from(GEMINI_IMAGES, null),
  manyImagesEdge: from(GEMINI_IMAGES, null),
  manyCountsDocuments: from(GEMINI_IMAGES, false),
  imageTokens: from(
    GEMINI_IMAGES,
    { kind: 'crops', tokens: 258, small: 384, atLeast: 1120 },
    'Gemini 3 counts 1120 for any picture, older models 258 per crop: the larger is used.',
  ),
  pdf: from(GEMINI_DOCUMENTS, true),
  pdfBytes: from(GEMINI_DOCUMENTS, 50 * MEGABYTE),
  pdfTotalBytes: from(GEMINI_DOCUMENTS, null),
  pdfPages: from(GEMINI_DOCUMENTS, 1000),
  pdfFiles: from(GEMINI_DOCUMENTS, null),
  pdfTokensPerPage: from(
    'https://ai.google.dev/gemini-api/docs/media-resolution',
    1120,
    'Gemini 3 at its highest resolution; 258 before.',
  ),
  audioTypes: from(GEMINI_AUDIO, [
    'audio/wav',
    'audio/mpeg',
    'audio/aiff',
    'audio/aac',
    'audio/ogg',
    'audio/flac',
  ]),
  audioBytes: from(GEMINI_AUDIO, null),
  audioSeconds: from(GEMINI_AUDIO, 9.5 * 3600),
  audioTokensPerSecond: from(GEMINI_AUDIO, 32),
  requestBytes: from(
    GEMINI_IMAGES,
    20 * MEGABYTE,
    `100 MB by ${GEMINI_FILES}; the pages of pictures and sound still say 20 MB.`,
  ),
  tokens: from('https://ai.google.dev/gemini-api/docs/models', 250_000, 'Of 1 000 000.'),
};

const BEDROCK_MESSAGE = 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html';
const BEDROCK_IMAGE = 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ImageBlock.html';
const BEDROCK_DOCUMENT =
  'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html';
const BEDROCK_RESTRICTIONS =
  'https://docs.aws.amazon.com/bedrock/latest/userguide/inference-api-restrictions.html';

const BEDROCK: Limits = {
  imageTypes: from(BEDROCK_IMAGE, PNG_JPEG_GIF_WEBP),
  animations: from(CLAUDE_VISION, false, 'Claude uses the first frame; other models are not mentioned.'),
  imageBytes: from(BEDROCK_MESSAGE, 3_750_000, '3.75 MB.'),
  imageBase64Bytes: from(CLAUDE_VISION, 5_000_000, '5 MB for Claude on Amazon Bedrock.'),
  imageEdge: from(BEDROCK_MESSAGE, 8000),
  usefulEdge: from(CLAUDE_VISION, 2576, 'For Claude.'),
  images: from(BEDROCK_MESSAGE, 20, `${BEDROCK_RESTRICTIONS} leaves the count to the models.`),
  manyImages: from(CLAUDE_VISION, 20, 'For Claude.'),
  manyImagesEdge: from(CLAUDE_VISION, 2000, 'For Claude.'),
  manyCountsDocuments: from(CLAUDE_VISION, true),
  imageTokens: from(CLAUDE_VISION, ANTHROPIC.imageTokens.value, 'For Claude.'),
  pdf: from(BEDROCK_DOCUMENT, true),
  pdfBytes: from(BEDROCK_MESSAGE, 4_500_000, '4.5 MB; larger for Claude 4 and Nova.'),
  pdfTotalBytes: from(BEDROCK_MESSAGE, null),
  pdfPages: from(BEDROCK_RESTRICTIONS, 100, 'For Claude.'),
  pdfFiles: from(BEDROCK_MESSAGE, 5),
  pdfTokensPerPage: from(
    CLAUDE_PDF,
    ANTHROPIC.pdfTokensPerPage.value,
    'For Claude with citations; less without.',
  ),
  audioTypes: from(BEDROCK_RESTRICTIONS, []),
  audioBytes: from(BEDROCK_RESTRICTIONS, null),
  audioSeconds: from(BEDROCK_RESTRICTIONS, null),
  audioTokensPerSecond: from(BEDROCK_RESTRICTIONS, 0),
  requestBytes: from(
    'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html',
    20 * MEGABYTE,
    'For InvokeModel; Converse is not mentioned.',
  ),
  tokens: from(CLAUDE_WINDOWS, 50_000, 'Of 200 000, as for Claude.'),
};

const MISTRAL_VISION = 'https://docs.mistral.ai/capabilities/vision';
const MISTRAL_DOCUMENTS = 'https://docs.mistral.ai/capabilities/OCR/document_qna';
const MISTRAL_LIMITS = 'https://docs.mistral.ai/resources/known-limitations';
const OBSERVED_LIMITS = 'https://github.com/earendil-works/pi/pull/120';

const MISTRAL: Limits = {
  imageTypes: from(MISTRAL_VISION, PNG_JPEG_GIF_WEBP),
  animations: from(MISTRAL_VISION, false, 'Non-animated GIF only.'),
  imageBytes: unconfirmed(
    MISTRAL_VISION,
    7_500_000,
    '10 MB; the page does not say whether of the file or of its base64.',
  ),
  imageBase64Bytes: unconfirmed(MISTRAL_VISION, 10 * MEGABYTE, 'As above; about 15 MB passed in a test.'),
  imageEdge: unconfirmed(
    OBSERVED_LIMITS,
    8000,
    'Larger values were rejected in a test; the page named 10 000.',
  ),
  usefulEdge: unconfirmed(MISTRAL_VISION, 1540, 'Larger pictures are reduced; 1024 for Pixtral 12B.'),
  images: unconfirmed(OBSERVED_LIMITS, 8, 'The ninth was rejected in a test.'),
  manyImages: from(MISTRAL_VISION, null),
  manyImagesEdge: from(MISTRAL_VISION, null),
  manyCountsDocuments: from(MISTRAL_VISION, false),
  imageTokens: unconfirmed(
    'https://github.com/scaleway/docs-content/pull/4424',
    { kind: 'patches', patch: 16, maxEdge: 1024, maxPatches: 4096, multiplier: 1 },
    'For Pixtral 12B; later models count fewer.',
  ),
  pdf: from(MISTRAL_DOCUMENTS, true),
  pdfBytes: unconfirmed(
    'https://github.com/icereed/paperless-gpt/blob/main/docs/mistral_llm.md',
    50 * MEGABYTE,
    'Stated for the OCR service that reads documents.',
  ),
  pdfTotalBytes: from(MISTRAL_DOCUMENTS, null),
  pdfPages: unconfirmed(
    'https://github.com/icereed/paperless-gpt/blob/main/docs/mistral_llm.md',
    1000,
    'Stated for the OCR service that reads documents.',
  ),
  pdfFiles: unconfirmed(MISTRAL_DOCUMENTS, 8, 'No number is given: as for pictures.'),
  pdfTokensPerPage: unconfirmed(MISTRAL_DOCUMENTS, 2000, 'The text of a dense page; no number is given.'),
  audioTypes: from(MISTRAL_LIMITS, [], 'Only models made for sound accept it.'),
  audioBytes: from(MISTRAL_LIMITS, null),
  audioSeconds: from(MISTRAL_LIMITS, null),
  audioTokensPerSecond: unconfirmed(MISTRAL_LIMITS, 12.5, 'For Voxtral.'),
  requestBytes: unconfirmed(MISTRAL_LIMITS, 50 * MEGABYTE, 'No number is given.'),
  tokens: from(MISTRAL_LIMITS, 32_000, 'Of 128 000.'),
};

/** The recipient of a message. */
export type Provider = Exclude<Target, 'ai-sdk'>;

/** What each accepts if the model is unknown. */
export const TABLE: Readonly<Record<Provider, Limits>> = {
  anthropic: ANTHROPIC,
  'openai-chat': OPENAI,
  'openai-responses': OPENAI,
  gemini: GEMINI,
  bedrock: BEDROCK,
  mistral: MISTRAL,
};
