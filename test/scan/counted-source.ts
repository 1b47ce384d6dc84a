// A Source over bytes in memory that counts its reads, may hand out less than asked for, and may shrink.

import type { Source } from '../../src/contract/index.ts';

export interface CountedSource extends Source {
  reads: number;
  bytesRead: number;
}

let sources = 0;

export interface SourceOptions {
  /** The same identity means the same content; default: one of its own. */
  readonly identity?: string;
  /** Most bytes one read gives. */
  readonly most?: number;
  /** What `size` claims, where it lies. */
  readonly claims?: number;
  /** Called before each read. */
  readonly before?: (position: number) => void;
}

export function countedSource(content: Uint8Array | string, options: SourceOptions = {}): CountedSource {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const identity = options.identity ?? `content ${++sources}`;
  const source: CountedSource = {
    name: 'counted',
    extension: '',
    mimeType: undefined,
    size: options.claims ?? bytes.length,
    reads: 0,
    bytesRead: 0,
    identity: async () => identity,
    readInto: async (target, position) => {
      options.before?.(position);
      await Promise.resolve();
      const piece = bytes.subarray(
        position,
        position + Math.min(target.length, options.most ?? target.length),
      );
      target.set(piece);
      source.reads++;
      source.bytesRead += piece.length;
      return piece.length;
    },
    read: async (position, length) => {
      const target = new Uint8Array(Math.max(0, Math.min(length, bytes.length - position)));
      return target.subarray(0, await source.readInto(target, position));
    },
    bytes: async () => bytes,
    chunks: async function* () {
      yield bytes;
    },
  };
  return source;
}
