// The compactor for loops of the AI SDK (versions 5 to 7), as a `prepareStep`. Types are structural, so the package
// `ai` is not needed.

import { checkOptions, ReaderError } from '../../../contract/index.ts';
import { systemText } from '../../call-options.ts';
import { codecOf } from '../../codecs/index.ts';
import { guarded } from '../../codecs/native.ts';
import type { Compacted, Compactor } from '../../compactor.ts';
import { Conversation, type ConversationOptions, type Sent } from '../conversations.ts';
import {
  aborting,
  aiSdkConversations,
  fields,
  modelName,
  openWindow,
  otherFormat,
  promptTokens,
} from './call.ts';

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

export interface PrepareStepOptions<M> extends ConversationOptions<M> {
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

/**
 * Creates a `prepareStep` for `generateText`, `streamText` and agents that keeps every step's prompt within the model's
 * window. With options, it follows many conversations at once, 100 by default; with a compactor (of format `ai-sdk`),
 * only that conversation. Learns the real size of prompts from the steps' usage. Your own `prepareStep` in `settings`
 * runs first: its messages, system prompt and model are used, and its other results are passed on. Inside a call of
 * version 7, TypeScript needs an explicit type: `const own: PrepareStepFunction<typeof tools> = ...`.
 * @throws {ReaderError} BAD_INPUT for invalid options, or a compactor of another format, immediately or once it is
 * detected
 */
export function compactingPrepareStep<M>(
  source: PrepareStepOptions<M> | Compactor<M>,
  settings?: StepSettings,
): <N extends M>(step: Step<N>) => Promise<{ messages: N[] }>;
export function compactingPrepareStep<M, S extends Step<M>, R>(
  source: PrepareStepOptions<M> | Compactor<M>,
  settings: StepSettings & OwnPrepareStep<S, R>,
): (step: S) => Promise<R & { messages: S['messages'] }>;
export function compactingPrepareStep<M>(
  source: PrepareStepOptions<M> | Compactor<M>,
  settings: StepSettings & Partial<OwnPrepareStep<Step<M>, unknown>> = {},
): (step: Step<M>) => Promise<{ messages: M[] }> {
  refuseSource(source);
  checkOptions('compactingPrepareStep', settings, STEP_SETTINGS);
  const following = followSteps(source);
  const windowOf = isCompactor(source) ? () => ({}) : openWindow(source);
  /** The last call of each conversation, with its step number. */
  const sent = new WeakMap<Conversation<M>, { readonly step: number; readonly call: Sent<M> }>();
  return async (step) => {
    const own = fields(await settings.prepareStep?.(step));
    // By its type, the caller's own list contains messages.
    const messages = (own['messages'] ?? step.messages) as M[];
    const model = modelName(own['model'] ?? step.model);
    const conversation = following({ ...step, messages }, model);
    const last = sent.get(conversation);
    if (last && last.step === step.stepNumber - 1)
      last.call.observe(promptTokens(fields(step.steps.at(-1))['usage']));
    const { tools, abortSignal } = settings;
    const stepFields = fields(step);
    const system = own['system'] ?? own['instructions'] ?? stepFields['instructions'] ?? settings.system;
    const call = await aborting(
      abortSignal,
      conversation.send(messages, {
        system: systemText(system),
        ...(tools !== undefined && { tools }),
        ...windowOf(model),
        ...(abortSignal && { signal: abortSignal }),
      }),
    );
    if (isCompactor(source)) refuseOtherFormat(messages, call.compacted);
    sent.set(conversation, { step: step.stepNumber, call });
    return { ...own, messages: call.messages };
  };
}

function isCompactor<M>(source: object): source is Compactor<M> {
  return 'compact' in source && typeof source.compact === 'function';
}

/** @throws {ReaderError} BAD_INPUT if it is neither options nor a compactor, or is a compactor of another format */
function refuseSource(source: unknown): void {
  if (typeof source !== 'object' || source === null)
    throw new ReaderError(
      'BAD_INPUT',
      '`compactingPrepareStep` needs options or a compactor.',
      "Pass `{ model: 'gpt-5' }`, or a compactor created with `createCompactor({ format: 'ai-sdk' })`.",
    );
  if (!isCompactor(source)) return;
  // Without a set format, a compactor detects plain texts as another format until an AI SDK message arrives.
  const isUnused = guarded(() => source.stats().calls === 0, false);
  const format = isUnused ? source.state().codec : null;
  if (format !== null && format !== 'ai-sdk') throw otherFormat('compactingPrepareStep', 'compactor', format);
}

/** @throws {ReaderError} BAD_INPUT if the messages were compacted in a format other than theirs */
function refuseOtherFormat<M>(messages: readonly M[], { report }: Compacted<M>): void {
  const { codec } = report;
  if (codec === 'ai-sdk' || messages.length === 0) return;
  if (!guarded(() => codecOf(codec).detect(messages), false))
    throw otherFormat('compactingPrepareStep', 'compactor', codec);
}

function followSteps<M>(
  source: PrepareStepOptions<M> | Compactor<M>,
): (step: Step<M>, model: string | null) => Conversation<M> {
  if (isCompactor<M>(source)) {
    const only = new Conversation(source, () => undefined);
    return () => only;
  }
  const { conversation, ...options } = source;
  const conversations = aiSdkConversations('compactingPrepareStep', options);
  return (step, model) => conversations.find(conversation?.(step), step.messages, model);
}
