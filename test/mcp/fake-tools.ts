// Tools whose runs a test decides, in the shape of the real ones.

import { z } from 'zod';
import type { Tool, ToolAnswer, ToolContext, ToolName } from '../../src/tools/tool.ts';

/** A tool that does what `run` says. */
export function fakeTool(
  name: ToolName,
  run: (args: unknown, context: ToolContext) => Promise<ToolAnswer>,
  readOnly = true,
): Tool {
  return {
    name,
    title: `Title of ${name}`,
    description: `Description of ${name}`,
    input: z.object({ path: z.string().describe('which file'), limit: z.int().optional() }),
    readOnly,
    destructive: !readOnly,
    offload: false,
    canonical: (args) => args,
    run: (args, context = {}) => run(args, context),
  };
}

/** An answer of one text. */
export const text = (value: string): ToolAnswer => ({
  isError: false,
  parts: [{ kind: 'text', text: value }],
});
