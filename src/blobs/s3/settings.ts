// Where a bucket is and how requests to it are signed, from its URL and the standard variables.

import { type Environment, quoted, ReaderError, settingOf } from '../../contract/index.ts';

export interface S3Settings {
  readonly bucket: string;
  /** Without slashes at its ends; empty for the whole bucket. */
  readonly prefix: string;
  /** URL of the bucket, without a slash at its end. */
  readonly url: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

// https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html; some other services allow more.
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const REGION = /^[a-z0-9-]{1,40}$/;

/** @throws {ReaderError} BAD_INPUT */
export function s3Settings(location: string, environment: Environment): S3Settings {
  const [bucket = '', ...parts] = location.replace(/^s3:\/\//i, '').split('/');
  const prefix = parts.filter((part) => part !== '').join('/');
  if (!BUCKET.test(bucket) || parts.some((part) => part === '.' || part === '..'))
    throw new ReaderError(
      'BAD_INPUT',
      `${quoted(location)} does not name a bucket.`,
      'Use `s3://bucket/prefix`.',
    );
  const region =
    settingOf(environment, { variable: 'AWS_REGION', alias: 'AWS_DEFAULT_REGION' }) ?? 'us-east-1';
  if (!REGION.test(region))
    throw new ReaderError(
      'BAD_INPUT',
      `AWS_REGION is ${quoted(region)}, which is not a region.`,
      'Set it to a region such as `eu-central-1`.',
    );
  return {
    bucket,
    prefix,
    url: urlOf(bucket, region, environment),
    region,
    accessKeyId: needed(environment, 'AWS_ACCESS_KEY_ID'),
    secretAccessKey: needed(environment, 'AWS_SECRET_ACCESS_KEY'),
    sessionToken: settingOf(environment, { variable: 'AWS_SESSION_TOKEN' }),
  };
}

/** Another service than AWS gets the bucket in the path, since its host name may not resolve below a bucket. */
function urlOf(bucket: string, region: string, environment: Environment): string {
  const endpoint = settingOf(environment, { variable: 'AWS_ENDPOINT_URL_S3', alias: 'AWS_ENDPOINT_URL' });
  if (endpoint === undefined)
    return bucket.includes('.')
      ? `https://s3.${region}.amazonaws.com/${bucket}`
      : `https://${bucket}.s3.${region}.amazonaws.com`;
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.search !== '')
    throw new ReaderError(
      'BAD_INPUT',
      'AWS_ENDPOINT_URL_S3 is not the URL of a storage service.',
      'Set it to an address such as `https://storage.example.com`.',
    );
  return `${url.href.replace(/\/+$/, '')}/${bucket}`;
}

function needed(environment: Environment, variable: string): string {
  const value = settingOf(environment, { variable });
  if (value !== undefined) return value;
  throw new ReaderError(
    'BAD_INPUT',
    `Object storage needs credentials, and ${variable} is not set.`,
    'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  );
}
