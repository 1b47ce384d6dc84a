// The workspace of a reader, for what needs more of it than reading.

import { type Files, ReaderError } from '../contract/index.ts';
import type { Workspace } from '../workspace/index.ts';

/** @throws {ReaderError} BAD_INPUT for a reader that was not made with a workspace of `createWorkspace` */
export function workspaceOf(
  reader: { readonly workspace: Files | undefined } | undefined,
  asker: string,
): Workspace {
  const files = reader?.workspace;
  // Readers take any `Files`; what `createWorkspace` makes has all of these.
  if (files && 'write' in files && 'glob' in files && 'saveResult' in files) return files as Workspace;
  throw new ReaderError(
    'BAD_INPUT',
    `\`${asker}\` needs a \`reader\` that was made with a workspace.`,
    'Pass `reader: createReader({ workspace: createWorkspace(...) })`.',
  );
}
