// Public interface of the reader room.

import type { decodedText as Decode } from './decoding/decode.ts';
import type { serveReads as Serve } from './isolated/serve.ts';

export { strayControls } from '../encoding/index.ts';
export type { Chunk, ChunkRequest } from './chunks.ts';
export { nameOf } from './input-names.ts';
export { createReadPool, type ReadPoolOptions } from './isolated/pool.ts';
export { createReaderOf, type InspectRequest, type Reader, type ReaderOptions } from './reader.ts';
export { createRegistry, type Registry } from './registry.ts';
export type { Overflow, Progress, ReadRequest } from './request.ts';
export type {
  ContentPart,
  ContentsPage,
  FileExtractionResult,
  Inspection,
  Metadata,
  ReadFailure,
  ReadSuccess,
  Truncation,
} from './result.ts';
export { SaidNotes } from './said-notes.ts';
export type { ByteStream, Input } from './source/input.ts';
export { handleOf, type Opened, open } from './source/open.ts';

/** Reads files for the process at the other end of a channel until it closes. Loaded on use. */
export const serveReads: typeof Serve = async (...given) =>
  (await import('./isolated/serve.ts')).serveReads(...given);

/** The text of a file in another encoding than UTF-8, as a read decodes it. Loaded on use. */
export const decodedText: typeof Decode = async (...given) =>
  (await import('./decoding/decode.ts')).decodedText(...given);
/** Reads a text of a document's blocks in JSON. */
export { targetsLeftOut, targetsOfData, wordsOfData } from '../document/index.ts';
