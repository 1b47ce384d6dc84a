// What the answers of a server mean: which are worth another try, and which error each becomes.

import { ReaderError } from '../../contract/index.ts';

interface Nature {
  /** Worth another try. */
  readonly transient?: boolean;
  /** The request may have been carried out. */
  readonly unanswered?: boolean;
  readonly waitMs?: number;
}

/** A failed attempt. Only `error` reaches the caller. */
export class S3Refusal extends Error {
  readonly error: ReaderError;
  readonly transient: boolean;
  readonly unanswered: boolean;
  readonly waitMs: number | undefined;

  constructor(error: ReaderError, { transient = false, unanswered = false, waitMs }: Nature = {}) {
    super(error.message, { cause: error });
    this.error = error;
    this.transient = transient;
    this.unanswered = unanswered;
    this.waitMs = waitMs;
  }
}

/** Codes that more tries can change although their status says otherwise. */
const TRANSIENT = new Set(['RequestTimeout', 'RequestTimeTooSkewed', 'SlowDown', 'OperationAborted']);

/** Codes of credentials that are not accepted, some of them with status 400. */
const DENIED = new Set([
  'AuthorizationHeaderMalformed',
  'ExpiredToken',
  'InvalidToken',
  'InvalidAccessKeyId',
]);

/** Codes of MinIO, Ceph and others for a full disk or bucket. */
const FULL = new Set([
  'QuotaExceeded',
  'XMinioStorageFull',
  'XMinioAdminBucketQuotaExceeded',
  'InsufficientStorage',
]);

const MAX_BODY_BYTES = 64 * 1024;

/** Undefined if the caller handles the status: success, 304, 404, 409, 412 and 416. Consumes the body otherwise. */
export async function refusal(response: Response, method: string): Promise<S3Refusal | undefined> {
  const { status } = response;
  if ((status >= 200 && status < 300) || [304, 404, 409, 412, 416].includes(status)) {
    if (status === 404 && method !== 'HEAD') return await missing(response);
    return undefined;
  }
  const code = codeIn(await textOf(response));
  const said = `status ${status}${code === '' ? '' : `, ${code}`}`;
  if (status === 507 || FULL.has(code))
    return new S3Refusal(
      new ReaderError(
        'QUOTA_EXCEEDED',
        `The object storage is full (${said}).`,
        'Free space, or raise its quota.',
      ),
    );
  if (status === 429 || status === 503 || code === 'SlowDown')
    return new S3Refusal(
      new ReaderError('BUSY', `The object storage is busy (${said}).`, 'Try again later.'),
      { transient: true, unanswered: status === 503, ...waitOf(response) },
    );
  if (status >= 500 || status === 408 || TRANSIENT.has(code))
    return new S3Refusal(
      new ReaderError(
        status === 504 || status === 408 || code === 'RequestTimeout' ? 'TIMED_OUT' : 'INTERNAL',
        `The object storage failed (${said}).`,
        'Try again later, and check the storage.',
      ),
      { transient: true, unanswered: true },
    );
  if (status === 401 || status === 403 || DENIED.has(code))
    return new S3Refusal(
      new ReaderError(
        'ACCESS_DENIED',
        `The object storage denied access (${said}).`,
        'Check the credentials, the region, the clock of this host and the permissions of the bucket.',
      ),
    );
  if (status >= 300 && status < 400)
    return new S3Refusal(
      new ReaderError(
        'ACCESS_DENIED',
        `The object storage redirects to another address (${said}).`,
        'Set `AWS_REGION` and `AWS_ENDPOINT_URL_S3` to those of the bucket.',
      ),
    );
  return new S3Refusal(
    new ReaderError(
      'INTERNAL',
      `The object storage refused a request (${said}).`,
      'Check that it is compatible with S3.',
    ),
  );
}

/** A missing bucket is a wrong setting, not a missing blob. A missing upload or key is for the caller. */
async function missing(response: Response): Promise<S3Refusal | undefined> {
  if (codeIn(await textOf(response.clone())) !== 'NoSuchBucket') return undefined;
  await response.body?.cancel();
  return new S3Refusal(
    new ReaderError(
      'ACCESS_DENIED',
      'The bucket of the storage does not exist.',
      'Create it, or check its name, the region and the endpoint.',
    ),
  );
}

/** Seconds, as RFC 9110 allows; the form with a date is not used by storage. */
function waitOf(response: Response): { readonly waitMs?: number } {
  const seconds = /^\d{1,4}$/.exec(response.headers.get('retry-after') ?? '')?.[0];
  return seconds === undefined ? {} : { waitMs: Number(seconds) * 1000 };
}

/** The code of an error document. Its message may hold anything, so nothing else is taken from it. */
export function codeIn(text: string): string {
  return /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(text)?.[1] ?? '';
}

/** Up to 64 KiB; empty if the connection ends. */
async function textOf(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    if (response.body)
      for await (const piece of response.body) {
        pieces.push(piece);
        bytes += piece.length;
        if (bytes > MAX_BODY_BYTES) break;
      }
  } catch {
    return ''; // the status decides without a code
  }
  return Buffer.concat(pieces).toString('utf8');
}
