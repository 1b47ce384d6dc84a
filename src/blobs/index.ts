// Public interface of the blobs room.

export type { BlobFacts, BlobRange, Blobs, ListBlobs, PutOptions } from './blobs.ts';
export { isStorageUrl, openBlobs } from './open.ts';
