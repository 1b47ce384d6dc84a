// The records of JSON Lines, one a line. Records are shown as they stand in the file where the limits allow, else
// truncated on one line; a walk gives every record whole. What is not shown is counted, not parsed.

import {
  type Extent,
  type Part,
  type Position,
  type ProcessContext,
  resolveRange,
  type TextPart,
  type TextSource,
  throwIfAborted,
} from '../../../../src/contract/index.ts';
import { indexRecords, locate, type Newline } from '../../../../src/scan/index.ts';
import { firstView } from './first-view.ts';
import { isBlank, type Lines } from './record.ts';
import { readPosition, walk } from './walk.ts';

const NEWLINE_HEAD_BYTES = 64 * 1024;

/** The records of a text; `resume` is where an earlier answer of this function ended. */
export async function* linesOfJson(
  utf8: TextSource,
  context: ProcessContext,
  resume?: Position,
): AsyncGenerator<Part> {
  const { selection, signal } = context;
  const head = await utf8.read(0, NEWLINE_HEAD_BYTES);
  const newline: Newline = head.includes(10) || !head.includes(13) ? 10 : 13;
  const index = await indexRecords(utf8, { newline, signal, skipBlank: true });
  const lines: Lines = { utf8, context, index, newline };
  context.describe({ rows: index.count, ...(index.blank > 0 && { blankLines: index.blank }) });
  context.whole({ unit: 'row', of: index.count });
  if (resume) {
    yield* walk(lines, readPosition(resume, lines));
    return;
  }
  if (index.count === 0) {
    if (utf8.size > 0 && selection.all) yield* stream(lines, 1, 0);
    return;
  }
  const { from, to } = selection.rows
    ? resolveRange('rows', selection.rows, index.count)
    : { from: 1, to: index.count };
  if (selection.all) yield* stream(lines, from, to);
  else yield* firstView(lines, from, to);
}

/** Rows as they stand in the file, in pieces. */
async function* stream({ utf8, index, context }: Lines, from: number, to: number): AsyncGenerator<TextPart> {
  const start = await locate(utf8, index, from, context.signal);
  const end = to === 0 ? index.size : await locate(utf8, index, to + 1, context.signal);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let at = start;
  let row = from;
  let inside = false;
  for await (const chunk of utf8.chunks(start)) {
    throwIfAborted(context.signal);
    const bytes = chunk.subarray(0, end - at);
    at += bytes.length;
    const last = at >= end;
    const text = decoder.decode(bytes, { stream: !last });
    const first = row;
    for (const line of text.split('\n').slice(0, -1)) {
      if (inside || !isBlank(line)) row++;
      inside = false;
    }
    inside ||= !text.endsWith('\n');
    const upTo = Math.min(Math.max(first, last ? to : row), to);
    const shown: Extent[] =
      to === 0 ? [] : [{ unit: 'row', from: Math.min(first, to), to: upTo, of: index.count }];
    if (text !== '') yield { kind: 'text', text, shown };
    if (last) return;
  }
}
