// What a workspace needs of the place where its files are: a folder of this host, or object storage.

import type { WorkspaceLimits } from '../contract/index.ts';
import type { AtomicFile } from './files/writing.ts';
import type { FileTree } from './paths/file-tree.ts';
import type { FileFacts, RemoveOptions, Usage, Workspace, WriteOptions } from './workspace.ts';

export interface Store extends FileTree {
  readonly raceSafe: boolean;
  kind: Workspace['kind'];
  facts(path: string): Promise<FileFacts>;
  createFile(path: string, options?: WriteOptions): Promise<AtomicFile>;
  /** @param most entries of a folder */
  remove(path: string, options: RemoveOptions, most: number): Promise<void>;
  move(from: string, to: string, options: { readonly overwrite?: boolean }, most: number): Promise<void>;
  usage(signal: AbortSignal | undefined): Promise<Usage>;
  prune(limits: Pick<WorkspaceLimits, 'resultDays'>): Promise<{ readonly removed: readonly string[] }>;
}
