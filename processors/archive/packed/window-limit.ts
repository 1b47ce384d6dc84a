// How far back unpacking may reach. A stream states its window before its content, so that memory is known in advance.

import { type Bytes, quoted, ReaderError } from '../../../src/contract/index.ts';

/** The largest window that 7-Zip writes at its levels (256 MiB); `xz -9` uses 64 MiB. */
export const MAX_WINDOW: Bytes = 256 * 1024 * 1024;

/** `tool`: a command that unpacks the file. @throws {ReaderError} LIMIT_EXCEEDED above `limit` */
export function checkWindow(window: Bytes, name: string, tool: string, limit: Bytes = MAX_WINDOW): void {
  if (window > limit)
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `${quoted(name)} needs a window of ${window} bytes to be unpacked; the limit is ${limit}.`,
      `Unpack it (for example with \`${tool}\`) and read the result.`,
    );
}
