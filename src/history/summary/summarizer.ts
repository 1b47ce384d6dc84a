// The interface of a summarizer. Anything async that turns a transcript into a text is one.

import type { Tokens } from '../../contract/index.ts';

export interface SummaryRequest {
  /** What the summary must hold, to be given as the system prompt or before the transcript. */
  readonly instructions: string;
  /** The part of the conversation that goes, readable, at most SUMMARIZER_INPUT_MAX_TOKENS. */
  readonly transcript: string;
  /** The summary's own size, at most. */
  readonly maxTokens: Tokens;
  readonly signal: AbortSignal;
}

/** Text, or text with whether the model called a tool in place of answering. */
export type SummaryAnswer = string | { readonly text: string; readonly calledTool?: boolean };

export type Summarizer = (request: SummaryRequest) => Promise<SummaryAnswer>;
