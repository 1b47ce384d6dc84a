// Pages of source text that a shorter view left out: original characters, by lines, below a line that names the
// place. Works on offsets and lines of any language.

import { type Budget, type Extent, type Next, safeCut, type TextPart } from '../../src/contract/index.ts';
import type { Gap } from './elision.ts';

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
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
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

export interface PageOptions {
  readonly budget: Budget;
  /** The line above a stretch of `gap` that starts at `from`; `''` for none. */
  readonly heading: (gap: Gap, from: number) => string;
  readonly shown: (from: number, to: number) => readonly Extent[];
  readonly next: (offset: number) => Next;
}

/** Maximum share of the remaining budget for a heading. */
const HEADING_SHARE = 0.25;

/**
 * Yields the stretches of `gaps` from `offset` on, one part each, as many as fit the budget; cut at a line end if
 * possible, else inside the line.
 */
export function* gapPages(
  source: string,
  gaps: readonly Gap[],
  offset: number,
  options: PageOptions,
): Generator<TextPart> {
  const { budget } = options;
  let tokens = budget.tokensBesideNotes;
  let characters = budget.charactersBesideNotes;
  for (const [index, gap] of gaps.entries()) {
    if (gap.to <= offset) continue;
    const from = Math.max(offset, gap.from);
    const heading = options.heading(gap, from);
    const cost = budget.count(heading);
    const headed = cost <= tokens * HEADING_SHARE && heading.length <= characters * HEADING_SHARE;
    const rest = source.slice(from, gap.to);
    const share = tokens - (headed ? cost : 0);
    const room = characters - (headed ? heading.length : 0);
    // Reserve room for a line end unless that leaves none for the text.
    const beside = cutAt(rest, share - 1, room - 1, budget);
    const to = from + (beside > 0 ? beside : cutAt(rest, share, room, budget));
    if (to === from) return;
    const text = source.slice(from, to);
    const ended = text.endsWith('\n') || beside === 0;
    const view = `${headed ? heading : ''}${text}${ended ? '' : '\n'}`;
    const following = to < gap.to ? to : gaps[index + 1]?.from;
    yield {
      kind: 'text',
      text,
      ...(view !== text && { view }),
      shown: options.shown(from, to),
      ...(following !== undefined && { next: options.next(following) }),
    };
    if (to < gap.to) return;
    tokens -= budget.count(view);
    characters -= view.length;
  }
}

/** A comment that names the place of a stretch of YAML or TOML. */
export function lineHeading(gap: Gap, from: number, lines: Lines): string {
  const first = lines.at(from);
  const into = from - lines.start(first);
  const where = into > 0 ? `line ${first} from character ${into + 1}` : `from line ${first}`;
  return `# ${gap.pointer === '' ? '' : `${gap.pointer.slice(0, 200)}, `}${where}\n`;
}

/** How much of `text` fits, up to a line end if there is one. */
function cutAt(text: string, tokens: number, characters: number, budget: Budget): number {
  if (tokens < 1 || characters < 1) return 0;
  const most = text.length <= characters ? text : text.slice(0, safeCut(text, characters));
  const fits = budget.fits(most, tokens, characters) ? most.length : budget.prefix(most, tokens);
  if (fits === text.length) return fits;
  const line = text.lastIndexOf('\n', fits - 1);
  return fits === 0 ? 0 : line >= 0 ? line + 1 : safeCut(text, fits);
}
