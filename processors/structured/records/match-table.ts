// The matches of a pointer with wildcards as a table: one row per match, with its own pointer and its value.

import type { Bytes, ProcessContext, TextPart } from '../../../src/contract/index.ts';
import { type TableRow, tableParts } from '../../../src/table/index.ts';
import { MAX_RECORD_BYTES, pointed } from './records.ts';

/** A match; `size` is that of its value in the file, of which only the first `MAX_RECORD_BYTES` are read. */
export interface MatchRow {
  readonly number: number;
  readonly pointer: string;
  readonly size: Bytes;
  readonly value: string;
}

export interface Matches {
  readonly count: number;
  /** The facts above the first rows. */
  readonly heading: string | undefined;
  /** The matches numbered `from` to `to`. */
  read(from: number, to: number): AsyncIterable<MatchRow>;
}

/** The parts of an answer about matches. */
export async function* matchTable(matches: Matches, context: ProcessContext): AsyncGenerator<TextPart> {
  const { pointer, resume, rows } = context.selection;
  const isFirst = resume === undefined && rows === undefined;
  const table = {
    header: ['pointer', 'value'],
    headerRow: 0,
    rows: matches.count,
    columns: 2,
    ...(isFirst && matches.heading !== undefined && { heading: matches.heading }),
    read: (from: number, to: number) => rowsOf(matches.read(from, to), context),
  };
  yield* pointed(tableParts(table, context), pointer);
}

async function* rowsOf(matches: AsyncIterable<MatchRow>, { warn }: ProcessContext): AsyncGenerator<TableRow> {
  for await (const { number, pointer, size, value } of matches) {
    if (size > MAX_RECORD_BYTES)
      warn({
        code: 'SKIPPED_CONTENT',
        message: `Match ${number} takes ${size} bytes; only the first ${MAX_RECORD_BYTES} were read.`,
      });
    yield { number, cells: [pointer, value] };
  }
}
