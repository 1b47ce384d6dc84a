// The door of the blobs room.

export type { BlobFacts, Blobs } from './blobs.ts';
export { isKey } from './keys.ts';
export { openBlobs } from './open.ts';
