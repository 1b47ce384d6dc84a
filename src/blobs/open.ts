// Chooses the store for a location: a folder, or `s3://bucket/prefix`.

import { type Environment, quoted, ReaderError } from '../contract/index.ts';
import type { Blobs } from './blobs.ts';
import { createFolderBlobs } from './folder.ts';

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;

/** True for a URL; anything else is a folder. */
export const isStorageUrl = (location: string): boolean => SCHEME.test(location);

/**
 * The store at `location`. A folder need not exist yet. For S3, the environment holds the standard variables:
 * `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION`, and for another service than AWS
 * `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL`. Sends nothing before the first operation.
 * @throws {ReaderError} BAD_INPUT for an invalid location, or missing credentials
 */
export async function openBlobs(location: string, environment: Environment): Promise<Blobs> {
  const scheme = SCHEME.exec(location)?.[1]?.toLowerCase();
  if (scheme === undefined) return createFolderBlobs(location);
  if (scheme !== 's3')
    throw new ReaderError(
      'BAD_INPUT',
      `${quoted(location)} is not a location that can store files.`,
      'Use a folder, or `s3://bucket/prefix`.',
    );
  const [{ s3Settings }, { createS3Blobs }] = await Promise.all([
    import('./s3/settings.ts'),
    import('./s3/blobs.ts'),
  ]);
  return createS3Blobs(s3Settings(location, environment));
}
