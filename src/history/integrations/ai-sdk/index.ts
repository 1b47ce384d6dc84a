// The compactor in loops of the AI SDK (versions 5 to 7), by their `prepareStep`. Needs nothing of the package `ai` itself:
// what it gives and takes is typed by its shape.

import { checkOptions, ReaderError } from '../../../contract/index.ts';
import { codecOf } from '../../codecs/index.ts';
import { guarded } from '../../codecs/native.ts';
import type { Compacted, Compactor } from '../../compactor.ts';
import { Conversation, type ConversationOptions } from '../conversations.ts';
import {
  aborting,
  aiSdkConversations,
  fields,
  modelName,
  openWindow,
  otherFormat,
  promptTokens,
  systemText,
} from './call.ts';

export {
  type CompactingMiddleware,
  compactingMiddleware,
  type MiddlewareOptions,
} from './middleware.ts';
export { offloadingTools } from './tools.ts';

/** What `prepareStep` is told: as far as it is read here. */
export interface Step<M> {
  readonly messages: M[];
  readonly steps: readonly unknown[];
  readonly stepNumber: number;
  /** A model or its name. */
  readonly model?: unknown;
}

export interface PrepareStepOptions<M> extends ConversationOptions<M> {
  /**
   * Name of the conversation a step belongs to. Default: a prompt goes on with the conversation whose newest prompt it begins
   * with, whatever their system prompts.
   */
  readonly conversation?: (step: Step<M>) => string;
}

/** What a step is not told and the compactor should know. */
export interface StepSettings {
  /** As in the call: a text, or system messages. Version 7 tells it. */
  readonly system?: unknown;
  /** As in the call. */
  readonly tools?: unknown;
  /** As in the call. */
  readonly abortSignal?: AbortSignal;
}

/** A `prepareStep` of one's own, which is asked first. */
export interface OwnPrepareStep<S, R> {
  readonly prepareStep: (step: S) => R | PromiseLike<R>;
}

const STEP_SETTINGS = { system: true, tools: true, abortSignal: true, prepareStep: true } as const;

/**
 * A `prepareStep` for `generateText`, `streamText` and agents that keeps every step's prompt within the model's window. Made
 * with options, it follows many conversations at once, 100 by default; made with a compactor (of format `ai-sdk`), that one
 * conversation. It learns the real size of prompts from the steps' usage. A `prepareStep` of your own in `settings` is asked
 * first, and what messages, system prompt and model it gives count; what else it gives is passed on. Inside a call of
 * version 7, TypeScript wants its type told: `const own: PrepareStepFunction<typeof tools> = ...`.
 * @throws {ReaderError} BAD_INPUT for options that are none, or a compactor of another format: at once, or when it shows
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
  /** The list that each conversation was last given for a step of that number. */
  const given = new WeakMap<Conversation<M>, { readonly step: number; readonly list: number }>();
  return async (step) => {
    const own = fields(await settings.prepareStep?.(step));
    // The caller's own list is one of messages, as its type says.
    const messages = (own['messages'] ?? step.messages) as M[];
    const model = modelName(own['model'] ?? step.model);
    const conversation = following({ ...step, messages }, model);
    const last = given.get(conversation);
    if (last && last.step === step.stepNumber - 1)
      conversation.observe(promptTokens(fields(step.steps.at(-1))['usage']), last.list);
    const { tools, abortSignal } = settings;
    const told = fields(step);
    const system = systemText(
      own['system'] ?? own['instructions'] ?? told['instructions'] ?? settings.system,
    );
    const compacted = await aborting(
      abortSignal,
      conversation.compact(messages, {
        ...(system !== undefined && { system }),
        ...(tools !== undefined && { tools }),
        ...windowOf(model),
        ...(abortSignal && { signal: abortSignal }),
      }),
    );
    if (isCompactor(source)) refuseOtherFormat(messages, compacted);
    given.set(conversation, { step: step.stepNumber, list: conversation.given });
    return { ...own, messages: compacted.messages };
  };
}

function isCompactor<M>(source: object): source is Compactor<M> {
  return 'compact' in source && typeof source.compact === 'function';
}

/** @throws {ReaderError} BAD_INPUT for what is neither options nor a compactor, or a compactor made for another format */
function refuseSource(source: unknown): void {
  if (typeof source !== 'object' || source === null)
    throw new ReaderError(
      'BAD_INPUT',
      '`compactingPrepareStep` was given neither options nor a compactor.',
      "Pass `{ model: 'gpt-5' }`, or a compactor made by `createCompactor({ format: 'ai-sdk' })`.",
    );
  if (!isCompactor(source)) return;
  // One of no format takes plain texts for another, until a message of its own comes.
  const isUnused = guarded(() => source.stats().calls === 0, false);
  const format = isUnused ? source.state().codec : null;
  if (format !== null && format !== 'ai-sdk') throw otherFormat('compactingPrepareStep', 'compactor', format);
}

/** @throws {ReaderError} BAD_INPUT where messages were followed by a format that they are not of */
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
  return (step, model) =>
    conversation ? conversations.named(conversation(step), model) : conversations.of(step.messages, model);
}
