// The workspace room's front: everything the front door of lectern passes on.

export { createWorkspaceOf } from './create.ts';
export { opensByDescriptor } from './descriptor.ts';
export { checkId } from './ids.ts';
export { containerToHostPath, hostToContainerPath, type Mapping } from './paths.ts';
export {
  createPrivateData,
  type PrivateData,
  type PrivateDataOptions,
  type PrivateRecord,
} from './private-data.ts';
export type { Column, ColumnType, ResultFormat, ResultInput, Row } from './result.ts';
export { type PrunedSession, type PruneOptions, pruneWorkspaces } from './retention.ts';
export type {
  Entry as WorkspaceEntry,
  FileContent,
  FileFacts,
  Listing,
  ListOptions,
  Match,
  SavedResult,
  SaveOptions,
  SearchAnswer,
  SearchOptions,
  Usage,
  Workspace,
  WorkspacePlace,
  WriteOptions,
  Written,
} from './workspace.ts';
