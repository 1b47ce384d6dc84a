// Parses a page of ListObjectsV2.

import { ReaderError } from '../../contract/index.ts';

export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
  readonly modified: Date;
  readonly etag: string;
}

export interface ListingPage {
  readonly objects: readonly ListedObject[];
  /** Where the next page starts; undefined on the last. */
  readonly next: string | undefined;
}

const FIELDS = new Set(['Key', 'Size', 'LastModified', 'ETag', 'IsTruncated', 'NextContinuationToken']);

/** Keys must have been requested with `encoding-type=url`, because XML 1.0 cannot hold every character. */
export async function parseListing(text: string): Promise<ListingPage> {
  const { SaxesParser } = await import('saxes');
  const parser = new SaxesParser();
  const path: string[] = [];
  const objects: ListedObject[] = [];
  let fields: Record<string, string> = {};
  const top: Record<string, string> = {};
  let value = '';
  parser.on('opentag', ({ name }) => {
    path.push(name);
    value = '';
    if (path.length === 2 && name === 'Contents') fields = {};
  });
  parser.on('text', (piece) => {
    value += piece;
  });
  parser.on('closetag', ({ name }) => {
    if (FIELDS.has(name)) {
      if (path.length === 3 && path[1] === 'Contents') fields[name] = value;
      if (path.length === 2) top[name] = value;
    }
    if (path.length === 2 && name === 'Contents') objects.push(objectOf(fields));
    path.pop();
    value = '';
  });
  parser.on('error', (error) => {
    throw error;
  });
  try {
    parser.write(text).close();
  } catch (error) {
    throw badListing(error);
  }
  const next = top['IsTruncated'] === 'true' ? top['NextContinuationToken'] : undefined;
  if (top['IsTruncated'] === 'true' && !next) throw badListing();
  return { objects, next };
}

function objectOf({
  Key = '',
  Size = '',
  LastModified = '',
  ETag = '',
}: Record<string, string>): ListedObject {
  const bytes = Number(Size);
  const modified = new Date(LastModified);
  if (!/^\d{1,16}$/.test(Size) || !Number.isSafeInteger(bytes) || Number.isNaN(modified.getTime()))
    throw badListing();
  return { key: decoded(Key), bytes, modified, etag: ETag };
}

/** Amazon writes a space as `+`, others as `%20`; a plus sign is `%2B` for both. */
function decoded(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', '%20'));
  } catch (error) {
    throw badListing(error);
  }
}

function badListing(cause?: unknown): ReaderError {
  return new ReaderError(
    'INTERNAL',
    'The object storage sent a listing that cannot be read.',
    'Check that it is compatible with S3.',
    cause,
  );
}
