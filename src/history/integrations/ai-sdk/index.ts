// The compactor for loops of the AI SDK (versions 5 to 7), as a `prepareStep`. Types are structural, so the package
// `ai` is not needed.

import { checkOptions } from '../../../contract/index.ts';
import { systemText } from '../../call-options.ts';
import { codecOf } from '../../codecs/index.ts';
import type { Compactor } from '../../compactor.ts';
import { type Conversation, type ConversationOptions, conversationsOf, type Sent } from '../conversations.ts';
import { aborting, fields, modelName, promptTokens } from './call.ts';

export {
  type CompactingMiddleware,
  compactingMiddleware,
  type MiddlewareOptions,
} from './middleware.ts';

/** Arguments of `prepareStep`, limited to what is used here. */
export interface Step<M> {
  readonly messages: M[];
  readonly steps: readonly unknown[];
  readonly stepNumber: number;
  /** A model or its name. */
  readonly model?: unknown;
}

export interface PrepareStepOptions<M> extends Omit<ConversationOptions<M>, 'format'> {
  /**
   * Returns the name of a step's conversation. Default: the conversation whose newest prompt is a prefix of this one,
   * ignoring system prompts.
   */
  readonly conversation?: (step: Step<M>) => string;
}

/** Settings of the call that `prepareStep` does not receive. */
export interface StepSettings {
  /** As in the call: a string or system messages. Version 7 provides it. */
  readonly system?: unknown;
  /** As in the call. */
  readonly tools?: unknown;
  /** As in the call. */
  readonly abortSignal?: AbortSignal;
}

/** Your own `prepareStep`, which runs first. */
export interface OwnPrepareStep<S, R> {
  readonly prepareStep: (step: S) => R | PromiseLike<R>;
}

const STEP_SETTINGS = { system: true, tools: true, abortSignal: true, prepareStep: true } as const;

/** The compactor of a conversation, by the name from the option `conversation`: for `restore`, `state`, `stats`. */
export interface WithCompactor<M> {
  compactor(conversation: string): Compactor<M>;
}

/**
 * Creates a `prepareStep` for `generateText`, `streamText` and agents that keeps every step's prompt within the model's
 * window. It follows many conversations at once, 100 by default, and learns the real size of prompts from the steps'
 * usage. Your own `prepareStep` in `settings` runs first: its messages, system prompt and model are used, and its other
 * results are passed on. Inside a call of version 7, TypeScript needs an explicit type:
 * `const own: PrepareStepFunction<typeof tools> = ...`.
 * @throws {ReaderError} BAD_INPUT for invalid options
 */
export function compactingPrepareStep<M>(
  options: PrepareStepOptions<M>,
  settings?: StepSettings,
): (<N extends M>(step: Step<N>) => Promise<{ messages: N[] }>) & WithCompactor<M>;
export function compactingPrepareStep<M, S extends Step<M>, R>(
  options: PrepareStepOptions<M>,
  settings: StepSettings & OwnPrepareStep<S, R>,
): (step: S) => Promise<R & { messages: S['messages'] }>;
export function compactingPrepareStep<M>(
  options: PrepareStepOptions<M>,
  settings: StepSettings & Partial<OwnPrepareStep<Step<M>, unknown>> = {},
): ((step: Step<M>) => Promise<{ messages: M[] }>) & WithCompactor<M> {
  const conversations = conversationsOf<M, Step<M>>('compactingPrepareStep', codecOf<M>('ai-sdk'), options);
  checkOptions('compactingPrepareStep', settings, STEP_SETTINGS);
  /** The last call of each conversation, with its step number. */
  const sent = new WeakMap<Conversation<M>, { readonly step: number; readonly call: Sent<M> }>();
  const prepare = async (step: Step<M>): Promise<{ messages: M[] }> => {
    const own = fields(await settings.prepareStep?.(step));
    // By its type, the caller's own list contains messages.
    const messages = (own['messages'] ?? step.messages) as M[];
    const model = modelName(own['model'] ?? step.model);
    const conversation = conversations.find({ ...step, messages }, messages, model);
    const last = sent.get(conversation);
    if (last && last.step === step.stepNumber - 1)
      last.call.observe(promptTokens(fields(step.steps.at(-1))['usage']));
    const { tools, abortSignal } = settings;
    const system = own['system'] ?? own['instructions'] ?? fields(step)['instructions'] ?? settings.system;
    const sending = conversation.send(messages, {
      system: systemText(system),
      ...(tools !== undefined && { tools }),
      ...conversations.windowOf(model),
      ...(abortSignal && { signal: abortSignal }),
    });
    const call = await aborting(abortSignal, sending);
    sent.set(conversation, { step: step.stepNumber, call });
    return { ...own, messages: call.compacted.messages };
  };
  return Object.assign(prepare, {
    compactor: (name: string): Compactor<M> => conversations.named(name).compactor,
  });
}
