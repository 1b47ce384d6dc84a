// A summarizer that uses a model of the AI SDK (versions 5 to 7). Loads the package `ai` on first use; its types are
// not part of the declarations, which must compile without it.

import type { LanguageModel } from 'ai';
import { checkOptions, loadOptional, ReaderError, type Tokens } from '../../../contract/index.ts';
import type { Summarizer } from '../summarizer.ts';
import { answerRoom, cutOff } from './client.ts';
import { failureOf, refusal } from './failure.ts';

/** A model of the AI SDK, by shape, or a model name. */
export type AiSdkModel =
  | string
  | { readonly specificationVersion: string; readonly provider: string; readonly modelId: string };

export interface AiSdkSummaryOptions {
  /** Default 0. The SDK omits it with a warning if the model does not support it; null omits it always. */
  readonly temperature?: number | null;
  /** Maximum answer size in the model's tokens, including thinking. Default: twice the summary's size plus 1024. */
  readonly maxOutputTokens?: Tokens;
}

/**
 * Returns a summarizer that calls `model` once per answer, without the SDK's retries. Its errors contain neither the
 * key nor the request: MISSING_DEPENDENCY without the package `ai`, ABORTED, TIMED_OUT, ACCESS_DENIED, BUSY,
 * OVER_BUDGET if the answer was cut off, BAD_INPUT, INTERNAL.
 * @throws {ReaderError} BAD_INPUT for unknown options or a missing model
 */
export function summarizeWithAiSdk(model: AiSdkModel, options: AiSdkSummaryOptions = {}): Summarizer {
  checkOptions('summarizeWithAiSdk', options, { temperature: true, maxOutputTokens: true });
  if (model === undefined || model === null || (model as unknown) === '')
    throw new ReaderError(
      'BAD_INPUT',
      '`summarizeWithAiSdk` needs a model.',
      "Pass a model of the AI SDK, such as `openai('gpt-5-mini')`, or its name.",
    );
  const temperature = options.temperature === undefined ? 0 : options.temperature;
  return async ({ instructions, transcript, maxTokens, signal }) => {
    const { generateText } = await loaded();
    const asked = await generateText({
      // The installed package accepts this model version or rejects it itself.
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

const loaded = (): Promise<typeof import('ai')> =>
  loadOptional('aiSdk', 'A summarizer of the AI SDK', () => import('ai'));
