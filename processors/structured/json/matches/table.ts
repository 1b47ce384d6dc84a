// The rows of a table of matches: found again from the nearest kept start, and read in place.

import {
  type Bytes,
  type ProcessContext,
  quoted,
  ReaderError,
  type TextPart,
  throwIfAborted,
} from '../../../../src/contract/index.ts';
import { hasWildcard } from '../../pointer.ts';
import { type MatchRow, matchTable } from '../../records/match-table.ts';
import { cellOf } from '../../records/members.ts';
import { MAX_RECORD_BYTES } from '../../records/records.ts';
import type { MatchIndex } from './matches.ts';
import { type Match, MatchSearch, type Sink } from './search.ts';

/** A row, without the value of a match that is read later. */
type Row = Omit<MatchRow, 'value'> & { readonly start: Bytes; readonly value: string | undefined };

/** Collects the matches numbered `from` to `to`. */
class Collector implements Sink {
  readonly named = true;
  rows: Row[] = [];
  readonly #from: number;
  readonly #to: number;
  #number: number;

  constructor(first: number, from: number, to: number) {
    this.#number = first - 1;
    this.#from = from;
    this.#to = to;
  }

  get isFull(): boolean {
    return this.#number >= this.#to;
  }

  match({ bytes, from, to, start, end, pointer }: Match): void {
    this.#number++;
    if (this.#number < this.#from || this.#number > this.#to) return;
    const size = end - start;
    const isHeld = to - from === size;
    const value = isHeld ? cellOf(bytes, from, Math.min(to, from + MAX_RECORD_BYTES)) : undefined;
    this.rows.push({ number: this.#number, pointer, start, size, value });
  }

  missing(): void {}
}

async function* rowsOf(
  { searched, starts }: MatchIndex,
  from: number,
  to: number,
  signal: AbortSignal,
): AsyncGenerator<MatchRow> {
  const start = starts.findLast(({ number }) => number <= from);
  if (!start || to < from) return;
  const collector = new Collector(start.number, from, to);
  const batches = new MatchSearch({ ...searched, signal }, collector).run(start);
  for (let done = false; !done; ) {
    throwIfAborted(signal);
    done = (await batches.next()).done === true || collector.isFull;
    const { rows } = collector;
    collector.rows = [];
    for (const row of rows) {
      const most = Math.min(row.size, MAX_RECORD_BYTES);
      yield { ...row, value: row.value ?? cellOf(await searched.source.read(row.start, most), 0, most) };
    }
  }
}

/** The parts of an answer about matches. @throws {ReaderError} BAD_INPUT if a pointer without wildcards has none */
export function matchParts(index: MatchIndex, context: ProcessContext): AsyncGenerator<TextPart> {
  const { budget, selection, signal } = context;
  const { pointer = '' } = selection;
  const { count } = index.facts;
  if (count === 0 && !hasWildcard(pointer))
    throw new ReaderError(
      'BAD_INPUT',
      `\`pointer\` ${quoted(pointer)} was not found in these records.`,
      'Start it with the 0-based number of a record, or with `/*` for all.',
    );
  // The facts as far as they leave room for rows.
  const heading = index.lines.find((line) =>
    budget.fits(line, budget.tokensBesideNotes / 2, budget.charactersBesideNotes / 2),
  );
  return matchTable({ count, heading, read: (from, to) => rowsOf(index, from, to, signal) }, context);
}
