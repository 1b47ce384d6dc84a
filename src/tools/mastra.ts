// The tools as agents of Mastra take them. Needs the package `@mastra/core`, which is loaded when this is called.

import type { z } from 'zod';
import { accepting, hostAnswer, peer } from './media.ts';
import type { Tool } from './tool.ts';

/** A tool of an agent, by the part of Mastra's own type that an agent needs. */
export interface MastraTool {
  readonly id: string;
  readonly description: string;
  readonly inputSchema: z.ZodObject;
  execute(
    call: { readonly context: unknown },
    options?: { readonly abortSignal?: AbortSignal },
  ): Promise<string>;
}

/**
 * Tools for `tools` of an `Agent`, by name. Results are text: pictures and recordings are described in words. Arguments
 * in other forms are taken where their types are those of the schema, which Mastra checks first.
 * @throws {ReaderError} MISSING_DEPENDENCY
 */
export async function toMastraTools(tools: readonly Tool[]): Promise<Record<string, MastraTool>> {
  const { createTool: create } = await peer('@mastra/core', () => import('@mastra/core/tools'));
  return Object.fromEntries(
    tools.map((tool) => {
      const inputSchema = tool.input.partial().loose();
      const made = create({
        id: tool.name,
        description: tool.description,
        inputSchema,
        execute: async ({ context }, options) => {
          const signal = options?.abortSignal;
          return hostAnswer(await tool.run(context, signal ? { signal } : {}), accepting([])).text;
        },
      });
      // Made with just these; its own type is known only where Mastra is installed.
      return [tool.name, made as unknown as MastraTool];
    }),
  );
}
