// What providers keep beside a part of the AI SDK: signatures, ids under which they stored it, who called. The part's own
// fields are read elsewhere.

import { holdsAny, type Native, nativeOf, textIn } from '../native.ts';

/** Options of each provider: `providerOptions` in messages, `providerMetadata` in what was kept of an answer. */
export function optionsOf(part: Native): readonly Native[] {
  return [part['providerOptions'], part['providerMetadata']]
    .flatMap((field) => Object.values(nativeOf(field) ?? {}))
    .map(nativeOf)
    .filter((options) => options !== null);
}

/** Names under which providers keep what must come back unchanged: signature, thoughtSignature, redactedData and the like. */
const SEAL = /signature|encrypted|redacted|reasoning_?details/i;

export function isSigned(part: Native): boolean {
  return [part, ...optionsOf(part)].some((options) => holdsAny(options, SEAL));
}

/** Text and reasoning of OpenAI Responses go back as a reference to this id where the provider stores them. */
export function hasItemId(part: Native): boolean {
  return optionsOf(part).some((options) => textIn(options, 'itemId') !== null);
}

/** A call that `@ai-sdk/openai` took apart: it goes back as the one it was part of, whose arguments lie here. */
export function isPartOfCall(part: Native): boolean {
  return optionsOf(part).some((options) => nativeOf(options['parallelToolCall']) !== null);
}

/**
 * A result in a message of its own has the options of its call beside it, as the SDK writes them, its signature among them; no
 * provider reads that there. `@ai-sdk/google` 3 and 4 do where a tool of Google's own ran.
 */
export function isOfServerTool(part: Native): boolean {
  return optionsOf(part).some((options) => textIn(options, 'serverToolCallId') !== null);
}

/** A call of Anthropic's code execution names the server call that made it: `providerOptions.anthropic.caller.toolId`. */
export function serverLinks(part: Native, id: string | null): readonly string[] {
  const callers = optionsOf(part).map((options) => textIn(options['caller'], 'toolId'));
  return [...new Set([id, ...callers])].flatMap((name) => (name === null ? [] : [`server:${name}`]));
}

/** A provider's own compaction: a text of Anthropic, or a custom part of another, that says so. */
export function isCompaction(part: Native): boolean {
  if (part['type'] === 'custom' && /compaction/i.test(textIn(part, 'kind') ?? '')) return true;
  return optionsOf(part).some((options) => options['type'] === 'compaction');
}
