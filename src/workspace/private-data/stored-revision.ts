// The file format of one revision of private data: its number, and a value or a deletion mark.

import { type Bytes, ReaderError } from '../../contract/index.ts';

/** Maximum bytes of one value as JSON. */
export const MAX_BYTES: Bytes = 64 * 1024 * 1024;

/** A stored revision. */
export interface Stored {
  readonly revision: number;
  readonly data: unknown;
  /** The data was deleted; only the number remains. */
  readonly deleted: boolean;
}

/** @throws {ReaderError} BAD_INPUT for a value that is not JSON, LIMIT_EXCEEDED */
export const jsonOf = (revision: number, data: unknown): string =>
  `{"revision":${revision},"data":${valueJsonOf(data)}}\n`;

/** @throws {ReaderError} as `jsonOf` */
export function valueJsonOf(data: unknown): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(data);
  } catch (error) {
    throw notJson('contains a value JSON cannot represent', error);
  }
  if (json === undefined) throw notJson(`is a value of type \`${typeof data}\``, undefined);
  if (Buffer.byteLength(json) > MAX_BYTES)
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `The private data has more than ${MAX_BYTES} bytes as JSON.`,
      'Store large data in files of the workspace.',
    );
  return json;
}

/** A deletion mark, whose number keeps late writers from restoring the data. */
export const jsonOfDeleted = (revision: number): string => `{"revision":${revision},"deleted":true}\n`;

function notJson(found: string, cause: unknown): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    `The private data ${found}; expected a JSON value.`,
    'Return an object, array, string, number, boolean or null.',
    cause,
  );
}

/** Undefined for damaged text. */
export function parseStored(text: string): Stored | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('revision' in value)) return undefined;
  const { revision } = value;
  if (typeof revision !== 'number' || !Number.isSafeInteger(revision) || revision < 1) return undefined;
  if ('data' in value) return { revision, data: value.data, deleted: false };
  return 'deleted' in value && value.deleted === true
    ? { revision, data: undefined, deleted: true }
    : undefined;
}
