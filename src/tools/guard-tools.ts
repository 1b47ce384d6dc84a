// Wraps tools in the loop guard: a call that continues a loop is answered without running it, and a warning is added to
// the answer of a call that begins one.

import { hash } from 'node:crypto';
import { OWN } from '../contract/index.ts';
import type { CallWatch } from '../plan/index.ts';
import { withNote } from './definition.ts';
import { type Tool, type ToolAnswer, textAnswer } from './tool.ts';

/**
 * The same tools, watched by a loop guard or a plan. The tool `plan` is not watched: calling it again is not a loop.
 * @param watch one guard for all tools of an agent
 */
export function guardTools(tools: readonly Tool[], watch: CallWatch): Tool[] {
  return tools.map((tool) => (tool.name === 'plan' ? tool : guarded(tool, watch)));
}

function guarded(tool: Tool, watch: CallWatch): Tool {
  return {
    ...tool,
    run: async (args, context) => {
      const call = { tool: tool.name, args: tool.canonical(args) };
      const verdict = watch.check(call);
      if (!verdict.allowed) return { ...textAnswer(verdict.message), isError: true };
      const answer = await tool.run(args, context);
      // An aborted call says nothing about the next one.
      if (context?.signal?.aborted) return answer;
      return withNote(
        answer,
        await noteOf(watch, { ...call, result: resultOf(answer), failed: answer.isError }),
      );
    },
  };
}

/** The warning, if any; an error of the guard's storage must not lose the answer. */
async function noteOf(watch: CallWatch, call: Parameters<CallWatch['observe']>[0]): Promise<string> {
  try {
    const warning = await watch.observe(call);
    return warning ? `\n${warning.message}\n` : '';
  } catch {
    return `\n${OWN.note}this call could not be recorded in the plan.]\n`;
  }
}

const resultOf = ({ parts }: ToolAnswer): string =>
  parts.map((part) => (part.kind === 'text' ? part.text : hash('sha256', part.data))).join('\n');
