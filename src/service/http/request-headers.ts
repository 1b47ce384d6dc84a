// Request headers that operations use, each declared by the operation that reads it and described in OpenAPI.

/** By their names in lower case, as Node gives them. */
export const REQUEST_HEADERS = {
  'content-length': 'Room for this many bytes is reserved before the first one arrives.',
  'if-match': 'Do this only if the file has one of these ETags; `*` for any. Otherwise 412.',
  'if-none-match':
    'GET and HEAD: answer 304 if the file has one of these ETags. PUT: `*` creates a file and never replaces one.',
  'if-range': 'Apply `Range` only if the file has this ETag; otherwise send it whole.',
  range: 'One range of bytes, as `bytes=0-99`. Several ranges are answered with the whole file.',
  'idempotency-key': 'A repeat with the same key and content gets the first answer.',
  'last-event-id': 'Continue after this event.',
} as const;

export type RequestHeader = keyof typeof REQUEST_HEADERS;

/** In the usual capitalisation. */
export const headerName = (header: RequestHeader): string =>
  header.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase()).replace(/\bId$/, 'ID');
