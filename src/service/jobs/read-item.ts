// How the worker reads an item: with the reader of the item's user, and the request of its job.

import { type Files, jsonWithBytes } from '../../contract/index.ts';
import type { ReadRequest } from '../../index.ts';
import type { Readers } from '../readers.ts';
import type { ReadItem } from './worker.ts';

/** @param uploads where the files of blobs are; default: this host */
export function createReadItem(readers: Readers, uploads?: Files): ReadItem {
  return async ({ user, name, file, input, request: json }, signal) => {
    const request: ReadRequest = JSON.parse(json); // checked against its schema when the job was accepted
    const reader =
      input.kind === 'path'
        ? readers.of(user, input.session)
        : uploads
          ? readers.over(user, uploads)
          : readers.of(user);
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
