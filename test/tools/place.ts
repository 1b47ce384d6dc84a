// A workspace in a folder of its own, with the tools over it; gone when the test is over.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createReader, createWorkspace, type Reader, type Workspace } from '../../src/index.ts';
import {
  type CreateToolsOptions,
  createTools,
  type Tool,
  type ToolAnswer,
  type ToolContext,
  type ToolName,
} from '../../src/tools/index.ts';

export interface Place {
  /** On the host. */
  readonly root: string;
  readonly workspace: Workspace;
  readonly reader: Reader;
  readonly tools: readonly Tool[];
  run(name: ToolName, args: unknown, context?: ToolContext): Promise<ToolAnswer>;
  remove(): Promise<void>;
}

/** Files by path, with what they hold. */
export async function makePlace(
  files: Readonly<Record<string, string | Uint8Array>>,
  options: Partial<CreateToolsOptions> & {
    readonly maxTokensPerFile?: number;
    readonly redact?: boolean;
  } = {},
): Promise<Place> {
  const root = await mkdtemp(join(tmpdir(), 'lectern-tools-'));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  const { maxTokensPerFile, redact = false, ...rest } = options;
  const workspace = createWorkspace({ root });
  const limits = maxTokensPerFile === undefined ? {} : { maxTokensPerFile };
  const reader = createReader({ workspace, environment: {}, cache: false, limits, redact });
  const tools = createTools({ reader, ...rest });
  return {
    root,
    workspace,
    reader,
    tools,
    run: (name, args, context) => {
      const tool = tools.find((one) => one.name === name);
      if (!tool) throw new Error(`no tool ${name}`);
      return tool.run(args, context);
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}
