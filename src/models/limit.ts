// The limits of a request, and the type of a limit's value with its source. The values are in `providers.ts` and
// `names.ts`.

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

/** How a provider counts the tokens of a picture. */
export type ImageTokenRule =
  /** One token per patch of the picture, scaled to fit `maxEdge` and `maxPatches`. */
  | {
      readonly kind: 'patches';
      readonly patch: number;
      readonly maxEdge: number | null;
      readonly maxPatches: number | null;
      readonly multiplier: number;
    }
  /** `base`, plus `tile` per 512-pixel square, after scaling to fit 2048 and the short edge to 768. */
  | { readonly kind: 'tiles'; readonly base: Tokens; readonly tile: Tokens }
  /**
   * `tokens` per crop of two thirds of the short edge, once for a picture within `small`; never less than `atLeast`.
   */
  | { readonly kind: 'crops'; readonly tokens: Tokens; readonly small: number; readonly atLeast: Tokens }
  | { readonly kind: 'flat'; readonly tokens: Tokens }
  | { readonly kind: 'most'; readonly of: readonly ImageTokenRule[] };

/**
 * Limits of one request. `null` if the provider states none. Bytes are those of the file, or of its base64 form where
 * the name says so. Each value is the maximum accepted.
 */
export interface LimitValues {
  /** Accepted picture types; may be empty. */
  readonly imageTypes: readonly MimeType[];
  /** Animated pictures are accepted; otherwise the first frame is used. */
  readonly animations: boolean;
  readonly imageBytes: number | null;
  readonly imageBase64Bytes: number | null;
  /** Longest edge in pixels. */
  readonly imageEdge: number | null;
  /** Longest edge the model makes use of; pictures that must be reduced are reduced to this. */
  readonly usefulEdge: number | null;
  /** Pictures per request. */
  readonly images: number | null;
  /** If there are more pictures than this, each may have at most `manyImagesEdge`. */
  readonly manyImages: number | null;
  readonly manyImagesEdge: number | null;
  /** Documents count towards `manyImages`. */
  readonly manyCountsDocuments: boolean;
  readonly imageTokens: ImageTokenRule;
  /** PDF is accepted. No provider accepts encrypted ones. */
  readonly pdf: boolean;
  readonly pdfBytes: number | null;
  /** All PDF files together. */
  readonly pdfTotalBytes: number | null;
  /** All PDF files together. */
  readonly pdfPages: number | null;
  /** PDF files per request. */
  readonly pdfFiles: number | null;
  readonly pdfTokensPerPage: Tokens;
  /** Accepted sound types; may be empty. */
  readonly audioTypes: readonly MimeType[];
  readonly audioBytes: number | null;
  /** All recordings together. */
  readonly audioSeconds: number | null;
  readonly audioTokensPerSecond: number;
  /** The whole request body. */
  readonly requestBytes: number;
  /** Default token budget of all attachments: a quarter of the smallest context window. */
  readonly tokens: Tokens;
}

/** A value with its source. */
export interface Sourced<T> {
  readonly value: T;
  /** The page that states it. */
  readonly source: string;
  /** When it was read: `2026-11-22`. */
  readonly date: string;
  readonly note?: string;
  /** Not stated on any page of the provider: an observation or an estimate. */
  readonly unconfirmed?: true;
}

/** Every limit of one target. */
export type Limits = { readonly [K in keyof LimitValues]: Sourced<LimitValues[K]> };
