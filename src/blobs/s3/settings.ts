// Where a bucket is and how to sign for it, from its address and the environment.

import { type Environment, quoted, ReaderError, withoutEnd } from '../../contract/index.ts';
import { isBucket } from '../keys.ts';

export interface S3Settings {
  readonly bucket: string;
  /** Empty, or ends with `/`. */
  readonly prefix: string;
  /** The URL of the bucket, with a slash at the end. */
  readonly url: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

const PREFIX = /^(?:[A-Za-z0-9!_.*'()=@$ -]+\/)*$/;

/** The store's own prefix leaves room for keys. */
const MAX_PREFIX_BYTES = 100;

/** @throws {ReaderError} BAD_INPUT, never with a credential in it */
export function s3Settings(address: string, environment: Environment): S3Settings {
  const [, bucket = '', path = ''] = /^s3:\/\/([^/?#]*)(?:\/([^?#]*))?$/i.exec(address) ?? [];
  if (!isBucket(bucket))
    throw new ReaderError(
      'BAD_INPUT',
      bucket === ''
        ? 'The address does not name a bucket; expected `s3://bucket/prefix`.'
        : 'The bucket in the address does not have a valid name; expected 3 to 255 letters, digits, `.`, `_` or `-`.',
      'Pass `s3://bucket/prefix`. Credentials belong into the environment.',
    );
  const prefix = path === '' || path.endsWith('/') ? path : `${path}/`;
  if (!PREFIX.test(prefix) || prefix.length > MAX_PREFIX_BYTES || /(?:^|\/)\.{1,2}\//.test(prefix))
    throw new ReaderError(
      'BAD_INPUT',
      `The prefix ${quoted(path)} is not supported; expected at most ${MAX_PREFIX_BYTES} ASCII letters, digits and simple punctuation.`,
      'Choose another prefix.',
    );
  const region = environment['AWS_REGION'] || environment['AWS_DEFAULT_REGION'] || 'us-east-1';
  const endpoint = environment['AWS_ENDPOINT_URL_S3'] || environment['AWS_ENDPOINT_URL'] || undefined;
  const sessionToken = environment['AWS_SESSION_TOKEN'] || undefined;
  return {
    bucket,
    prefix,
    url: endpoint === undefined ? amazonUrl(bucket, region) : endpointUrl(endpoint, bucket),
    region,
    accessKeyId: credential(environment, 'AWS_ACCESS_KEY_ID'),
    secretAccessKey: credential(environment, 'AWS_SECRET_ACCESS_KEY'),
    ...(sessionToken !== undefined && { sessionToken }),
  };
}

function credential(environment: Environment, variable: string): string {
  const value = environment[variable];
  if (value) return value;
  throw new ReaderError(
    'BAD_INPUT',
    `\`${variable}\` is not set; S3 storage needs it.`,
    `Set \`${variable}\` in the environment.`,
  );
}

/** The certificate of `*.s3.<region>.amazonaws.com` does not cover names with dots. */
function amazonUrl(bucket: string, region: string): string {
  if (!/^[a-z0-9-]+$/.test(region))
    throw new ReaderError('BAD_INPUT', '`AWS_REGION` is not a region.', 'Set it as in `eu-central-1`.');
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return bucket.includes('.')
    ? `https://s3.${region}.${domain}/${bucket}/`
    : `https://${bucket}.s3.${region}.${domain}/`;
}

/** Other services are addressed by path, which all of them support. */
function endpointUrl(endpoint: string, bucket: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new ReaderError(
      'BAD_INPUT',
      'The endpoint is not an `http:` or `https:` URL without credentials and query.',
      'Set `AWS_ENDPOINT_URL_S3` as in `https://storage.example.com`.',
    );
  return `${withoutEnd(url.href, '/')}/${bucket}/`;
}
