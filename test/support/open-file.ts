// Content of files that a workspace opened.

import { bytesOfFile, type OpenFile } from '../../src/contract/index.ts';

/** All of it, as UTF-8. Leaves the file open. */
export async function textOfFile(file: OpenFile): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytesOfFile(file)) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}
