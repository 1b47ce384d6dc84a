// The loop guard as middleware of LangChain's agents. Needs the packages `langchain` (version 1) and `@langchain/core`, which
// this module imports: only users of both load it.

import { ToolMessage } from '@langchain/core/messages';
import { type AgentMiddleware, createMiddleware } from 'langchain';
import type { CallWatch } from '../loops/guard.ts';
import { observed } from './observed.ts';

/**
 * Middleware for `createAgent`: a call that continues a loop is refused without running if the guard blocks, and the result
 * that starts a loop ends with a warning. In a new run of the agent refused calls may run again.
 * @param watch a guard or a plan of this agent
 */
export function loopGuardMiddleware(watch: CallWatch): AgentMiddleware {
  return createMiddleware({
    name: 'LecternLoopGuard',
    beforeAgent: async () => {
      await watch.worldChanged?.();
      return undefined;
    },
    wrapToolCall: async (request, handler) => {
      const { name, args, id } = request.toolCall;
      const call = { tool: name, args };
      const verdict = watch.check(call);
      if (!verdict.allowed)
        return new ToolMessage({ content: verdict.message, tool_call_id: id ?? '', name, status: 'error' });
      const answer = await handler(request);
      // A command directs the agent; it is not a result.
      if (!ToolMessage.isInstance(answer)) return answer;
      const { content, status } = answer;
      const warning = await observed(watch, { ...call, result: content, failed: status === 'error' });
      return warning ? withWarning(answer, warning.message) : answer;
    },
  });
}

function withWarning(answer: ToolMessage, message: string): ToolMessage {
  const { content, tool_call_id, name, id, status, artifact, additional_kwargs, response_metadata } = answer;
  const warned =
    typeof content === 'string'
      ? `${content}\n${message}`
      : [...content, { type: 'text' as const, text: message }];
  return new ToolMessage({
    content: warned,
    tool_call_id,
    artifact,
    additional_kwargs,
    response_metadata,
    ...(name !== undefined && { name }),
    ...(id !== undefined && { id }),
    ...(status !== undefined && { status }),
  });
}
