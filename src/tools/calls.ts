// Runs a call as APIs deliver it: a tool name, and arguments as the model wrote them.

import { editDistance, quoted, ReaderError } from '../contract/index.ts';
import { listed } from './argument-rules.ts';
import { failedAnswer, type Tool, type ToolAnswer, type ToolContext } from './tool.ts';

/** Runs the tool called `name`; an unknown name gives an error answer. Never throws. */
export async function callTool(
  tools: readonly Tool[],
  name: string,
  args: unknown,
  context?: ToolContext,
): Promise<ToolAnswer> {
  const tool = tools.find((one) => one.name === name);
  if (tool) return tool.run(args, context);
  const asked = String(name).slice(0, 64);
  const near = tools.find((one) => editDistance(one.name, asked, 3) <= 3);
  return failedAnswer(
    new ReaderError(
      'BAD_INPUT',
      `Unknown tool ${quoted(asked)}.`,
      near ? `Did you mean \`${near.name}\`?` : `The tools are ${listed(tools.map((one) => one.name))}.`,
    ),
  );
}
