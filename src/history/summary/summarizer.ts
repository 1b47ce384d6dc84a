// The summarizer interface: any async function that turns a transcript into a text.

import type { Tokens } from '../../contract/index.ts';

export interface SummaryRequest {
  /** What the summary must contain; pass it as the system prompt or before the transcript. */
  readonly instructions: string;
  /** The removed part of the conversation as readable text, at most SUMMARIZER_INPUT_MAX_TOKENS. */
  readonly transcript: string;
  /** Maximum tokens of the summary. */
  readonly maxTokens: Tokens;
  readonly signal: AbortSignal;
}

/** A text, optionally with whether the model called a tool instead of answering. */
export type SummaryAnswer = string | { readonly text: string; readonly calledTool?: boolean };

export type Summarizer = (request: SummaryRequest) => Promise<SummaryAnswer>;
