// Applies the address behind a path, as in `report.pdf#page=2`, to the request, as request fields.

import { parsePlace, requestOf } from '../address/index.ts';
import { quoted, ReaderError } from '../contract/index.ts';
import type { Cursor } from './cursor.ts';
import type { Detected } from './detect.ts';
import type { Named } from './enter.ts';
import type { Registry } from './registry.ts';
import type { ReadRequest } from './request.ts';

/** `request` with the fields of the address. @throws {ReaderError} BAD_INPUT for no place, or one that contradicts a field */
export function located(
  request: ReadRequest,
  cursor: Cursor | undefined,
  { fragment }: Pick<Named, 'fragment'>,
  { processor, mimeType }: Omit<Detected, 'warnings'>,
  registry: Registry,
): ReadRequest {
  if (fragment === undefined || fragment === '') return request;
  const { name, selects, textual } = processor;
  const isDrawn = textual && registry.byDrawing(mimeType) !== undefined;
  const all = [...selects, ...(textual ? ['lines'] : []), ...(isDrawn ? ['region'] : [])];
  const asked: Readonly<Record<string, unknown>> = { ...request };
  const added: Record<string, string> = {};
  for (const [field, value] of Object.entries(requestOf(parsePlace(fragment, { name, selects: all })))) {
    const given = asked[field];
    // The position of a cursor replaces these two.
    if (cursor && given === undefined && (field === 'lines' || field === 'rows')) continue;
    if (given === undefined && !cursor) added[field] = value;
    else if (String(given) !== value) throw contradiction(fragment, field, given);
  }
  return { ...request, ...added };
}

/** True if the request, or the address of the file, selects rows or columns of a table that has no other place. */
export const asksForRows = (
  { rows, columns, table }: ReadRequest,
  { fragment = '' }: Pick<Named, 'fragment'>,
): boolean => table === undefined && ((rows ?? columns) !== undefined || /^(?:row|col)=/.test(fragment));

function contradiction(fragment: string, field: string, given: unknown): ReaderError {
  const place = quoted(`#${fragment}`);
  return new ReaderError(
    'BAD_INPUT',
    given === undefined
      ? `The path ends in ${place}, which the cursor was not made with.`
      : `The path ends in ${place}, but \`${field}\` is ${quoted(String(given))}.`,
    given === undefined ? `Omit ${place} or \`cursor\`.` : `Omit ${place} or \`${field}\`.`,
  );
}
