// Gets the full workspace of a reader, for tools that do more than read.

import { type Files, ReaderError } from '../contract/index.ts';
import type { Workspace } from '../workspace/index.ts';

/** @throws {ReaderError} BAD_INPUT for a reader without a workspace from `createWorkspace` */
export function workspaceOf(
  reader: { readonly workspace: Files | undefined } | undefined,
  asker: string,
): Workspace {
  const files = reader?.workspace;
  // Readers accept any `Files`; a workspace from `createWorkspace` has all of these.
  if (files && 'write' in files && 'glob' in files && 'saveResult' in files) return files as Workspace;
  throw new ReaderError(
    'BAD_INPUT',
    `\`${asker}\` needs a \`reader\` that was created with a workspace.`,
    'Pass `reader: createReader({ workspace: createWorkspace(...) })`.',
  );
}
