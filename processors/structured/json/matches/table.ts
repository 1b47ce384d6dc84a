// The matches of a pointer with wildcards as a table: one row per match, with its own pointer and its value.

import {
  type Bytes,
  type ProcessContext,
  quoted,
  ReaderError,
  type TextPart,
  throwIfAborted,
} from '../../../../src/contract/index.ts';
import { type Table, type TableRow, tableParts } from '../../../../src/table/index.ts';
import { hasWildcard } from '../../pointer.ts';
import { cellOf } from '../../records/members.ts';
import { MAX_RECORD_BYTES, pointed } from '../../records/records.ts';
import type { MatchIndex } from './matches.ts';
import { type Match, MatchSearch, type Sink } from './search.ts';

/** A row, without the value of a match that is read later. */
interface Row {
  readonly number: number;
  readonly pointer: string;
  readonly start: Bytes;
  readonly end: Bytes;
  readonly cell: string | undefined;
}

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
    const isHeld = to - from === end - start;
    const cell = isHeld ? cellOf(bytes, from, Math.min(to, from + MAX_RECORD_BYTES)) : undefined;
    this.rows.push({ number: this.#number, pointer, start, end, cell });
  }

  missing(): void {}
}

export class MatchTable implements Table {
  readonly header: readonly string[] = ['pointer', 'value'];
  readonly headerRow = 0;
  readonly columns = 2;
  readonly heading?: string;
  readonly #index: MatchIndex;
  readonly #context: ProcessContext;
  constructor(index: MatchIndex, context: ProcessContext, heading: string | undefined) {
    this.#index = index;
    this.#context = context;
    if (heading !== undefined) this.heading = heading;
  }

  get rows(): number {
    return this.#index.facts.count;
  }

  async *read(from: number, to: number): AsyncGenerator<TableRow> {
    if (to < from) return;
    const { searched, starts } = this.#index;
    const start = starts.findLast(({ number }) => number <= from);
    if (!start) return;
    const collector = new Collector(start.number, from, to);
    const search = new MatchSearch({ ...searched, signal: this.#context.signal }, collector);
    const batches = search.run(start);
    for (let done = false; !done; ) {
      throwIfAborted(this.#context.signal);
      done = (await batches.next()).done === true || collector.isFull;
      const { rows } = collector;
      collector.rows = [];
      for (const row of rows) {
        this.#warn(row);
        yield { number: row.number, cells: [row.pointer, row.cell ?? (await this.#cell(row))] };
      }
    }
  }

  async #cell({ start, end }: Row): Promise<string> {
    const most = Math.min(end - start, MAX_RECORD_BYTES);
    return cellOf(await this.#index.searched.source.read(start, most), 0, most);
  }

  #warn({ number, start, end }: Row): void {
    if (end - start > MAX_RECORD_BYTES)
      this.#context.warn({
        code: 'SKIPPED_CONTENT',
        message: `Match ${number} takes ${end - start} bytes; only the first ${MAX_RECORD_BYTES} were read.`,
      });
  }
}

/** The parts of an answer about matches. @throws {ReaderError} BAD_INPUT if a pointer without wildcards has none */
export async function* matchParts(index: MatchIndex, context: ProcessContext): AsyncGenerator<TextPart> {
  const { pointer = '', resume, rows } = context.selection;
  if (index.facts.count === 0 && !hasWildcard(pointer))
    throw new ReaderError(
      'BAD_INPUT',
      `\`pointer\` ${quoted(pointer)} was not found in these records.`,
      'Start it with the 0-based number of a record, or with `/*` for all.',
    );
  const first = resume === undefined && rows === undefined;
  yield* pointed(
    tableParts(new MatchTable(index, context, first ? headingOf(index, context) : undefined), context),
    pointer,
  );
}

/** The facts as far as they leave room for rows. */
function headingOf({ lines }: MatchIndex, { budget }: ProcessContext): string | undefined {
  return lines.find((line) =>
    budget.fits(line, budget.tokensBesideNotes / 2, budget.charactersBesideNotes / 2),
  );
}
