// The latest tool loop of a history: what came after the last message a person wrote, where signed thinking must still stand.

/** A message as far as the rule needs it. */
export interface LoopMessage {
  readonly side: 'system' | 'user' | 'results' | 'assistant';
  /** It holds signed thinking. */
  readonly thinks: boolean;
  /** Its first part is that. */
  readonly thinksFirst: boolean;
}

/** The assistant's messages of the latest tool loop, with their places; none when the list ends with the user. */
export function latestLoop<M extends LoopMessage>(messages: readonly M[]): { at: number; message: M }[] {
  const from = messages.findLastIndex((message) => message.side === 'user');
  return messages
    .map((message, at) => ({ at, message }))
    .slice(from + 1)
    .filter(({ message }) => message.side === 'assistant');
}

/**
 * "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceding the lastmost set of
 * `tool_use` and `tool_result` blocks)": Anthropic's answer as in anthropics/claude-code 13692, and
 * platform.claude.com/docs/en/build-with-claude/extended-thinking ("Preserving thinking blocks"). Whether thinking is enabled
 * is no part of a list: it is taken to be when any message of the loop thinks.
 */
export function loopFindings(messages: readonly LoopMessage[]): string[] {
  const loop = latestLoop(messages);
  const first = loop[0];
  if (!first || first.message.thinksFirst || !loop.some(({ message }) => message.thinks)) return [];
  return [`message ${first.at}: the latest tool loop thinks, but does not begin with thinking`];
}
