// A Source that reports read progress.

import { ReaderError, type Source } from '../../contract/index.ts';
import type { Progress } from '../request.ts';

/** `source`, reporting to `onProgress` at most ten times a second how much has been read. */
export function watched(source: Source, onProgress: (progress: Progress) => void): Source {
  let bytes = 0;
  let last = Date.now();
  const count = (read: number): void => {
    bytes += read;
    const now = Date.now();
    if (now - last < 100) return;
    last = now;
    try {
      onProgress({ bytes, of: source.size });
    } catch (error) {
      throw new ReaderError('BAD_INPUT', '`onProgress` threw.', 'Catch errors inside `onProgress`.', error);
    }
  };
  return {
    name: source.name,
    extension: source.extension,
    mimeType: source.mimeType,
    size: source.size,
    identity: () => source.identity(),
    read: async (position, length) => {
      const read = await source.read(position, length);
      count(read.length);
      return read;
    },
    readInto: async (target, position) => {
      const filled = await source.readInto(target, position);
      count(filled);
      return filled;
    },
    async *chunks(from) {
      for await (const chunk of source.chunks(from)) {
        count(chunk.length);
        yield chunk;
      }
    },
    bytes: () => source.bytes(),
  };
}
