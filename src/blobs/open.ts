// Opens a store by its address.

import { fileURLToPath } from 'node:url';
import { type Environment, quoted, ReaderError } from '../contract/index.ts';
import type { Blobs } from './blobs.ts';

export interface OpenBlobsOptions {
  /** Where credentials and the endpoint of S3 are looked up. Default: `process.env`. */
  readonly environment?: Environment;
}

/**
 * Opens `s3://bucket/prefix`, a `file:` URL or a folder. Connects to nothing yet, and creates a folder on the first write.
 *
 * For S3: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION (or AWS_DEFAULT_REGION), and
 * AWS_ENDPOINT_URL_S3 (or AWS_ENDPOINT_URL) for a service other than Amazon's.
 * @throws {ReaderError} BAD_INPUT
 */
export async function openBlobs(
  address: string | URL,
  { environment = process.env }: OpenBlobsOptions = {},
): Promise<Blobs> {
  const text = String(address);
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(text)?.[1]?.toLowerCase();
  const isFolder = scheme === undefined && text !== '' && !text.includes('\0');
  if (isFolder || scheme === 'file') {
    const { createFolderBlobs } = await import('./folder/folder-blobs.ts');
    return createFolderBlobs(isFolder ? text : fileURLToPath(text));
  }
  if (scheme === 's3') {
    const { createS3Blobs } = await import('./s3/s3-blobs.ts');
    return createS3Blobs(text, environment);
  }
  throw new ReaderError(
    'BAD_INPUT',
    `${quoted(scheme === undefined ? text : `${scheme}://`)} is not a store; expected \`s3://bucket/prefix\` or a folder.`,
    'Pass an `s3://` URL or the path of a folder.',
  );
}
