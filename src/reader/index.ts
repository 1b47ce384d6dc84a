// The door of the reader room: everything other rooms use of it.

import type { serveReads as Serve } from './isolated/serve.ts';

export { nameOf } from './failure.ts';
export { createReadPool, type ReadPoolOptions } from './isolated/pool.ts';
export { type ByteStream, type Input, type Opened, open } from './open.ts';
export { strayControls } from './plausible-text.ts';
export { createReaderOf, type Reader, type ReaderOptions } from './reader.ts';
export { createRegistry, type Registry } from './registry.ts';
export type { Overflow, Progress, ReadRequest } from './request.ts';
export type {
  ContentPart,
  FileExtractionResult,
  Inspection,
  Metadata,
  ReadFailure,
  ReadSuccess,
  Truncation,
} from './result.ts';

/** Reads files for the process at the other end of a channel until it closes. Loaded on use. */
export const serveReads: typeof Serve = async (...given) =>
  (await import('./isolated/serve.ts')).serveReads(...given);
