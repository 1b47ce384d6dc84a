// Provider options of an AI SDK part: signatures, ids of stored items, callers. The part's own fields are read
// elsewhere.

import { holdsAny, type Native, nativeOf, textIn } from '../native.ts';

/** Options of each provider: `providerOptions` in messages, `providerMetadata` in parts kept from a response. */
export function optionsOf(part: Native): readonly Native[] {
  return [part['providerOptions'], part['providerMetadata']]
    .flatMap((field) => Object.values(nativeOf(field) ?? {}))
    .map(nativeOf)
    .filter((options) => options !== null);
}

/** Option names for data that must be returned unchanged: signature, thoughtSignature, redactedData and similar. */
const SEAL = /signature|encrypted|redacted|reasoning_?details/i;

export function isSigned(part: Native): boolean {
  return [part, ...optionsOf(part)].some((options) => holdsAny(options, SEAL));
}

/** With this id, text and reasoning of OpenAI Responses are sent as a reference if the provider stores them. */
export function hasItemId(part: Native): boolean {
  return optionsOf(part).some((options) => textIn(options, 'itemId') !== null);
}

/** A call that `@ai-sdk/openai` split. It is sent back as the original call, whose arguments are stored here. */
export function isPartOfCall(part: Native): boolean {
  return optionsOf(part).some((options) => nativeOf(options['parallelToolCall']) !== null);
}

/**
 * In a separate message, a result carries its call's options, including the signature, because the SDK writes them
 * there. No provider reads them there, except `@ai-sdk/google` 3 and 4 after one of Google's own tools ran.
 */
export function isOfServerTool(part: Native): boolean {
  return optionsOf(part).some((options) => textIn(options, 'serverToolCallId') !== null);
}

/**
 * A call of Anthropic's code execution names the server call that made it in `providerOptions.anthropic.caller.toolId`.
 */
export function serverLinks(part: Native, id: string | null): readonly string[] {
  const callers = optionsOf(part).map((options) => textIn(options['caller'], 'toolId'));
  return [...new Set([id, ...callers])].flatMap((name) => (name === null ? [] : [`server:${name}`]));
}

/** A provider's own compaction: a text of Anthropic, or a custom part of another, marked as one. */
export function isCompaction(part: Native): boolean {
  if (part['type'] === 'custom' && /compaction/i.test(textIn(part, 'kind') ?? '')) return true;
  return optionsOf(part).some((options) => options['type'] === 'compaction');
}
