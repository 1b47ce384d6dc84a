// Public interface of the workspace room, re-exported by `src/index.ts`.

import type { SharedPrivateData } from './private-data/shared-private-data.ts';
import type { PrunedSession, PruneOptions, RemoveWorkspaceOptions } from './retention.ts';

export { opensByDescriptor } from '../disk/index.ts';
export { createWorkspaceOf } from './create.ts';
export { inContext, type MatchInContext, type NumberedLine } from './find/in-context.ts';
export { looksLikeRegex } from './find/pattern.ts';
export { containerToHostPath, hostToContainerPath, type Mapping } from './paths/paths.ts';
export {
  createPrivateData,
  type PrivateData,
  type PrivateDataOptions,
  type PrivateRecord,
} from './private-data/private-data.ts';
export type { SharedPrivateData } from './private-data/shared-private-data.ts';
export type { FullFolder, LedgerClaim, LedgerFolder, QuotaLedger } from './quota-ledger.ts';
export type { Column, ColumnType, ResultFormat, ResultInput, Row } from './results/result.ts';
export type { PrunedSession, PruneOptions, RemoveWorkspaceOptions } from './retention.ts';
export type {
  Entry as WorkspaceEntry,
  FileContent,
  FileFacts,
  Listing,
  ListOptions,
  Match,
  RemoveOptions,
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

/**
 * Removes idle sessions as a whole. A session used again during the call starts empty. Loaded on use.
 * @throws {ReaderError} BAD_INPUT, ACCESS_DENIED, ABORTED
 */
export async function pruneWorkspaces(options: PruneOptions): Promise<readonly PrunedSession[]> {
  return (await import('./retention.ts')).pruneWorkspaces(options);
}

/**
 * Removes a session: its files and its private data.
 * @returns false if it did not exist
 * @throws {ReaderError} BAD_INPUT, ACCESS_DENIED
 */
export async function removeWorkspace(options: RemoveWorkspaceOptions): Promise<boolean> {
  return (await import('./retention.ts')).removeWorkspace(options);
}

/**
 * Private data in a PostgreSQL database, for processes on many machines. Loaded on use.
 * @throws {ReaderError} BAD_INPUT, MISSING_DEPENDENCY, ACCESS_DENIED, BUSY, INTERNAL
 */
export async function openSharedPrivateData(url: string): Promise<SharedPrivateData> {
  return (await import('./private-data/shared-private-data.ts')).openSharedPrivateData(url);
}
