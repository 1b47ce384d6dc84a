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
import { decodeUtf8 } from '../../byte-window.ts';
import { hasWildcard, WILDCARD } from '../../pointer.ts';
import { cellOf } from '../../records/members.ts';
import { MAX_RECORD_BYTES, pointed } from '../../records/records.ts';
import { pointerTo } from '../../tree/extents.ts';
import { decodedString } from '../raw.ts';
import type { MatchIndex } from './matches.ts';
import { MatchReading } from './reading.ts';
import type { MatchScan, Place, Sink } from './scan.ts';

/** Matches found before they are shown: few at first, because most reads want few. */
const FIRST_BATCH = 64;
const LARGEST_BATCH = 4096;

interface Found {
  readonly start: Bytes;
  end: Bytes;
  readonly places: readonly Place[];
}

/** Collects matches until a batch is full. */
class Collector implements Sink {
  found: Found[] = [];
  #size = FIRST_BATCH;

  begin(start: Bytes, scan: MatchScan): void {
    this.found.push({ start, end: start, places: scan.places() });
  }

  end(end: Bytes): boolean {
    const last = this.found.at(-1);
    if (last) last.end = end;
    return this.found.length >= this.#size;
  }

  take(): Found[] {
    const { found } = this;
    this.found = [];
    this.#size = Math.min(LARGEST_BATCH, this.#size * 2);
    return found;
  }

  string(): void {}
  longString(): void {}
  literal(): void {}
  container(): void {}
  missing(): void {}
}

export class MatchTable implements Table {
  readonly header: readonly string[] = ['pointer', 'value'];
  readonly headerRow = 0;
  readonly columns = 2;
  readonly heading?: string;
  readonly #index: MatchIndex;
  readonly #context: ProcessContext;
  /** The text of a key by its offset: the outer keys are those of many matches. */
  readonly #keys = new Map<Bytes, string>();

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
    const collector = new Collector();
    const reading = new MatchReading({ ...searched, signal: this.#context.signal }, collector, start);
    let { number } = start;
    for (let more = true; more && number <= to; ) {
      throwIfAborted(this.#context.signal);
      more = await reading.run();
      for (const found of collector.take()) {
        // A match that damage cut off has no end.
        if (number > to || found.end === found.start) return;
        if (number >= from) yield { number, cells: await this.#cells(reading, found, number) };
        number++;
      }
    }
  }

  async #cells(reading: MatchReading, { start, end, places }: Found, number: number): Promise<string[]> {
    const most = Math.min(end, start + MAX_RECORD_BYTES);
    if (most < end)
      this.#context.warn({
        code: 'SKIPPED_CONTENT',
        message: `Match ${number} takes ${end - start} bytes; only the first ${MAX_RECORD_BYTES} were read.`,
      });
    const value = await this.#bytes(reading, start, most);
    return [await this.#pointer(reading, places), cellOf(value, 0, value.length)];
  }

  async #pointer(reading: MatchReading, places: readonly Place[]): Promise<string> {
    const { prefix, searched } = this.#index;
    let pointer = prefix;
    for (const [level, { isArray, index, keyStart, keyEnd }] of places.entries()) {
      const token = searched.tokens[level] ?? '';
      if (isArray) pointer = pointerTo(pointer, index);
      else
        pointer = pointerTo(pointer, token === WILDCARD ? await this.#key(reading, keyStart, keyEnd) : token);
    }
    return pointer;
  }

  async #key(reading: MatchReading, from: Bytes, to: Bytes): Promise<string> {
    const known = this.#keys.get(from);
    if (known !== undefined) return known;
    const bytes = await this.#bytes(reading, from, to);
    const key = decodedString(bytes, 0, bytes.length) ?? decodeUtf8(bytes);
    if (this.#keys.size >= LARGEST_BATCH) this.#keys.clear();
    this.#keys.set(from, key);
    return key;
  }

  async #bytes(reading: MatchReading, from: Bytes, to: Bytes): Promise<Uint8Array> {
    return reading.held(from, to) ?? (await this.#index.searched.source.read(from, to - from));
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
