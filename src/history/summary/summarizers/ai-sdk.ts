// A summarizer over a model of the AI SDK (version 5 to 7). Needs the package `ai`, which is loaded when it is first asked;
// its types stay out of the declarations, which must compile without it.

import type { LanguageModel } from 'ai';
import { checkOptions, ReaderError, type Tokens } from '../../../contract/index.ts';
import type { Summarizer } from '../summarizer.ts';
import { answerRoom, cutOff } from './client.ts';
import { failureOf, refusal } from './failure.ts';

/** A model of the AI SDK, by shape, or its name. */
export type AiSdkModel =
  | string
  | { readonly specificationVersion: string; readonly provider: string; readonly modelId: string };

export interface AiSdkSummaryOptions {
  /** 0 by default, which the SDK leaves out with a warning where a model has none; null leaves it to the model. */
  readonly temperature?: number | null;
  /** Of the answer, in the model's own tokens, thinking included; by default twice the summary's size and 1024. */
  readonly maxOutputTokens?: Tokens;
}

/**
 * A summarizer that asks `model` once an answer, without the SDK's own retries. What it throws names neither a key nor what
 * was sent: MISSING_DEPENDENCY without the package `ai`, ABORTED, TIMED_OUT, ACCESS_DENIED, BUSY, OVER_BUDGET for an answer cut off,
 * BAD_INPUT, INTERNAL.
 * @throws {ReaderError} BAD_INPUT for options it does not have, or without a model
 */
export function summarizeWithAiSdk(model: AiSdkModel, options: AiSdkSummaryOptions = {}): Summarizer {
  checkOptions('summarizeWithAiSdk', options, { temperature: true, maxOutputTokens: true });
  if (model === undefined || model === null || (model as unknown) === '')
    throw new ReaderError(
      'BAD_INPUT',
      '`summarizeWithAiSdk` was given no model.',
      "Pass a model of the AI SDK, such as `openai('gpt-5-mini')`, or its name.",
    );
  const temperature = options.temperature === undefined ? 0 : options.temperature;
  return async ({ instructions, transcript, maxTokens, signal }) => {
    const { generateText } = await loaded();
    const asked = await generateText({
      // One of the versions the installed package takes, or it refuses the model itself.
      model: model as LanguageModel,
      system: instructions,
      prompt: transcript,
      maxOutputTokens: options.maxOutputTokens ?? answerRoom(maxTokens),
      maxRetries: 0,
      abortSignal: signal,
      ...(temperature === null ? {} : { temperature }),
    }).catch((error: unknown) => {
      throw refusal(failureOf(error, signal));
    });
    const calledTool = asked.toolCalls.length > 0 || asked.finishReason === 'tool-calls';
    if (asked.finishReason === 'length' && !calledTool) throw cutOff();
    return { text: asked.text, calledTool };
  };
}

async function loaded(): Promise<typeof import('ai')> {
  try {
    return await import('ai');
  } catch (error) {
    throw new ReaderError(
      'MISSING_DEPENDENCY',
      'The package `ai` is not installed.',
      'Install it: `npm install ai`.',
      error,
    );
  }
}
