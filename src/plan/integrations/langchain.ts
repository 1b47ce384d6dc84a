// The loop guard as middleware of LangChain's agents. Needs the packages `langchain` (version 1) and `@langchain/core`, which
// this module imports: only users of both load it.

import { ToolMessage } from '@langchain/core/messages';
import { type AgentMiddleware, createMiddleware } from 'langchain';
import type { CallWatch } from '../loops/guard.ts';

/**
 * Middleware for `createAgent`: a call that continues a loop is answered without being run, where the guard blocks, and a
 * warning ends the result of one that begins it. A new run of the agent lets refused calls be tried again.
 * @param watch a guard or a plan, of this agent alone
 */
export function loopGuardMiddleware(watch: CallWatch): AgentMiddleware {
  return createMiddleware({
    name: 'LecternLoopGuard',
    beforeAgent: () => {
      watch.worldChanged?.();
      return undefined;
    },
    wrapToolCall: async (request, handler) => {
      const { name, args, id } = request.toolCall;
      const call = { tool: name, args };
      const verdict = watch.check(call);
      if (!verdict.allowed)
        return new ToolMessage({ content: verdict.message, tool_call_id: id ?? '', name, status: 'error' });
      const answer = await handler(request);
      // A command steers the agent; it is not a result.
      if (!ToolMessage.isInstance(answer)) return answer;
      const { content, status } = answer;
      const warning = await watch.observe({ ...call, result: content, failed: status === 'error' });
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
