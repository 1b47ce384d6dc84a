// The compactor in the OpenAI Agents SDK (`@openai/agents` 0.20): around a model, as the filter of a run, or around a session.
// Nothing of the SDK is loaded; its types are all that is read of it.

import type { AgentInputItem, CallModelInputFilterArgs, ModelInputData } from '@openai/agents-core';
import type { CallOptions } from '../../call-options.ts';
import { refuseOther } from '../conversations.ts';
import { editedMessages } from '../edited.ts';
import { type AgentsOptions, agentConversations, agentItems } from './items.ts';

export type { AgentsOptions } from './items.ts';
export { type CompactingModelOptions, compactingModel } from './model.ts';
export {
  type CompactedSession,
  type CompactingSessionOptions,
  compactingSession,
} from './session.ts';

export interface CompactingFilterOptions extends AgentsOptions {
  /** Name of the conversation of a run, such as an id in `context`. Default: known again by its items. */
  readonly conversation?: (call: CallModelInputFilterArgs<unknown>) => string;
}

/** A `CallModelInputFilter` of the SDK, for runs with any context. */
export type CompactingFilter = (call: CallModelInputFilterArgs<unknown>) => Promise<ModelInputData>;

/**
 * The items of a run that only says what is new to a conversation the provider keeps: results of calls it does not hold, and
 * nothing that a model said.
 */
function isDelta(items: readonly AgentInputItem[]): boolean {
  const called = new Set<string>();
  let orphans = false;
  for (const native of items) {
    const { role, items: parts } = agentItems.view(native);
    for (const { kind, callId } of parts) {
      if (kind === 'call' && callId !== null) called.add(callId);
      else if (kind === 'result') orphans ||= callId !== null && !called.has(callId);
      else if (role === 'assistant') return false;
    }
  }
  return orphans && called.size === 0;
}

/** `item` says what `as` says, and is still the same object. */
function become(item: AgentInputItem, as: AgentInputItem): void {
  for (const name of Object.keys(item)) Reflect.deleteProperty(item, name);
  Object.assign(item, as);
}

/**
 * A `callModelInputFilter` that gives the model a compacted view of a run. The SDK stores in a session what a filter makes of
 * the run's own input, so that a message too long for the window is stored cut (its original lies in the archive); items the
 * run makes are stored whole. It stands down where the provider keeps the conversation, as far as that shows: when results
 * come without their calls and nothing a model said. It is told neither usage nor refusals: use `compactingModel` for these.
 * Hand it to the SDK as it is: it changes the copies it is given.
 * @throws {ReaderError} BAD_INPUT for options that are none
 */
export function compactingInputFilter(options: CompactingFilterOptions = {}): CompactingFilter {
  refuseOther('compactingInputFilter', options);
  const { conversation: nameOf, ...rest } = options;
  const conversations = agentConversations('compactingInputFilter', rest);
  return async (call) => {
    const { modelData, agent } = call;
    const { input, instructions } = modelData;
    if (input.length === 0 || isDelta(input)) return modelData;
    const model = typeof agent.model === 'string' && agent.model !== '' ? agent.model : null;
    const conversation = nameOf ? conversations.named(nameOf(call), model) : conversations.of(input, model);
    const callOptions: CallOptions = {
      tools: [...agent.tools, ...agent.handoffs.map(handoffText)],
      ...(instructions !== undefined && { system: instructions }),
    };
    const { messages } = await conversation.compact(input, callOptions);
    const originals = new Map(
      editedMessages(agentItems, input, messages).map(({ message, original }) => [message, original]),
    );
    return {
      ...modelData,
      // By their identity the SDK knows which of the run's own items these are.
      input: messages.map((item) => {
        const original = originals.get(item);
        if (!original) return item;
        become(original, item);
        return original;
      }),
    };
  };
}

/** A handoff is told to the model as a tool; an agent as one by its name. */
function handoffText(handoff: object): unknown {
  if ('toolName' in handoff && 'toolDescription' in handoff) {
    const parameters = 'inputJsonSchema' in handoff ? handoff.inputJsonSchema : {};
    return { name: handoff.toolName, description: handoff.toolDescription, parameters };
  }
  return { name: 'name' in handoff ? handoff.name : '', description: '' };
}
