// Listing keys: ListObjectsV2, page by page.

import { ReaderError, throwIfAborted } from '../../contract/index.ts';
import type { BlobFacts, ListBlobs } from '../blobs.ts';
import { type S3Client, textOf } from './client.ts';
import { visit } from './xml.ts';

interface Page {
  readonly blobs: readonly BlobFacts[];
  readonly next: string | undefined;
}

/** Blobs under `prefix` of the bucket; their keys include it. */
export async function* listObjects(
  client: S3Client,
  prefix: string,
  { after, signal }: ListBlobs,
): AsyncGenerator<BlobFacts> {
  let next: string | undefined;
  let from = after;
  do {
    if (signal) throwIfAborted(signal);
    const query = {
      'list-type': '2',
      'encoding-type': 'url',
      prefix,
      ...(next !== undefined
        ? { 'continuation-token': next }
        : from !== undefined && { 'start-after': from }),
    };
    const { response } = await client.send({ method: 'GET', query, signal }, [200]);
    const page = pageOf(await textOf(response));
    yield* page.blobs;
    if (page.next !== undefined && page.next === next)
      throw new ReaderError(
        'INTERNAL',
        'The storage service repeats a page of its listing.',
        'Report it to the operator of the storage service.',
      );
    next = page.next;
    from = undefined;
  } while (next !== undefined);
}

function pageOf(xml: string): Page {
  const blobs: BlobFacts[] = [];
  let fields: Record<string, string> = {};
  let next: string | undefined;
  visit(xml, (path, text) => {
    const [, second, third] = path;
    if (path.length === 3 && second === 'Contents' && third !== undefined) fields[third] = text;
    else if (path.length === 2 && second === 'Contents') {
      const blob = blobOf(fields);
      if (blob) blobs.push(blob);
      fields = {};
    } else if (path.length === 2 && second === 'NextContinuationToken') next = text;
  });
  return { blobs, next };
}

/** Undefined for what is no blob here, such as the `folder/` objects of consoles. */
function blobOf(fields: Readonly<Record<string, string>>): BlobFacts | undefined {
  const key = decoded(fields['Key'] ?? '');
  const bytes = Number(fields['Size']);
  const modified = new Date(fields['LastModified'] ?? Number.NaN);
  if (key === undefined || key === '' || key.endsWith('/') || !Number.isSafeInteger(bytes) || bytes < 0)
    return undefined;
  if (Number.isNaN(modified.getTime())) return undefined;
  return { key, bytes, modified, version: fields['ETag'] ?? '' };
}

/** `encoding-type=url` writes a blank as `+`. */
function decoded(key: string): string | undefined {
  try {
    return decodeURIComponent(key.replaceAll('+', '%20'));
  } catch {
    return undefined; // the service did not encode it as asked; such a key cannot be read back
  }
}
