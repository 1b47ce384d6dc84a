// Adapter for Mastra agents. Needs the package `@mastra/core`, which is loaded on the first call.

import type { z } from 'zod';
import { loadOptional } from '../contract/index.ts';
import { accepting, hostAnswer } from './media.ts';
import type { Tool } from './tool.ts';

/** The subset of Mastra's tool type that an agent needs. */
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
 * Tools for `tools` of an `Agent`, by name. Results are text: pictures and recordings are described in text. Arguments
 * in other forms work if their types match the schema, which Mastra checks first.
 * @throws {ReaderError} MISSING_DEPENDENCY
 */
export async function toMastraTools(tools: readonly Tool[]): Promise<Record<string, MastraTool>> {
  const { createTool: create } = await loadOptional('mastra', 'Mastra', () => import('@mastra/core/tools'));
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
      // Has exactly these fields; Mastra's own type is known only where it is installed.
      return [tool.name, made as unknown as MastraTool];
    }),
  );
}
