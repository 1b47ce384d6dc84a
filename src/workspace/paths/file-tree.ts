// What listings and searches need of a workspace, wherever its files are.

import type { BigIntStats } from 'node:fs';
import type { OpenFile } from '../../contract/index.ts';
import type { Folder } from './folder.ts';

export interface FileTree {
  /** The path at which sandboxes see it. */
  readonly mount: string;
  /** Its absolute path on this host, if paths may use it. */
  readonly host: string | undefined;
  /**
   * Follows links inside the workspace.
   * @throws {ReaderError} PATH_ESCAPES_WORKSPACE, FILE_NOT_FOUND, NOT_A_FILE, ACCESS_DENIED, BAD_INPUT
   */
  openFile(path: string): Promise<OpenFile>;
  /** Like `openFile`, for a folder; '' is the root. @throws {ReaderError} also NOT_A_FOLDER */
  openFolder(path: string): Promise<Folder>;
  /** The target of a link. @throws {ReaderError} as `openFile` */
  stat(path: string): Promise<{ readonly stats: Pick<BigIntStats, 'isFile' | 'isDirectory'> | undefined }>;
}
