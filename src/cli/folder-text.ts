// `lectern read FOLDER`: prints a directory of the host as a tree.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { oneLine } from '../contract/index.ts';
import { createWorkspace, type Input, type Reader, type ReadRequest } from '../index.ts';

/** The tree of the directory `input`; undefined for anything else. @throws {ReaderError} if it cannot be listed */
export async function folderText(
  input: Input,
  reader: Reader,
  { signal, all, maxTokens = reader.limits.maxTokensPerFile }: ReadRequest,
  command = 'read',
): Promise<string | undefined> {
  if (typeof input !== 'string' || !(await isDirectory(input))) return undefined;
  const { folderTree } = await import('../tools/index.ts');
  return await folderTree('', {
    workspace: createWorkspace({ root: input }),
    reader,
    maxTokens: all === true ? Number.POSITIVE_INFINITY : maxTokens,
    opens: (path) => `\`lectern ${command} ${shellWord(join(input, path))}\``,
    ...(signal && { signal }),
  });
}

export async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false; // opening it reports the error
  }
}

/** `path` quoted for a shell. */
export const shellWord = (path: string): string =>
  /^[\w./@%+=:,-]+$/.test(path) ? path : `'${oneLine(path).replaceAll("'", "'\\''")}'`;
