// What can be limited in a request, and a limit's value with the page it is from. The values are in `providers.ts` and `names.ts`.

import type { MimeType, Tokens } from '../contract/index.ts';

/** The message format that attachments are prepared for. */
export type Target =
  | 'anthropic'
  | 'openai-chat'
  | 'openai-responses'
  | 'gemini'
  | 'bedrock'
  | 'mistral'
  | 'ai-sdk';

/** How a provider counts a picture. */
export type ImageTokenRule =
  /** A token a patch, of the picture made to fit `maxEdge` and `maxPatches`. */
  | {
      readonly kind: 'patches';
      readonly patch: number;
      readonly maxEdge: number | null;
      readonly maxPatches: number | null;
      readonly multiplier: number;
    }
  /** `base`, and `tile` for each 512 pixels square of the picture within 2048 and its short edge brought to 768. */
  | { readonly kind: 'tiles'; readonly base: Tokens; readonly tile: Tokens }
  /** `tokens` for each crop of two thirds of the short edge, once for a picture within `small`; `atLeast` in any case. */
  | { readonly kind: 'crops'; readonly tokens: Tokens; readonly small: number; readonly atLeast: Tokens }
  | { readonly kind: 'flat'; readonly tokens: Tokens }
  | { readonly kind: 'most'; readonly of: readonly ImageTokenRule[] };

/**
 * What one request may hold. `null` where the provider names no bound. Bytes are of the file, but for those called
 * base64, which are of the file as base64; a value is the most that is accepted.
 */
export interface LimitValues {
  /** Types of pictures; empty for none. */
  readonly imageTypes: readonly MimeType[];
  /** A picture that moves is accepted; without, its first frame is given. */
  readonly animations: boolean;
  readonly imageBytes: number | null;
  readonly imageBase64Bytes: number | null;
  /** Longest edge in pixels. */
  readonly imageEdge: number | null;
  /** Longest edge the model looks at; a picture that has to be made smaller is made this small. */
  readonly usefulEdge: number | null;
  /** Pictures in a request. */
  readonly images: number | null;
  /** More pictures than this may have at most `manyImagesEdge`. */
  readonly manyImages: number | null;
  readonly manyImagesEdge: number | null;
  /** Documents count towards `manyImages`. */
  readonly manyCountsDocuments: boolean;
  readonly imageTokens: ImageTokenRule;
  /** PDF is accepted. None accepts an encrypted one. */
  readonly pdf: boolean;
  readonly pdfBytes: number | null;
  /** Of all PDF files together. */
  readonly pdfTotalBytes: number | null;
  /** Of all PDF files together. */
  readonly pdfPages: number | null;
  /** PDF files in a request. */
  readonly pdfFiles: number | null;
  readonly pdfTokensPerPage: Tokens;
  /** Types of sound; empty for none. */
  readonly audioTypes: readonly MimeType[];
  readonly audioBytes: number | null;
  /** Of all recordings together. */
  readonly audioSeconds: number | null;
  readonly audioTokensPerSecond: number;
  /** Of the whole body of a request. */
  readonly requestBytes: number;
  /** What attachments may cost in all when nothing else is asked: a quarter of the smallest context window. */
  readonly tokens: Tokens;
}

/** A value, and where it is from. */
export interface Sourced<T> {
  readonly value: T;
  /** The page it was read on. */
  readonly source: string;
  /** When it was read: `2026-11-22`. */
  readonly date: string;
  readonly note?: string;
  /** No page of the provider could be read for it: an observation or an estimate. */
  readonly unconfirmed?: true;
}

/** Every limit of one target. */
export type Limits = { readonly [K in keyof LimitValues]: Sourced<LimitValues[K]> };
