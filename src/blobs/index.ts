// The door of the blobs room.

export type { BlobFacts, BlobRange, Blobs, ListBlobs, PutOptions, SkipReason } from './blobs.ts';
export { isBucket, isKey } from './keys.ts';
export { type OpenBlobsOptions, openBlobs } from './open.ts';
