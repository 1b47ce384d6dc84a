// How the worker reads an item: with the reader of the item's user, and the request of its job.

import { jsonWithBytes } from '../../contract/index.ts';
import type { ReadRequest } from '../../index.ts';
import type { Readers } from '../readers.ts';
import type { ReadItem } from './worker.ts';

export function createReadItem(readers: Readers): ReadItem {
  return async ({ user, name, file, input, request: json }, signal) => {
    const request: ReadRequest = JSON.parse(json); // checked against its schema when the job was accepted
    const reader = readers.of(user, input.kind === 'path' ? input.session : undefined);
    const mimeType = input.kind === 'blob' ? input.mimeType : undefined;
    const given =
      input.kind === 'path'
        ? input.path
        : {
            name,
            ...(input.kind === 'blob' && { sha256: input.sha256 }),
            ...(mimeType === undefined ? {} : { mimeType }),
            ...(file === undefined ? {} : { path: file }),
          };
    const result = await reader.read(given, { ...request, signal });
    return { json: jsonWithBytes(result), ...(result.success ? {} : { error: result.error }) };
  };
}
