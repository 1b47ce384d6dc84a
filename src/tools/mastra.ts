// The tools as agents of Mastra take them. Needs the package `@mastra/core`, which is loaded when this is called.

import type { createTool } from '@mastra/core/tools';
import { accepting, hostAnswer, peer } from './media.ts';
import type { Tool } from './tool.ts';

/** A tool of an agent. */
export type MastraTool = ReturnType<typeof createTool>;

/**
 * Tools for `tools` of an `Agent`, by name. Results are text: pictures and recordings are described in words. Arguments
 * in other forms are taken where their types are those of the schema, which Mastra checks first.
 * @throws {ReaderError} MISSING_DEPENDENCY
 */
export async function toMastraTools(tools: readonly Tool[]): Promise<Record<string, MastraTool>> {
  const { createTool: create } = await peer('@mastra/core', () => import('@mastra/core/tools'));
  return Object.fromEntries(
    tools.map((tool) => [
      tool.name,
      create({
        id: tool.name,
        description: tool.description,
        inputSchema: tool.input.partial().loose(),
        execute: async ({ context }, options) => {
          const signal = options?.abortSignal;
          return hostAnswer(await tool.run(context, signal ? { signal } : {}), accepting([])).text;
        },
      }),
    ]),
  );
}
