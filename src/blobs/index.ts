// The door of the blobs room.

export type { BlobFacts, BlobRange, Blobs, ListBlobs, PutOptions } from './blobs.ts';
export { isKey } from './keys.ts';
export { type OpenBlobsOptions, openBlobs } from './open.ts';
