// The compactor for the OpenAI Agents SDK (`@openai/agents` 0.20): around a model, as a run's filter, or around a
// session. Only types of the SDK are imported.

import type { AgentInputItem, CallModelInputFilterArgs, ModelInputData } from '@openai/agents-core';
import { conversationsOf } from '../conversations.ts';
import { type AgentsOptions, agentItems, originalsOf } from './items.ts';

export type { AgentsOptions } from './items.ts';
export { type CompactingModelOptions, compactingModel } from './model.ts';
export {
  type CompactedSession,
  type CompactingSessionOptions,
  compactingSession,
} from './session.ts';

export interface CompactingFilterOptions extends AgentsOptions {
  /** Returns the name of a run's conversation, such as an id in `context`. Default: identified by its items. */
  readonly conversation?: (call: CallModelInputFilterArgs<unknown>) => string;
}

/** The SDK's `CallModelInputFilter`, for runs with any context. */
export type CompactingFilter = (call: CallModelInputFilterArgs<unknown>) => Promise<ModelInputData>;

/**
 * Whether a run sends only new items because the provider stores the conversation: results whose calls are missing, and
 * nothing from the model.
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

/** Makes `item` equal to `as` while remaining the same object. */
function become(item: AgentInputItem, as: AgentInputItem): void {
  for (const name of Object.keys(item)) Reflect.deleteProperty(item, name);
  Object.assign(item, as);
}

/**
 * Creates a `callModelInputFilter` that gives the model a compacted view of a run. The SDK stores the filtered form of
 * the run's own input in the session, so a message too long for the window is stored truncated (its original is
 * archived); items that the run creates are stored whole. The filter does nothing if the provider appears to store the
 * conversation, which means results without their calls and nothing from the model. It receives neither usage nor
 * errors: use `compactingModel` for these. Pass it to the SDK directly, because it modifies the copies it receives.
 * @throws {ReaderError} BAD_INPUT for invalid options
 */
export function compactingInputFilter(options: CompactingFilterOptions = {}): CompactingFilter {
  const conversations = conversationsOf('compactingInputFilter', agentItems, options);
  return async (call) => {
    const { modelData, agent } = call;
    const { input, instructions } = modelData;
    if (input.length === 0 || isDelta(input)) return modelData;
    const model = typeof agent.model === 'string' && agent.model !== '' ? agent.model : null;
    const { compacted } = await conversations.send(call, input, model, {
      tools: [...agent.tools, ...agent.handoffs.map(handoffText)],
      ...(instructions !== undefined && { system: instructions }),
    });
    const originals = originalsOf(input, compacted);
    return {
      ...modelData,
      // The SDK recognises the run's own items by identity.
      input: compacted.messages.map((item) => {
        const original = originals.get(item);
        if (!original) return item;
        become(original, item);
        return original;
      }),
    };
  };
}

/** Text of a handoff as the model receives it: as a tool, or for an agent, as a tool with its name. */
function handoffText(handoff: object): unknown {
  if ('toolName' in handoff && 'toolDescription' in handoff) {
    const parameters = 'inputJsonSchema' in handoff ? handoff.inputJsonSchema : {};
    return { name: handoff.toolName, description: handoff.toolDescription, parameters };
  }
  return { name: 'name' in handoff ? handoff.name : '', description: '' };
}
