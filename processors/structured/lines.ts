// Walks the gaps of a text in memory by its lines.

import {
  countBefore,
  type Extent,
  type Next,
  type Position,
  type RequestFields,
} from '../../src/contract/index.ts';
import type { Gap } from './elision.ts';
import { lineEnd, type Place, type Walk } from './source-pages.ts';

/** Maps offsets to line numbers. A line ends with LF; CR is part of the line. */
export class Lines {
  readonly #starts: number[] = [0];
  readonly #length: number;

  constructor(source: string) {
    this.#length = source.length;
    for (let at = source.indexOf('\n'); at >= 0 && at + 1 < source.length; at = source.indexOf('\n', at + 1))
      this.#starts.push(at + 1);
  }

  get count(): number {
    return this.#length === 0 ? 0 : this.#starts.length;
  }

  /** 1-based number of the line that contains `offset`. */
  at(offset: number): number {
    return countBefore(this.#starts.length, (index) => (this.#starts[index] ?? 0) <= offset);
  }

  start(line: number): number {
    return this.#starts[line - 1] ?? this.#length;
  }

  /** Offset of the next line. */
  end(line: number): number {
    return this.start(line + 1);
  }

  /** The range `from` to `to` as extents: whole lines as lines, a partial line as its characters. */
  extents(from: number, to: number): Extent[] {
    if (to <= from) return [];
    const extents: Extent[] = [];
    const part = (line: number, first: number, last: number): void => {
      const start = this.start(line);
      const of = this.end(line) - start;
      extents.push({
        unit: 'character',
        from: first - start + 1,
        to: last - start,
        of,
        name: `line ${line}`,
      });
    };
    let first = this.at(from);
    let last = this.at(to - 1);
    const head = from > this.start(first);
    const tail = to < this.end(last);
    if (head) part(first, from, Math.min(to, this.end(first)));
    if (tail && !(head && first === last)) part(last, this.start(last), to);
    if (head) first++;
    if (tail) last--;
    if (last >= first) extents.unshift({ unit: 'line', from: first, to: last, of: this.count });
    return extents;
  }
}

/**
 * Maximum share of the lines between the first and last gap that may already be shown for a request that covers all of
 * them.
 */
const MOST_REPEATED = 0.5;

/** Pieces of YAML or TOML end at line ends, if possible. `head` is what a position starts with. */
export class LineWalk implements Walk<Place> {
  readonly #source: string;
  readonly #lines: Lines;
  readonly #head: Position;
  /** The first place that a view left out; undefined if there is no view. */
  readonly #first: number | undefined;

  constructor(source: string, lines: Lines, head: Position, first: number | undefined) {
    this.#source = source;
    this.#lines = lines;
    this.#head = head;
    this.#first = first;
  }

  start({ from }: Gap): Place {
    return { offset: from };
  }

  read({ to }: Gap, { offset }: Place): string {
    return this.#source.slice(offset, to);
  }

  /** A comment that names the place. */
  heading({ pointer }: Gap, { offset }: Place): string {
    const line = this.#lines.at(offset);
    const into = offset - this.#lines.start(line);
    const where = into > 0 ? `line ${line} from character ${into + 1}` : `from line ${line}`;
    return `# ${pointer === '' ? '' : `${pointer.slice(0, 200)}, `}${where}\n`;
  }

  end(_gap: Gap, _place: Place, text: string, fits: number): number {
    return lineEnd(text, fits);
  }

  after(_gap: Gap, { offset }: Place, text: string): Place {
    return { offset: offset + text.length };
  }

  shown(_gap: Gap, from: Place, to: Place): readonly Extent[] {
    return this.#lines.extents(from.offset, to.offset);
  }

  next(gaps: readonly Gap[], { offset }: Place): Next {
    return { position: [...this.#head, offset], ...(offset === this.#first && this.#request(gaps)) };
  }

  /** A request for all lines left out, or for the longest gap if too many lines in between are already shown. */
  #request(gaps: readonly Gap[]): Pick<Next, 'request' | 'skip'> {
    const from = gaps[0]?.from ?? 0;
    const to = gaps.at(-1)?.to ?? 0;
    const left = gaps.reduce((sum, gap) => sum + gap.to - gap.from, 0);
    if (left >= (to - from) * MOST_REPEATED) return { request: this.#linesOf({ from, to }) };
    const size = (gap: Gap): number => gap.to - gap.from;
    return { skip: this.#linesOf(gaps.reduce((most, gap) => (size(gap) > size(most) ? gap : most))) };
  }

  #linesOf({ from, to }: Pick<Gap, 'from' | 'to'>): RequestFields {
    return { lines: `${this.#lines.at(from)}-${this.#lines.at(to - 1)}` };
  }
}
